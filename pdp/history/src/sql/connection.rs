//! Connections of a pool, and what becomes of them where a call is given up.

use std::time::Duration;

use sqlx::pool::{PoolConnection, PoolOptions};
use sqlx::{Connection, Database, Pool};

use super::SqlSettings;

/// A connection that lay idle for this long is tried before it is used.
const IDLE: Duration = Duration::from_secs(5);
/// How often a call is tried where connections turn out to be dead: each attempt removes one from the
/// pool.
pub(super) const ATTEMPTS: u32 = 4;

/// A pool as the settings have it.
pub(super) fn pool<DB: Database>(settings: &SqlSettings) -> PoolOptions<DB> {
    PoolOptions::new()
        .max_connections(settings.connections)
        .acquire_timeout(settings.patience)
        .test_before_acquire(false)
        .before_acquire(|connection: &mut DB::Connection, about| {
            Box::pin(async move {
                if about.idle_for > IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
}

/// A connection that goes back to its pool once its call is done. Where the call is given up, because
/// its deadline has passed, the connection is closed: the pool would wait for the answer, which may
/// never come, and lack a place meanwhile.
pub(super) struct Held<DB: Database> {
    connection: PoolConnection<DB>,
    done: bool,
}

impl<DB: Database> Held<DB> {
    pub(super) async fn of(pool: &Pool<DB>) -> Result<Self, sqlx::Error> {
        Ok(Self { connection: pool.acquire().await?, done: false })
    }

    pub(super) fn connection(&mut self) -> &mut DB::Connection {
        &mut self.connection
    }

    /// The call is done, whatever came of it.
    pub(super) fn done(mut self) {
        self.done = true;
    }
}

impl<DB: Database> Drop for Held<DB> {
    fn drop(&mut self) {
        if !self.done {
            self.connection.close_on_drop();
        }
    }
}

/// Makes a call on a connection of the pool.
macro_rules! once {
    ($pool:expr, $connection:ident => $call:expr) => {
        async {
            let mut held = $crate::sql::connection::Held::of($pool).await?;
            let $connection = held.connection();
            let result = $call.await;
            held.done();
            result
        }
        .await
    };
}
pub(super) use once;

/// The same, and again where a connection turned out to be dead. What is tried must be safe to do twice.
macro_rules! attempt {
    ($pool:expr, $connection:ident => $call:expr) => {{
        let mut attempts = 1;
        loop {
            match $crate::sql::connection::once!($pool, $connection => $call) {
                Err(error)
                    if attempts < $crate::sql::connection::ATTEMPTS
                        && $crate::sql::connection_lost(&error) =>
                {
                    attempts += 1;
                }
                other => break other.map_err(|error| $crate::sql::failed(&error)),
            }
        }
    }};
}
pub(super) use attempt;
