//! The two groups that only look: health checks and statistics.

use goose::goose::Transaction;
use goose::prelude::*;

use super::user::exchange;
use crate::measure::endpoint::Endpoint;
use crate::oracle::Expectation;

pub(super) fn health() -> Transaction {
    transaction!(ask_health).set_name("healthcheck")
}

pub(super) fn statistics() -> Transaction {
    transaction!(ask_statistics).set_name("statistics")
}

async fn ask_health(user: &mut GooseUser) -> TransactionResult {
    exchange(user, Endpoint::Healthcheck, None, &Expectation::Healthy).await;
    Ok(())
}

async fn ask_statistics(user: &mut GooseUser) -> TransactionResult {
    exchange(user, Endpoint::Statistics, None, &Expectation::Statistics).await;
    Ok(())
}
