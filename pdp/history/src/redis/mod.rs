//! Redis, or what speaks its language, such as Valkey.
//!
//! Each key of operations is a sorted set of the ends of its operations, scored in microseconds by the
//! server's own time, which a script reads in the same step in which it counts. The parts of a key are
//! in one hash tag, so that what belongs together lies together. The last outcome of a control loop has
//! a key of its own, and rows are listed from a stream of the latest; both are written after the count
//! and again without harm.
//!
//! The crate is `redis` and not `fred`: one multiplexed connection per thread needs no pool, it
//! reconnects by itself, and its dependencies are those that are here already.

mod check;
mod names;
mod rows;
mod scripts;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::{AsyncCommands, Client, ErrorKind, FromRedisValue, RedisError, ScriptInvocation};
use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationKey, Permit, Progress, Question, Reply,
};

use names::{loop_key, requests, set};
use scripts::Scripts;

use crate::asynchronous::{AsyncHistory, Later};

/// Keys that are looked at in one step.
const PAGE: usize = 1_000;

/// How Redis is used.
#[derive(Clone, Debug)]
pub struct RedisSettings {
    /// Where it is: `redis://`, or `rediss://` for TLS, with user, password and database.
    pub url: String,
    /// Certificates that the server's is checked against, in PEM; none: those that browsers know.
    pub authority: Option<Vec<u8>>,
    /// How long operations are kept.
    pub retention: SignedDuration,
    /// How long to wait for a connection or an answer.
    pub patience: Duration,
}

/// The history in Redis.
pub struct RedisHistory {
    connection: ConnectionManager,
    retention: i64,
    /// Told apart from other writers.
    writer: u64,
    next: AtomicU64,
    scripts: Scripts,
}

impl std::fmt::Debug for RedisHistory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisHistory").finish_non_exhaustive()
    }
}

impl RedisHistory {
    /// Prepares a connection that is made, and made anew, when it is needed. Must be called within a
    /// runtime.
    ///
    /// # Errors
    /// The address or the certificates cannot be used.
    pub fn new(settings: &RedisSettings) -> Result<Self, HistoryError> {
        let refused = |error: RedisError| HistoryError::Refused(error.to_string());
        let client = match &settings.authority {
            Some(authority) => Client::build_with_tls(
                settings.url.as_str(),
                redis::TlsCertificates { client_tls: None, root_cert: Some(authority.clone()) },
            ),
            None => Client::open(settings.url.as_str()),
        }
        .map_err(refused)?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(settings.patience))
            .set_response_timeout(Some(settings.patience))
            .set_number_of_retries(1)
            .set_max_delay(Duration::from_millis(200));
        let connection =
            ConnectionManager::new_lazy_with_config(client, config).map_err(refused)?;
        let retention = settings.retention.as_micros();
        Ok(Self {
            connection,
            retention: i64::try_from(retention).unwrap_or(i64::MAX / 4),
            writer: writer(),
            next: AtomicU64::new(0),
            scripts: Scripts::new(),
        })
    }

    /// A name that no other member of a set has.
    fn unique(&self) -> String {
        format!("{:016x}{:x}", self.writer, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs a script that may run twice: the first to find out that a connection is dead fails, and the
    /// next makes a new one.
    async fn call<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, HistoryError> {
        let mut to = self.connection.clone();
        let mut result = script.invoke_async(&mut to).await;
        if result.as_ref().is_err_and(lost) {
            result = script.invoke_async(&mut to).await;
        }
        result.map_err(|error| failed(&error))
    }

    async fn count(&self, key: OperationKey<'_>, micros: i64) -> Result<u64, HistoryError> {
        let mut call = self.scripts.count.prepare_invoke();
        call.key(set(key)).arg(micros);
        self.call(&call).await
    }

    async fn last(&self, name: &str) -> Result<Option<Progress>, HistoryError> {
        let mut to = self.connection.clone();
        let mut last: Result<Option<String>, _> = to.hget(loop_key(name), "outcome").await;
        if last.as_ref().is_err_and(lost) {
            last = to.hget(loop_key(name), "outcome").await;
        }
        let last = last.map_err(|error| failed(&error))?;
        Ok(last.map(|outcome| Progress::of_outcome(Some(&outcome))))
    }

    async fn insert(&self, row: &Operation) -> Result<(), HistoryError> {
        if let Some((key, end)) = row.counted() {
            let mut call = self.scripts.add.prepare_invoke();
            call.key(set(key)).arg(end.as_microsecond()).arg(self.unique()).arg(self.retention);
            self.call::<()>(&call).await?;
        }
        if let (Some(name), Some(start)) = (&row.closed_loop_name, row.start_time) {
            let mut call = self.scripts.note_loop.prepare_invoke();
            call.key(loop_key(name))
                .arg(start.as_microsecond())
                .arg(row.outcome.as_deref().unwrap_or_default())
                .arg(self.retention);
            self.call::<()>(&call).await?;
        }
        self.keep(row).await
    }

    async fn admit(&self, permit: Permit<'_>) -> Result<Admission, HistoryError> {
        let mut call = self.scripts.admit.prepare_invoke();
        call.key(set(permit.key))
            .key(requests(permit.key))
            .arg(self.unique())
            .arg(self.retention)
            .arg(permit.request_id.unwrap_or_default());
        for (window, limit) in permit.limits {
            call.arg(window.seconds().saturating_mul(1_000_000)).arg(*limit);
        }
        let answer: Vec<i64> = self.call(&call).await?;
        match answer.as_slice() {
            [0, now] => {
                let now = Timestamp::from_microsecond(*now).unwrap_or_default();
                // It is counted; a row that cannot be listed is no reason to say that it is not.
                if let Err(error) = self.keep(&permit.row(now)).await {
                    tracing::warn!("a Permit is counted, but will not be listed: {error}");
                }
                Ok(Admission::Recorded)
            }
            [1, _] => Ok(Admission::Known),
            [2, _, counts @ ..] => Ok(Admission::Refused(
                counts.iter().map(|count| u64::try_from(*count).unwrap_or_default()).collect(),
            )),
            other => Err(HistoryError::Refused(format!("a script answered {other:?}"))),
        }
    }

    async fn permitted(&self, key: OperationKey<'_>, id: &str) -> Result<bool, HistoryError> {
        let mut to = self.connection.clone();
        let mut score: Result<Option<f64>, _> = to.zscore(requests(key), id).await;
        if score.as_ref().is_err_and(lost) {
            score = to.zscore(requests(key), id).await;
        }
        score.map(|score| score.is_some()).map_err(|error| failed(&error))
    }

    async fn forget(&self, age: SignedDuration) -> Result<u64, HistoryError> {
        let mut to = self.connection.clone();
        let micros = i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 4);
        let mut cursor = 0_u64;
        let mut gone = 0;
        loop {
            let page: Result<(u64, Vec<String>), _> = redis::cmd("SCAN")
                .arg(cursor)
                .arg("MATCH")
                .arg("pdp:ops:*")
                .arg("COUNT")
                .arg(PAGE)
                .query_async(&mut to)
                .await;
            let (next, keys) = page.map_err(|error| failed(&error))?;
            for key in keys {
                let mut call = self.scripts.prune.prepare_invoke();
                let removed: Result<u64, _> =
                    call.key(&key).arg(micros).invoke_async(&mut to).await;
                let removed = removed.map_err(|error| failed(&error))?;
                gone += if key.ends_with(":requests") { 0 } else { removed };
            }
            cursor = next;
            if cursor == 0 {
                return Ok(gone);
            }
        }
    }
}

