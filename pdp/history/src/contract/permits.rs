//! Permits that are recorded only while their limits hold.

use pdp_onap::history::{Admission, Listing, Operation, OperationKey, PERMITTED, Permit, Window};

use super::{Subject, ago, expect};

/// Threads that ask at once, and how often each does.
const THREADS: usize = 8;
const EACH: usize = 20;

/// Asks for a Permit for a check's own key, with limits as (seconds, number).
fn ask(
    subject: &Subject<'_>,
    check: &str,
    request_id: Option<&str>,
    limits: &[(i64, u64)],
) -> Result<Admission, String> {
    let actor = subject.actor(check);
    let key = OperationKey { actor: &actor, operation: "Restart", target: "vnf-1" };
    let limits: Vec<(Window, u64)> = limits
        .iter()
        .filter_map(|(seconds, limit)| Some((Window::of_seconds(*seconds)?, *limit)))
        .collect();
    let permit = Permit { key, request_id, limits: &limits };
    subject.history.record_if(&permit).map_err(|error| error.to_string())
}

pub(super) fn count_to_their_limit(subject: &Subject<'_>) -> Result<(), String> {
    let limits = [(3600, 3)];
    for number in 0..3 {
        let asked = ask(subject, "to limit", None, &limits)?;
        expect(&format!("permit {number}"), asked, Admission::Recorded)?;
    }
    expect("the next", ask(subject, "to limit", None, &limits)?, Admission::Refused(vec![3]))?;
    expect("the count", subject.count("to limit", 3600)?, 3)
}

pub(super) fn hold_every_limit(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    for seconds in [400, 500, 600] {
        subject.record(subject.row("several", Some(ago(now, seconds))))?;
    }
    let several = [(60, 1), (3600, 5)];
    expect("the first", ask(subject, "several", None, &several)?, Admission::Recorded)?;
    let refused = Admission::Refused(vec![1, 4]);
    expect("the shorter is reached", ask(subject, "several", None, &several)?, refused)?;
    let longer = [(60, 9), (3600, 4)];
    let refused = Admission::Refused(vec![1, 4]);
    expect("the longer is reached", ask(subject, "several", None, &longer)?, refused)
}

pub(super) fn are_recorded_once(subject: &Subject<'_>) -> Result<(), String> {
    let once = |id: &str| ask(subject, "once", Some(id), &[(3600, 2)]);
    expect("the first", once("r-1")?, Admission::Recorded)?;
    expect("the same again", once("r-1")?, Admission::Known)?;
    expect("another", once("r-2")?, Admission::Recorded)?;
    expect("the first once more, though the limit is reached", once("r-1")?, Admission::Known)?;
    expect("a third", once("r-3")?, Admission::Refused(vec![2]))?;
    let other = ask(subject, "once elsewhere", Some("r-1"), &[(3600, 2)])?;
    expect("the same request with another key", other, Admission::Recorded)
}

/// One request that comes many times at once, with a limit that it reaches by itself.
pub(super) fn one_request_at_once(subject: &Subject<'_>) -> Result<(), String> {
    let answers = std::thread::scope(|scope| {
        let ask = || ask(subject, "one at once", Some("r-1"), &[(3600, 1)]);
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|answer| answer.map_err(|_| "a thread panicked".to_owned())?)
            .collect::<Result<Vec<_>, _>>()
    })?;
    let times = |admission| answers.iter().filter(|answer| **answer == admission).count();
    expect("recorded", times(Admission::Recorded), 1)?;
    expect("known", times(Admission::Known), THREADS - 1)?;
    expect("the count", subject.count("one at once", 3600)?, 1)
}

pub(super) fn are_found(subject: &Subject<'_>) -> Result<(), String> {
    let actor = subject.actor("found");
    let found = |target: &str, id: &str| {
        let key = OperationKey { actor: &actor, operation: "Restart", target };
        subject.history.permitted(key, id).map_err(|error| error.to_string())
    };
    expect("before", found("vnf-1", "r-1")?, false)?;
    ask(subject, "found", Some("r-1"), &[(3600, 1)])?;
    expect("after", found("vnf-1", "r-1")?, true)?;
    ask(subject, "found", Some("r-2"), &[(3600, 1)])?;
    expect("one that was refused", found("vnf-1", "r-2")?, false)?;
    expect("another target", found("vnf-2", "r-1")?, false)?;
    expect("in upper case", found("vnf-1", "R-1")?, false)?;
    // What a client reports for a request is no Permit of it.
    let row = subject.row("found", Some(ago(subject.history.now(), 1)));
    subject.record(Operation { request_id: Some("r-3".to_owned()), ..row })?;
    expect("a reported operation", found("vnf-1", "r-3")?, false)
}

pub(super) fn are_rows(subject: &Subject<'_>) -> Result<(), String> {
    ask(subject, "as rows", Some("r-7"), &[(3600, 2)])?;
    let actor = subject.actor("as rows");
    let listing = Listing { actor: Some(&actor), limit: 10, ..Listing::default() };
    let rows = subject.history.list(&listing).map_err(|error| error.to_string())?;
    let [row] = rows.as_slice() else { return Err(format!("expected one row: {rows:?}")) };
    expect("the outcome", row.outcome.as_deref(), Some(PERMITTED))?;
    expect("the request", row.request_id.as_deref(), Some("r-7"))?;
    expect("the loop", row.closed_loop_name.as_deref(), None)?;
    expect("that it ended", row.end_time.is_some(), true)
}

pub(super) fn count_what_others_record(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    let row = subject.row("mixed", Some(ago(now, 5)));
    subject.record(row.clone())?;
    subject.record(Operation { end_time: None, ..row })?;
    let limits = [(3600, 2)];
    expect("one more", ask(subject, "mixed", None, &limits)?, Admission::Recorded)?;
    expect("then none", ask(subject, "mixed", None, &limits)?, Admission::Refused(vec![2]))
}

pub(super) fn never_exceed_their_limit(subject: &Subject<'_>) -> Result<(), String> {
    let limit = 50;
    let recorded = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| -> Result<u64, String> {
                    let mut recorded = 0;
                    for _ in 0..EACH {
                        let asked = ask(subject, "at once", None, &[(3600, limit)])?;
                        recorded += u64::from(asked == Admission::Recorded);
                    }
                    Ok(recorded)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
            .sum::<Result<u64, String>>()
    })?;
    expect("permits", recorded, limit)?;
    expect("the count", subject.count("at once", 3600)?, limit)
}
