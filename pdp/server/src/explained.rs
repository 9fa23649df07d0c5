//! A decision with the way that led to it, as one JSON document: what the service answers and what
//! `pdp decide --explain=json` prints.

use pdp_engine::eval::trace::Explanation;
use pdp_engine::model::Decision;
use pdp_onap::Application;
use serde_json::{Value, json};

/// Who decided, what, the answer as the client gets it, and the steps. Without a decision where the answer
/// says that the request cannot be converted.
pub(crate) fn told(
    application: Application,
    decision: Option<Decision>,
    answer: &Value,
    explanation: &Explanation,
) -> Value {
    let mut told = json!({
        "application": application.row().name,
        "decision": decision.map(Decision::name),
        "answer": answer
    });
    if let (Value::Object(told), Value::Object(tree)) = (&mut told, explanation.to_json()) {
        told.extend(tree);
    }
    told
}
