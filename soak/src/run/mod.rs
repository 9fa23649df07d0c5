//! A run from its first request to its record.

mod assemble;
mod clock;
pub mod interrupt;
mod journey;
mod notes;
mod prepare;
mod scraper;
mod steps;
mod tables;
mod watch;

use crate::measure::record::RunRecord;
use crate::plan::{Plan, SetupError};
use crate::sampler::host::usable_cores;

/// Takes the record of a run that has not ended.
pub type Interim<'a> = &'a (dyn Fn(&RunRecord) + Sync);

/// Carries out a plan. The record that comes back is judged already; `interim` gets one now and then while
/// the run goes on.
pub fn run(plan: &Plan, interim: Option<Interim<'_>>) -> Result<RunRecord, SetupError> {
    silence_goose();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(usable_cores())
        .enable_all()
        .build()
        .map_err(|error| SetupError::Usage(format!("cannot start the runtime: {error}")))?;
    interrupt::listen(&runtime);
    let mut journey = journey::Journey::new(plan, interim);
    for station in &plan.stations {
        journey.visit(&runtime, station)?;
        if journey.is_over() {
            break;
        }
    }
    // Tasks that still run are of no use any more.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    Ok(assemble::record(plan, journey))
}

/// Goose logs each failed request; the suite counts and reports them itself.
fn silence_goose() {
    struct Nobody;
    impl log::Log for Nobody {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            false
        }
        fn log(&self, _: &log::Record<'_>) {}
        fn flush(&self) {}
    }
    static NOBODY: Nobody = Nobody;
    // Where a logger is installed already, that one stays.
    let _ = log::set_logger(&NOBODY);
}
