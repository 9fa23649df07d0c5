//! Writes requests.

use super::NAMESPACE;
use super::write::Writer;
use crate::format::xml::write::DECLARATION;
use crate::model::OwnedRequest;
use crate::value::{Arena, OwnedValue};

/// Appends a request document. Attributes without values are left out: XML has no form for them.
pub fn write(request: &OwnedRequest, out: &mut Vec<u8>) {
    let arena = Arena::new();
    out.extend_from_slice(DECLARATION);
    let mut writer = Writer { out, arena: &arena };
    writer.raw("<Request");
    writer.attribute("xmlns", NAMESPACE);
    let options = request.options;
    writer.attribute("ReturnPolicyIdList", name(options.return_policy_ids));
    writer.attribute("CombinedDecision", name(options.combined_decision));
    writer.raw(">");
    for category in &request.categories {
        writer.raw("<Attributes");
        writer.optional("xml:id", category.xml_id.as_deref());
        writer.attribute("Category", &category.category);
        writer.raw(">");
        if let Some(content) = &category.content {
            // A prefix, so that the content stands in no default namespace unless it declares one.
            writer.raw("<x:Content xmlns=\"\"");
            writer.attribute("xmlns:x", NAMESPACE);
            writer.raw(">");
            writer.raw(content);
            writer.raw("</x:Content>");
        }
        for attribute in category.attributes.iter().filter(|a| !a.values.is_empty()) {
            let values = attribute.values.iter().map(OwnedValue::as_value);
            let issuer = attribute.issuer.as_deref();
            writer.attribute_element(&attribute.id, issuer, attribute.include_in_result, values);
        }
        writer.raw("</Attributes>");
    }
    if !request.references.is_empty() {
        writer.raw("<MultiRequests>");
        for reference in &request.references {
            writer.raw("<RequestReference>");
            for id in reference {
                writer.raw("<AttributesReference");
                writer.attribute("ReferenceId", id);
                writer.raw("/>");
            }
            writer.raw("</RequestReference>");
        }
        writer.raw("</MultiRequests>");
    }
    writer.raw("</Request>\n");
}

const fn name(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}
