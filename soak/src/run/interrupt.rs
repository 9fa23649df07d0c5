//! Ctrl-C and SIGTERM: the first ends the load and still writes the report, the second ends at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::verdict::exit;

static TIMES: AtomicUsize = AtomicUsize::new(0);

/// Listens for the signals from now on. Goose finds a listener in place and leaves the signals
/// alone.
pub fn listen() {
    let set = ctrlc::set_handler(|| {
        if TIMES.fetch_add(1, Ordering::SeqCst) > 0 {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
    });
    // Set once already in this process: the listener that is there does the same.
    drop(set);
}

/// Whether the run shall end.
pub fn requested() -> bool {
    TIMES.load(Ordering::SeqCst) > 0
}
