//! The clock of a run: a thread that closes intervals, samples, and ends the load when it must.
//!
//! It is a thread and not a task, so that users who keep every worker busy cannot hold it up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::interrupt;
use super::watch::Watch;
use crate::measure::endpoint::Endpoint;
use crate::measure::record::{PhaseName, Running};
use crate::measure::recorder::Tally;
use crate::measure::series::{Edge, Series};
use crate::plan::Leg;
use crate::report::progress::{Live, Progress};
use crate::scenario::shared::Shared;
use crate::target::Target;
use crate::timing::Timing;
use crate::units::Seconds;
use crate::verdict::validity;

/// How often the clock looks whether the load must end.
const GLANCE: Duration = Duration::from_millis(50);
/// A service that has given no expected answer for so long has gone.
const SILENCE: Duration = Duration::from_secs(30);
/// A load that ends in a shorter silence has not shown that the service is gone.
const SILENCE_AT_END: Duration = Duration::from_secs(3);
/// The generator is the limit from this share of the CPU it may use.
const GENERATOR_LIMIT: f64 = 0.85;
/// A host busier than this has nothing left to give.
const HOST_LIMIT_PCT: f64 = 97.0;

/// What has been seen is handed over after this time, then after twice of it, and so on, up to
const FIRST_SNAPSHOT: Duration = Duration::from_secs(5);
/// so much.
const MOST_BETWEEN_SNAPSHOTS: Duration = Duration::from_secs(60);

/// The first edge after `now`: a clock that was held up skips the edges it missed.
fn next_edge(now: Duration, interval: Duration) -> Duration {
    let passed = (now.as_nanos() / interval.as_nanos()) as u32;
    interval * (passed + 1)
}

/// All that the clock saw of one load.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) series: Series,
    pub(super) watch: Watch,
    pub(super) progress: Progress,
    pub(super) end_reason: String,
    /// The start of the load on the run's time axis, in seconds.
    pub(super) from_s: f64,
    /// Length of the load.
    pub(super) load_s: f64,
    /// The end of what was watched, after the load, on the run's time axis.
    pub(super) watched_s: f64,
    /// Per cohort: requests of the steady phase.
    pub(super) team_steady: Vec<u64>,
}

/// What the clock of a load needs from the run that it is part of.
#[derive(Debug)]
pub(super) struct Occasion {
    /// The start of the run's time axis, if there was a load before.
    pub(super) origin: Option<Instant>,
    /// The moment at which the run must end.
    pub(super) deadline: Option<Instant>,
    /// The readers of service, generator and host.
    pub(super) watch: Watch,
    /// What shows the progress.
    pub(super) progress: Progress,
    /// Requests of the run before this load.
    pub(super) before: Running,
}

/// The running clock.
#[derive(Debug)]
pub(super) struct Clock {
    thread: JoinHandle<Seen>,
    ended: Arc<Ended>,
}

#[derive(Debug, Default)]
struct Ended {
    flag: AtomicBool,
    at: Mutex<Option<Instant>>,
    trouble: Mutex<Option<String>>,
}

impl Clock {
    /// Starts the thread; it waits for the first user.
    pub(super) fn start(
        leg: &Leg,
        target: &Arc<Target>,
        shared: &Arc<Shared>,
        occasion: Occasion,
        snapshots: Option<SyncSender<Seen>>,
    ) -> Self {
        let ended = Arc::new(Ended::default());
        let keeper = Keeper {
            timing: leg.timing,
            counts_requests: leg.quota.is_some(),
            origin: occasion.origin,
            deadline: occasion.deadline,
            target: Arc::clone(target),
            shared: Arc::clone(shared),
            ended: Arc::clone(&ended),
            watch: occasion.watch,
            series: Series::after(occasion.before),
            tallies: Default::default(),
            team_seen: vec![0; shared.cohorts.len()],
            team_steady: vec![0; shared.cohorts.len()],
            end_reason: None,
            answered: (0, Instant::now()),
            progress: occasion.progress,
            snapshots: snapshots.map(|sender| Snapshots { sender, next: FIRST_SNAPSHOT }),
        };
        let thread = thread::Builder::new()
            .name("soak-clock".to_owned())
            .spawn(move || keeper.keep())
            .expect("a thread can be started before any load");
        Self { thread, ended }
    }

