//! The embedded history's file and log after bytes of them were changed.

use std::fs;

use pdp_history::EmbeddedHistory;
use pdp_history::embedded::FileError;
use pdp_onap::history::{Listing, OperationHistory};

use crate::embedded::{count, folder, long, open, record};

/// One bit is flipped at places all over the file: either the start says so, or nothing is different.
#[test]
fn a_changed_byte_is_told_or_changes_nothing() {
    let (folder, path) = folder();
    let history = open(&path, long());
    record(&history, 40);
    let listing = Listing { limit: 100, ..Listing::default() };
    let rows = OperationHistory::list(&history, &listing).expect("memory lists");
    drop(history);
    let whole = fs::read(&path).expect("the file is there");
    let log = path.with_extension("db-wal");
    let _ = fs::remove_file(&log);
    let copy = folder.path().join("copy.db");
    let mut told = 0;
    for at in (0..whole.len()).step_by(41) {
        let mut broken = whole.clone();
        broken[at] ^= 1 << (at % 8);
        fs::write(&copy, &broken).expect("the folder is writable");
        let _ = fs::remove_file(copy.with_extension("db-wal"));
        match EmbeddedHistory::open(&copy, long(), 0) {
            Ok((history, _)) => {
                let found = OperationHistory::list(&history, &listing).expect("memory lists");
                assert_eq!(found, rows, "byte {at}");
                assert_eq!(count(&history, 3600), 40, "byte {at}");
            }
            Err(_) => told += 1,
        }
    }
    assert!(told > 20, "most of the file is rows: {told}");
}

/// A writer that is gone without having tidied its log, as after a crash: the files are copied while it
/// runs.
#[test]
fn a_changed_log_is_told_and_a_torn_one_is_left_out() {
    let (folder, path) = folder();
    let history = open(&path, long());
    record(&history, 30);
    let log = fs::read(path.with_extension("db-wal")).expect("the log is there");
    let file = fs::read(&path).expect("the file is there");
    drop(history);
    let copy = folder.path().join("copy.db");
    let reopened = |log: &[u8]| {
        fs::write(&copy, &file).expect("the folder is writable");
        fs::write(copy.with_extension("db-wal"), log).expect("the folder is writable");
        EmbeddedHistory::open(&copy, long(), 0)
    };
    let (_, opened) = reopened(&log).expect("it is as the writer left it");
    assert_eq!((opened.rows, opened.torn), (30, false));
    for at in (0..log.len() / 2).step_by(997) {
        let mut broken = log.clone();
        broken[at] ^= 0x10;
        let error = reopened(&broken).err();
        let damaged = matches!(error, Some(FileError::Damaged { .. }));
        assert!(damaged, "byte {at}: {error:?}");
    }
    // The last commit: the power may have been lost while it was written.
    let mut broken = log.clone();
    *broken.last_mut().expect("it is not empty") ^= 0x10;
    let (_, opened) = reopened(&broken).expect("it may be torn");
    assert_eq!((opened.rows, opened.torn), (29, true));
    // Cut off within a commit.
    let (_, opened) = reopened(&log[..log.len() - 100]).expect("it may be torn");
    assert_eq!(opened.rows, 29);
}

#[test]
fn the_first_form_of_the_file_is_taken() {
    let (_folder, path) = folder();
    let history = open(&path, long());
    record(&history, 3);
    drop(history);
    let file = rusqlite::Connection::open(&path).expect("it is a database");
    file.execute_batch(
        "ALTER TABLE operation DROP COLUMN sum; ALTER TABLE clock DROP COLUMN sum; \
         PRAGMA user_version = 1",
    )
    .expect("the columns can be dropped");
    drop(file);
    let history = open(&path, long());
    record(&history, 1);
    assert_eq!(count(&history, 3600), 4);
    drop(history);
    assert_eq!(count(&open(&path, long()), 3600), 4);
}
