//! The schemas of TOSCA policies.

use pdp_onap::tosca::catalogue::{TYPES, TypeRow};
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The names of the types; of a family what they begin with.
pub(super) fn types() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|row| row.name.trim_end_matches('.'))
}

/// Documents with policies of any type; each is checked by its type.
pub(super) fn every_type() -> Value {
    let by_type: Vec<Value> = TYPES
        .iter()
        .map(|row| json!({"if": of_type(row), "then": {"properties": {"properties": properties(row)}}}))
        .collect();
    let known: Vec<Value> = TYPES.iter().map(type_name).collect();
    document("TOSCA policies", json!({"type": {"anyOf": known}}), by_type)
}

/// Documents with policies of one type, by its name.
pub(super) fn one_type(name: &str) -> Option<Value> {
    let row = TYPES.iter().find(|row| {
        row.name.trim_end_matches('.') == name || row.family && name.starts_with(row.name)
    })?;
    let title = format!("TOSCA policies of the type {}", row.name.trim_end_matches('.'));
    let fields = json!({"type": type_name(row), "properties": properties(row)});
    Some(document(&title, fields, Vec::new()))
}

fn type_name(row: &TypeRow) -> Value {
    if row.family {
        let pattern = format!("^{}", row.name.replace('.', "\\."));
        json!({"type": "string", "pattern": pattern})
    } else {
        json!({"const": row.name})
    }
}

fn of_type(row: &TypeRow) -> Value {
    json!({"properties": {"type": type_name(row)}, "required": ["type"]})
}

/// A document whose policies have these fields beside those of every policy.
fn document(title: &str, fields: Value, by_type: Vec<Value>) -> Value {
    let text = json!({"type": "string"});
    let version = json!({
        "anyOf": [{"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)*$"}, {"type": "number"}]
    });
    let mut policy = json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"description": "The policy type, which says how it is decided."},
            "type_version": version.clone(),
            "version": version,
            "name": text, "description": {}, "derived_from": text,
            "metadata": {"type": ["object", "null"]},
            "properties": {"description": "What the policy says; its type says what may stand here."},
        },
        "allOf": [{"properties": fields}],
    });
    if let Some(all) = policy["allOf"].as_array_mut() {
        all.extend(by_type);
    }
    let policies = json!({
        "description": "The policies: each entry is a map from its name to it.",
        "anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/entry"}},
            {"$ref": "#/$defs/entry"},
        ],
    });
    json!({
        "$schema": DIALECT,
        "title": title,
        "type": "object",
        "properties": {
            "tosca_definitions_version": {"enum": ["tosca_simple_yaml_1_0_0", "tosca_simple_yaml_1_1_0", "tosca_simple_yaml_1_3"]},
            "topology_template": {
                "type": "object",
                "required": ["policies"],
                "properties": {"policies": policies},
            },
            "policies": policies,
            "policy_types": {"$ref": "#/$defs/types"},
            "data_types": {"$ref": "#/$defs/types"},
        },
        "anyOf": [
            {"required": ["topology_template"]},
            {"required": ["policies"]},
            {"required": ["policy_types"]},
            {"required": ["data_types"]},
        ],
        "$defs": {
            "entry": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"$ref": "#/$defs/policy"},
            },
            "policy": policy,
            "types": {
                "description": "Types of one's own: a map from name to definition.",
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "required": ["derived_from"],
                    "properties": {
                        "derived_from": {"type": "string"},
                        "version": {"type": ["string", "number"]},
                        "description": {"type": "string"},
                        "properties": {
                            "type": "object",
                            "additionalProperties": {"type": "object", "required": ["type"]},
                        },
                    },
                },
            },
        },
    })
}

fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

