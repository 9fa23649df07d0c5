//! The group that decides: monitoring, frequency limiter, min/max, in this order, over and over; in
//! full with the four other decisions of the published plan between them.

use std::sync::atomic::Ordering;
use std::time::Instant;

use goose::goose::Transaction;
use goose::prelude::*;

use super::requests;
use super::user::{Worth, exchange, state};
use crate::measure::endpoint::Endpoint;
use crate::oracle::{Decision, Expectation};

pub(super) fn sequence() -> Vec<Transaction> {
    in_order(vec![
        transaction!(ask_monitoring).set_name("monitoring"),
        transaction!(ask_limiter).set_name("guard-frequency"),
        minmax(),
    ])
}

pub(super) fn full_sequence() -> Vec<Transaction> {
    in_order(vec![
        transaction!(ask_monitoring).set_name("monitoring"),
        transaction!(ask_abbreviated).set_name("monitoring-abbrev"),
        transaction!(ask_naming).set_name("naming"),
        transaction!(ask_optimization).set_name("optimization"),
        transaction!(ask_default).set_name("guard-default"),
        transaction!(ask_limiter).set_name("guard-frequency"),
        minmax(),
    ])
}

pub(super) fn minmax() -> Transaction {
    transaction!(ask_minmax).set_name("guard-minmax")
}

fn in_order(transactions: Vec<Transaction>) -> Vec<Transaction> {
    let places = 1..;
    transactions
        .into_iter()
        .zip(places)
        .map(|(transaction, place)| transaction.set_sequence(place))
        .collect()
}

async fn ask_abbreviated(user: &mut GooseUser) -> TransactionResult {
    let body = state(user).monitoring.clone();
    exchange(user, Endpoint::MonitoringAbbrev, Some(body), &requests::ABBREVIATED_EXPECTED).await;
    Ok(())
}

async fn ask_naming(user: &mut GooseUser) -> TransactionResult {
    let body = requests::naming(&state(user).instance);
    exchange(user, Endpoint::Naming, Some(body), &requests::NAMING_EXPECTED).await;
    Ok(())
}

async fn ask_optimization(user: &mut GooseUser) -> TransactionResult {
    let body = requests::optimization(&state(user).instance);
    exchange(user, Endpoint::Optimization, Some(body), &requests::OPTIMIZATION_EXPECTED).await;
    Ok(())
}

async fn ask_default(user: &mut GooseUser) -> TransactionResult {
    let body = requests::guard_default(&state(user).instance);
    exchange(user, Endpoint::GuardDefault, Some(body), &requests::DEFAULT_EXPECTED).await;
    Ok(())
}

async fn ask_monitoring(user: &mut GooseUser) -> TransactionResult {
    let body = state(user).monitoring.clone();
    exchange(user, Endpoint::Monitoring, Some(body), &requests::MONITORING_EXPECTED).await;
    Ok(())
}

/// Asks the limiter about this user's target. A permitted operation is reported to the history, so
/// that the next question finds the limit reached; after a moment of denials the user takes a fresh target.
async fn ask_limiter(user: &mut GooseUser) -> TransactionResult {
    let memory = state(user);
    memory.limiter.freshen(Instant::now());
    memory.turn += 1;
    let decision = memory.limiter.expected();
    let target = memory.limiter.name();
    let request_id = format!("{}-{}", memory.instance, memory.turn);
    let body = requests::guard(&memory.instance, &request_id, &target, 1);
    let asked = jiff::Timestamp::now();
    let worth =
        exchange(user, Endpoint::GuardFrequency, Some(body), &Expectation::Guard(decision)).await;
    match (worth, decision) {
        (Worth::Expected, Decision::Permit) => record(user, &request_id, &target, asked).await,
        (Worth::Expected, Decision::Deny) => state(user).limiter.denied(Instant::now()),
        // The history is not what it should be: a new target knows nothing.
        _ => state(user).limiter.leave(),
    }
    Ok(())
}

async fn record(user: &mut GooseUser, request_id: &str, target: &str, asked: jiff::Timestamp) {
    let body = requests::operation(request_id, target, asked, jiff::Timestamp::now());
    let worth = exchange(user, Endpoint::RecordOperation, Some(body), &Expectation::Created).await;
    let memory = state(user);
    if worth == Worth::Expected {
        memory.limiter.recorded(Instant::now());
        memory.shared.operations.fetch_add(1, Ordering::Relaxed);
    } else {
        memory.limiter.leave();
    }
}

async fn ask_minmax(user: &mut GooseUser) -> TransactionResult {
    let memory = state(user);
    memory.turn += 1;
    let vf_count = memory.rng.below(requests::MINMAX_COUNTS);
    let request_id = format!("{}-{}", memory.instance, memory.turn);
    let body = requests::guard(&memory.instance, &request_id, requests::MINMAX_TARGET, vf_count);
    exchange(user, Endpoint::GuardMinMax, Some(body), &requests::minmax_expected(vf_count)).await;
    Ok(())
}
