//! Writes requests.

use super::write::Writer;
use crate::model::OwnedRequest;
use crate::value::{Arena, OwnedValue, Value};

/// Appends a request document. An attribute with values of several types becomes several objects:
/// JSON has one type for each.
pub fn write(request: &OwnedRequest, out: &mut Vec<u8>) {
    let arena = Arena::new();
    let mut writer = Writer { out, arena: &arena };
    // A document of its own, whatever stands before it.
    writer.out.extend_from_slice(b"{\"Request\":{");
    for (name, value) in [
        ("ReturnPolicyIdList", request.options.return_policy_ids),
        ("CombinedDecision", request.options.combined_decision),
    ] {
        if value {
            writer.name(name);
            writer.raw("true");
        }
    }
    writer.name("Category");
    writer.open(b'[');
    for category in &request.categories {
        writer.open(b'{');
        writer.member("CategoryId", &category.category);
        writer.optional("Id", category.xml_id.as_deref());
        writer.optional("Content", category.content.as_deref());
        if !category.attributes.is_empty() {
            writer.name("Attribute");
            writer.open(b'[');
            for attribute in &category.attributes {
                let values: Vec<Value<'_>> =
                    attribute.values.iter().map(OwnedValue::as_value).collect();
                let issuer = attribute.issuer.as_deref();
                writer.attribute(&attribute.id, issuer, attribute.include_in_result, &values);
            }
            writer.close(b']');
        }
        writer.close(b'}');
    }
    writer.close(b']');
    if !request.references.is_empty() {
        writer.name("MultiRequests");
        writer.open(b'{');
        writer.name("RequestReference");
        writer.open(b'[');
        for reference in &request.references {
            writer.open(b'{');
            writer.name("ReferenceId");
            writer.open(b'[');
            for id in reference {
                writer.string(id);
            }
            writer.out.extend_from_slice(b"]}");
        }
        writer.out.extend_from_slice(b"]}");
    }
    writer.out.extend_from_slice(b"}}");
}
