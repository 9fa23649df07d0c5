//! Authorization: what a user may do with which entities.

use pdp_engine::model::{Effect, MatchBag, Policy};

use super::build;
use super::properties::Properties;
use crate::ids;
use crate::problem::Problem;
use crate::tosca::ToscaPolicy;

/// Deny-unless-permit for one user, with a rule for each permission.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, ids::combining::DENY_UNLESS_PERMIT, problems);
    let mut properties = Properties::of(policy, "Authorization", "", problems)?;
    let user = properties.required_text("user", "the name of a user");
    let permissions = properties.required_list("permissions", "a list of permissions")?;
    let mut rules = Vec::new();
    for (index, node) in permissions.iter().enumerate() {
        let path = properties.path(&format!("permissions[{index}]"));
        let Some(mut permission) = properties.inner("Authorization", path, node) else { continue };
        let entity = permission.required_text("entity", "the name of an entity");
        let granted = permission.required_text("permission", "what may be done with it");
        let Some(((entity, entity_at), (granted, granted_at))) = entity.zip(granted) else {
            continue;
        };
        let id = format!("{}:rule:{}", policy.name, index + 1);
        let mut rule = build::rule(id, Effect::Permit, None, node.position);
        rule.target = Some(build::target_all(
            vec![
                build::match_equal(&entity, ids::TUTORIAL_ENTITY, entity_at),
                build::match_equal(&granted, ids::TUTORIAL_PERMISSION, granted_at),
            ],
            node.position,
        ));
        rules.push(build::child(rule));
    }
    let (user, user_at) = user?;
    let mut on_action = build::match_equal("authorize", ids::ACTION_ID, at);
    if let MatchBag::Designator(designator) = &mut on_action.bag {
        designator.category = ids::category::ACTION.into();
    }
    let on_user = build::match_equal(&user, ids::TUTORIAL_USER, user_at);
    let mut translated = translated?;
    translated.target = build::target_all(vec![on_action, on_user], at);
    translated.children = rules;
    Some(translated)
}
