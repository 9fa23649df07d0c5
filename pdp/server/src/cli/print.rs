//! Results on standard output, remarks on standard error. Neither can be counted on: a pipe is
//! closed, a disk is full.

use std::fmt;
use std::io::{self, Write};

use crate::failure::Failure;

/// Prints a result as it is.
///
/// # Errors
/// It cannot be written. A reader that has gone is a quiet end, since it has read what it wanted.
pub(super) fn text(text: impl fmt::Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // Formatted first, so that a result goes out in one piece.
    let bytes = text.to_string();
    out.write_all(bytes.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::quiet(),
        _ => Failure::usage(format!("cannot write the result: {error}")).at("standard output"),
    })
}

/// Prints a result and ends the line.
///
/// # Errors
/// As [`text`].
pub(super) fn line(line: impl fmt::Display) -> Result<(), Failure> {
    text(format_args!("{line}\n"))
}

/// Prints a remark, where anybody listens.
pub(super) fn remark(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
