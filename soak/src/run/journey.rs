//! The way through all loads of a run: service by service, load by load, one record in the end.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use super::Interim;
use super::assemble;
use super::clock::{Clock, Occasion, Seen};
use super::prepare::prepare;
use super::scraper::Scraper;
use super::steps::{Outcome, outcome};
use super::watch::Watch;
use crate::measure::jtl::Jtl;
use crate::measure::record::{Resources, Target as Description};
use crate::measure::recorder::Recorder;
use crate::measure::series::Series;
use crate::plan::{Leg, Mode, Plan, SetupError, Station};
use crate::report::progress::Progress;
use crate::scenario::shared::Shared;
use crate::scenario::{self, open, rng};
use crate::target::Target;
use crate::target::preflight::Preflight;
use crate::target::refusals;
use crate::target::user_policies::UserPolicies;
use crate::verdict::validity;

/// What has been seen on the way so far.
#[derive(Clone)]
pub(super) struct Journey<'a> {
    plan: &'a Plan,
    /// Where a report goes while the run goes on, if anywhere.
    interim: Option<Interim<'a>>,
    /// Tells this run apart.
    pub(super) tag: String,
    /// The start on the wall clock.
    pub(super) began: jiff::Timestamp,
    /// The start on the monotonic clock.
    pub(super) monotonic: Instant,
    pub(super) series: Series,
    pub(super) resources: Resources,
    /// One for each load.
    pub(super) outcomes: Vec<Outcome>,
    /// What the first service's preflight found out.
    pub(super) preflight: Preflight,
    pub(super) description: Option<Description>,
    pub(super) generator_shares_host: bool,
    pub(super) end_reason: String,
    /// Length of all loads so far.
    pub(super) load_s: f64,
    /// The end of what was watched, on the run's time axis.
    pub(super) watched_s: f64,
    /// Operations that went into the history.
    pub(super) operations: u64,
    /// What else should be told.
    pub(super) notes: Vec<String>,
    origin: Option<Instant>,
    deadline: Option<Instant>,
}

impl<'a> Journey<'a> {
    pub(super) fn new(plan: &'a Plan, interim: Option<Interim<'a>>) -> Self {
        let now = Instant::now();
        Self {
            plan,
            interim,
            tag: format!("{:08x}", rng::random() as u32),
            began: jiff::Timestamp::now(),
            monotonic: now,
            series: Series::default(),
            resources: Resources::default(),
            outcomes: Vec::new(),
            preflight: Preflight::default(),
            description: None,
            generator_shares_host: false,
            end_reason: String::new(),
            load_s: 0.0,
            watched_s: 0.0,
            operations: 0,
            notes: Vec::new(),
            origin: None,
            deadline: plan.deadline.map(|deadline| now + deadline),
        }
    }

    /// Whether the way ends here.
    pub(super) fn is_over(&self) -> bool {
        self.end_reason != validity::PLANNED
    }

    /// Opens one service, puts its loads on it, and closes it again.
    pub(super) fn visit(&mut self, runtime: &Runtime, station: &Station) -> Result<(), SetupError> {
        let target = Arc::new(Target::open(&station.target)?);
        let tag = format!("{}p{}", self.tag, self.outcomes.len());
        let opened = runtime.block_on(prepare(&target, station, self.plan.wait, &tag));
        let (found, provisions) = match opened {
            Ok(opened) => opened,
            Err(error) if self.outcomes.is_empty() => return Err(error),
            // What was measured before is worth its report.
            Err(error) => {
                self.end_reason = format!("{}: {error}", station.label);
                return Ok(());
            }
        };
        let done = self.put_loads(runtime, station, &target, &found);
        self.notes.extend(provisions.told());
        let stayed = runtime.block_on(provisions.take_away(&target, &station.client));
        self.notes.extend(stayed);
        self.close(target);
        done
    }

    /// Puts the loads on a service that has all they need.
    fn put_loads(
        &mut self,
        runtime: &Runtime,
        station: &Station,
        target: &Arc<Target>,
        found: &Preflight,
    ) -> Result<(), SetupError> {
        if self.outcomes.is_empty() {
            self.began = jiff::Timestamp::now();
            self.monotonic = Instant::now();
            self.preflight = found.clone();
            self.description = Some(target.describe(found));
            self.generator_shares_host = target.is_local();
        }
        if station.wants_tls && target.url.scheme() != "https" {
            return Err(SetupError::Target(format!(
                "{}: the service was told to speak TLS and listens at {}; this pdp cannot",
                station.label, target.url
            )));
        }
        let tries = self.plan.mode == Mode::Secure && station.credentials;
        let subject = self.plan.subject.filter(|_| tries);
        let refusals = subject
            .map(|subject| runtime.block_on(refusals::ask(target, &station.client, subject)));
        let policies = UserPolicies::new(target, station, &self.tag);
        let made = runtime.block_on(policies.set_up()).and_then(|()| self.jtl(target));
        let jtl = match made {
            Ok(jtl) => jtl,
            Err(error) => {
                runtime.block_on(policies.tear_down());
                return Err(error);
            }
        };
        let scraper = found.has_metrics.then(|| Scraper::start(runtime, target, station)).flatten();
        let mut watch = Watch::new(target.pid, scraper);
        watch.first(self.watched_s);
        let mut progress = Progress::new(self.plan);
        for leg in &station.legs {
            let occasion = Occasion {
                origin: self.origin,
                deadline: self.deadline,
                watch,
                progress,
                before: self.series.running().clone(),
            };
            let (shared, seen) = self.load(runtime, station, leg, target, jtl.clone(), occasion);
            self.operations += shared.operations.load(Ordering::Relaxed);
            (watch, progress) = self.keep(station, leg, &shared, seen);
            if let Some(outcome) = self.outcomes.last_mut() {
                outcome.refusals.clone_from(&refusals);
            }
            if self.is_over() {
                break;
            }
        }
        self.keep_resources(watch.last(self.watched_s));
        if jtl.is_some_and(|jtl| !jtl.finish()) {
            self.notes.push("The --jtl file could not be written to its end.".to_owned());
        }
        self.notes.extend(runtime.block_on(policies.tear_down()));
        Ok(())
    }