/// Told apart from every other writer: a hash of what is random in this process.
fn writer() -> u64 {
    use std::hash::BuildHasher;
    std::collections::hash_map::RandomState::new().hash_one(Timestamp::now())
}

/// Whether the connection is to blame.
fn lost(error: &RedisError) -> bool {
    !error.is_timeout() && (matches!(error.kind(), ErrorKind::Io) || error.is_connection_dropped())
}

fn failed(error: &RedisError) -> HistoryError {
    if error.is_timeout() {
        HistoryError::Timeout(error.to_string())
    } else if lost(error) {
        HistoryError::Unavailable(error.to_string())
    } else if error.code() == Some("LOADING") {
        HistoryError::Unavailable("Redis is still reading its file".into())
    } else {
        HistoryError::Refused(error.to_string())
    }
}

impl AsyncHistory for RedisHistory {
    fn now(&self) -> Later<'_, Timestamp> {
        Box::pin(async {
            let mut to = self.connection.clone();
            let time: Result<(i64, i64), _> = redis::cmd("TIME").query_async(&mut to).await;
            let (seconds, micros) = time.map_err(|error| failed(&error))?;
            Timestamp::from_microsecond(seconds * 1_000_000 + micros)
                .map_err(|error| HistoryError::Refused(error.to_string()))
        })
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        Box::pin(async move {
            match question {
                Question::Count(key, window) => {
                    let micros = window.seconds().saturating_mul(1_000_000);
                    self.count(key, micros).await.map(Reply::Count)
                }
                Question::LastOutcome(name) => self.last(name).await.map(Reply::LastOutcome),
                Question::Permitted(key, id) => self.permitted(key, id).await.map(Reply::Permitted),
            }
        })
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        Box::pin(async move { self.insert(&operation).await })
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        Box::pin(self.admit(permit))
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        Box::pin(self.rows(listing))
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        Box::pin(self.forget(age))
    }
}
