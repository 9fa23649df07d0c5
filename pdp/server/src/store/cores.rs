//! Work on all cores.

use std::num::NonZero;
use std::panic;
use std::thread;

/// Does `work` on each of `items`, on all cores where each has at least `alone` of them; the order is kept.
pub(super) fn map<T: Send, R: Send>(
    mut items: Vec<T>,
    alone: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(items.len() / alone.max(1));
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let share = items.len().div_ceil(threads);
    let mut shares = Vec::with_capacity(threads);
    while items.len() > share {
        shares.push(items.split_off(items.len() - share));
    }
    shares.push(items);
    let work = &work;
    thread::scope(|scope| {
        let running: Vec<_> = shares
            .into_iter()
            .rev()
            .map(|share| scope.spawn(move || share.into_iter().map(work).collect::<Vec<R>>()))
            .collect();
        running
            .into_iter()
            .flat_map(|share| share.join().unwrap_or_else(|fault| panic::resume_unwind(fault)))
            .collect()
    })
}