    /// The load is over; watches the service a little longer if the plan says so, and hands over
    /// what was seen.
    pub(super) fn load_ended(self, trouble: Option<String>) -> Seen {
        *self.ended.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        *self.ended.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        self.ended.flag.store(true, Ordering::Release);
        self.thread.join().expect("the clock does not panic")
    }
}

struct Keeper {
    timing: Timing,
    counts_requests: bool,
    origin: Option<Instant>,
    deadline: Option<Instant>,
    target: Arc<Target>,
    shared: Arc<Shared>,
    ended: Arc<Ended>,
    watch: Watch,
    series: Series,
    tallies: [Tally; Endpoint::COUNT],
    team_seen: Vec<u64>,
    team_steady: Vec<u64>,
    end_reason: Option<String>,
    answered: (u64, Instant),
    progress: Progress,
    snapshots: Option<Snapshots>,
}

/// What has been seen is handed over now and then, so that a run that is killed leaves its report.
struct Snapshots {
    sender: SyncSender<Seen>,
    /// When the next one is due, since the start.
    next: Duration,
}

impl Keeper {
    fn keep(mut self) -> Seen {
        let start = self.await_first_user();
        let from_s = start.duration_since(*self.origin.get_or_insert(start)).as_secs_f64();
        self.answered.1 = start;
        let planned = self.timing.duration;
        let mut closed = Duration::ZERO;
        let mut edge = Duration::ZERO;
        while edge < planned {
            edge = next_edge(edge.max(start.elapsed()), self.timing.interval).min(planned);
            if self.wait_until(start + edge) {
                break;
            }
            closed = self.close(from_s, start.elapsed(), closed, None);
            self.hand_over(from_s, closed);
        }
        // Goose ends the load a moment after its time is up; what still comes in belongs to no phase
        // that is judged.
        while !self.wait_until(Instant::now() + self.timing.interval) {}
        let load = self.ended_at().duration_since(start);
        let planned_end = closed >= planned;
        closed = self.close(from_s, load, closed, planned_end.then_some(PhaseName::Cooldown));
        let trouble = self.ended.trouble.lock().unwrap_or_else(PoisonError::into_inner).take();
        let end_reason = self.end_reason.take().or(trouble).unwrap_or_else(|| {
            let slowest = Duration::from_micros(self.shared.recorder.slowest_answer_us());
            let silent = self.ended_at().saturating_duration_since(self.answered.1);
            if self.counts_requests && self.shared.all_finished() {
                validity::ALL_REQUESTS.to_owned()
            } else if silent >= SILENCE_AT_END.max(slowest * 2) {
                self.silence()
            } else if planned_end {
                validity::PLANNED.to_owned()
            } else {
                "the load ended early".to_owned()
            }
        });
        if end_reason == validity::PLANNED {
            self.cool_down(from_s, start, closed);
        }
        self.progress.finish();
        Seen {
            series: self.series,
            watch: self.watch,
            progress: self.progress,
            end_reason,
            from_s,
            load_s: load.as_secs_f64(),
            watched_s: from_s + start.elapsed().as_secs_f64(),
            team_steady: self.team_steady,
        }
    }

    /// Hands over what has been seen, if that is due. Nobody waits for a receiver that is busy.
    fn hand_over(&mut self, from_s: f64, passed: Duration) {
        let Some(snapshots) = self.snapshots.as_mut().filter(|one| passed >= one.next) else {
            return;
        };
        snapshots.next = passed + (passed).min(MOST_BETWEEN_SNAPSHOTS);
        let seen = Seen {
            series: self.series.clone(),
            watch: self.watch.clone(),
            progress: self.progress.clone(),
            end_reason: validity::UNFINISHED.to_owned(),
            from_s,
            load_s: passed.as_secs_f64(),
            watched_s: from_s + passed.as_secs_f64(),
            team_steady: self.team_steady.clone(),
        };
        // A receiver that is still writing the last one gets the next.
        let _ = snapshots.sender.try_send(seen);
    }

