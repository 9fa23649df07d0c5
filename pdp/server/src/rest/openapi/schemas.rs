//! The schemas that several rows use.

use serde_json::{Map, Value, json};

use super::parts::schema;

/// All of them, by name.
pub(super) fn all() -> Value {
    let parts = [failures(), xacml(), explanation()];
    let all: Map<String, Value> = parts
        .into_iter()
        .filter_map(|part| if let Value::Object(part) = part { Some(part) } else { None })
        .flatten()
        .collect();
    all.into()
}

fn failures() -> Value {
    json!({
        "ErrorResponse": {
            "description": "ONAP's description of a failure.",
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "The name of the HTTP status."},
                "error": {"type": "string"},
                "details": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["code", "error", "details"]
        },
        "ErrorDetails": {
            "description": "ONAP's words for a body that cannot be read.",
            "type": "object",
            "properties": {"errorDetails": {"type": "string"}},
            "required": ["errorDetails"]
        }
    })
}

/// One object, or an array of them: version 1.0 of the profile has the first where 1.1 has the second.
fn one_or_many(name: &str) -> Value {
    json!({"anyOf": [{"type": "array", "items": schema(name)}, schema(name)]})
}

fn xacml() -> Value {
    let mut request = json!({
        "ReturnPolicyIdList": {"type": "boolean", "default": false},
        "CombinedDecision": {"type": "boolean", "default": false},
        "XPathVersion": {"type": "string"},
        "Category": one_or_many("XacmlCategory"),
        "MultiRequests": {
            "type": "object",
            "properties": {"RequestReference": {"type": "array", "items": {
                "type": "object",
                "properties": {"ReferenceId": {"type": "array", "items": {"type": "string"}}},
                "required": ["ReferenceId"],
                "additionalProperties": false
            }}},
            "required": ["RequestReference"],
            "additionalProperties": false
        }
    });
    for shorthand in [
        "AccessSubject",
        "Resource",
        "Action",
        "Environment",
        "RecipientSubject",
        "IntermediarySubject",
        "Codebase",
        "RequestingMachine",
    ] {
        request[shorthand] = one_or_many("XacmlShorthandCategory");
    }
    let members = json!({
        "Id": {"type": "string"},
        "Content": {"type": "string", "description": "XML text, or XML text in Base64."},
        "Attribute": one_or_many("XacmlAttribute")
    });
    let mut category = members.clone();
    category["CategoryId"] = json!({"type": "string"});
    json!({
        "XacmlRequest": {
            "description": "A request in the JSON profile of XACML 3.0, versions 1.0 and 1.1.",
            "type": "object",
            "properties": {"Request": {
                "type": "object", "properties": request, "additionalProperties": false
            }},
            "required": ["Request"],
            "additionalProperties": false
        },
        "XacmlCategory": {
            "type": "object", "properties": category, "required": ["CategoryId"],
            "additionalProperties": false
        },
        "XacmlShorthandCategory": {
            "type": "object", "properties": members, "additionalProperties": false
        },
        "XacmlAttribute": {
            "type": "object",
            "properties": {
                "AttributeId": {"type": "string"},
                "Issuer": {"type": "string"},
                "DataType": {"type": "string", "description": "A URI or a short name; inferred where it is missing."},
                "IncludeInResult": {"type": "boolean", "default": false},
                "Value": {"description": "A value or an array of values."}
            },
            "required": ["AttributeId", "Value"],
            "additionalProperties": false
        },
        "XacmlResponse": {
            "description": "A response in the JSON profile of XACML 3.0.",
            "type": "object",
            "properties": {"Response": {"type": "array", "minItems": 1, "items": schema("XacmlResult")}},
            "required": ["Response"],
            "additionalProperties": false
        },
        "XacmlResult": {
            "type": "object",
            "properties": {
                "Decision": {"enum": ["Permit", "Deny", "NotApplicable", "Indeterminate"]},
                "Status": schema("XacmlStatus"),
                "Obligations": {"type": "array", "items": schema("XacmlNotice")},
                "AssociatedAdvice": {"type": "array", "items": schema("XacmlNotice")},
                "Category": {"type": "array", "items": schema("XacmlCategory")},
                "PolicyIdentifierList": {"type": "object"}
            },
            "required": ["Decision"],
            "additionalProperties": false
        },
        "XacmlStatus": {
            "type": "object",
            "properties": {
                "StatusCode": {
                    "type": "object", "properties": {"Value": {"type": "string"}}, "required": ["Value"]
                },
                "StatusMessage": {"type": "string"},
                "StatusDetail": {}
            }
        },
        "XacmlNotice": {
            "description": "An obligation or an advice.",
            "type": "object",
            "properties": {
                "Id": {"type": "string"},
                "AttributeAssignment": {"type": "array", "items": {"type": "object"}}
            },
            "required": ["Id"]
        }
    })
}

fn explanation() -> Value {
    json!({
        "Explanation": {
            "description": "How a decision came about.",
            "type": "object",
            "properties": {
                "application": {"type": "string"},
                "decision": {"enum": ["Permit", "Deny", "NotApplicable", "Indeterminate"]},
                "answer": {"description": "What the client would have read."},
                "policies": {"type": "integer", "description": "How many policies there are."},
                "proposed": {"type": "integer", "description": "How many of them could apply; the targets of the others cannot match."},
                "because": {"type": "string", "description": "What decided, in a sentence."},
                "steps": {"type": "array", "items": schema("ExplanationStep")},
                "decisions": {"description": "Of a request for several decisions one entry each, in place of policies, proposed and steps.", "type": "array", "items": {"type": "object"}}
            },
            "required": ["application", "decision", "answer"]
        },
        "ExplanationStep": {
            "description": "A policy or rule that was evaluated.",
            "type": "object",
            "properties": {
                "kind": {"enum": ["policy", "policy set", "rule"]},
                "id": {"type": "string"},
                "version": {"type": "string"},
                "effect": {"enum": ["Permit", "Deny"]},
                "decision": {"type": "string"},
                "source": {"type": "string", "description": "The file, with line and column."},
                "line": {"type": "integer"},
                "column": {"type": "integer"},
                "target": {"enum": ["match", "no match", "indeterminate", "pending"]},
                "condition": {"type": ["boolean", "string"]},
                "missing": {"type": "array", "items": {"type": "string"}},
                "message": {"type": "string"},
                "children": {"type": "array", "items": schema("ExplanationStep")}
            },
            "required": ["kind", "id", "decision"]
        }
    })
}
