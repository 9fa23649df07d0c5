//! Whether the write-ahead log beside a file of SQLite is whole.
//!
//! SQLite takes the log up to the first frame whose checksum is wrong, and takes what comes after for
//! what a crash has left. Where that frame was changed later, rows that were acknowledged would be gone
//! without a word. The two can be told apart: each commit is on the disk before the next is written, so
//! that after a crash no more than one commit can stand behind a broken frame.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

const HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

/// What the log is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// All of it can be taken.
    Whole,
    /// The last commit is not whole: the power was lost while it was written, or it was changed since.
    Torn,
    /// Commits stand behind a frame that was changed.
    Damaged,
}

impl Log {
    /// Reads the log of a database, which nobody may write meanwhile.
    ///
    /// # Errors
    /// The log is there and cannot be read.
    pub fn read(database: &Path) -> io::Result<Self> {
        let mut name = database.as_os_str().to_owned();
        name.push("-wal");
        match File::open(PathBuf::from(name)) {
            Ok(file) => walk(BufReader::with_capacity(1 << 16, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Whole),
            Err(error) => Err(error),
        }
    }
}

/// The sum that SQLite keeps of the frames so far.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Check {
    one: u32,
    two: u32,
}

impl Check {
    fn over(mut self, bytes: &[u8], big: bool) -> Self {
        let word = if big { big_word } else { little_word };
        for pair in bytes.chunks_exact(8) {
            self.one = self.one.wrapping_add(word(&pair[..4])).wrapping_add(self.two);
            self.two = self.two.wrapping_add(word(&pair[4..])).wrapping_add(self.one);
        }
        self
    }

    /// As it stands in the file.
    fn written(bytes: &[u8]) -> Self {
        Self { one: big_word(&bytes[..4]), two: big_word(&bytes[4..8]) }
    }
}

fn big_word(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn little_word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn walk(mut file: impl Read) -> io::Result<Log> {
    let mut head = [0; HEAD];
    if !fill(&mut file, &mut head)? {
        return Ok(Log::Whole);
    }
    let big = head[3] & 1 == 1;
    let mut check = Check::default().over(&head[..24], big);
    let mut whole = check == Check::written(&head[24..]);
    let size = big_word(&head[8..12]) as usize;
    if !size.is_power_of_two() || !(512..=65_536).contains(&size) {
        return Ok(Log::Damaged);
    }
    let mut salts = [0; 8];
    salts.copy_from_slice(&head[16..24]);
    let mut frame = vec![0; FRAME_HEAD + size];
    let (mut first, mut behind) = (true, 0);
    while fill(&mut file, &mut frame)? {
        if first && !whole {
            // The head was changed: the frames know what it said.
            salts.copy_from_slice(&frame[8..16]);
        }
        first = false;
        if frame[8..16] != salts {
            // A frame from before the log began anew, or one that was changed.
            whole = false;
            continue;
        }
        if whole {
            let next = check.over(&frame[..8], big).over(&frame[FRAME_HEAD..], big);
            whole = next == Check::written(&frame[16..24]);
            check = next;
        }
        behind += u32::from(!whole && big_word(&frame[4..8]) != 0);
    }
    Ok(match behind {
        0 => Log::Whole,
        1 => Log::Torn,
        _ => Log::Damaged,
    })
}

/// Fills the buffer; false where the file ends before.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
