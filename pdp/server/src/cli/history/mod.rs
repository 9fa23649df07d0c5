//! `pdp history`: moves operations between histories and files.

mod intake;
mod rows;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use futures_util::future::join_all;
use pdp_history::{AsyncHistory, EmbeddedHistory};
use pdp_onap::history::Operation;

use self::intake::Intake;
use self::rows::Out;
use super::print;
use crate::config::{self, Config, Overrides};
use crate::failure::{Failure, counted};
use crate::history::{self, Histories};
use crate::state::StateFolder;

const EXAMPLES: &str = "\
Examples:
  pdp history export > operations.jsonl
  pdp history export --format csv --history postgres://me@db/operationshistory > operations.csv
  pdp history import --history redis://cache operations.jsonl
  pdp history import --skip-unseen onap.csv

Times are RFC 3339; the columns are those of ONAP's table operationshistory. An import adds rows: done
twice, they are there twice. The service must not run on the same state folder meanwhile.

An import takes what the service takes where operations are reported, and records nothing of a file with a
wrong row. Rows without an end, or with other columns empty, are taken as long as a policy could see them:
counts need actor, operation, target, outcome and endtime, the outcome of a control loop needs
closedLoopName, starttime and outcome. Other rows, such as those that ONAP's table has of unfinished
operations, are refused; --skip-unseen leaves them out and says how many. In CSV an empty field is no value.";

/// Rows that are recorded at the same time.
const TOGETHER: usize = 256;
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
        /// Leave out rows that no policy could ever see
        #[arg(long)]
        skip_unseen: bool,
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
    /// How rows are written; without it JSON lines, and of a file that is read what its name says: it ends
    /// in .csv, .json, .jsonl or .ndjson
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line with the names of the columns, then one line a row
    Csv,
    /// One JSON object a line
    Jsonl,
}

impl Format {
    /// What the name of a file says. The standard input has none.
    fn of(file: &Path) -> Result<Self, Failure> {
        if file == Path::new("-") {
            return Ok(Self::Jsonl);
        }
        let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "json" | "jsonl" | "ndjson" => Ok(Self::Jsonl),
            _ => Err(Failure::usage("the name of the file does not say how its rows are written")
                .in_file(file)
                .hint("names end in .csv, .json, .jsonl or .ndjson; or say --format csv or --format jsonl")),
        }
    }
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
            Way::Import { place, skip_unseen, file } => import(&place, &file, skip_unseen),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

fn export(place: &Place) -> Result<(), Failure> {
    let config = place.config()?;
    let mut out = Out::new(place.format.unwrap_or(Format::Jsonl));
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
        let dropped = runtime()?
            .block_on(async {
                remote.check().await?;
                remote.each(|row| out.row(&row)).await
            })
            .map_err(fault)??;
        if dropped > 0 {
            print::remark(format!(
                "{} left out: policies count them, but they are not listed any more, and so not exported",
                counted(dropped, "older operation", "older operations")
            ));
        }
    }
    out.flush()
}

fn import(place: &Place, file: &Path, skip_unseen: bool) -> Result<(), Failure> {
    let config = place.config()?;
    let format = place.format.map_or_else(|| Format::of(file), Ok)?;
    if file != Path::new("-") {
        // A file can be read twice: one that is wrong anywhere is refused before anything is recorded.
        let mut intake = Intake::of(file, skip_unseen);
        rows::of(format, file)?
            .filter_map(|row| intake.take(row))
            .try_for_each(|row| row.map(drop))?;
    }
    let mut intake = Intake::of(file, skip_unseen);
    let mut rows = rows::of(format, file)?.filter_map(|row| intake.take(row));
    let state =
        if config.history.url == "embedded" { StateFolder::open(&config.state)? } else { None };
    let histories = Histories::open(&config, state.as_ref())?;
    let recorded = runtime()?.block_on(async {
        let history: Arc<dyn AsyncHistory> = histories
            .connect()
            .map_err(|error| Failure::environment(error.to_string()).at("setting history.url"))?;
        let mut recorded = 0_usize;
        loop {
            let chunk: Vec<(u64, Operation)> = rows
                .by_ref()
                .take(TOGETHER)
                .collect::<Result<_, _>>()
                .map_err(|failure: Failure| told_so_far(failure, recorded))?;
            if chunk.is_empty() {
                return Ok(recorded);
            }
            let (lines, rows): (Vec<u64>, Vec<Operation>) = chunk.into_iter().unzip();
            let results = join_all(rows.into_iter().map(|row| history.record(row))).await;
            for (line, result) in lines.into_iter().zip(results) {
                result.map_err(|error| {
                    Failure::environment(error.to_string())
                        .at(format!("{}:{line}", file.display()))
                        .hint(format!(
                            "{}; of the {TOGETHER} after it some may be",
                            so_far(recorded)
                        ))
                })?;
                recorded += 1;
            }
        }
    })?;
    drop(rows);
    if let Some(remark) = intake.remark() {
        print::remark(remark);
    }
    print::line(format!("{} recorded", counted(recorded, "operation", "operations")))
}

/// Beside what to do about it stands what is done already.
fn told_so_far(failure: Failure, recorded: usize) -> Failure {
    let hint = match &failure.hint {
        Some(hint) => format!("{}; {hint}", so_far(recorded)),
        None => so_far(recorded),
    };
    failure.hint(hint)
}

fn so_far(recorded: usize) -> String {
    let are = if recorded == 1 { "is" } else { "are" };
    format!("{} before it {are} recorded", counted(recorded, "row", "rows"))
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("no thread can be started: {error}")))
}
