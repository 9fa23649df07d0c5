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

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::{
    AsyncCommands, Client, ErrorKind, FromRedisValue, RedisError, Script, ScriptInvocation,
};
use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationKey, Permit, Progress, Question, Reply,
};

use crate::asynchronous::{AsyncHistory, Later};

/// Rows that can be listed; counts do not need them.
const ROWS: usize = 100_000;
/// Rows that are read at a time where few of many are asked for.
const PAGE: usize = 1_000;
const STREAM: &str = "pdp:rows";

const NOW: &str = "local t = redis.call('TIME'); local now = t[1] * 1000000 + t[2]; ";
const COUNT: &str = "return redis.call('ZCOUNT', KEYS[1], now - ARGV[1], now)";
/// KEYS: the set. ARGV: end, member, retention in microseconds.
const ADD: &str = "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2]); \
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3]); \
    redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[3] / 1000) + 1000)";
/// KEYS: the loop. ARGV: start, outcome, retention in microseconds. An older start changes nothing.
const LOOP: &str = "local known = redis.call('HGET', KEYS[1], 'start'); \
    if not known or tonumber(known) <= tonumber(ARGV[1]) then \
    redis.call('HSET', KEYS[1], 'start', ARGV[1], 'outcome', ARGV[2]); \
    redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[3] / 1000) + 1000) end";
/// KEYS: the set, its requests. ARGV: member, retention, request, then length and limit of each
/// window. Answers state, time and counts. A member that is there was added by the same call before.
const ADMIT: &str = "local mine = redis.call('ZSCORE', KEYS[1], ARGV[1]); \
    if mine then return {0, tonumber(mine)} end \
    if ARGV[3] ~= '' and redis.call('ZSCORE', KEYS[2], ARGV[3]) then \
    return {1, 0} end \
    local answer = {2, 0}; local full = false; \
    for at = 4, #ARGV, 2 do \
    local count = redis.call('ZCOUNT', KEYS[1], now - ARGV[at], now); \
    answer[#answer + 1] = count; \
    if count >= tonumber(ARGV[at + 1]) then full = true end end \
    if full then return answer end \
    local life = math.ceil(ARGV[2] / 1000) + 1000; \
    redis.call('ZADD', KEYS[1], now, ARGV[1]); redis.call('PEXPIRE', KEYS[1], life); \
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2]); \
    if ARGV[3] ~= '' then redis.call('ZADD', KEYS[2], now, ARGV[3]); \
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2]); \
    redis.call('PEXPIRE', KEYS[2], life) end \
    return {0, now}";
const PRUNE: &str =
    "return redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - ARGV[1]))";

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

