//! Ctrl-C and SIGTERM: the first ends the load and still writes the report, the second ends at once.
//!
//! A hang-up is not listened to: whoever starts a run of days under nohup means it.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::target::spawn;
use crate::verdict::exit;

static TIMES: AtomicUsize = AtomicUsize::new(0);

/// Listens for the signals from now on. Goose finds a listener for Ctrl-C in place and leaves it.
pub fn listen(runtime: &Runtime) {
    let set = ctrlc::set_handler(request);
    // Set once already in this process: the listener that is there does the same.
    drop(set);
    runtime.spawn(async {
        // Where the signal cannot be listened to, it ends the process as it always does.
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
        while terminate.recv().await.is_some() {
            request();
        }
    });
}

/// Whether the run shall end.
pub fn requested() -> bool {
    TIMES.load(Ordering::SeqCst) > 0
}

fn request() {
    if TIMES.fetch_add(1, Ordering::SeqCst) > 0 {
        spawn::kill_running();
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
}
