//! Writes responses of the JSON profile, and reads them for those who compare (section 5).

pub use super::response_reader::read;

use super::write::Writer;
use crate::model::{
    Answer, NoticeKind, PolicyIdentifier, PolicyKind, ReturnedAttribute, ReturnedNotice, Status,
};
use crate::value::{Arena, Value};

/// Appends a response document. The arena takes the text of computed values. Lists that hold nothing
/// are left out.
pub fn write<'a>(answers: &[Answer<'a>], arena: &'a Arena, out: &mut Vec<u8>) {
    let mut writer = Writer { out, arena };
    // A document of its own, whatever stands before it.
    writer.out.extend_from_slice(b"{\"Response\":[");
    for answer in answers {
        result(&mut writer, answer);
    }
    writer.out.extend_from_slice(b"]}");
}

fn result<'a>(writer: &mut Writer<'_, 'a>, answer: &Answer<'a>) {
    writer.open(b'{');
    writer.member("Decision", answer.decision.name());
    status(writer, &answer.status);
    notices(writer, NoticeKind::Obligation, answer.notices);
    notices(writer, NoticeKind::Advice, answer.notices);
    categories(writer, answer.attributes);
    policies(writer, answer.policies);
    writer.close(b'}');
}

fn status(writer: &mut Writer<'_, '_>, status: &Status<'_>) {
    writer.name("Status");
    writer.open(b'{');
    writer.name("StatusCode");
    writer.open(b'{');
    writer.member("Value", status.code.uri());
    writer.close(b'}');
    writer.optional("StatusMessage", status.message);
    if let Some(missing) = &status.missing {
        writer.name("StatusDetail");
        writer.open(b'[');
        writer.open(b'{');
        writer.member("Category", missing.category);
        writer.member("AttributeId", missing.id);
        writer.member("DataType", missing.data_type);
        writer.optional("Issuer", missing.issuer);
        writer.close(b'}');
        writer.close(b']');
    }
    writer.close(b'}');
}

fn notices<'a>(writer: &mut Writer<'_, 'a>, kind: NoticeKind, notices: &[ReturnedNotice<'a>]) {
    let mut notices = notices.iter().filter(|notice| notice.kind == kind).peekable();
    if notices.peek().is_none() {
        return;
    }
    writer.name(match kind {
        NoticeKind::Obligation => "Obligations",
        NoticeKind::Advice => "AssociatedAdvice",
    });
    writer.open(b'[');
    for notice in notices {
        writer.open(b'{');
        writer.member("Id", notice.id);
        if !notice.assignments.is_empty() {
            writer.name("AttributeAssignment");
            writer.open(b'[');
            for assignment in notice.assignments {
                writer.open(b'{');
                writer.member("AttributeId", assignment.attribute_id);
                writer.values(&[assignment.value], false);
                writer.optional("Category", assignment.category);
                writer.optional("Issuer", assignment.issuer);
                writer.close(b'}');
            }
            writer.close(b']');
        }
        writer.close(b'}');
    }
    writer.close(b']');
}

fn categories<'a>(writer: &mut Writer<'_, 'a>, attributes: &[ReturnedAttribute<'a>]) {
    if attributes.is_empty() {
        return;
    }
    writer.name("Category");
    writer.open(b'[');
    for category in attributes.chunk_by(|a, b| a.category == b.category) {
        let Some(first) = category.first() else { continue };
        writer.open(b'{');
        writer.member("CategoryId", first.category);
        writer.name("Attribute");
        writer.open(b'[');
        for attribute in category {
            let values: Vec<Value<'a>> = attribute.values.iter().map(|(_, value)| *value).collect();
            writer.attribute(attribute.id, attribute.issuer, true, &values);
        }
        writer.close(b']');
        writer.close(b'}');
    }
    writer.close(b']');
}

fn policies(writer: &mut Writer<'_, '_>, policies: &[PolicyIdentifier<'_>]) {
    if policies.is_empty() {
        return;
    }
    writer.name("PolicyIdentifierList");
    writer.open(b'{');
    for (kind, name) in
        [(PolicyKind::Policy, "PolicyIdReference"), (PolicyKind::PolicySet, "PolicySetIdReference")]
    {
        let mut of_kind = policies.iter().filter(|policy| policy.kind == kind).peekable();
        if of_kind.peek().is_none() {
            continue;
        }
        writer.name(name);
        writer.open(b'[');
        for policy in of_kind {
            writer.open(b'{');
            writer.member("Id", policy.id);
            writer.member("Version", &policy.version.to_string());
            writer.close(b'}');
        }
        writer.close(b']');
    }
    writer.close(b'}');
}
