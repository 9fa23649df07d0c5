//! SubscriberPolicy: what is known of subscribers, told as advice.

use pdp_engine::error::Position;
use pdp_engine::model::{
    AllOf, AnyOf, Assignment, Effect, Expression, MatchBag, Notice, NoticeKind, Policy,
};

use super::{build, matchable};
use crate::ids::{self, category, data_type};
use crate::problem::Problem;
use crate::tosca::{Node, ToscaPolicy};
use crate::types::Types;

/// A matchable policy for the subscribers that it names, with their roles and statuses as advice.
pub(crate) fn translate(
    policy: &ToscaPolicy,
    types: &Types,
    problems: &mut Vec<Problem>,
) -> Option<Policy> {
    let translated = matchable::translate(policy, types, problems);
    let properties = policy.properties.as_ref();
    let Some(subscriber) = properties.and_then(|it| it.present("subscriberProperties")) else {
        missing(policy, "properties.subscriberProperties", policy.position, problems).onap =
            Some("Missing subscriberProperties from subscriber policy".to_owned());
        return None;
    };
    let mut texts = |field: &str| texts(policy, subscriber, field, problems);
    let names = texts("subscriberName");
    let roles = texts("subscriberRole");
    let statuses = texts("provStatus");
    let mut translated = translated?;
    let at = subscriber.position;
    let all_of: Vec<AllOf> = names?
        .into_iter()
        .map(|(name, position)| {
            let mut on_name = build::match_equal(&name, ids::SUBSCRIBER_NAME, position);
            if let MatchBag::Designator(designator) = &mut on_name.bag {
                designator.category = category::SUBJECT.into();
            }
            AllOf { matches: vec![on_name], position }
        })
        .collect();
    // Without a name the policy is about nobody in particular.
    if !all_of.is_empty() {
        translated.target.any_of.push(AnyOf { all_of, position: at });
    }
    let assign = |id: &'static str| {
        move |(text, position): (String, Position)| Assignment {
            attribute_id: id.into(),
            category: Some(category::SUBJECT.into()),
            issuer: None,
            expression: Expression::Literal(build::literal(data_type::STRING, text, position)),
            position,
        }
    };
    let assignments = roles?
        .into_iter()
        .map(assign(ids::SUBSCRIBER_ROLE))
        .chain(statuses?.into_iter().map(assign(ids::SUBSCRIBER_STATUS)))
        .collect();
    translated.notices.push(Notice {
        kind: NoticeKind::Advice,
        id: ids::SUBSCRIBER_ADVICE.into(),
        effect: Effect::Permit,
        assignments,
        position: at,
    });
    Some(translated)
}

/// A field that is a text or a list of texts.
fn texts(
    policy: &ToscaPolicy,
    subscriber: &Node,
    field: &str,
    problems: &mut Vec<Problem>,
) -> Option<Vec<(String, Position)>> {
    let path = format!("properties.subscriberProperties.{field}");
    let Some(node) = subscriber.present(field) else {
        missing(policy, &path, subscriber.position, problems).onap =
            Some(format!("Missing {field}"));
        return None;
    };
    let items = node.items().unwrap_or(std::slice::from_ref(node));
    let texts = items.iter().map(|it| Some((it.scalar_text()?.into_owned(), it.position)));
    let found: Option<Vec<_>> = texts.collect();
    if found.is_none() {
        let message = format!("expected a text or a list of texts, found {}", node.found());
        refuse(policy, &path, node.position, message, problems);
    }
    found
}

fn missing<'r>(
    policy: &ToscaPolicy,
    path: &str,
    at: Position,
    problems: &'r mut Vec<Problem>,
) -> &'r mut Problem {
    // Where the type asks for it too, once is enough.
    problems.retain(|problem| problem.path != path);
    refuse(policy, path, at, "is missing: a subscriber policy needs it".to_owned(), problems)
}

fn refuse<'r>(
    policy: &ToscaPolicy,
    path: &str,
    at: Position,
    message: String,
    problems: &'r mut Vec<Problem>,
) -> &'r mut Problem {
    problems.push(Problem::error("property-missing", &policy.name, path, at, message));
    problems.last_mut().expect("one was pushed")
}
