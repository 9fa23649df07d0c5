//! From an address to a history: which store it names, and how each thread comes to it.
//!
//! Connections belong to the thread whose runtime drives them, so every thread connects for itself.
//! What is known of the store, whether it answers above all, is shared.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use pdp_onap::history::{HistoryError, Operation};

use crate::asynchronous::AsyncHistory;
use crate::breaker::{Breaker, Deadlines, Guarded};
use crate::cache::Cached;
use crate::redis::{RedisHistory, RedisSettings};
use crate::sql::mariadb::{MariaDbHistory, Table};
use crate::sql::postgres::PostgresHistory;
use crate::sql::{Dialect, SqlHistory, SqlSettings};

/// Rows that are read at a time where all are.
const PAGE: i64 = 1_000;

/// How a store behind a network is used.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    /// Where it is.
    pub url: String,
    /// How long calls may take.
    pub deadlines: Deadlines,
    /// How old an answer may be that is not asked for again; zero: each is asked for.
    pub count_cache: Duration,
    /// Connections of each thread, at most.
    pub connections: u32,
    /// How long operations are kept, where this service forgets them.
    pub retention: SignedDuration,
    /// The time zone of columns whose type does not say.
    pub time_zone: String,
    /// Create tables that are missing.
    pub create_schema: bool,
    /// Certificates that the server's is checked against, in PEM. Databases take a file in the address.
    pub authority: Option<Vec<u8>>,
}

/// A store behind a network.
#[derive(Debug)]
pub struct Remote {
    kind: Kind,
    settings: RemoteSettings,
    breaker: Arc<Breaker>,
    table: Arc<Table>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Postgres,
    MariaDb,
    Redis,
}

impl Kind {
    fn of(url: &str) -> Option<Self> {
        Some(match url.split_once("://")?.0 {
            "postgres" | "postgresql" => Self::Postgres,
            "mysql" | "mariadb" => Self::MariaDb,
            "redis" | "rediss" | "valkey" | "valkeys" => Self::Redis,
            _ => return None,
        })
    }
}

impl Remote {
    /// The store that the address names; none: it names no store that is known.
    pub fn of(settings: RemoteSettings) -> Option<Self> {
        let kind = Kind::of(&settings.url)?;
        let mut settings = settings;
        // The crates know their stores by one name.
        for (name, known) in
            [("mariadb://", "mysql://"), ("valkey://", "redis://"), ("valkeys://", "rediss://")]
        {
            if let Some(rest) = settings.url.strip_prefix(name) {
                settings.url = format!("{known}{rest}");
            }
        }
        Some(Self { kind, settings, breaker: Arc::default(), table: Arc::default() })
    }

    /// Whether rows that are too old are this service's to forget: those of a database are its owners'.
    pub fn forgets(&self) -> bool {
        self.kind == Kind::Redis
    }

    fn sql(&self) -> SqlSettings {
        SqlSettings {
            url: self.settings.url.clone(),
            connections: self.settings.connections,
            patience: self.settings.deadlines.other,
            time_zone: self.settings.time_zone.clone(),
            create_schema: self.settings.create_schema,
        }
    }

    fn redis(&self) -> RedisSettings {
        RedisSettings {
            url: self.settings.url.clone(),
            authority: self.settings.authority.clone(),
            retention: self.settings.retention,
            patience: self.settings.deadlines.other,
        }
    }

    /// Connects once and looks at how the store is set up; what is odd about it comes back.
    ///
    /// # Errors
    /// It cannot be reached within the time that a record may take, or cannot be used.
    pub async fn check(&self) -> Result<Vec<String>, HistoryError> {
        let within = self.settings.deadlines.other.max(Duration::from_secs(5));
        let check = async {
            match self.kind {
                Kind::Postgres => {
                    PostgresHistory::new(&self.sql())?.check(self.settings.create_schema).await
                }
                Kind::MariaDb => {
                    let history = MariaDbHistory::new(&self.sql(), Arc::clone(&self.table))?;
                    history.check(self.settings.create_schema).await
                }
                Kind::Redis => RedisHistory::new(&self.redis())?.check().await,
            }
        };
        let late = || HistoryError::Timeout(format!("the limit is {} s", within.as_secs()));
        tokio::time::timeout(within, check).await.unwrap_or_else(|_| Err(late()))
    }

    /// Hands every row to `take`, in the order in which they were recorded; a page of them is in memory
    /// at a time. Says how many rows were recorded and are not listed any more.
    ///
    /// # Errors
    /// The store does not answer or refuses; or what `take` says.
    pub async fn each<E>(
        &self,
        mut take: impl FnMut(Operation) -> Result<(), E>,
    ) -> Result<Result<u64, E>, HistoryError> {
        match self.kind {
            Kind::Postgres => pages(&PostgresHistory::new(&self.sql())?, take).await,
            Kind::MariaDb => {
                let history = MariaDbHistory::new(&self.sql(), Arc::clone(&self.table))?;
                pages(&history, take).await
            }
            Kind::Redis => {
                let history = RedisHistory::new(&self.redis())?;
                let dropped = history.dropped().await?;
                let mut after = None;
                loop {
                    let (rows, last) = history.page(after.as_deref()).await?;
                    if let Err(error) = rows.into_iter().try_for_each(&mut take) {
                        return Ok(Err(error));
                    }
                    after = Some(match last {
                        Some(last) => last,
                        None => return Ok(Ok(dropped)),
                    });
                }
            }
        }
    }

    /// What is wrong with it; nothing while it answers.
    pub fn fault(&self) -> Option<String> {
        self.breaker.fault()
    }

    /// The history for one thread; must be called within the runtime that will drive it.
    ///
    /// # Errors
    /// The address or a setting cannot be used.
    pub fn connect(&self) -> Result<Arc<dyn AsyncHistory>, HistoryError> {
        let inner: Arc<dyn AsyncHistory> = match self.kind {
            Kind::Postgres => Arc::new(PostgresHistory::new(&self.sql())?),
            Kind::MariaDb => Arc::new(MariaDbHistory::new(&self.sql(), Arc::clone(&self.table))?),
            Kind::Redis => Arc::new(RedisHistory::new(&self.redis())?),
        };
        let breaker = Arc::clone(&self.breaker);
        let guarded = Arc::new(Guarded { inner, breaker, deadlines: self.settings.deadlines });
        let staleness = self.settings.count_cache;
        Ok(if staleness.is_zero() { guarded } else { Arc::new(Cached::new(guarded, staleness)) })
    }
}

async fn pages<D: Dialect, E>(
    history: &SqlHistory<D>,
    mut take: impl FnMut(Operation) -> Result<(), E>,
) -> Result<Result<u64, E>, HistoryError> {
    let mut after = i64::MIN;
    loop {
        let rows = history.page(after, PAGE).await?;
        let Some(last) = rows.last().and_then(|row| row.id) else { return Ok(Ok(0)) };
        after = last;
        if let Err(error) = rows.into_iter().try_for_each(&mut take) {
            return Ok(Err(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_store() {
        for (url, kind) in [
            ("postgres://h/db", Some(Kind::Postgres)),
            ("postgresql://h/db", Some(Kind::Postgres)),
            ("mysql://h/db", Some(Kind::MariaDb)),
            ("mariadb://h/db", Some(Kind::MariaDb)),
            ("redis://h", Some(Kind::Redis)),
            ("rediss://h", Some(Kind::Redis)),
            ("valkey://h", Some(Kind::Redis)),
            ("oracle://h", None),
            ("embedded", None),
        ] {
            assert_eq!(Kind::of(url), kind, "{url}");
        }
    }
}
