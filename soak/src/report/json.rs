//! `report.json`: the record as it is, laid out so that a person can read it and a diff stays small.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::measure::record::{RunRecord, SCHEMA};

/// The published description of the format.
pub const SCHEMA_TEXT: &str = include_str!("schema.json");

/// Writes a record.
pub fn write(record: &RunRecord, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    record.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Shallow::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Reads a record back; the error says what to do.
pub fn read(text: &str) -> Result<RunRecord, String> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head =
        serde_json::from_str(text).map_err(|error| format!("not a soak report: {error}"))?;
    if head.schema != SCHEMA {
        return Err(format!(
            "its format is `{}`, this soak reads `{SCHEMA}`; use the soak that wrote it",
            head.schema
        ));
    }
    serde_json::from_str(text).map_err(|error| format!("not a whole soak report: {error}"))
}

/// A line for each member down to the second level, one line for everything below.
#[derive(Default)]
struct Shallow {
    depth: usize,
}

const BROKEN_UP: usize = 2;

impl Shallow {
    fn new_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        if self.depth <= BROKEN_UP {
            out.write_all(b"\n")?;
            (0..self.depth).try_for_each(|_| out.write_all(b"  "))?;
        }
        Ok(())
    }

    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        let broken_up = self.depth <= BROKEN_UP;
        self.depth -= 1;
        if broken_up {
            self.new_line(out)?;
        }
        out.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(if self.depth <= BROKEN_UP { b"," } else { b", " })?;
        }
        self.new_line(out)
    }
}

impl Formatter for Shallow {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }
    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }
    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_json_with_one_line_per_row() {
        let value = serde_json::json!({"a": [{"x": 1, "y": [1, 2]}, {"x": 2}], "b": {"c": {"d": []}}, "e": "f"});
        let mut out = Vec::new();
        value
            .serialize(&mut serde_json::Serializer::with_formatter(&mut out, Shallow::default()))
            .expect("a vector");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("valid JSON"), value);
        assert!(text.lines().any(|line| line == r#"    {"x": 1, "y": [1, 2]},"#), "{text}");
    }

    #[test]
    fn another_format_is_refused_with_advice() {
        assert!(read("{}").expect_err("no schema").contains("not a soak report"));
        assert!(
            read(r#"{"schema":"soak-report/9"}"#).expect_err("another").contains("soak-report/9")
        );
        assert!(
            read(r#"{"schema":"soak-report/1"}"#)
                .expect_err("empty")
                .contains("not a whole soak report")
        );
    }
}
