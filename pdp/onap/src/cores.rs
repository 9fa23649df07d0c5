//! Work on all cores.

use std::num::NonZero;
use std::panic;
use std::thread;

/// How many of `items` each core takes, where none is to take fewer than `alone`: at least one.
pub fn share(items: usize, alone: usize) -> usize {
    let most = items / alone.max(1);
    if most < 2 {
        // How many cores there are is read from files.
        return items.max(1);
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    items.div_ceil(cores.min(most))
}

/// Does `work` on each of `items`, on all cores where each has at least `alone` of them. The order is kept.
///
/// # Panics
/// `work` has.
pub fn map<T: Send, R: Send>(
    mut items: Vec<T>,
    alone: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let share = share(items.len(), alone);
    if items.len() <= share {
        return items.into_iter().map(work).collect();
    }
    let mut shares = Vec::new();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept_whatever_the_number() {
        for count in [0, 1, 2, 3, 7, 100, 1_001] {
            for alone in [0, 1, 10, 2_000] {
                let items: Vec<usize> = (0..count).collect();
                let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
                assert_eq!(map(items, alone, |item| item * 2), doubled, "{count} by {alone}");
            }
        }
    }
}
