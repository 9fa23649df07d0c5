//! Values that have the right type and still cannot be meant.

use super::{Config, DEEPEST_CALLS, DEEPEST_POLICIES};
use crate::failure::Failure;

/// More threads than this help no machine.
/// Lines of the decision log that may wait: some hundred bytes each.
const MOST_LINES: usize = 10_000_000;
const MOST_WORKERS: usize = 512;
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Refuses what cannot be meant; tells what is odd.
///
/// # Errors
/// A setting is out of range.
pub(super) fn check(config: &Config) -> Result<Vec<String>, Failure> {
    let refused = |setting: &str, value: &dyn std::fmt::Display, expected: &str| {
        Failure::usage(format!("`{setting}` is {value}: expected {expected}"))
            .at(format!("setting {setting}"))
    };
    if config.server.listen.is_empty() {
        return Err(refused("server.listen", &"empty", "one or more HOST:PORT"));
    }
    if config.state.folder.trim().is_empty() {
        return Err(refused("state.folder", &"empty", "a folder, or none to keep nothing"));
    }
    let workers = config.server.workers;
    if workers > MOST_WORKERS {
        let expected = format!("1 to {MOST_WORKERS}, or 0 for one per core");
        return Err(refused("server.workers", &workers, &expected));
    }
    let limits = config.limits;
    for (setting, value) in [
        ("limits.request_bytes", limits.request_bytes as u64),
        ("limits.policy_bytes", limits.policy_bytes),
        ("limits.decision_steps", limits.decision_steps),
        ("limits.decisions", limits.decisions as u64),
        ("limits.reference_depth", limits.reference_depth as u64),
        ("limits.text_bytes", limits.text_bytes as u64),
        ("limits.bag_values", limits.bag_values as u64),
    ] {
        if value == 0 {
            return Err(refused(setting, &value, "1 or more"));
        }
    }
    if !(1..=DEEPEST_POLICIES).contains(&limits.policy_depth) {
        let expected = format!("1 to {DEEPEST_POLICIES}");
        return Err(refused("limits.policy_depth", &limits.policy_depth, &expected));
    }
    if limits.permitted_depth > DEEPEST_CALLS {
        let expected = format!("0 to {DEEPEST_CALLS}");
        return Err(refused("limits.permitted_depth", &limits.permitted_depth, &expected));
    }
    if config.server.body_timeout.get().is_zero() {
        let value = config.server.body_timeout;
        return Err(refused("server.body_timeout", &value, "more than 0s"));
    }
    if config.decision_log.to.as_ref().is_some_and(|to| to.trim().is_empty()) {
        return Err(refused("decision_log.to", &"empty", "a file, or stdout"));
    }
    if config.tracing.sample_percent > 100 {
        return Err(refused("tracing.sample_percent", &config.tracing.sample_percent, "0 to 100"));
    }
    if !(1..=MOST_LINES).contains(&config.decision_log.buffer) {
        let expected = format!("1 to {MOST_LINES}");
        return Err(refused("decision_log.buffer", &config.decision_log.buffer, &expected));
    }
    config.server.tls.is_on()?;
    if config.history.deadline.get().is_zero() {
        return Err(refused("history.deadline", &config.history.deadline, "more than 0s"));
    }
    if config.history.connections == 0 {
        return Err(refused("history.connections", &0, "1 or more"));
    }
    if config.guard.record_permits && !config.history.count_cache.get().is_zero() {
        let value = config.history.count_cache;
        let expected = "0s while guard.record_permits is on: a Permit rests on the count itself";
        return Err(refused("history.count_cache", &value, expected));
    }
    // A word alone would be taken for the name of a part of the program, and nothing be logged.
    let odd = config.log.level.split(',').map(str::trim).find(|part| {
        let named = part.contains('=') || part.contains('[');
        !named && !LEVELS.iter().any(|level| level.eq_ignore_ascii_case(part))
    });
    if let Some(odd) = odd {
        return Err(refused("log.level", &format!("`{odd}`"), "error, warn, info, debug or trace"));
    }
    Ok(unguarded(config).into_iter().collect())
}

/// Half of the credentials guard nothing.
fn unguarded(config: &Config) -> Option<String> {
    let given = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    let user = given(config.auth.user.as_deref());
    let password = given(config.auth.password.as_ref().map(|password| password.reveal()));
    let (set, missing) = match (user, password) {
        (true, false) => ("auth.user", "auth.password"),
        (false, true) => ("auth.password", "auth.user"),
        _ => return None,
    };
    Some(format!(
        "THERE IS NO AUTHENTICATION, everyone may ask: {set} is set, but {missing} is missing or blank"
    ))
}
