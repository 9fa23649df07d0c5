//! How the tests went, for people and for tools.

use std::fmt::Write;

use serde_json::{Value, json};

use super::coverage::Coverage;
use super::run::{Difference, Outcome};

/// Failures with a table and the explanation, then the count.
pub(super) fn text(outcomes: &[Outcome], coverage: Option<&Coverage>) -> String {
    let mut out = String::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.passed()) {
        // Writing into a string does not fail.
        let _ = write_failure(&mut out, outcome);
    }
    if let Some(coverage) = coverage {
        out.push_str(&coverage.text());
    }
    let passed = outcomes.iter().filter(|outcome| outcome.passed()).count();
    out.push_str(&format!("{passed} passed, {} failed\n", outcomes.len() - passed));
    out
}

fn place(outcome: &Outcome) -> String {
    format!("{}:{}", outcome.file.display(), outcome.position)
}

fn write_failure(out: &mut String, outcome: &Outcome) -> std::fmt::Result {
    writeln!(out, "FAILED {}: {}", place(outcome), outcome.name)?;
    if let Some(refused) = &outcome.refused {
        writeln!(out, "  the request was refused: {refused}")?;
        if let Some(hint) = &refused.hint {
            writeln!(out, "  hint: {hint}")?;
        }
        return writeln!(out);
    }
    table(out, &outcome.differences)?;
    writeln!(out, "  why:")?;
    for line in outcome.explanation.to_string().lines().chain(outcome.remark) {
        writeln!(out, "    {line}")?;
    }
    writeln!(out)
}

fn table(out: &mut String, differences: &[Difference]) -> std::fmt::Result {
    let head = ("", "expected", "found");
    let rows = std::iter::once(head).chain(
        differences.iter().map(|one| (one.member, one.expected.as_str(), one.found.as_str())),
    );
    let width = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| text.chars().count()).max().unwrap_or_default()
    };
    let first = width(&mut rows.clone().map(|row| row.0));
    let second = width(&mut rows.clone().map(|row| row.1));
    for (member, expected, found) in rows {
        writeln!(out, "  {member:first$}  {expected:second$}  {found}")?;
    }
    Ok(())
}

/// One object.
pub(super) fn json(outcomes: &[Outcome], coverage: Option<&Coverage>) -> String {
    let tests: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            let mut test = json!({
                "file": outcome.file,
                "line": outcome.position.line,
                "column": outcome.position.column,
                "name": outcome.name,
                "result": if outcome.passed() { "passed" } else { "failed" },
            });
            if !outcome.passed() {
                test["differences"] = outcome
                    .differences
                    .iter()
                    .map(|one| {
                        json!({"member": one.member, "expected": one.expected, "found": one.found})
                    })
                    .collect();
                test["explanation"] = outcome.explanation.to_json();
            }
            if let Some(refused) = &outcome.refused {
                test["refused"] = refused.to_string().into();
            }
            test
        })
        .collect();
    let passed = outcomes.iter().filter(|outcome| outcome.passed()).count();
    let mut report = json!({
        "passed": passed,
        "failed": outcomes.len() - passed,
        "tests": tests,
    });
    if let Some(coverage) = coverage {
        report["coverage"] = coverage.json();
    }
    format!("{report:#}\n")
}

/// JUnit's XML, which build servers show.
pub(super) fn junit(outcomes: &[Outcome]) -> String {
    let failed = outcomes.iter().filter(|outcome| !outcome.passed()).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"pdp test\" tests=\"{}\" failures=\"{failed}\">\n",
        outcomes.len()
    );
    for outcome in outcomes {
        let (file, name) = (xml(&outcome.file.to_string_lossy()), xml(&outcome.name));
        let _ = write!(
            out,
            "  <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{}\"",
            outcome.position.line
        );
        if outcome.passed() {
            out.push_str("/>\n");
            continue;
        }
        let mut text = String::new();
        let _ = write_failure(&mut text, outcome);
        let what = match outcome.differences.first() {
            Some(one) => format!("{}: expected {}, found {}", one.member, one.expected, one.found),
            None => "the request was refused".to_owned(),
        };
        let _ = writeln!(
            out,
            ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>",
            xml(&what),
            xml(&text)
        );
    }
    out.push_str("</testsuite>\n");
    out
}

/// A text as XML takes it, within quotes and without.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(letter),
            control if control.is_control() => out.push('\u{FFFD}'),
            other => out.push(other),
        }
    }
    out
}
