//! `target`: what a policy or rule applies to.

use pdp_engine::error::Position;
use pdp_engine::model::{Identifier, Match, MatchBag, Target};

use super::operator;
use super::scope::Scope;
use crate::ids::{self, category};
use crate::problem::did_you_mean;
use crate::tosca::Node;
use crate::translate::build;

/// The request's action is this.
pub(super) fn on_action(text: &str, at: Position) -> Match {
    let mut on_action = build::match_equal(text, ids::ACTION_ID, at);
    if let MatchBag::Designator(designator) = &mut on_action.bag {
        designator.category = category::ACTION.into();
    }
    on_action
}

/// Reads `anyOne`: a list of `allOf`, each a list of matches. As in ONAP all of them must hold,
/// whatever list they stand in.
pub(super) fn read(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Target> {
    let alternatives = scope.required(path, node, "anyOne", "a list of `allOf`")?;
    let path = format!("{path}.anyOne");
    let alternatives = scope.items(&path, alternatives, "`allOf`");
    if alternatives.len() > 1 {
        let message = "all matches of all entries must hold, as in ONAP: alternatives are written as rules or policies of their own";
        scope.warn(&path, node.position, message);
    }
    let mut matches = Vec::new();
    let mut complete = true;
    for (path, alternative) in alternatives {
        let Some(all_of) = scope.required(&path, alternative, "allOf", "a list of matches") else {
            complete = false;
            continue;
        };
        for (path, node) in scope.items(&format!("{path}.allOf"), all_of, "matches") {
            match one(scope, &path, node) {
                Some(found) => matches.push(found),
                None => complete = false,
            }
        }
    }
    complete.then(|| build::target_all(matches, node.position))
}

/// `{key, operator, value}`: the operator of the value and the attribute.
fn one(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Match> {
    let key = scope.required_text(path, node, "key", "the name of an attribute");
    let name = scope.required_text(path, node, "operator", "the name of a function");
    let value =
        scope.required(path, node, "value", "the value to compare with").and_then(|value| {
            let text = value.scalar_text().map(std::borrow::Cow::into_owned);
            if text.is_none() {
                let message =
                    format!("expected a text, number or boolean, found {}", value.found());
                scope.refuse(&format!("{path}.value"), value.position, message);
            }
            text
        });
    let ((key, name), text) = key.zip(name).zip(value)?;
    let at = node.position;
    let Some(row) = operator::find(&name) else {
        let hint = did_you_mean(&name, operator::names());
        scope.refuse(
            &format!("{path}.operator"),
            at,
            format!("there is no operator `{name}`{hint}"),
        );
        return None;
    };
    let (category, id) = match key.as_str() {
        "action-id" => (category::ACTION, Identifier::from(ids::ACTION_ID)),
        other if other.contains("action") => {
            let message = format!("`{other}` is no attribute of the action: expected action-id");
            scope.refuse(&format!("{path}.key"), at, message);
            return None;
        }
        other => (category::RESOURCE, other.to_owned().into()),
    };
    let of = |place| operator::parameter(row, place).data_type.uri();
    Some(Match {
        function: row.id.into(),
        literal: build::literal(of(0), text, at),
        bag: MatchBag::Designator(build::designator(category, id, of(1), at)),
        position: at,
    })
}
