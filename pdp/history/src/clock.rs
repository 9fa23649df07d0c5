//! The time that windows are measured on.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};

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

/// A monotonic clock that was set by the wall clock once: a later step of the wall clock changes no
/// window.
#[derive(Clone, Copy, Debug)]
pub struct AnchoredClock {
    wall: Timestamp,
    anchor: Instant,
}

impl AnchoredClock {
    /// Set by the wall clock now.
    pub fn start() -> Self {
        Self::at(Timestamp::now())
    }

    /// Set to a time of the caller's choice.
    pub fn at(wall: Timestamp) -> Self {
        Self { wall, anchor: Instant::now() }
    }
}

impl Clock for AnchoredClock {
    fn now(&self) -> Timestamp {
        SignedDuration::try_from(self.anchor.elapsed())
            .ok()
            .and_then(|elapsed| self.wall.checked_add(elapsed).ok())
            .unwrap_or(Timestamp::MAX)
    }
}
