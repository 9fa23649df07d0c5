//! Log lines on standard error: text for people, JSON for machines.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};
use crate::failure::Failure;

/// Writes to standard error that failed.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Log lines that could not be written since the start.
pub fn dropped_log_lines() -> u64 {
    DROPPED.load(Relaxed)
}

/// Standard error that never fails: a service does not end because nobody reads its log. What
/// cannot be written is counted and forgotten.
#[derive(Debug)]
struct Lossy;

impl Write for Lossy {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if io::stderr().write_all(line).is_err() {
            DROPPED.fetch_add(1, Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts logging for the rest of the process, panics included.
///
/// # Errors
/// The level is not a filter.
pub fn start(log: &Log) -> Result<(), Failure> {
    // What the HTTP layer says when it starts and stops, and of clients that send what is not HTTP, is
    // for those who ask for it: anyone on the network could fill the log with errors. So is what the
    // watcher of files says to itself; what it cannot do it returns.
    let quiet = match log.level.as_str() {
        "error" | "warn" => ",actix_http=off,notify=off",
        "info" => ",actix_server=warn,actix_http=off,notify=off",
        _ => "",
    };
    let filter = EnvFilter::try_new(format!("{}{quiet}", log.level)).map_err(|error| {
        Failure::usage(format!("`{}` is not a log level: {error}", log.level))
            .at("setting log.level")
            .hint("use error, warn, info, debug or trace")
    })?;
    let terminal = io::stderr().is_terminal();
    let format = log.format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json });
    // The subscriber would print its own faults, and panic where it cannot.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Lossy)
        .log_internal_errors(false);
    // A second start (several services in one test process) keeps the first.
    let _ = match format {
        LogFormat::Text => builder.with_ansi(terminal && !no_color()).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(place, "a fault of the program: {message}");
    }));
    Ok(())
}

fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
