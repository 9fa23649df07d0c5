//! `pdp history`: moves operations between histories and files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use futures_util::future::join_all;
use jiff::Timestamp;
use pdp_history::blocking::Blocking;
use pdp_history::{AsyncHistory, EmbeddedHistory};
use pdp_onap::history::{Listing, Operation, OperationHistory};

use super::print;
use crate::config::{self, Config, Overrides};
use crate::failure::Failure;
use crate::history::{self, Histories};
use crate::state::StateFolder;

const EXAMPLES: &str = "\
Examples:
  pdp history export > operations.jsonl
  pdp history export --format csv --history postgres://me@db/operationshistory > operations.csv
  pdp history import --history redis://cache operations.jsonl

Times are RFC 3339; the columns are those of ONAP's table operationshistory. An import adds rows: done
twice, they are there twice. The service must not run on the same state folder meanwhile.";

/// Rows that are recorded at the same time.
const TOGETHER: usize = 256;
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

/// Move operations between histories and files
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct History {
    #[command(subcommand)]
    way: Way,
}

#[derive(Debug, Subcommand)]
enum Way {
    /// Write the operations of a history, the oldest first
    #[command(after_help = EXAMPLES)]
    Export {
        #[command(flatten)]
        place: Place,
    },
    /// Record the operations of a file
    #[command(after_help = EXAMPLES)]
    Import {
        #[command(flatten)]
        place: Place,
        /// The file, or - for the standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
struct Place {
    /// The configuration file of the service
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The history, as for `pdp serve`
    #[arg(long, value_name = "URL")]
    history: Option<String>,
    /// The state folder, where the history is `embedded`
    #[arg(long, value_name = "DIR")]
    state: Option<String>,
    /// How rows are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line with the names of the columns, then one line a row
    Csv,
    /// One JSON object a line
    Jsonl,
}

impl Place {
    fn config(&self) -> Result<Config, Failure> {
        let overrides = Overrides {
            history: self.history.clone(),
            state: self.state.clone(),
            ..Overrides::default()
        };
        let config = config::load(self.config.as_deref(), std::env::vars(), overrides)?.config;
        let nowhere = config.state.folder == "none" && config.history.url == "embedded";
        if config.history.url == "memory" || nowhere {
            return Err(Failure::usage("a history in memory ends with its service")
                .at("setting history.url")
                .hint("name the state folder with --state, or a shared history with --history"));
        }
        Ok(config)
    }
}

impl History {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        match self.way {
            Way::Export { place } => export(&place),
            Way::Import { place, file } => import(&place, &file),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

fn export(place: &Place) -> Result<(), Failure> {
    let config = place.config()?;
    let mut out = Out::new(place.format);
    if config.history.url == "embedded" {
        let Some(folder) = StateFolder::open(&config.state)? else { return Ok(()) };
        let path = folder.path.join(history::FILE);
        if !path.exists() {
            return Err(Failure::environment("there is no operations history").in_file(&path));
        }
        EmbeddedHistory::read(&path, |row| out.row(&row))
            .map_err(|error| history::failure(&error))??;
    } else {
        let remote = history::remote(&config.history)?;
        let fault = |error: pdp_onap::history::HistoryError| {
            Failure::environment(error.to_string()).at("setting history.url")
        };
        let history = Blocking::new(async || {
            remote.check().await?;
            remote.connect()
        })
        .map_err(fault)?;
        let all = Listing { limit: usize::MAX, ..Listing::default() };
        for row in history.list(&all).map_err(fault)?.iter().rev() {
            out.row(row)?;
        }
    }
    out.flush()
}

/// Where rows are written to.
struct Out {
    csv: Option<csv::Writer<Vec<u8>>>,
    lines: Vec<u8>,
}

impl Out {
    fn new(format: Format) -> Self {
        let csv = (format == Format::Csv).then(|| {
            let mut csv = csv::Writer::from_writer(Vec::new());
            csv.write_record(COLUMNS).expect("it is written to memory");
            csv
        });
        Self { csv, lines: Vec::new() }
    }

    fn row(&mut self, row: &Operation) -> Result<(), Failure> {
        match &mut self.csv {
            Some(csv) => csv.write_record(fields(row)).expect("it is written to memory"),
            None => {
                serde_json::to_writer(&mut self.lines, row).expect("a row is plain data");
                self.lines.push(b'\n');
            }
        }
        if self.lines.len() > 1 << 16 { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(&self.lines);
        let result = print::text(&text);
        self.lines.clear();
        result
    }

    fn flush(mut self) -> Result<(), Failure> {
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

fn import(place: &Place, file: &Path) -> Result<(), Failure> {
    let config = place.config()?;
    let rows = read(place.format, file)?;
    let state =
        if config.history.url == "embedded" { StateFolder::open(&config.state)? } else { None };
    let histories = Histories::open(&config, state.as_ref())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
    let recorded = runtime.block_on(async {
        let history: Arc<dyn AsyncHistory> = histories
            .connect()
            .map_err(|error| Failure::environment(error.to_string()).at("setting history.url"))?;
        let mut recorded = 0_usize;
        for chunk in rows.chunks(TOGETHER) {
            let results = join_all(chunk.iter().map(|(_, row)| history.record(row.clone()))).await;
            for ((line, _), result) in chunk.iter().zip(results) {
                result.map_err(|error| {
                    Failure::environment(error.to_string())
                        .at(format!("{}:{line}", file.display()))
                        .hint(format!(
                            "{recorded} rows before it are recorded; of the {TOGETHER} after it some may be"
                        ))
                })?;
                recorded += 1;
            }
        }
        Ok::<usize, Failure>(recorded)
    })?;
    print::line(format!("{recorded} operations recorded"))
}

/// The rows of a file, each with its line.
fn read(format: Format, file: &Path) -> Result<Vec<(u64, Operation)>, Failure> {
    let fault = |error: io::Error| {
        Failure::usage(format!("the operations cannot be read: {error}")).in_file(file)
    };
    let input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).map_err(fault)?)
    };
    match format {
        Format::Jsonl => {
            let mut rows = Vec::new();
            for (line, number) in BufReader::new(input).lines().zip(1..) {
                let line = line.map_err(fault)?;
                if !line.trim().is_empty() {
                    rows.push((number, json(&line, &format!("{}:{number}", file.display()))?));
                }
            }
            Ok(rows)
        }
        Format::Csv => table(input, file),
    }
}

fn json(line: &str, place: &str) -> Result<Operation, Failure> {
    serde_json::from_str(line).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Failure::usage(format!("not an operation: {message}"))
            .at(format!("{place}:{}", error.column()))
            .hint(format!("members: {}", COLUMNS.join(", ")))
    })
}

fn table(input: impl Read, file: &Path) -> Result<Vec<(u64, Operation)>, Failure> {
    let fault = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        Failure::usage(format!("not a table: {error}")).at(format!("{}:{line}", file.display()))
    };
    let mut reader = csv::Reader::from_reader(input);
    let names = reader.headers().map_err(|error| fault(&error))?.clone();
    if let Some(odd) = names.iter().find(|name| !COLUMNS.contains(name)) {
        return Err(Failure::usage(format!("there is no column `{odd}`"))
            .at(format!("{}:1", file.display()))
            .hint(format!("columns: {}", COLUMNS.join(", "))));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| fault(&error))?;
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
        let operation = serde_json::from_value(object.into()).map_err(|error| {
            Failure::usage(format!("not an operation: {error}"))
                .at(format!("{}:{line}", file.display()))
        })?;
        rows.push((line, operation));
    }
    Ok(rows)
}
