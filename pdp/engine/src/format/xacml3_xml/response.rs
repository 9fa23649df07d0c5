//! Writes responses, and reads them for those who compare (XACML 3.0 sections 5.47 to 5.56).

pub use super::response_reader::read;

use super::NAMESPACE;
use super::write::Writer;
use crate::format::xml::write::DECLARATION;
use crate::model::{
    Answer, NoticeKind, PolicyIdentifier, PolicyKind, ReturnedAttribute, ReturnedNotice, Status,
};
use crate::value::Arena;

/// Appends a response document. The arena takes the text of computed values.
pub fn write<'a>(answers: &[Answer<'a>], arena: &'a Arena, out: &mut Vec<u8>) {
    out.extend_from_slice(DECLARATION);
    let mut writer = Writer { out, arena };
    writer.raw("<Response");
    writer.attribute("xmlns", NAMESPACE);
    writer.raw(">");
    for answer in answers {
        result(&mut writer, answer);
    }
    writer.raw("</Response>\n");
}

fn result<'a>(writer: &mut Writer<'_, 'a>, answer: &Answer<'a>) {
    writer.raw("<Result><Decision>");
    writer.raw(answer.decision.name());
    writer.raw("</Decision>");
    status(writer, &answer.status);
    notices(writer, NoticeKind::Obligation, answer.notices);
    notices(writer, NoticeKind::Advice, answer.notices);
    attributes(writer, answer.attributes);
    policies(writer, answer.policies);
    writer.raw("</Result>");
}

fn status(writer: &mut Writer<'_, '_>, status: &Status<'_>) {
    writer.raw("<Status><StatusCode");
    writer.attribute("Value", status.code.uri());
    writer.raw("/>");
    if let Some(message) = status.message {
        writer.raw("<StatusMessage>");
        writer.text(message);
        writer.raw("</StatusMessage>");
    }
    if let Some(missing) = &status.missing {
        writer.raw("<StatusDetail><MissingAttributeDetail");
        writer.attribute("Category", missing.category);
        writer.attribute("AttributeId", missing.id);
        writer.attribute("DataType", missing.data_type);
        writer.optional("Issuer", missing.issuer);
        writer.raw("/></StatusDetail>");
    }
    writer.raw("</Status>");
}

fn notices<'a>(writer: &mut Writer<'_, 'a>, kind: NoticeKind, notices: &[ReturnedNotice<'a>]) {
    let (list, element, id_name) = match kind {
        NoticeKind::Obligation => ("Obligations", "Obligation", "ObligationId"),
        NoticeKind::Advice => ("AssociatedAdvice", "Advice", "AdviceId"),
    };
    let mut notices = notices.iter().filter(|notice| notice.kind == kind).peekable();
    if notices.peek().is_none() {
        return;
    }
    writer.raw("<");
    writer.raw(list);
    writer.raw(">");
    for notice in notices {
        writer.raw("<");
        writer.raw(element);
        writer.attribute(id_name, notice.id);
        writer.raw(">");
        for assignment in notice.assignments {
            writer.raw("<AttributeAssignment");
            writer.attribute("AttributeId", assignment.attribute_id);
            writer.optional("Category", assignment.category);
            writer.optional("Issuer", assignment.issuer);
            writer.value("AttributeAssignment", &assignment.value);
        }
        writer.raw("</");
        writer.raw(element);
        writer.raw(">");
    }
    writer.raw("</");
    writer.raw(list);
    writer.raw(">");
}

fn attributes<'a>(writer: &mut Writer<'_, 'a>, attributes: &[ReturnedAttribute<'a>]) {
    for category in attributes.chunk_by(|a, b| a.category == b.category) {
        let Some(first) = category.first() else { continue };
        writer.raw("<Attributes");
        writer.attribute("Category", first.category);
        writer.raw(">");
        for attribute in category {
            let values = attribute.values.iter().map(|(_, value)| *value);
            writer.attribute_element(attribute.id, attribute.issuer, true, values);
        }
        writer.raw("</Attributes>");
    }
}

fn policies(writer: &mut Writer<'_, '_>, policies: &[PolicyIdentifier<'_>]) {
    if policies.is_empty() {
        return;
    }
    writer.raw("<PolicyIdentifierList>");
    for policy in policies {
        let element = match policy.kind {
            PolicyKind::Policy => "PolicyIdReference",
            PolicyKind::PolicySet => "PolicySetIdReference",
        };
        writer.raw("<");
        writer.raw(element);
        writer.attribute("Version", &policy.version.to_string());
        writer.raw(">");
        writer.text(policy.id);
        writer.raw("</");
        writer.raw(element);
        writer.raw(">");
    }
    writer.raw("</PolicyIdentifierList>");
}
