//! What an evaluation costs, and that it stops at its budget.

use std::cell::Cell;

use pdp_engine::value::Arena;
use pdp_engine::xpath::{Document, DocumentLimits, Spent};

use super::compile;

/// Steps that `path` takes, up to a limit; the error where they go beyond it.
fn steps(xml: &str, path: &str, limit: u64) -> Result<u64, Spent> {
    let arena = Arena::new();
    let document = Document::parse(xml, &arena, &DocumentLimits::default()).unwrap();
    let left = Cell::new(limit);
    let spend = |steps: u64| {
        let rest = left.get().checked_sub(steps);
        left.set(rest.unwrap_or(0));
        rest.is_some()
    };
    let own = Arena::new();
    let result = compile(path).evaluate(&document, document.root(), &spend, &own);
    // What an evaluation allocates is bounded by what it pays.
    let (allocated, paid) = (own.allocated_bytes(), limit - left.get());
    assert!(allocated as u64 <= 4096 + 512 * paid, "{path}: {allocated} bytes for {paid} steps");
    result.map(|_| limit - left.get())
}

fn flat(elements: usize) -> String {
    format!("<r>{}</r>", "<a><b>some text of a few words</b></a>".repeat(elements))
}

#[test]
fn every_expression_stops_at_its_budget() {
    const LIMIT: u64 = 100_000;
    let wide = flat(5_000);
    let long_text = format!("<r>{}</r>", "0123456789".repeat(100_000));
    for (xml, path) in [
        (&wide, "//*[count(//*[count(//*)>0])>0]"),
        (&wide, "//a[//a[//b = //a]]"),
        (&wide, "//*[following::*[preceding::*]]"),
        (&wide, "//*[position() > count(//*)]"),
        (&wide, "//b[../following-sibling::*[last()]]"),
        (&wide, "//*/following-sibling::*[1]"),
        (&wide, "//*[.//text()[. = //b]]"),
        (&wide, "//*[string-length(/) > 1]"),
        (&wide, "//*[translate(/, 'some', 'tome')]"),
        (&wide, "//*[id(/)]"),
        (&wide, "//*[lang('en') or namespace::*[//namespace::*]]"),
        (&wide, "//*[sum(//*) = sum(//*)]"),
        (&long_text, "concat(/, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /)"),
        (&long_text, "translate(translate(/, /, 'a'), /, /)"),
        (&long_text, "normalize-space(concat(/, normalize-space(concat(/, /, ' '))))"),
    ] {
        let long = match path.starts_with("concat")
            || path.starts_with("trans")
            || path.starts_with("norm")
        {
            // Ten times over, so that a hundred megabytes would be built.
            true => format!("string-length(concat({}''))", format!("{path}, ").repeat(10)),
            false => path.to_owned(),
        };
        assert_eq!(steps(xml, &long, LIMIT), Err(Spent), "{path}");
    }
}

#[test]
fn common_paths_cost_what_the_document_holds() {
    let wide = flat(10_000); // 30,000 nodes
    for path in [
        "//b",
        "/r/a/b/text()",
        "//a//text()",
        "//r//*//b",
        "//b/ancestor::*",
        "//b/ancestor-or-self::node()",
        "//*/following::*",
        "//*/preceding::*",
        "//*/following-sibling::*",
        "//*/preceding-sibling::*",
        "//*/..",
        "//*/namespace::*",
        "//b | //a",
        "/r/a[7777]/b",
        "count(//b)",
    ] {
        let paid = steps(&wide, path, u64::MAX).unwrap();
        assert!(paid < 60_000, "{path} takes {paid} steps");
    }
    // Comparing two large sets is not a matter of pairs.
    let paid = steps(&wide, "//b = //c or //b != //b or //b < //a", u64::MAX).unwrap();
    assert!(paid < 200_000, "{paid}");
}

#[test]
fn a_spent_budget_has_no_result() {
    let wide = flat(10);
    let whole = steps(&wide, "count(//b[. = //a])", u64::MAX).unwrap();
    for limit in 0..whole {
        assert_eq!(steps(&wide, "count(//b[. = //a])", limit), Err(Spent));
    }
    assert_eq!(steps(&wide, "count(//b[. = //a])", whole), Ok(whole));
}
