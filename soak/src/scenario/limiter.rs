//! The expectation of a frequency limiter as a function of the sequence.
//!
//! Each user asks about a target of its own: permitted until the history holds `limit` operations
//! on it, denied from then on. After a moment of denials the user moves to a fresh target, so both
//! answers come up again and again. The moment is one of time, not of requests: what the history has
//! to keep then grows with the users, and not with the speed of the service.

use std::time::{Duration, Instant};

use crate::oracle::Decision;

/// Operations that the shipped limiter allows within its window.
pub const LIMIT: u32 = 1;
/// The shipped limiter's window.
pub const WINDOW: Duration = Duration::from_secs(600);
/// A target at its limit is asked about for so long.
const DENIED_FOR: Duration = Duration::from_millis(500);
/// Past this age the oldest operation may have left the window, or be about to.
const OLDEST: Duration = Duration::from_secs(540);

/// One user's limiter target and what the history holds about it.
#[derive(Clone, Debug)]
pub struct LimiterTarget {
    prefix: String,
    generation: u64,
    recorded: u32,
    first_recorded: Option<Instant>,
}

impl LimiterTarget {
    /// The first target of a user. `run` tells runs against one service apart.
    pub fn new(run: &str, user: usize) -> Self {
        // The history's column for it holds 50 characters.
        Self {
            prefix: format!("soak-{run}-u{user}"),
            generation: 0,
            recorded: 0,
            first_recorded: None,
        }
    }

    /// The target's name.
    pub fn name(&self) -> String {
        format!("{}-g{}", self.prefix, self.generation)
    }

    /// Leaves a target whose operations may have left the window meanwhile.
    pub fn freshen(&mut self, now: Instant) {
        if self.first_recorded.is_some_and(|first| now.duration_since(first) >= OLDEST) {
            self.leave();
        }
    }

    /// The decision that must come next.
    pub fn expected(&self) -> Decision {
        if self.recorded < LIMIT { Decision::Permit } else { Decision::Deny }
    }

    /// An operation is in the history.
    pub fn recorded(&mut self, now: Instant) {
        self.recorded += 1;
        self.first_recorded.get_or_insert(now);
    }

    /// It was denied, as it must be at its limit; after a moment of that it is left.
    pub fn denied(&mut self, now: Instant) {
        if self.first_recorded.is_none_or(|first| now.duration_since(first) >= DENIED_FOR) {
            self.leave();
        }
    }

    /// Moves to a target that nothing is known about, as when a failure left the history in doubt.
    pub fn leave(&mut self) {
        self.generation += 1;
        self.recorded = 0;
        self.first_recorded = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permitted_up_to_the_limit_then_denied_then_fresh() {
        let now = Instant::now();
        let mut target = LimiterTarget::new("ab12cd34", 7);
        let first = target.name();
        for _ in 0..LIMIT {
            assert_eq!(target.expected(), Decision::Permit);
            target.recorded(now);
        }
        assert_eq!(target.expected(), Decision::Deny);
        target.denied(now + DENIED_FOR / 2);
        assert_eq!(target.expected(), Decision::Deny);
        assert_eq!(target.name(), first, "the same target is asked again");
        target.denied(now + DENIED_FOR);
        assert_eq!(target.expected(), Decision::Permit);
        assert_ne!(target.name(), first);
    }

    #[test]
    fn a_target_is_left_before_its_window_ends() {
        let start = Instant::now();
        let mut target = LimiterTarget::new("ab12cd34", 0);
        target.recorded(start);
        target.freshen(start + OLDEST - Duration::from_secs(1));
        assert_eq!(target.expected(), Decision::Deny);
        target.freshen(start + OLDEST);
        assert_eq!(target.expected(), Decision::Permit);
        assert!(OLDEST < WINDOW);
    }

    #[test]
    fn names_differ_by_run_user_and_generation_and_fit_their_column() {
        let mut target = LimiterTarget::new("ffffffffffffffff", 99_999);
        target.generation = 9_999_999_999;
        assert!(target.name().len() <= 50, "{}", target.name());
        assert_ne!(LimiterTarget::new("a", 1).name(), LimiterTarget::new("b", 1).name());
        assert_ne!(LimiterTarget::new("a", 1).name(), LimiterTarget::new("a", 2).name());
    }
}
