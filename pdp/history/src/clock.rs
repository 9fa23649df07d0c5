//! The time that windows are measured on.
//!
//! It goes on with the machine's clock since boot, which no step of the wall clock touches, so that a
//! step changes no window. An [`Anchor`] that is kept over a restart holds on to that: within one boot
//! the time goes on where it was, after a boot it is set by the wall clock, but never goes back.

use std::fs;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rustix::time::{ClockId, clock_gettime};

/// Tells the time. Never goes back.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// What the machine's clocks say at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The wall clock.
    pub wall: Timestamp,
    /// The time since the machine was booted, time asleep included.
    pub since_boot: Duration,
    /// Names this boot of the machine; none where it is not known.
    pub boot: Option<String>,
}

impl Reading {
    /// Reads the clocks.
    pub fn now() -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id");
        Self {
            wall: Timestamp::now(),
            since_boot: since_boot(),
            boot: boot.ok().map(|id| id.trim().to_owned()),
        }
    }
}

fn since_boot() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// What is kept of a clock over a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The boot of the machine that it holds for.
    pub boot: Option<String>,
    /// The time at which the machine was booted, by this clock.
    pub booted: Timestamp,
    /// The latest time that is known to have been.
    pub latest: Timestamp,
}

/// A clock that was set by the wall clock once: a later step of the wall clock changes no window.
#[derive(Clone, Debug)]
pub struct AnchoredClock {
    boot: Option<String>,
    booted: Timestamp,
}

impl AnchoredClock {
    /// Set by the wall clock now.
    pub fn start() -> Self {
        Self::resume(None, Reading::now())
    }

    /// Set to a time of the caller's choice.
    pub fn at(wall: Timestamp) -> Self {
        Self::resume(None, Reading { wall, ..Reading::now() })
    }

    /// Goes on from what was kept. Within the same boot the wall clock is not looked at; after another
    /// boot it sets the clock, but not to a time before the latest that is known.
    pub fn resume(kept: Option<&Anchor>, reading: Reading) -> Self {
        let Reading { wall, since_boot, boot } = reading;
        if let Some(anchor) = kept
            && boot.is_some()
            && anchor.boot == boot
        {
            return Self { boot, booted: anchor.booted };
        }
        let now = kept.map_or(wall, |anchor| wall.max(anchor.latest));
        Self { boot, booted: minus(now, since_boot) }
    }

    /// What is to be kept of it.
    pub fn anchor(&self) -> Anchor {
        Anchor { boot: self.boot.clone(), booted: self.booted, latest: self.now() }
    }
}

impl Clock for AnchoredClock {
    fn now(&self) -> Timestamp {
        plus(self.booted, since_boot())
    }
}

fn plus(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}

fn minus(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    time.checked_sub(by).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_750_000_000 + seconds).expect("the year 2025")
    }

    fn reading(wall: i64, boot: &str, since: u64) -> Reading {
        let since_boot = Duration::from_secs(since);
        Reading { wall: at(wall), since_boot, boot: Some(boot.to_owned()) }
    }

    /// The time that a clock tells at another moment of the same boot.
    fn tells(clock: &AnchoredClock, since: u64) -> Timestamp {
        plus(clock.booted, Duration::from_secs(since))
    }

    #[test]
    fn within_a_boot_a_step_of_the_wall_clock_changes_nothing() {
        let first = AnchoredClock::resume(None, reading(0, "a", 100));
        let kept = Anchor { latest: at(50), ..first.anchor() };
        for step in [-3600, 0, 3600] {
            let again = AnchoredClock::resume(Some(&kept), reading(60 + step, "a", 160));
            assert_eq!(tells(&again, 160), at(60), "a step of {step} s");
        }
    }

    #[test]
    fn after_a_boot_the_wall_clock_sets_it_but_never_back() {
        let kept = Anchor { boot: Some("a".into()), booted: at(-100), latest: at(50) };
        for (wall, expected) in [(60, 60), (3600, 3600), (-3600, 50)] {
            let again = AnchoredClock::resume(Some(&kept), reading(wall, "b", 7));
            assert_eq!(tells(&again, 7), at(expected), "the wall clock says {wall}");
        }
    }

    #[test]
    fn without_a_name_every_boot_is_another() {
        let kept = Anchor { boot: None, booted: at(-100), latest: at(50) };
        let unnamed = Reading { boot: None, ..reading(3600, "", 7) };
        assert_eq!(tells(&AnchoredClock::resume(Some(&kept), unnamed), 7), at(3600));
    }
}
