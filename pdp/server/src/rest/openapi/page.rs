//! The description as a page of HTML that needs no network and no script.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; background: #fff }
details { border: 1px solid #ccc; border-radius: 4px; margin: .4rem 0; padding: .4rem .8rem }
summary { cursor: pointer } summary b { display: inline-block; min-width: 4rem }
code, pre { font: 14px/1.45 ui-monospace, monospace } pre { background: #f4f4f4; overflow: auto; padding: .6rem; max-height: 30rem }
table { border-collapse: collapse } td { border-top: 1px solid #ddd; padding: .2rem .8rem .2rem 0; vertical-align: top }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } pre { background: #242424 } }
";

/// The whole page.
pub(super) fn html(document: &Value) -> String {
    let empty = serde_json::Map::new();
    let object = |value: &'static str| document[value].as_object().unwrap_or(&empty);
    let tags = document["tags"].as_array().map_or(&[][..], Vec::as_slice);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (text(&document["info"]["title"])) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (text(&document["info"]["title"])) " " (text(&document["info"]["version"])) }
                p { (text(&document["info"]["description"])) }
                p { "For programs: " a href="/openapi.json" { "openapi.json" } "." }
                @for tag in tags {
                    h2 { (text(&tag["name"])) }
                    p { (text(&tag["description"])) }
                    @for (path, item) in object("paths") {
                        @for (method, operation) in item.as_object().unwrap_or(&empty) {
                            @if operation["tags"][0] == tag["name"] {
                                (one(path, method, operation))
                            }
                        }
                    }
                }
                h2 { "schemas" }
                @for (name, schema) in document["components"]["schemas"].as_object().unwrap_or(&empty) {
                    details id=(name) {
                        summary { code { (name) } " " (text(&schema["description"])) }
                        (pretty(schema))
                    }
                }
            }
        }
    };
    page.into_string()
}

fn one(path: &str, method: &str, operation: &Value) -> Markup {
    let empty = serde_json::Map::new();
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    let body = operation["requestBody"]["content"].as_object().unwrap_or(&empty);
    html! {
        details id=(text(&operation["operationId"])) {
            summary { b { (method.to_uppercase()) } code { (path) } " " (text(&operation["summary"])) }
            p { (text(&operation["description"])) }
            @if !parameters.is_empty() {
                h3 { "Parameters" }
                table {
                    @for parameter in parameters {
                        tr {
                            td { code { (text(&parameter["name"])) } }
                            td { (text(&parameter["in"])) }
                            td { (text(&parameter["description"])) }
                        }
                    }
                }
            }
            @if !body.is_empty() { h3 { "Body" } }
            @for (media_type, content) in body {
                p { code { (media_type) } " " (schema(&content["schema"])) }
                @for (_, example) in content["examples"].as_object().unwrap_or(&empty) {
                    p { (text(&example["summary"])) }
                    (pretty(&example["value"]))
                }
            }
            h3 { "Answers" }
            table {
                @for (status, response) in operation["responses"].as_object().unwrap_or(&empty) {
                    tr {
                        td { code { (status) } }
                        td {
                            (text(&response["description"]))
                            @for (media_type, content) in response["content"].as_object().unwrap_or(&empty) {
                                br; code { (media_type) } " " (schema(&content["schema"]))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A link to a schema that has a name, or the schema.
fn schema(schema: &Value) -> Markup {
    match schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        Some(name) => html! { a href={ "#" (name) } { (name) } },
        None => html! { code { (schema.to_string()) } },
    }
}

fn pretty(value: &Value) -> Markup {
    let shown = match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    html! { pre { (shown) } }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
