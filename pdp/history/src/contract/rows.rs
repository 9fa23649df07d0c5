//! Rows that are listed.

use pdp_onap::history::{Listing, Operation};

use super::{Subject, ago, expect};

fn listed(subject: &Subject<'_>, listing: &Listing<'_>) -> Result<Vec<String>, String> {
    let rows = subject.history.list(listing).map_err(|error| error.to_string())?;
    Ok(rows.into_iter().filter_map(|row| row.message).collect())
}

pub(super) fn are_listed_latest_first(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    let actor = subject.actor("listed");
    for (message, seconds) in [("first", 300), ("second", 200), ("third", 250)] {
        let row = subject.row("listed", Some(ago(now, seconds)));
        subject.record(Operation { message: Some(message.to_owned()), ..row })?;
    }
    let listing = Listing { actor: Some(&actor), limit: 10, ..Listing::default() };
    expect(
        "the rows",
        listed(subject, &listing)?,
        ["third", "second", "first"].map(str::to_owned).to_vec(),
    )
}

pub(super) fn filter_and_stop(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    let actor = subject.actor("filtered");
    for (message, target, seconds) in
        [("a", "vnf-1", 300), ("b", "vnf-2", 200), ("c", "vnf-1", 100)]
    {
        let row = subject.row("filtered", Some(ago(now, seconds)));
        let target = Some(target.to_owned());
        subject.record(Operation { message: Some(message.to_owned()), target, ..row })?;
    }
    let all = Listing { actor: Some(&actor), limit: 10, ..Listing::default() };
    let check = |what: &str, listing: Listing<'_>, expected: &str| {
        expect(what, listed(subject, &listing)?.concat(), expected.to_owned())
    };
    check("one target", Listing { target: Some("vnf-1"), ..all }, "ca")?;
    check("since", Listing { since: Some(ago(now, 200)), ..all }, "cb")?;
    check("at most one", Listing { limit: 1, ..all }, "c")?;
    check("another operation", Listing { operation: Some("Stop"), ..all }, "")?;
    check("the loop", Listing { closed_loop_name: Some(&actor), ..all }, "cba")
}
