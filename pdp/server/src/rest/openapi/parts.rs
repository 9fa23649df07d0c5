//! What descriptions of rows are made of.

use serde_json::{Map, Value, json};

/// The types that ONAP's paths speak.
pub(in crate::rest) const ONAP: [&str; 2] = ["application/json", "application/yaml"];

/// An operation: what it is, with `more` of its members, and the failures that every path has.
pub(in crate::rest) fn operation(tag: &str, id: &str, summary: &str, more: Value) -> Value {
    let mut operation = json!({"tags": [tag], "operationId": id, "summary": summary});
    if let (Value::Object(operation), Value::Object(more)) = (&mut operation, more) {
        operation.extend(more);
    }
    add_failures(&mut operation, &[401, 409, 500]);
    operation
}

/// Adds failures of these statuses, where the operation does not describe them itself.
pub(in crate::rest) fn add_failures(operation: &mut Value, statuses: &[u16]) {
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for status in statuses {
        responses.entry(status.to_string()).or_insert_with(|| failure(*status));
    }
}

/// An operation with a body: `content` describes it, and it can be refused in more ways.
pub(in crate::rest) fn with_body(mut operation: Value, content: Value) -> Value {
    operation["requestBody"] = json!({"required": true, "content": content});
    add_failures(&mut operation, &[400, 406, 408, 413, 415]);
    operation
}

/// The same schema, and examples, in each of several types.
pub(in crate::rest) fn content(types: &[&str], schema: &Value, examples: Option<&Value>) -> Value {
    let content: Map<String, Value> = types
        .iter()
        .map(|media_type| {
            let mut entry = json!({"schema": schema});
            if let Some(examples) = examples {
                entry["examples"] = examples.clone();
            }
            ((*media_type).to_owned(), entry)
        })
        .collect();
    content.into()
}

/// A response with a body of one type.
pub(in crate::rest) fn answer(description: &str, media_type: &str, schema: Value) -> Value {
    json!({"description": description, "content": content(&[media_type], &schema, None)})
}

/// A response of ONAP's: in each of its types, with its headers.
pub(in crate::rest) fn onap(description: &str, schema: &Value) -> Value {
    json!({"description": description, "headers": headers(), "content": content(&ONAP, schema, None)})
}

/// A reference to a schema.
pub(in crate::rest) fn schema(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// The client's id of a request.
pub(in crate::rest) fn request_id() -> Value {
    json!({
        "name": "X-ONAP-RequestID", "in": "header", "required": false,
        "description": "The client's id of the request, which the answer repeats; made up where there is none.",
        "schema": {"type": "string", "format": "uuid"}
    })
}

/// The headers of answers of the service's own.
pub(in crate::rest) fn headers() -> Value {
    let text =
        |description: &str| json!({"description": description, "schema": {"type": "string"}});
    json!({
        "X-MinorVersion": text("The minor version of the interface."),
        "X-PatchVersion": text("The patch version of the interface."),
        "X-LatestVersion": text("The latest version of the interface."),
        "X-ONAP-RequestID": text("The id of the request.")
    })
}

fn failure(status: u16) -> Value {
    let json = |description: &str, schema: &Value| json!({"description": description, "content": content(&["application/json"], schema, None)});
    let error = schema("ErrorResponse");
    match status {
        400 => json(
            "What was sent cannot be used. Where a body cannot be read, the header X-Error-Detail says where.",
            &json!({"anyOf": [error, schema("ErrorDetails")]}),
        ),
        401 => json("Credentials are missing or wrong.", &error),
        406 => json("The answer cannot be given in a type that is asked for.", &error),
        408 => json("The body did not arrive in time.", &error),
        409 => json!({"description": "The service is PASSIVE."}),
        413 => json("The body is too large.", &error),
        415 => json(
            "The body is of a type, or in a character set or a content encoding, that is not read.",
            &error,
        ),
        503 => json("The operations history did not do what was asked.", &error),
        _ => json("A fault of the service.", &error),
    }
}
