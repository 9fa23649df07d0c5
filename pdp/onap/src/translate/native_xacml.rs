//! Native policies: a XACML document, in Base64 within a TOSCA policy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pdp_engine::error::Position;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml;
use pdp_engine::model::Policy;

use crate::problem::Problem;
use crate::tosca::ToscaPolicy;

/// The document as it is. Its own identifier and version count; those of the TOSCA policy only name it.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let mut refuse = |path: &str, at: Position, message: String, says: &str| {
        let problem = Problem::error("native-policy", &policy.name, path, at, message);
        problems.push(problem.onap_says(says));
    };
    let Some(properties) = &policy.properties else {
        refuse(
            "properties",
            policy.position,
            "is missing: expected `policy` with a XACML document in Base64".into(),
            "Cannot decode NativeDefinition from null properties",
        );
        return None;
    };
    const PATH: &str = "properties.policy";
    let Some(node) = properties.present("policy") else {
        refuse(
            PATH,
            properties.position,
            "is missing: expected a XACML document in Base64".into(),
            "item \"policy\" value \"null\" INVALID, is null",
        );
        return None;
    };
    let Some(text) = node.scalar_text() else {
        let message = format!("expected a XACML document in Base64, found {}", node.found());
        refuse(PATH, node.position, message, "Cannot decode NativeDefinition from properties");
        return None;
    };
    if text.trim().is_empty() {
        let says = format!("item \"policy\" value \"{text}\" INVALID, is blank");
        refuse(PATH, node.position, "is blank: expected a XACML document in Base64".into(), &says);
        return None;
    }
    let bytes = match STANDARD.decode(text.as_bytes()) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!(
                "is not standard Base64 ({error}): expected the document in one piece, with `+` and `/` and no line breaks"
            );
            let says = "POLICY-500: error on Base64 decoding the native policy";
            refuse(PATH, node.position, message, says);
            return None;
        }
    };
    match xacml3_xml::policy::read(&bytes, &ReadLimits::POLICY) {
        Ok(policy) => Some(policy),
        Err(errors) => {
            for error in errors {
                let message = format!("the decoded document, {}: {}", error.place, error.message);
                refuse(PATH, node.position, message, "POLICY-500: Failed to read policy");
            }
            None
        }
    }
}
