//! The verdicts as JUnit XML, which CI systems show beside a build's tests: a rule is a test case.

use std::fmt::Write;

use crate::measure::record::{RunRecord, VerdictResult};

/// The document.
pub fn render(record: &RunRecord) -> String {
    let count = |result| record.verdicts.iter().filter(|v| v.result == result).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\" timestamp=\"{}\">",
        escaped(&format!("soak.{}", record.run.mode)),
        record.verdicts.len(),
        count(VerdictResult::Fail),
        count(VerdictResult::Skip),
        record.run.actual_s,
        escaped(record.run.started.trim_end_matches('Z')),
    );
    for verdict in &record.verdicts {
        let _ = write!(
            text,
            "  <testcase classname=\"soak.{}\" name=\"{}\"",
            escaped(&record.run.mode),
            escaped(&format!("{}: {}", verdict.id, verdict.rule))
        );
        let element = match verdict.result {
            VerdictResult::Pass => {
                text.push_str("/>\n");
                continue;
            }
            VerdictResult::Fail => "failure",
            VerdictResult::Skip => "skipped",
        };
        let _ = writeln!(text, "><{element} message=\"{}\"/></testcase>", escaped(&verdict.why));
    }
    text.push_str("</testsuite>\n");
    text
}

/// Text as an attribute's value; what XML cannot hold at all becomes a question mark.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::tests::clean;

    #[test]
    fn each_rule_is_a_case_and_text_is_escaped() {
        let mut record = clean(60.0);
        crate::verdict::settle(&mut record, &[], &[], false);
        record.verdicts[0].result = VerdictResult::Fail;
        record.verdicts[0].why = "a < b & \"c\"\n\u{1}".to_owned();
        let text = render(&record);
        assert!(text.contains("failures=\"1\""), "{text}");
        assert!(
            text.contains("<failure message=\"a &lt; b &amp; &quot;c&quot;&#10;?\"/>"),
            "{text}"
        );
        assert_eq!(text.matches("<testcase").count(), record.verdicts.len());
    }
}