struct Scripts {
    count: Script,
    add: Script,
    note_loop: Script,
    admit: Script,
    prune: Script,
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
        let script = |body: &str| Script::new(&format!("{NOW}{body}"));
        let retention = settings.retention.as_micros();
        Ok(Self {
            connection,
            retention: i64::try_from(retention).unwrap_or(i64::MAX / 4),
            writer: writer(),
            next: AtomicU64::new(0),
            scripts: Scripts {
                count: script(COUNT),
                add: script(ADD),
                note_loop: script(LOOP),
                admit: script(ADMIT),
                prune: script(PRUNE),
            },
        })
    }

    /// Connects and looks at the server's settings; what is odd about them comes back.
    ///
    /// # Errors
    /// It cannot be reached, or it is a replica.
    pub async fn check(&self) -> Result<Vec<String>, HistoryError> {
        let mut to = self.connection.clone();
        let role: redis::Value =
            redis::cmd("ROLE").query_async(&mut to).await.map_err(|error| failed(&error))?;
        if let redis::Value::Array(parts) = &role
            && let Some(redis::Value::BulkString(role)) = parts.first()
            && role != b"master"
        {
            return Err(HistoryError::Refused(
                "this Redis is a replica: counts are read from the primary alone".into(),
            ));
        }
        let read: Result<Vec<String>, _> =
            redis::cmd("CONFIG").arg("GET").arg("append*").query_async(&mut to).await;
        let Ok(read) = read else {
            return Ok(vec![
                "the settings of Redis cannot be read, so it is not known what survives a power \
                 loss: appendonly should be yes and appendfsync always"
                    .into(),
            ]);
        };
        let value = |name: &str| {
            read.chunks(2).find(|pair| pair[0] == name).map_or("", |pair| pair[1].as_str())
        };
        let mut warnings = Vec::new();
        if value("appendonly") != "yes" {
            warnings.push(
                "Redis has appendonly off: what was recorded since its last snapshot is lost when it \
                 stops, and limiters permit more than they should"
                    .into(),
            );
        } else if value("appendfsync") != "always" {
            warnings.push(format!(
                "Redis has appendfsync {}: the last second of records can be lost when its machine \
                 stops",
                value("appendfsync")
            ));
        }
        Ok(warnings)
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

    /// Adds a row to those that can be listed.
    async fn keep(&self, row: &Operation) -> Result<(), HistoryError> {
        let mut to = self.connection.clone();
        let mut command = redis::cmd("XADD");
        command.arg(STREAM).arg("MAXLEN").arg("~").arg(ROWS).arg("*");
        for (name, text) in texts(row) {
            if let Some(text) = text {
                command.arg(name).arg(text);
            }
        }
        for (name, time) in [("starttime", row.start_time), ("endtime", row.end_time)] {
            if let Some(time) = time {
                command.arg(name).arg(time.as_microsecond());
            }
        }
        // A stream's entry has at least one field.
        command.arg("v").arg(1);
        let added: Result<String, _> = command.query_async(&mut to).await;
        added.map(drop).map_err(|error| failed(&error))
    }

    async fn admit(&self, permit: Permit<'_>) -> Result<Admission, HistoryError> {
        let mut call = self.scripts.admit.prepare_invoke();
        call.key(set(permit.key))
            .key(format!("{}:requests", set(permit.key)))
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

    async fn rows(&self, listing: Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        let mut to = self.connection.clone();
        let mut found = Vec::new();
        let mut until = "+".to_owned();
        while found.len() < listing.limit {
            let page: Result<Vec<Entry>, _> = redis::cmd("XREVRANGE")
                .arg(STREAM)
                .arg(&until)
                .arg("-")
                .arg("COUNT")
                .arg(PAGE)
                .query_async(&mut to)
                .await;
            let page = page.map_err(|error| failed(&error))?;
            let Some((oldest, _)) = page.last() else { break };
            until = format!("({oldest}");
            let last = page.len() < PAGE;
            let rows = page.iter().map(|(_, fields)| operation(fields));
            found
                .extend(rows.filter(|row| listing.includes(row)).take(listing.limit - found.len()));
            if last {
                break;
            }
        }
        Ok(found)
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

/// An entry of a stream: its id, and names with values.
type Entry = (String, Vec<(String, String)>);

/// Told apart from every other writer: a hash of what is random in this process.
fn writer() -> u64 {
    use std::hash::BuildHasher;
    std::collections::hash_map::RandomState::new().hash_one(Timestamp::now())
}

/// The set of a key. Its parts stand in one hash tag; what would end a part or the tag is written as
/// its number.
fn set(key: OperationKey<'_>) -> String {
    let mut name = String::with_capacity(64);
    name.push_str("pdp:ops:{");
    for (at, part) in [key.actor, key.operation, key.target].into_iter().enumerate() {
        if at > 0 {
            name.push('|');
        }
        escape(part, &mut name);
    }
    name.push('}');
    name
}

fn loop_key(name: &str) -> String {
    let mut key = String::from("pdp:loop:{");
    escape(name, &mut key);
    key.push('}');
    key
}

fn escape(part: &str, out: &mut String) {
    for c in part.chars() {
        if matches!(c, '%' | '|' | '{' | '}') {
            let _ = write!(out, "%{:02x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
}

fn texts(row: &Operation) -> [(&'static str, Option<&str>); 8] {
    [
        ("closedLoopName", row.closed_loop_name.as_deref()),
        ("requestId", row.request_id.as_deref()),
        ("subrequestId", row.subrequest_id.as_deref()),
        ("actor", row.actor.as_deref()),
        ("operation", row.operation.as_deref()),
        ("target", row.target.as_deref()),
        ("outcome", row.outcome.as_deref()),
        ("message", row.message.as_deref()),
    ]
}

fn operation(fields: &[(String, String)]) -> Operation {
    let text =
        |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let time = |name: &str| {
        let micros = text(name)?.parse().ok()?;
        Timestamp::from_microsecond(micros).ok()
    };
    Operation {
        id: None,
        closed_loop_name: text("closedLoopName"),
        request_id: text("requestId"),
        subrequest_id: text("subrequestId"),
        actor: text("actor"),
        operation: text("operation"),
        target: text("target"),
        start_time: time("starttime"),
        outcome: text("outcome"),
        message: text("message"),
        end_time: time("endtime"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_read_alike_are_kept_apart() {
        let key = |actor, operation| set(OperationKey { actor, operation, target: "t" });
        assert_eq!(key("a", "b"), "pdp:ops:{a|b|t}");
        assert_eq!(key("a|}", "%"), "pdp:ops:{a%7c%7d|%25|t}");
        assert_ne!(key("a|b", "c"), key("a", "b|c"));
    }
}
