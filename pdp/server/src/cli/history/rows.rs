//! Operations in a file, one after another: a file of any length takes the same memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use jiff::Timestamp;
use pdp_onap::history::Operation;

use super::Format;
use crate::cli::print;
use crate::failure::Failure;
use crate::operation;

/// Bytes that are written at a time.
const FULL: usize = 1 << 16;
const COLUMNS: [&str; 11] = [
    "id",
    "closedLoopName",
    "requestId",
    "subrequestId",
    "actor",
    "operation",
    "target",
    "starttime",
    "outcome",
    "message",
    "endtime",
];

/// Where rows are written to.
pub(super) struct Out {
    csv: Option<csv::Writer<Vec<u8>>>,
    lines: Vec<u8>,
}

impl Out {
    pub(super) fn new(format: Format) -> Self {
        let csv = (format == Format::Csv).then(|| {
            let mut csv = csv::Writer::from_writer(Vec::new());
            csv.write_record(COLUMNS).expect("it is written to memory");
            csv
        });
        Self { csv, lines: Vec::new() }
    }

    pub(super) fn row(&mut self, row: &Operation) -> Result<(), Failure> {
        match &mut self.csv {
            Some(csv) => {
                csv.write_record(fields(row)).expect("it is written to memory");
                if csv.get_ref().len() > FULL {
                    let full = std::mem::replace(csv, csv::Writer::from_writer(Vec::new()));
                    self.lines = full.into_inner().expect("it is written to memory");
                }
            }
            None => {
                serde_json::to_writer(&mut self.lines, row).expect("a row is plain data");
                self.lines.push(b'\n');
            }
        }
        if self.lines.len() > FULL { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(&self.lines);
        let result = print::text(&text);
        self.lines.clear();
        result
    }

    pub(super) fn flush(mut self) -> Result<(), Failure> {
        if let Some(csv) = self.csv.take() {
            self.lines = csv.into_inner().expect("it is written to memory");
        }
        self.write()
    }
}

fn fields(row: &Operation) -> [String; 11] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
    [
        row.id.map(|id| id.to_string()).unwrap_or_default(),
        text(&row.closed_loop_name),
        text(&row.request_id),
        text(&row.subrequest_id),
        text(&row.actor),
        text(&row.operation),
        text(&row.target),
        time(row.start_time),
        text(&row.outcome),
        text(&row.message),
        time(row.end_time),
    ]
}

/// The rows of a file, each with its line.
pub(super) type Rows = Box<dyn Iterator<Item = Result<(u64, Operation), Failure>>>;

/// Reads a file, or the standard input.
///
/// # Errors
/// It cannot be read, or is no table; rows that cannot be read come as such.
pub(super) fn of(format: Format, file: &Path) -> Result<Rows, Failure> {
    let name = file.display().to_string();
    let fault = {
        let file = file.to_owned();
        move |error: io::Error| {
            Failure::usage(format!("the operations cannot be read: {error}")).in_file(&file)
        }
    };
    let input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).map_err(&fault)?)
    };
    if format == Format::Csv {
        return table(input, name);
    }
    let lines = BufReader::new(input).lines().zip(1_u64..);
    Ok(Box::new(lines.filter_map(move |(line, number)| {
        let line = match line {
            Ok(line) if line.trim().is_empty() => return None,
            Ok(line) => line,
            Err(error) => return Some(Err(fault(error))),
        };
        Some(json(&line, &format!("{name}:{number}")).map(|row| (number, row)))
    })))
}

fn json(line: &str, place: &str) -> Result<Operation, Failure> {
    operation::of_json(line.as_bytes()).map_err(|wrong| {
        let hint = if line.trim_start().starts_with('[') {
            "there is one JSON object in each line; jq -c '.[]' makes such lines of a list"
                .to_owned()
        } else {
            format!("members: {}", COLUMNS.join(", "))
        };
        Failure::usage(format!("not an operation: {}", wrong.what))
            .at(format!("{place}:{}", wrong.column))
            .hint(hint)
    })
}

fn table(input: impl Read + 'static, name: String) -> Result<Rows, Failure> {
    let fault = |name: &str, error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        Failure::usage(format!("not a table: {error}")).at(format!("{name}:{line}"))
    };
    let mut reader = csv::Reader::from_reader(input);
    let names = reader.headers().map_err(|error| fault(&name, &error))?.clone();
    if let Some(odd) = names.iter().find(|name| !COLUMNS.contains(name)) {
        return Err(Failure::usage(format!("there is no column `{odd}`"))
            .at(format!("{name}:1"))
            .hint(format!("columns: {}", COLUMNS.join(", "))));
    }
    Ok(Box::new(reader.into_records().map(move |record| {
        let record = record.map_err(|error| fault(&name, &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        // By way of JSON, so that both formats say the same of a wrong value.
        let members = names.iter().zip(&record).filter(|(_, value)| !value.is_empty());
        let object = members
            .map(|(name, value)| {
                let number = value.parse::<i64>().ok().filter(|_| name == "id");
                let value = number.map_or_else(|| value.into(), serde_json::Value::from);
                (name.to_owned(), value)
            })
            .collect::<serde_json::Map<_, _>>();
        let operation = operation::of_members(&object.into()).map_err(|wrong| {
            Failure::usage(format!("not an operation: {}", wrong.what)).at(format!("{name}:{line}"))
        })?;
        Ok((line, operation))
    })))
}
