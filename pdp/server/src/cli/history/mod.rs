//! `pdp history`: moves operations between histories and files.

mod rows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use futures_util::future::join_all;
use pdp_history::{AsyncHistory, EmbeddedHistory};
use pdp_onap::history::Operation;

use self::rows::Out;
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
        let dropped = runtime()?
            .block_on(async {
                remote.check().await?;
                remote.each(|row| out.row(&row)).await
            })
            .map_err(fault)??;
        if dropped > 0 {
            print::remark(format!(
                "{dropped} older operations are counted, but not listed any more, and so not exported"
            ));
        }
    }
    out.flush()
}

fn import(place: &Place, file: &Path) -> Result<(), Failure> {
    let config = place.config()?;
    if file != Path::new("-") {
        // A file can be read twice: one that is wrong anywhere is refused before anything is recorded.
        rows::of(place.format, file)?.try_for_each(|row| row.map(drop))?;
    }
    let mut rows = rows::of(place.format, file)?;
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
                .map_err(|failure| failure.hint(so_far(recorded)))?;
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
    print::line(format!("{recorded} operations recorded"))
}

fn so_far(recorded: usize) -> String {
    format!("{recorded} rows before it are recorded")
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("no thread can be started: {error}")))
}
