//! The time axis of a run: warm-up, intervals, what follows the load.

use std::time::Duration;

use crate::measure::record::PhaseName;

/// Longer runs get longer intervals, so that no report grows without end.
const MOST_INTERVALS: u64 = 600;
/// A service without load is watched for so long after a run that is long enough to matter.
const COOLDOWN: Duration = Duration::from_secs(30);
const COOLDOWN_FROM: Duration = Duration::from_secs(600);

/// The parts of the run on its time axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Length of the load.
    pub duration: Duration,
    /// Length of the warm-up within it.
    pub warmup: Duration,
    /// One row of the report.
    pub interval: Duration,
    /// How long the service is watched after the load.
    pub cooldown: Duration,
}

impl Timing {
    /// The timing of a load of that length.
    pub fn of(duration: Duration) -> Self {
        let seconds = duration.as_secs_f64();
        let interval = match seconds {
            s if s <= 600.0 => 1,
            s if s <= 5.0 * MOST_INTERVALS as f64 => 5,
            s => (s / MOST_INTERVALS as f64).ceil() as u64,
        };
        // A tenth, in whole intervals, at most a minute; too short a run has none to give away.
        let whole = (seconds / 10.0 / interval as f64).ceil() as u64 * interval;
        let warmup = if seconds < 4.0 { 0 } else { whole.min(60).max(interval) };
        Self {
            duration,
            warmup: Duration::from_secs(warmup),
            interval: Duration::from_secs(interval),
            cooldown: if duration >= COOLDOWN_FROM { COOLDOWN } else { Duration::ZERO },
        }
    }

    /// A stretch of load among several, with so much left out at its start.
    pub fn step(duration: Duration, drop: Duration, interval: Duration) -> Self {
        // The rest must be worth measuring.
        let drop = if drop * 2 > duration { Duration::ZERO } else { drop };
        Self { duration, warmup: drop, interval: interval.min(duration), cooldown: Duration::ZERO }
    }

    /// The phase that an interval ending at `t` seconds belongs to.
    pub fn phase(&self, t: f64) -> PhaseName {
        // An edge is reached a little late, never early.
        if t <= self.warmup.as_secs_f64() + self.interval.as_secs_f64() / 2.0
            && !self.warmup.is_zero()
        {
            PhaseName::Warmup
        } else {
            PhaseName::Steady
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(seconds: u64) -> (u64, u64, u64) {
        let timing = Timing::of(Duration::from_secs(seconds));
        (timing.interval.as_secs(), timing.warmup.as_secs(), timing.cooldown.as_secs())
    }

    #[test]
    fn intervals_and_warm_up_follow_the_length() {
        assert_eq!(timing(1), (1, 0, 0));
        assert_eq!(timing(5), (1, 1, 0));
        assert_eq!(timing(60), (1, 6, 0));
        assert_eq!(timing(600), (1, 60, 30));
        assert_eq!(timing(601), (5, 60, 30));
        assert_eq!(timing(3000), (5, 60, 30));
        assert_eq!(timing(6000), (10, 60, 30));
        assert_eq!(timing(72 * 3600), (432, 432, 30));
    }

    #[test]
    fn no_run_has_more_intervals_than_a_report_can_show() {
        for seconds in [600, 601, 6000, 6001, 86_400, 7 * 86_400] {
            let timing = Timing::of(Duration::from_secs(seconds));
            assert!(seconds.div_ceil(timing.interval.as_secs()) <= MOST_INTERVALS, "{seconds}");
        }
    }

    #[test]
    fn phases_follow_the_time_axis() {
        let timing = Timing::of(Duration::from_secs(60));
        assert_eq!(timing.phase(1.0), PhaseName::Warmup);
        assert_eq!(timing.phase(6.02), PhaseName::Warmup);
        assert_eq!(timing.phase(7.0), PhaseName::Steady);
        assert_eq!(Timing::of(Duration::from_secs(2)).phase(1.0), PhaseName::Steady);
    }
}
