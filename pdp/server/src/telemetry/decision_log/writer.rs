//! The thread that writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;

use super::Shared;
use crate::telemetry::outbox::Message;

/// Bytes that are written at once, about.
const BATCH: usize = 64 << 10;

/// Where lines go.
#[derive(Debug)]
pub(super) enum Destination {
    StandardOutput,
    File(PathBuf),
}

impl Destination {
    pub(super) fn of(setting: &str) -> Self {
        match setting {
            "stdout" => Self::StandardOutput,
            path => Self::File(path.into()),
        }
    }

    fn open(&self) -> io::Result<Box<dyn Write + Send>> {
        Ok(match self {
            Self::StandardOutput => Box::new(io::stdout()),
            Self::File(path) => Box::new(File::options().create(true).append(true).open(path)?),
        })
    }

    /// A pipe with a name cannot be opened before somebody reads it.
    fn waits_for_reader(&self) -> bool {
        match self {
            Self::StandardOutput => false,
            Self::File(path) => fs::metadata(path).is_ok_and(|it| it.file_type().is_fifo()),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::StandardOutput => "standard output".into(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// Writes lines as they come.
pub(super) struct Writer {
    to: Destination,
    open: Option<Box<dyn Write + Send>>,
    shared: Arc<Shared>,
    /// The last line was cut in the middle.
    torn: bool,
    /// The lines that were lost since it last worked; none while it works.
    lost: Option<u64>,
}

impl Writer {
    pub(super) fn open(to: Destination, shared: Arc<Shared>) -> io::Result<Self> {
        let open = if to.waits_for_reader() {
            tracing::info!("decisions are logged once somebody reads the pipe {}", to.shown());
            None
        } else {
            Some(to.open()?)
        };
        Ok(Self { to, open, shared, torn: false, lost: None })
    }

    /// Until it is told to end, or nobody is left to tell it anything.
    pub(super) fn run(mut self, messages: &Receiver<Message<Vec<u8>>>) {
        let mut batch = Vec::with_capacity(BATCH);
        while let Ok(first) = messages.recv() {
            batch.clear();
            let mut end = false;
            let mut next = Some(first);
            while let Some(message) = next.take() {
                match message {
                    Message::Item(line) => batch.extend_from_slice(&line),
                    Message::Wake => {}
                    Message::End => end = true,
                }
                if !end && batch.len() < BATCH {
                    next = messages.try_recv().ok();
                }
            }
            if self.shared.reopen.swap(false, Relaxed) {
                self.open = None;
                self.torn = false;
            }
            // A pipe is opened for what is to be written alone: it may wait for its reader.
            if !batch.is_empty() || self.open.is_none() && !end {
                self.write(&batch);
            }
            if end {
                return;
            }
        }
    }

    fn write(&mut self, batch: &[u8]) {
        let mut done = 0;
        let result = self.try_to_write(batch, &mut done);
        let written = lines(&batch[..done]);
        let lost = lines(batch) - written;
        self.shared.written.fetch_add(written, Relaxed);
        self.shared.dropped.fetch_add(lost, Relaxed);
        match result {
            Ok(()) => {
                if let Some(lost) = self.lost.take() {
                    tracing::warn!(lost, "decisions are logged again to {}", self.to.shown());
                }
            }
            Err(error) => {
                if self.lost.is_none() {
                    tracing::error!(
                        "decisions are made and not logged: {} cannot be written: {error}",
                        self.to.shown()
                    );
                }
                self.lost = Some(self.lost.unwrap_or_default() + lost);
            }
        }
    }

    fn try_to_write(&mut self, batch: &[u8], done: &mut usize) -> io::Result<()> {
        let out = match &mut self.open {
            Some(out) => out,
            none => {
                self.shared.unread.store(self.to.waits_for_reader(), Relaxed);
                let opened = self.to.open();
                self.shared.unread.store(false, Relaxed);
                none.insert(opened?)
            }
        };
        if self.torn {
            out.write_all(b"\n")?;
            self.torn = false;
        }
        while *done < batch.len() {
            match out.write(&batch[*done..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => {
                    *done += bytes;
                    self.torn = batch[*done - 1] != b'\n';
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        out.flush()
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