    fn jtl(&self, target: &Target) -> Result<Option<Arc<Jtl>>, SetupError> {
        let Some(path) = &self.plan.jtl else { return Ok(None) };
        let jtl = Jtl::create(path, target.url.as_str()).map_err(|error| {
            SetupError::Usage(format!("--jtl: cannot write {}: {error}", path.display()))
        })?;
        Ok(Some(Arc::new(jtl)))
    }

    /// Puts one load on a service.
    fn load(
        &self,
        runtime: &Runtime,
        station: &Station,
        leg: &Leg,
        target: &Arc<Target>,
        jtl: Option<Arc<Jtl>>,
        occasion: Occasion,
    ) -> (Arc<Shared>, Seen) {
        let mut client = station.client.clone();
        client.keep_alive = leg.keep_alive;
        let tag = format!("{}l{}", self.tag, self.outcomes.len());
        let shared = Shared::new(target, client, leg, tag, self.plan.seed, Recorder::new(jtl));
        let shared = Arc::new(shared);
        let (sender, snapshots) = sync_channel::<Seen>(1);
        // The clock lets go of the sender when it ends, and that ends the writing.
        let sender = self.interim.is_some().then_some(sender);
        let seen = std::thread::scope(|scope| {
            let shared = &shared;
            scope.spawn(move || {
                snapshots.iter().for_each(|seen| self.tell_so_far(station, leg, shared, seen));
            });
            let clock = Clock::start(leg, target, shared, occasion, sender);
            let trouble = match leg.pace {
                Some(pace) => {
                    let load = open::attack(Arc::clone(shared), pace, leg.timing.duration);
                    runtime.block_on(load).err()
                }
                None => {
                    let host = target.url.as_str();
                    let load = scenario::attack(Arc::clone(shared), host, leg.timing.duration);
                    runtime.block_on(load).err().map(|error| error.to_string())
                }
            };
            clock.load_ended(trouble.map(|error| format!("the load could not be made: {error}")))
        });
        (shared, seen)
    }

    /// Hands over the record of what has been seen up to now.
    fn tell_so_far(&self, station: &Station, leg: &Leg, shared: &Shared, seen: Seen) {
        let Some(interim) = self.interim else { return };
        let mut so_far = self.clone();
        so_far.operations += shared.operations.load(Ordering::Relaxed);
        let (watch, _) = so_far.keep(station, leg, shared, seen);
        so_far.keep_resources(watch.last(so_far.watched_s));
        interim(&assemble::record(self.plan, so_far));
    }

    fn keep(
        &mut self,
        station: &Station,
        leg: &Leg,
        shared: &Shared,
        seen: Seen,
    ) -> (Watch, Progress) {
        self.outcomes.push(outcome(station, leg, shared, &seen));
        if self.origin.is_none() {
            self.origin = shared.started.get().copied();
        }
        self.load_s += seen.load_s;
        self.watched_s = seen.watched_s;
        self.end_reason = seen.end_reason;
        self.series.append(seen.series);
        (seen.watch, seen.progress)
    }

    fn keep_resources(&mut self, mut seen: Resources) {
        let one = self.resources.server.is_empty();
        let all = &mut self.resources;
        all.source = seen.source;
        all.server.append(&mut seen.server);
        all.generator.append(&mut seen.generator);
        all.host.append(&mut seen.host);
        all.cgroup.append(&mut seen.cgroup);
        all.sampling_us = seen.sampling_us;
        // Before and after are of one service; of several there is no difference to tell.
        (all.before, all.after, all.delta) =
            if one { (seen.before, seen.after, seen.delta) } else { (None, None, None) };
    }

    fn close(&mut self, target: Arc<Target>) {
        if let Some(lines) = target.last_lines().filter(|_| self.is_over()) {
            tell_last_lines(&lines);
            if !lines.is_empty() {
                self.notes.push(format!("The service's last lines: {}", lines.join(" / ")));
            }
        }
        // The scraper's task and the clock are done with it, or let go in a moment.
        let deadline = Instant::now() + Duration::from_secs(1);
        let mut target = target;
        loop {
            match Arc::try_unwrap(target) {
                Ok(target) => {
                    // Whoever died during the load has been told about already.
                    let odd = target.close();
                    self.notes.extend(odd.filter(|_| !self.is_over()));
                    return;
                }
                Err(_) if Instant::now() >= deadline => return,
                Err(shared) => target = shared,
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
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
