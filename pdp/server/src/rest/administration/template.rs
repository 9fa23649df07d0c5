//! The service templates in which policies and types are answered.

use crate::administration::{Kept, KeptType};

/// A service template as JSON. What is kept as JSON is put in as it is.
pub(super) fn of(policies: &[Kept], types: &[KeptType], data_types: &[KeptType]) -> Vec<u8> {
    let mut out = Vec::with_capacity(
        256 + policies.iter().map(|one| one.content.len() + one.name.len() + 8).sum::<usize>()
            + types.iter().chain(data_types).map(|one| one.content.len() + 64).sum::<usize>(),
    );
    out.extend_from_slice(b"{\"tosca_definitions_version\":\"tosca_simple_yaml_1_1_0\"");
    for (member, types) in [("policy_types", types), ("data_types", data_types)] {
        if !types.is_empty() {
            map(member, types, &mut out);
        }
    }
    if types.is_empty() {
        out.extend_from_slice(b",\"topology_template\":{\"policies\":[");
        for (at, policy) in policies.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"{" } else { b",{" });
            text(&policy.name, &mut out);
            out.push(b':');
            out.extend_from_slice(policy.content.as_bytes());
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }
    out.extend_from_slice(b",\"name\":\"ToscaServiceTemplateSimple\",\"version\":\"1.0.0\"}");
    out
}

/// Types by name. Of several versions of one name the first has the plain name.
fn map(member: &str, types: &[KeptType], out: &mut Vec<u8>) {
    out.push(b',');
    text(member, out);
    out.extend_from_slice(b":{");
    for (at, one) in types.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if types[..at].iter().any(|other| other.name == one.name) {
            text(&format!("{}:{}", one.name, one.version), out);
        } else {
            text(&one.name, out);
        }
        out.push(b':');
        out.extend_from_slice(one.content.as_bytes());
    }
    out.push(b'}');
}

fn text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string is written to memory");
}