fn integer(text: &str) -> Value {
    described(
        json!({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[-+]?[0-9]+$"}]}),
        text,
    )
}

fn text(about: &str) -> Value {
    described(json!({"type": ["string", "number", "boolean"]}), about)
}

/// The properties of a type.
fn properties(row: &TypeRow) -> Value {
    let name = row.name.rsplit('.').next().unwrap_or_default();
    let (required, own): (&[&str], Vec<(&str, Value)>) = match name {
        "FrequencyLimiter" => (
            &["limit", "timeWindow", "timeUnits"],
            vec![
                ("target", text("On what; .* or nothing: anything, each counted by itself.")),
                ("limit", integer("So many operations may run in the window.")),
                ("timeWindow", integer("How long the window is, in timeUnits.")),
                (
                    "timeUnits",
                    json!({
                        "type": "string",
                        "pattern": "^(?i:second|minute|hour|day|week|month|year)$",
                        "examples": ["second", "minute", "hour", "day", "week", "month", "year"],
                        "description": "The unit of timeWindow."
                    }),
                ),
            ],
        ),
        "MinMax" => (
            &["target"],
            vec![
                ("target", text("On what; .*: anything.")),
                ("min", integer("Below so many instances one more may be made.")),
                ("max", integer("Below so many instances one more may be made.")),
            ],
        ),
        "Blacklist" => {
            let blacklist = described(json!({"type": "array"}), "The targets that are denied.");
            (&["blacklist"], vec![("blacklist", blacklist)])
        }
        "Filter" => (
            &["algorithm", "filters"],
            vec![
                ("target", text("On what; .* or nothing: anything.")),
                (
                    "algorithm",
                    described(
                        json!({"enum": ["whitelist-overrides", "blacklist-overrides"]}),
                        "What counts where filters disagree.",
                    ),
                ),
                ("filters", filters()),
            ],
        ),
        "FirstBlocksSecond" => {
            let loops = json!({
                "type": "array", "minItems": 2, "maxItems": 2,
                "description": "Two control loops: while the first runs an operation, the second may not."
            });
            return map(&["controlLoop"], vec![("controlLoop", loops)], false);
        }
        // What stands there is up to whoever fetches the policy.
        _ => return json!({"type": ["object", "null"]}),
    };
    let common = [
        ("actor", text("Who asks; .* or nothing: anyone.")),
        ("operation", text("For what; .* or nothing: any operation.")),
        ("id", text("The control loop; .* or nothing: any.")),
        ("timeRange", time_range()),
    ];
    let at_least_one = name == "MinMax";
    map(required, common.into_iter().chain(own).collect(), at_least_one)
}

fn map(required: &[&str], fields: Vec<(&str, Value)>, a_bound: bool) -> Value {
    let fields: Map<String, Value> =
        fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut schema = json!({
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": false,
    });
    if a_bound {
        schema["anyOf"] = json!([{"required": ["min"]}, {"required": ["max"]}]);
    }
    schema
}

fn time_range() -> Value {
    let time = json!({"type": "string", "examples": ["08:00:00Z", "2026-01-01T08:00:00Z"]});
    json!({
        "type": "object",
        "description": "The part of the day, or the span of time, in which the policy's rules hold.",
        "properties": {"start_time": time, "end_time": time},
        "required": ["start_time", "end_time"],
        "additionalProperties": false,
    })
}

fn filters() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "field": {"type": "string", "examples": [
                    "generic-vnf.vnf-name", "generic-vnf.vnf-id", "generic-vnf.vnf-type",
                    "generic-vnf.nf-naming-code", "vserver.vserver-id",
                    "cloud-region.cloud-region-id"
                ], "description": "The field of the inventory."},
                "filter": text("What it is compared with."),
                "function": {"type": "string", "examples": [
                    "string-equal", "string-equal-ignore-case", "string-regexp-match",
                    "string-contains", "string-starts-with", "string-ends-with",
                    "string-greater-than", "string-greater-than-or-equal", "string-less-than",
                    "string-less-than-or-equal"
                ], "description": "How it is compared; the filter is the first argument."},
                "blacklist": {"description": "Whether what matches is denied."},
            },
            "required": ["field", "filter", "function", "blacklist"],
            "additionalProperties": false,
        },
    })
}
