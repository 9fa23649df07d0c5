//! What counts, records and Permits cost: `cargo bench -p pdp-history`.
//!
//! Shared histories are measured where `HISTORY_URLS` names some, with blanks between. `QUICK=1` makes
//! each run short. The output is the table of the crate's README.

mod embedded;
mod load;
mod shared;

use std::io::Write;
use std::time::Duration;

use jiff::Timestamp;
use pdp_onap::history::{Operation, OperationKey, Window};

/// Closed-loop clients of one replica.
const CLIENTS: usize = 8;
const KEY: OperationKey<'static> =
    OperationKey { actor: "SO", operation: "Scale", target: "vnf-1" };

/// How long each run takes, and how many there are; the median counts.
fn runs() -> (Duration, usize) {
    if std::env::var_os("QUICK").is_some() {
        (Duration::from_millis(300), 1)
    } else {
        (Duration::from_secs(3), 5)
    }
}

fn say(line: &str) {
    // A reader that has gone reads nothing more.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn row(target: &str, now: Timestamp) -> Operation {
    Operation {
        actor: Some(KEY.actor.into()),
        operation: Some(KEY.operation.into()),
        target: Some(target.into()),
        start_time: Some(now),
        outcome: Some("Success".into()),
        end_time: Some(now),
        ..Operation::default()
    }
}

fn window() -> Window {
    Window::of_seconds(600).expect("ten minutes")
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    say("| history | what | clients | per second | p99 | beside a bare query |");
    say("|---|---|--:|--:|--:|--:|");
    embedded::measure();
    for url in std::env::var("HISTORY_URLS").unwrap_or_default().split_whitespace() {
        shared::measure(url);
    }
}
