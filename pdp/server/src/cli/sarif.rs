//! Problems as SARIF 2.1.0, which code hosts show beside the lines.

use std::collections::BTreeSet;

use pdp_engine::error::Severity;
use serde_json::{Value, json};

use crate::store::Problems;

/// The document.
pub(super) fn document(problems: &Problems) -> String {
    let rules: BTreeSet<&str> = problems.iter().map(|problem| problem.code).collect();
    let rules: Vec<Value> = rules.into_iter().map(|code| json!({"id": code})).collect();
    let results: Vec<Value> = problems
        .iter()
        .map(|problem| {
            let level = match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            json!({
                "ruleId": problem.code,
                "level": level,
                "message": {"text": problem.message},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": problem.file.to_string_lossy()},
                    "region": {
                        "startLine": problem.position.line,
                        "startColumn": problem.position.column,
                    },
                }}],
            })
        })
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "pdp",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document:#}")
}
