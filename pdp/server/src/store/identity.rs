//! Policies of one identity: equal ones are one, different ones are refused.

use std::collections::HashMap;

use pdp_engine::error::Severity;
use pdp_engine::model::{PolicyKind, Version};
use pdp_onap::Application;

use super::problem::Problem;
use super::read::Candidate;

/// What makes a policy that policy. Kinds and applications have name spaces of their own.
type Identity = (Application, PolicyKind, String, Version);

/// Keeps one of each identity. Where contents differ nobody can say which was meant, so that all of
/// that identity are left out. Returns what was found and how many were refused.
pub(super) fn settle(candidates: Vec<Candidate>) -> (Vec<Candidate>, Vec<Problem>, usize) {
    let mut first: HashMap<Identity, usize> = HashMap::with_capacity(candidates.len());
    let mut problems = Vec::new();
    let mut refused = vec![false; candidates.len()];
    let mut twins = vec![false; candidates.len()];
    for (at, candidate) in candidates.iter().enumerate() {
        let identity = (
            candidate.application,
            candidate.policy.kind,
            candidate.policy.id.clone(),
            candidate.policy.version.clone(),
        );
        let Some(&earlier) = first.get(&identity) else {
            first.insert(identity, at);
            continue;
        };
        let other = &candidates[earlier];
        // Coordinations of the same loops say the same, however else they differ.
        if other.content == candidate.content || other.repeatable && candidate.repeatable {
            twins[at] = true;
            let message = format!(
                "`{}` version {} stands also at {}, with the same content: it is loaded once",
                candidate.name,
                candidate.version,
                place(other)
            );
            problems.push(problem(candidate, Severity::Warning, "duplicate-policy", message));
            continue;
        }
        if !refused[earlier] {
            refused[earlier] = true;
            problems.push(conflict(other, candidate));
        }
        refused[at] = true;
        problems.push(conflict(candidate, other));
    }
    let count = refused.iter().filter(|refused| **refused).count();
    let kept = candidates
        .into_iter()
        .zip(refused.into_iter().zip(twins))
        .filter(|(_, (refused, twin))| !refused && !twin)
        .map(|(candidate, _)| candidate)
        .collect();
    (kept, problems, count)
}

fn conflict(candidate: &Candidate, other: &Candidate) -> Problem {
    let message = format!(
        "`{}` version {} stands also at {}, with other content: neither is loaded; give one of them another version",
        candidate.name,
        candidate.version,
        place(other)
    );
    problem(candidate, Severity::Error, "conflicting-policy", message)
}

fn place(candidate: &Candidate) -> String {
    format!("{}:{}", candidate.file.display(), candidate.position)
}

fn problem(
    candidate: &Candidate,
    severity: Severity,
    code: &'static str,
    message: String,
) -> Problem {
    Problem {
        position: candidate.position,
        policy: candidate.name.clone(),
        ..Problem::of_file(&candidate.file, severity, code, message)
    }
}
