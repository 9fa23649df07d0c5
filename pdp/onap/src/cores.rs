//! Work on all cores.

use std::num::NonZero;
use std::panic;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` on each of `items`, on all cores: whoever is ready takes the next. The order is kept.
///
/// # Panics
/// `work` has, or `items`.
pub fn each<T: Send, R: Send>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let items = Mutex::new(items.enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        let mut done: Vec<(usize, R)> = Vec::new();
        while let Some((at, item)) = next() {
            done.push((at, work(item)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for other in others {
            done.append(&mut other.join().unwrap_or_else(|fault| panic::resume_unwind(fault)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Does `work` on all of `items`, `share` of them at a time and on all cores where there are more. The
/// order is kept.
///
/// # Panics
/// `work` has.
pub fn in_shares<T: Send, R: Send>(
    items: Vec<T>,
    share: usize,
    work: impl Fn(Vec<T>) -> R + Sync,
) -> Vec<R> {
    if items.len() <= share {
        // How many cores there are is read from files.
        return vec![work(items)];
    }
    let mut items = items.into_iter();
    let shares = std::iter::from_fn(move || {
        let next: Vec<T> = items.by_ref().take(share.max(1)).collect();
        (!next.is_empty()).then_some(next)
    });
    each(shares, work)
}

/// Does `one` and `other`, each on a core of its own where that is worth a thread.
///
/// # Panics
/// One of them has.
pub fn both<A: Send, B>(
    worth_a_thread: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    if !worth_a_thread {
        return (one(), other());
    }
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|fault| panic::resume_unwind(fault)), other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept_whatever_the_number() {
        for count in [0, 1, 2, 3, 7, 100, 1_001] {
            let doubled: Vec<usize> = (0..count).map(|item| item * 2).collect();
            assert_eq!(each(0..count, |item| item * 2), doubled, "{count}");
            for share in [0, 1, 10, 2_000] {
                let double = |items: Vec<usize>| items.iter().map(|it| it * 2).collect::<Vec<_>>();
                let parts = in_shares((0..count).collect(), share, double);
                assert_eq!(parts.concat(), doubled, "{count} by {share}");
                assert!(parts.iter().all(|part| part.len() <= share.max(1)));
            }
        }
    }

    #[test]
    fn both_are_done_apart_or_not() {
        for apart in [false, true] {
            assert_eq!(both(apart, || 1, || "two"), (1, "two"));
        }
    }

    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_of_any_thread_comes_through() {
        let _ = each(0..1_000, |item| assert!(item != 3, "the third"));
    }
}
