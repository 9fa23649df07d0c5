//! Whose work waits where there are fewer cores than work.

use std::cell::Cell;

use rustix::process::setpriority_process;
use rustix::thread::gettid;

/// Enough for decisions to go first; a quarter of a core is left where they take all.
const BEHIND: i32 = 5;

/// From here on this thread, and those that it starts, let threads that decide go first: administration can
/// wait for a moment, a decision should not. Where the system has no such order nothing changes.
pub(crate) fn yield_to_decisions() {
    thread_local!(static DONE: Cell<bool> = const { Cell::new(false) });
    if !DONE.replace(true) {
        // Of a thread, on Linux. Nobody is kept from asking for less.
        let _ = setpriority_process(Some(gettid()), BEHIND);
    }
}
