//! A queue of bounded length to a thread of its own: who puts something in never waits.

use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel,
};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// Between two looks at a queue that is full.
const LOOK: Duration = Duration::from_millis(10);

/// What comes out at the other end.
pub(super) enum Message<T> {
    Item(T),
    /// There is something else to see to.
    Wake,
    /// Nothing comes after this.
    End,
}

/// The end where things are put in.
#[derive(Debug)]
pub(super) struct Outbox<T> {
    queue: SyncSender<Message<T>>,
    /// Disconnected once the thread has ended.
    ended: Mutex<Receiver<()>>,
}

impl<T: Send + 'static> Outbox<T> {
    /// Starts the thread, which takes things out until it is told to end.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(
        name: &str,
        room: usize,
        takes: impl FnOnce(&Receiver<Message<T>>) + Send + 'static,
    ) -> Result<Self, Failure> {
        let (queue, messages) = sync_channel(room);
        let (end, ended) = channel();
        let runs = move || {
            takes(&messages);
            drop(end);
        };
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(runs)
            .map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
        Ok(Self { queue, ended: Mutex::new(ended) })
    }

    /// Puts something in; false where there is no room.
    pub(super) fn offer(&self, item: T) -> bool {
        self.queue.try_send(Message::Item(item)).is_ok()
    }

    /// Has the thread look around. Where the queue is full it is awake.
    pub(super) fn wake(&self) {
        let _ = self.queue.try_send(Message::Wake);
    }

    /// Waits until all that was put in is taken out and seen to, but no longer than `patience`; whether
    /// it is.
    pub(super) fn close(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut message = Message::End;
        while let Err(TrySendError::Full(back)) = self.queue.try_send(message) {
            if Instant::now() >= deadline {
                return false;
            }
            message = back;
            thread::sleep(LOOK);
        }
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let left = deadline.saturating_duration_since(Instant::now());
        ended.recv_timeout(left) == Err(RecvTimeoutError::Disconnected)
    }
}
