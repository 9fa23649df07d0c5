//! What all databases have in common: numbers for rows, attempts, and the steps in which a Permit is
//! recorded. What differs is a [`Dialect`].

use std::fmt;
use std::future::Future;

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationKey, Permit, Progress, Question, Reply,
    Window,
};
use sqlx::{Connection, Database, Pool};

use super::connection::{ATTEMPTS, attempt, once};
use super::{Ids, connection_lost, failed, from_micros, rolled_back};
use crate::asynchronous::{AsyncHistory, Later};

/// What a statement gives.
type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// The statements of one kind of database.
pub trait Dialect: Send + Sync + fmt::Debug + 'static {
    /// The database.
    type Db: Database;

    /// Whether the table numbers its rows itself.
    fn numbers_rows(&self) -> bool {
        false
    }

    /// The error in the words of the history.
    fn explain(&self, error: &sqlx::Error) -> HistoryError {
        failed(error)
    }

    /// Takes a block of ids from the sequence, and says which is the last of them.
    fn take_ids(&self, on: &mut Connected<Self>) -> impl Future<Output = Result<i64>> + Send;

    /// The time, in microseconds since 1970.
    fn now(&self, on: &mut Connected<Self>) -> impl Future<Output = Result<i64>> + Send;

    /// How many operations ended within the window.
    fn count(
        &self,
        on: &mut Connected<Self>,
        key: OperationKey<'_>,
        window: Window,
    ) -> impl Future<Output = Result<i64>> + Send;

    /// The outcome of the operation of a loop that was started last.
    fn last(
        &self,
        on: &mut Connected<Self>,
        name: &str,
    ) -> impl Future<Output = Result<Option<Option<String>>>> + Send;

    /// Adds a row; one whose id is there is left alone.
    fn insert(
        &self,
        on: &mut Connected<Self>,
        id: Option<i64>,
        row: &Operation,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Begins a transaction in which each statement sees what is committed when it begins.
    const BEGIN: &'static str;

    /// Waits until no other transaction holds the key, and holds it to the end of this one.
    fn lock(
        &self,
        on: &mut Connected<Self>,
        key: OperationKey<'_>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Whether there is a row of this number.
    fn has(&self, on: &mut Connected<Self>, id: i64) -> impl Future<Output = Result<bool>> + Send;

    /// Whether a Permit of the key is recorded for the request.
    fn permitted(
        &self,
        on: &mut Connected<Self>,
        key: OperationKey<'_>,
        request: &str,
    ) -> impl Future<Output = Result<bool>> + Send;

    /// How many operations ended within each window of a Permit, counted in a transaction that holds the
    /// key.
    fn counts(
        &self,
        on: &mut Connected<Self>,
        permit: &Permit<'_>,
    ) -> impl Future<Output = Result<Vec<i64>>> + Send;

    /// Adds the row of a Permit, which begins and ends now.
    fn insert_permit(
        &self,
        on: &mut Connected<Self>,
        id: Option<i64>,
        permit: &Permit<'_>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Rows that are asked for, the latest first.
    fn rows(
        &self,
        on: &mut Connected<Self>,
        listing: &Listing<'_>,
    ) -> impl Future<Output = Result<Vec<Operation>>> + Send;

    /// The rows after a number, in the order of their numbers.
    fn page(
        &self,
        on: &mut Connected<Self>,
        after: i64,
        limit: i64,
    ) -> impl Future<Output = Result<Vec<Operation>>> + Send;

    /// Deletes what is older than an age.
    fn forget(
        &self,
        on: &mut Connected<Self>,
        age: SignedDuration,
    ) -> impl Future<Output = Result<u64>> + Send;
}

/// A connection to the database of a dialect.
pub type Connected<D> = <<D as Dialect>::Db as Database>::Connection;

/// The history in a database.
#[derive(Debug)]
pub struct SqlHistory<D: Dialect> {
    pub(super) pool: Pool<D::Db>,
    pub(super) dialect: D,
    ids: Ids,
}

impl<D: Dialect> SqlHistory<D> {
    pub(super) fn with(pool: Pool<D::Db>, dialect: D) -> Self {
        Self { pool, dialect, ids: Ids::default() }
    }

    /// The id for a new row; none where the table numbers its rows.
    async fn id(&self) -> Result<Option<i64>, HistoryError> {
        if self.dialect.numbers_rows() {
            return Ok(None);
        }
        if let Some(id) = self.ids.next() {
            return Ok(Some(id));
        }
        let last = attempt!(&self.pool, on => self.dialect.take_ids(on))?;
        Ok(Some(self.ids.take(last)))
    }

    async fn insert(&self, row: Operation) -> Result<(), HistoryError> {
        match self.id().await? {
            // The id makes it safe to try again: what is there already is left alone.
            Some(id) => attempt!(&self.pool, on => self.dialect.insert(on, Some(id), &row)),
            None => once!(&self.pool, on => self.dialect.insert(on, None, &row))
                .map_err(|error| failed(&error)),
        }
    }

    async fn admit(&self, permit: Permit<'_>) -> Result<Admission, HistoryError> {
        let id = self.id().await?;
        let mut attempts = 1;
        loop {
            match once!(&self.pool, on => self.admit_as(on, id, &permit, attempts > 1)) {
                // Without an id of its own, a row that may be there cannot be told from another.
                Err(error)
                    if attempts < ATTEMPTS
                        && (rolled_back(&error) || id.is_some() && connection_lost(&error)) =>
                {
                    attempts += 1;
                }
                other => return other.map_err(|error| self.dialect.explain(&error)),
            }
        }
    }

    /// One transaction: lock the key, count, record.
    async fn admit_as(
        &self,
        on: &mut Connected<D>,
        id: Option<i64>,
        permit: &Permit<'_>,
        again: bool,
    ) -> Result<Admission> {
        let mut work = on.begin_with(D::BEGIN).await?;
        self.dialect.lock(&mut work, permit.key).await?;
        // The end of an earlier attempt may not have been heard of.
        if again
            && let Some(id) = id
            && self.dialect.has(&mut work, id).await?
        {
            return Ok(Admission::Recorded);
        }
        if let Some(request) = permit.request_id
            && self.dialect.permitted(&mut work, permit.key, request).await?
        {
            work.rollback().await?;
            return Ok(Admission::Known);
        }
        let counts: Vec<u64> =
            self.dialect.counts(&mut work, permit).await?.into_iter().map(number).collect();
        if counts.iter().zip(permit.limits).any(|(count, (_, limit))| count >= limit) {
            work.rollback().await?;
            return Ok(Admission::Refused(counts));
        }
        self.dialect.insert_permit(&mut work, id, permit).await?;
        work.commit().await?;
        Ok(Admission::Recorded)
    }

    /// The rows after a number, in the order of their numbers.
    ///
    /// # Errors
    /// The database does not answer, or refuses.
    pub async fn page(&self, after: i64, limit: i64) -> Result<Vec<Operation>, HistoryError> {
        attempt!(&self.pool, on => self.dialect.page(on, after, limit))
    }
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

impl<D: Dialect> AsyncHistory for SqlHistory<D> {
    fn now(&self) -> Later<'_, Timestamp> {
        Box::pin(async {
            let now = attempt!(&self.pool, on => self.dialect.now(on))?;
            Ok(from_micros(Some(now)).unwrap_or_default())
        })
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        let dialect = &self.dialect;
        Box::pin(async move {
            Ok(match question {
                Question::Count(key, window) => Reply::Count(number(
                    attempt!(&self.pool, on => dialect.count(on, key, window))?,
                )),
                Question::LastOutcome(name) => {
                    let last = attempt!(&self.pool, on => dialect.last(on, name))?;
                    Reply::LastOutcome(last.map(|last| Progress::of_outcome(last.as_deref())))
                }
                Question::Permitted(key, request) => Reply::Permitted(
                    attempt!(&self.pool, on => dialect.permitted(on, key, request))?,
                ),
            })
        })
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        Box::pin(self.insert(operation))
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        Box::pin(self.admit(permit))
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        Box::pin(async move { attempt!(&self.pool, on => self.dialect.rows(on, &listing)) })
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        Box::pin(async move { attempt!(&self.pool, on => self.dialect.forget(on, age)) })
    }
}
