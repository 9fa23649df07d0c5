//! A shared history beside a bare query of the same kind through the same kind of pool.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use pdp_history::AsyncHistory;
use pdp_history::breaker::Deadlines;
use pdp_history::connect::{Remote, RemoteSettings};
use pdp_onap::history::{OperationKey, Permit, Question};
use redis::Script;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use sqlx::mysql::{MySqlConnectOptions, MySqlPoolOptions};
use sqlx::postgres::PgPoolOptions;
use sqlx::{MySqlPool, PgPool};

use crate::load::{Measured, run};
use crate::{CLIENTS, KEY, median, row, runs, say, window};

const CONNECTIONS: u32 = 8;

fn remote(url: &str) -> Remote {
    let deadline = Duration::from_secs(10);
    Remote::of(RemoteSettings {
        url: url.to_owned(),
        deadlines: Deadlines { look_up: deadline, other: deadline },
        count_cache: Duration::ZERO,
        connections: CONNECTIONS,
        retention: SignedDuration::from_hours(24 * 31),
        time_zone: "UTC".into(),
        create_schema: true,
        authority: None,
    })
    .expect("the address names a store")
}

/// The median of several runs, by calls per second.
fn of_runs(mut once: impl FnMut(Duration) -> Measured) -> Measured {
    let (whole, times) = runs();
    let all: Vec<Measured> = (0..times).map(|_| once(whole)).collect();
    let per_second = median(all.iter().map(|run| run.per_second).collect());
    let p99 = median(all.iter().map(|run| run.p99.as_secs_f64()).collect());
    Measured { per_second, p99: Duration::from_secs_f64(p99) }
}

fn line(store: &str, what: &str, replicas: usize, measured: &Measured, beside: &str) {
    say(&format!(
        "| {store} | {what} | {} | {:.0} | {:.2} ms | {beside} |",
        replicas * CLIENTS,
        measured.per_second,
        measured.p99.as_secs_f64() * 1000.0
    ));
}

pub(crate) fn measure(url: &str) {
    let store = url.split("://").next().unwrap_or_default();
    let remote = remote(url);
    let connect = async || {
        remote.check().await.expect("it can be reached");
        remote.connect().expect("it can be reached")
    };
    let history = |replicas, ask: &(dyn Fn(Arc<dyn AsyncHistory>) -> Answer + Sync)| {
        of_runs(|whole| {
            run(replicas, whole, connect, async |history| ask(Arc::clone(history)).await)
        })
    };
    let records = history(1, &|history| {
        Box::pin(async move {
            let now = history.now().await.expect("it has a clock");
            history.record(row("vnf-2", now)).await.expect("it is recorded");
        })
    });
    line(store, "records, each after a look at the clock", 1, &records, "");
    let next = AtomicU64::new(0);
    let permits = history(1, &|history| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let (id, target) = (format!("bench-{number}"), format!("vnf-{}", number % 64));
            let limits = [(window(), 1_000_000)];
            let key = OperationKey { target: &target, ..KEY };
            let permit = Permit { key, request_id: Some(&id), limits: &limits };
            history.record_if(permit).await.expect("it is recorded");
        })
    });
    line(store, "Permits with their limit", 1, &permits, "");
    let bare = of_runs(|whole| bare(url, whole));
    let one = history(1, &count);
    let beside =
        |measured: &Measured| format!("{:.0} %", 100.0 * measured.per_second / bare.per_second);
    line(store, "bare queries", 1, &bare, "");
    line(store, "counts", 1, &one, &beside(&one));
    let four = history(4, &count);
    let apart = format!("{:.0} % of one replica", 100.0 * four.per_second / one.per_second);
    line(store, "counts of four replicas", 4, &four, &apart);
}

type Answer = std::pin::Pin<Box<dyn Future<Output = ()>>>;

fn count(history: Arc<dyn AsyncHistory>) -> Answer {
    Box::pin(async move {
        history.answer(Question::Count(KEY, window())).await.expect("it is counted");
    })
}

/// The question as a client asks it who has only the driver.
fn bare(url: &str, whole: Duration) -> Measured {
    match url.split("://").next() {
        Some("postgres" | "postgresql") => run(
            1,
            whole,
            async || {
                let pool = PgPoolOptions::new().max_connections(CONNECTIONS);
                pool.test_before_acquire(false).connect(url).await.expect("it can be reached")
            },
            async |pool: &PgPool| {
                let count: i64 = sqlx::query_scalar(
                    "SELECT count(*) FROM operationshistory WHERE outcome <> 'Failure_Guard' \
                     AND actor = $1 AND operation = $2 AND target = $3 \
                     AND endtime >= now() - interval '600 s' AND endtime <= now()",
                )
                .bind(KEY.actor)
                .bind(KEY.operation)
                .bind(KEY.target)
                .fetch_one(pool)
                .await
                .expect("it is counted");
                assert!(count >= 0);
            },
        ),
        Some("mysql" | "mariadb") => run(
            1,
            whole,
            async || {
                let options = MySqlConnectOptions::from_str(&url.replace("mariadb://", "mysql://"));
                let pool = MySqlPoolOptions::new().max_connections(CONNECTIONS);
                let pool = pool.test_before_acquire(false);
                pool.connect_with(options.expect("an address")).await.expect("it can be reached")
            },
            async |pool: &MySqlPool| {
                let count: i64 = sqlx::query_scalar(
                    "SELECT count(*) FROM operationshistory WHERE outcome <> 'Failure_Guard' \
                     AND actor = ? AND operation = ? AND target = ? \
                     AND endtime >= NOW(6) - INTERVAL 600 SECOND AND endtime <= NOW(6)",
                )
                .bind(KEY.actor)
                .bind(KEY.operation)
                .bind(KEY.target)
                .fetch_one(pool)
                .await
                .expect("it is counted");
                assert!(count >= 0);
            },
        ),
        _ => run(
            1,
            whole,
            async || {
                let client = redis::Client::open(url).expect("an address");
                let config = ConnectionManagerConfig::new();
                let to = ConnectionManager::new_with_config(client, config).await;
                let count = "local t = redis.call('TIME'); local now = t[1] * 1000000 + t[2]; \
                             return redis.call('ZCOUNT', KEYS[1], now - ARGV[1], now)";
                (to.expect("it can be reached"), Script::new(count))
            },
            async |(to, script): &(ConnectionManager, Script)| {
                let mut to = to.clone();
                let mut call = script.key("pdp:ops:{SO|Scale|vnf-1}");
                let count: i64 =
                    call.arg(600_000_000).invoke_async(&mut to).await.expect("it is counted");
                assert!(count >= 0);
            },
        ),
    }
}
