//! What tells one state of a file from another.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A state of a file, links followed: device, node, size, and when content and node last changed; none
/// where there is no file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(u64, u64, u64, Moment, Moment)>);

/// Seconds and nanoseconds.
type Moment = (i64, i64);

impl Stamp {
    pub(crate) fn of(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|it| {
            let (content, node) = ((it.mtime(), it.mtime_nsec()), (it.ctime(), it.ctime_nsec()));
            (it.dev(), it.ino(), it.size(), content, node)
        }))
    }
}
