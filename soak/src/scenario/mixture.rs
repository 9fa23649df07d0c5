//! One of six actions, drawn anew each turn with equal probability; one of them writes.

use goose::goose::Transaction;
use goose::prelude::*;

use super::requests;
use super::user::{Worth, exchange, exchange_at, state};
use crate::measure::endpoint::Endpoint;
use crate::oracle::{Decision, Expectation};

/// The actions, by name.
pub const ACTIONS: [&str; 6] = [
    "decide-permit",
    "decide-deny",
    "decide-not-applicable",
    "healthcheck",
    "statistics",
    "deploy-policy or undeploy-policy",
];

pub(super) fn action() -> Transaction {
    transaction!(act).set_name("action")
}

async fn act(user: &mut GooseUser) -> TransactionResult {
    match state(user).rng.below(ACTIONS.len() as u32) {
        0 => decide(user, Endpoint::DecidePermit, requests::MINMAX_MAX - 1, Decision::Permit).await,
        1 => decide(user, Endpoint::DecideDeny, requests::MINMAX_MAX, Decision::Deny).await,
        2 => {
            let body = requests::monitoring_of(&state(user).instance, requests::NO_SUCH_POLICY);
            exchange(user, Endpoint::DecideNotApplicable, Some(body), &requests::NOTHING_EXPECTED)
                .await;
        }
        3 => {
            exchange(user, Endpoint::Healthcheck, None, &Expectation::Healthy).await;
        }
        4 => {
            exchange(user, Endpoint::Statistics, None, &Expectation::Statistics).await;
        }
        _ => write(user).await,
    }
    Ok(())
}

async fn decide(user: &mut GooseUser, endpoint: Endpoint, vf_count: u32, decision: Decision) {
    let memory = state(user);
    memory.turn += 1;
    let request_id = format!("{}-{}", memory.instance, memory.turn);
    let body = requests::guard(&memory.instance, &request_id, requests::MINMAX_TARGET, vf_count);
    exchange(user, endpoint, Some(body), &Expectation::Guard(decision)).await;
}

/// Deploys the user's own policy if it is not deployed, else undeploys it.
async fn write(user: &mut GooseUser) {
    let memory = state(user);
    let policy = memory.policy.clone();
    let base = memory.shared.urls[Endpoint::DeployPolicy.index()].clone();
    let worth = if policy.deployed {
        let url = policy.deployment_url(&base);
        exchange_at(user, Endpoint::UndeployPolicy, url, None, &Expectation::Accepted).await
    } else {
        let body = Some(policy.deployment());
        exchange(user, Endpoint::DeployPolicy, body, &Expectation::Accepted).await
    };
    if worth == Worth::Expected {
        state(user).policy.deployed = !policy.deployed;
    }
}
