//! Follows the files of certificate, key and authorities.
//!
//! They are looked at, links followed, so that it does not matter how they change: by writing, by
//! renaming, or, as Kubernetes does it for a mounted Secret, by turning the link `..data` to another folder.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::Tls;
use crate::config;
use crate::failure::Failure;
use crate::stamp::Stamp;

/// Between two looks. What has changed is read when it is the same at two of them: certificate and key are
/// seldom written at once.
const LOOK: Duration = Duration::from_secs(1);

/// What is known of the files.
#[derive(Debug)]
pub(super) struct Followed {
    /// As they were when they were last read.
    read: Vec<Stamp>,
    /// As they were at the last look.
    seen: Vec<Stamp>,
}

impl Followed {
    /// The files as they are now.
    pub(super) fn of(setting: &config::Tls) -> Self {
        let read = stamps(setting);
        Self { seen: read.clone(), read }
    }
}

fn stamps(setting: &config::Tls) -> Vec<Stamp> {
    let files = [&setting.cert, &setting.key, &setting.keystore, &setting.client_ca];
    files.into_iter().flatten().map(|path| Stamp::of(path)).collect()
}

impl Tls {
    /// Reads the files again; connections from here on see what they hold now.
    ///
    /// # Errors
    /// They cannot be used; what was in use stays.
    pub fn reload(&self) -> Result<(), Failure> {
        let mut followed = self.followed();
        // Before they are read: a change meanwhile is one more.
        *followed = Followed::of(&self.setting);
        self.exchange()
    }

    /// Reloads whenever the files have changed, for as long as there is anybody who holds this.
    pub fn follow(self: &Arc<Self>) {
        let held = Arc::downgrade(self);
        let looks = move || {
            while let Some(tls) = held.upgrade() {
                tls.look();
                drop(tls);
                thread::sleep(LOOK);
            }
        };
        if let Err(error) = thread::Builder::new().name("certificates".into()).spawn(looks) {
            tracing::error!("renewed certificates are read at SIGHUP alone: {error}");
        }
    }

    fn look(&self) {
        let mut followed = self.followed();
        let now = stamps(&self.setting);
        if now == followed.read || now != followed.seen {
            followed.seen = now;
            return;
        }
        followed.read = now;
        match self.exchange() {
            Ok(()) => tracing::info!("the certificate was read again: its files have changed"),
            Err(failure) => tracing::error!(
                hint = failure.hint.as_deref(),
                "the certificate stays as it was: {failure}"
            ),
        }
    }

    fn followed(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
