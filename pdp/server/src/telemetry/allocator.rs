//! What the allocator holds, and what the process occupies.

use std::ptr::null_mut;
use std::thread;

use tikv_jemalloc_ctl::{epoch, stats};

/// The states of memory that the allocator knows, with their bytes.
pub(super) fn bytes() -> [(&'static str, usize); 5] {
    // The figures are those of the last epoch; advancing it refreshes them.
    let _ = epoch::advance();
    [
        ("allocated", stats::allocated::read().unwrap_or_default()),
        ("active", stats::active::read().unwrap_or_default()),
        ("metadata", stats::metadata::read().unwrap_or_default()),
        ("resident", stats::resident::read().unwrap_or_default()),
        ("retained", stats::retained::read().unwrap_or_default()),
    ]
}

/// How many bytes this thread has asked for since it started: exact, unlike [`allocations`].
pub fn allocated_here() -> u64 {
    tikv_jemalloc_ctl::thread::allocatedp::read().map_or(0, |pointer| pointer.get())
}

/// How often memory was asked for since the process started, by all threads. What threads keep at hand is
/// counted late, so that small numbers mean little.
pub fn allocations() -> u64 {
    let _ = epoch::advance();
    // 4096 stands for all arenas together.
    [c"stats.arenas.4096.small.nrequests", c"stats.arenas.4096.large.nrequests"]
        .into_iter()
        .map(|name| {
            // SAFETY: both names are of unsigned 64 bit counters, and end in a zero byte.
            #[allow(unsafe_code)] // the crate has no checked access to these counters
            unsafe {
                tikv_jemalloc_ctl::raw::read::<u64>(name.to_bytes_with_nul()).unwrap_or_default()
            }
        })
        .sum()
}

/// Gives memory that nothing uses any more back to the system, on a thread of its own: after work that took
/// much of it, such as reading very many policies. Otherwise it goes back little by little, as more is asked
/// for.
pub fn give_back() {
    let purge = || {
        let purge = c"arena.4096.purge".as_ptr();
        let (out, length, value) = (null_mut(), null_mut(), null_mut());
        // SAFETY: the command ends in a zero byte, and neither takes nor gives a value. 4096 stands for
        // all arenas.
        #[allow(unsafe_code)] // the crate has no checked access to commands
        unsafe {
            tikv_jemalloc_sys::mallctl(purge, out, length, value, 0);
        };
    };
    // Without a thread it goes back by and by.
    let _ = thread::Builder::new().name("give-back".into()).spawn(purge);
}

/// The memory of this process that is resident, in bytes.
pub fn resident_bytes() -> u64 {
    prometheus::core::Collector::collect(
        &prometheus::process_collector::ProcessCollector::for_self(),
    )
    .iter()
    .find(|family| family.name() == "process_resident_memory_bytes")
    .and_then(|family| family.get_metric().first().map(|metric| metric.get_gauge().get_value()))
    .map_or(0, |bytes| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // a whole number of bytes
        {
            bytes as u64
        }
    })
}
