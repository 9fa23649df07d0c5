//! The state folder: what must survive a restart, for one process at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::config::State;
use crate::failure::Failure;

const HINT: &str = "`--state none` keeps nothing and needs no folder";

/// The state folder, locked for as long as this value lives.
#[derive(Debug)]
pub struct StateFolder {
    /// Where it is.
    pub path: PathBuf,
    // The lock goes with the open file.
    _lock: File,
}

impl StateFolder {
    /// Creates and locks the folder; none where nothing is to be kept.
    ///
    /// # Errors
    /// The folder cannot be written, or another process has it.
    pub fn open(setting: &State) -> Result<Option<Self>, Failure> {
        if setting.folder == "none" {
            return Ok(None);
        }
        let path = Path::new(&setting.folder);
        fs::create_dir_all(path).map_err(|error| {
            Failure::environment(format!("the state folder cannot be created: {error}"))
                .in_file(path)
                .hint(HINT)
        })?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join("lock"))
            .map_err(|error| {
                Failure::environment(format!("the state folder cannot be written: {error}"))
                    .in_file(path)
                    .hint(HINT)
            })?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), _lock: lock })),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::environment("the state folder is in use by another process")
                    .in_file(path)
                    .hint(format!("give each process a folder of its own; {HINT}")))
            }
            Err(TryLockError::Error(error)) => {
                Err(Failure::environment(format!("the state folder cannot be locked: {error}"))
                    .in_file(path)
                    .hint(HINT))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let setting = State { folder: folder.path().join("s").display().to_string() };
        let first = StateFolder::open(&setting).expect("it is free").expect("it is kept");
        let second = StateFolder::open(&setting).expect_err("it is taken");
        assert!(second.what.contains("in use"), "{second}");
        drop(first);
        assert!(StateFolder::open(&setting).is_ok());
    }

    #[test]
    fn none_keeps_nothing() {
        let setting = State { folder: "none".into() };
        assert!(StateFolder::open(&setting).expect("nothing to open").is_none());
    }
}
