//! What must be said beside the figures.

use super::journey::Journey;
use crate::measure::endpoint::Endpoint;
use crate::measure::record::Totals;
use crate::plan::{Mode, Plan};

pub(super) fn notes(plan: &Plan, journey: &Journey<'_>, totals: &Totals) -> Vec<String> {
    let model = if plan.mode == Mode::Rate {
        "Open model: requests have intended moments of sending. Corrected times run from those moments, as an \
         independent client would see them; uncorrected ones from the moment at which a connection was free."
    } else {
        "Closed model: each user sends its next request when the last one is answered. While the service stalls, \
         no requests are sent that would have met the stall, so the percentiles understate what an open stream of \
         clients would see (co-ordinated omission); they are not corrected. Mode `rate` is the one that is."
    };
    let mut notes = vec![
        model.to_owned(),
        "Latency is the whole exchange, to the last byte of the answer, in the steady phase; counts and errors are of \
         the whole load. First requests were made on fresh connections before the load."
            .to_owned(),
    ];
    if plan.stations.iter().any(|station| station.asks(Endpoint::RecordOperation)) {
        notes.push(format!(
            "{} operations were recorded in the history; as long as the service keeps them, it grows by them.",
            journey.operations
        ));
    }
    if plan.mode == Mode::Secure {
        notes.push(
            "Every new TLS connection makes a full handshake; sessions are not resumed.".to_owned(),
        );
    }
    if journey.generator_shares_host {
        notes.push(
            "Generator and service share the machine; each takes CPU from the other.".to_owned(),
        );
    }
    if totals.host_saturated_pct > 0.0 {
        notes.push(format!(
            "The host had no CPU left in {} % of the steady intervals; the throughput is that of host, generator and \
             service together.",
            totals.host_saturated_pct
        ));
    }
    if journey.resources.server.is_empty() {
        notes.push(
            "The service's process was not sampled: give --pid, or a target with /metrics."
                .to_owned(),
        );
    }
    for (leg, outcome) in plan.legs().zip(&journey.outcomes) {
        for (cohort, (name, users, _)) in leg.cohorts.iter().zip(&outcome.teams) {
            if *users != cohort.users as usize {
                notes.push(format!("Group {name} had {users} users, not {}.", cohort.users));
            }
        }
    }
    notes.extend(journey.notes.iter().cloned());
    notes
}