    /// The moment the first user starts; the load may also end without one.
    fn await_first_user(&mut self) -> Instant {
        loop {
            if let Some(start) = self.shared.started.get() {
                return *start;
            }
            if self.ended.flag.load(Ordering::Acquire) {
                return Instant::now();
            }
            self.end_if_it_must();
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for a moment, or for the load's end; says whether the load has ended.
    fn wait_until(&mut self, moment: Instant) -> bool {
        loop {
            if self.ended.flag.load(Ordering::Acquire) {
                return true;
            }
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.end_if_it_must();
            thread::sleep(left.min(GLANCE));
        }
    }

    /// Throws goose's switch while there is a reason to; goose resets it as it starts.
    fn end_if_it_must(&mut self) {
        if self.end_reason.is_none() {
            let answered = self.shared.recorder.answered();
            if answered != self.answered.0 {
                self.answered = (answered, Instant::now());
            }
            let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            self.end_reason = if interrupt::requested() {
                Some(validity::INTERRUPTED.to_owned())
            } else if self.shared.all_finished() {
                Some(validity::ALL_REQUESTS.to_owned())
            } else if late {
                Some(validity::DEADLINE.to_owned())
            } else if let Some(death) = self.target.death() {
                Some(death)
            } else if self.answered.1.elapsed() >= SILENCE {
                Some(self.silence())
            } else {
                None
            };
        }
        if let Some(reason) = &self.end_reason {
            self.shared.over.store(true, Ordering::Release);
            if !goose::is_killswitch_triggered() {
                goose::trigger_killswitch(reason);
            }
        }
    }

    /// Since when the service is silent.
    fn silence(&self) -> String {
        let last = self.answered.1;
        let start = self.shared.started.get().copied().unwrap_or(last);
        let moment = jiff::Timestamp::now().as_second() - last.elapsed().as_secs() as i64;
        let moment = jiff::Timestamp::from_second(moment).unwrap_or_default();
        format!(
            "the service stopped answering as expected {} into the load (at {moment}); the load ended",
            Seconds(last.saturating_duration_since(start).as_secs_f64())
        )
    }

    /// Closes the interval from `closed` to `now`, both since the start.
    fn close(
        &mut self,
        from_s: f64,
        now: Duration,
        closed: Duration,
        phase: Option<PhaseName>,
    ) -> Duration {
        let t = from_s + now.as_secs_f64();
        let length_s = (now.saturating_sub(closed)).as_secs_f64();
        self.tallies.iter_mut().for_each(Tally::reset);
        self.shared.recorder.take(&mut self.tallies);
        let load = self.watch.take(t);
        let phase_now = phase.unwrap_or_else(|| self.timing.phase(now.as_secs_f64()));
        self.count_teams(phase_now);
        let edge = Edge {
            t,
            length_s,
            phase: phase_now,
            users: self.shared.recorder.users(),
            generator_limited: load.generator_share > GENERATOR_LIMIT,
            host_saturated: load.host_busy_pct > HOST_LIMIT_PCT,
        };
        // The last moments after the planned end may hold nothing at all.
        if length_s > 0.0 && (phase.is_none() || self.tallies.iter().any(|tally| tally.count() > 0))
        {
            self.series.push(&self.tallies, edge);
            self.progress.show(&Live {
                series: &self.series,
                server: self.watch.resources.server.as_slice(),
                before: self.watch.resources.before.as_ref(),
                cores_used: load.server_cores,
                generator_cores: load.generator_cores,
            });
        }
        now
    }

    /// What each cohort got done since the last edge belongs to the phase.
    fn count_teams(&mut self, phase: PhaseName) {
        for (place, team) in self.shared.cohorts.iter().enumerate() {
            let now = team.requests.load(Ordering::Relaxed);
            if phase == PhaseName::Steady {
                self.team_steady[place] += now - self.team_seen[place];
            }
            self.team_seen[place] = now;
        }
    }

    /// Watches the service without load: does its memory fall back?
    fn cool_down(&mut self, from_s: f64, start: Instant, from: Duration) {
        let until = start + from + self.timing.cooldown;
        let mut next = Instant::now() + self.timing.interval;
        while Instant::now() < until && !interrupt::requested() {
            thread::sleep(GLANCE);
            if Instant::now() >= next {
                next += self.timing.interval;
                self.watch.take(from_s + start.elapsed().as_secs_f64());
            }
        }
    }

    fn ended_at(&self) -> Instant {
        self.ended.at.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Instant::now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_multiples_of_the_interval_and_missed_ones_are_skipped() {
        let edge = |now_ms: u64| {
            next_edge(Duration::from_millis(now_ms), Duration::from_secs(5)).as_secs()
        };
        assert_eq!([0, 1, 4_999, 5_000, 5_003, 14_000].map(edge), [5, 5, 5, 10, 10, 15]);
    }
}
