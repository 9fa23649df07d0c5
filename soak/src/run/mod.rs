//! A run from its first request to its record.

mod assemble;
mod clock;
pub mod interrupt;
mod scraper;
mod watch;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::measure::endpoint::Endpoint;
use crate::measure::record::RunRecord;
use crate::plan::{Plan, SetupError};
use crate::report::progress::Progress;
use crate::sampler::host::usable_cores;
use crate::scenario::{self, rng, user::Shared};
use crate::target::Target;
use crate::target::preflight::preflight;
use crate::verdict::validity;

pub use assemble::RunFacts;

/// Carries out a plan. The record that comes back is judged already.
pub fn run(plan: &Plan) -> Result<RunRecord, SetupError> {
    silence_goose();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(usable_cores())
        .enable_all()
        .build()
        .map_err(|error| SetupError::Usage(format!("cannot start the runtime: {error}")))?;
    interrupt::listen(&runtime);
    let target = Arc::new(Target::open(&plan.target)?);
    let run_tag = format!("{:08x}", rng::random() as u32);
    let preflight = runtime.block_on(preflight(&target, &plan.client, plan.wait, &run_tag))?;

    let shared = Arc::new(Shared {
        recorder: Default::default(),
        client: plan.client.clone(),
        scheme: target.url.scheme().to_owned(),
        urls: Endpoint::ALL.map(|endpoint| target.endpoint(endpoint)),
        run_tag: run_tag.clone(),
        seed: plan.seed,
        users_per_group: plan.users,
        started: Default::default(),
        operations: Default::default(),
        numbers: Default::default(),
    });
    let scraper =
        preflight.has_metrics.then(|| scraper::Scraper::start(&runtime, &target, plan)).flatten();
    let progress = Progress::new(plan);
    let clock = clock::Clock::start(plan, &target, &shared, scraper, progress);

    let began = jiff::Timestamp::now();
    let monotonic = std::time::Instant::now();
    let outcome = runtime.block_on(scenario::attack(
        Arc::clone(&shared),
        target.url.as_str(),
        plan.timing.duration,
    ));
    let seen =
        clock.load_ended(outcome.err().map(|error| format!("the load could not be made: {error}")));
    // Tasks that still run are of no use any more.
    runtime.shutdown_timeout(Duration::from_secs(2));

    let mut facts = RunFacts {
        run_tag,
        began,
        ended: jiff::Timestamp::now(),
        monotonic: monotonic.elapsed(),
        users_started: shared
            .numbers
            .each_ref()
            .map(|number| number.load(std::sync::atomic::Ordering::Relaxed)),
        operations: shared.operations.load(std::sync::atomic::Ordering::Relaxed),
        notes: Vec::new(),
    };
    let description = target.describe(&preflight);
    let generator_shares_host = target.is_local();
    if let Some(lines) = target.last_lines().filter(|_| seen.end_reason != validity::PLANNED) {
        tell_last_lines(&lines);
        if !lines.is_empty() {
            facts.notes.push(format!("The service's last lines: {}", lines.join(" / ")));
        }
    }
    if let Some(target) = Arc::into_inner(target) {
        // Whoever died during the load has been told about already.
        let odd = target.close();
        facts.notes.extend(odd.filter(|_| seen.end_reason == validity::PLANNED));
    }
    Ok(assemble::record(plan, &preflight, description, generator_shares_host, seen, facts))
}

/// What a service said before it died, for whoever watches the run.
fn tell_last_lines(lines: &[String]) {
    let mut err = std::io::stderr().lock();
    let head = if lines.is_empty() { "it printed nothing" } else { "its last lines:" };
    // The run is worth more than this message.
    let _ = writeln!(err, "the service ended by itself; {head}");
    for line in lines {
        let _ = writeln!(err, "  | {line}");
    }
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
