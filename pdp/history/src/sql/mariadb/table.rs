//! The form of the table, which two of ONAP's migrations and their databases' defaults vary.

use std::sync::atomic::{AtomicBool, Ordering};

use pdp_onap::history::HistoryError;
use sqlx::MySqlPool;

use crate::sql::{NO_INDEX, NO_TABLE, failed};

/// What is known about the table, shared by all that ask it.
#[derive(Debug, Default)]
pub struct Table {
    whole_seconds: AtomicBool,
    own_ids: AtomicBool,
}

/// What there is to know about the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// `endtime` keeps whole seconds: an end was cut off to the second before it, and so is the
    /// beginning of a window.
    pub(super) whole_seconds: bool,
    /// The table numbers its rows itself.
    pub(super) own_ids: bool,
}

impl Form {
    /// The condition that an end lies in a window; its length is bound.
    pub(super) const fn window(self) -> &'static str {
        if self.whole_seconds {
            " AND endtime >= FROM_UNIXTIME(FLOOR(UNIX_TIMESTAMP(NOW(6)) - ?)) AND endtime <= NOW(6)"
        } else {
            " AND endtime >= NOW(6) - INTERVAL ? SECOND AND endtime <= NOW(6)"
        }
    }
}

impl Table {
    pub(super) fn form(&self) -> Form {
        Form {
            whole_seconds: self.whole_seconds.load(Ordering::Relaxed),
            own_ids: self.own_ids.load(Ordering::Relaxed),
        }
    }

    /// Looks at the table and its index; what is odd about them comes back.
    pub(super) async fn look(&self, pool: &MySqlPool) -> Result<Vec<String>, HistoryError> {
        let mut warnings = Vec::new();
        let form = columns(pool, &mut warnings)
            .await
            .map_err(|error| failed(&error))?
            .ok_or_else(|| HistoryError::Refused(NO_TABLE.into()))?;
        self.whole_seconds.store(form.whole_seconds, Ordering::Relaxed);
        self.own_ids.store(form.own_ids, Ordering::Relaxed);
        let indexed: i64 = sqlx::query_scalar(
            "SELECT CAST(count(DISTINCT column_name) AS SIGNED) FROM information_schema.statistics \
             WHERE table_schema = DATABASE() AND table_name = 'operationshistory' \
             AND column_name IN ('actor', 'operation', 'target') AND seq_in_index <= 3",
        )
        .fetch_one(pool)
        .await
        .map_err(|error| failed(&error))?;
        if indexed < 3 {
            warnings.push(NO_INDEX.into());
        }
        Ok(warnings)
    }
}

/// Looks at the columns; none: there is no such table.
async fn columns(pool: &MySqlPool, warnings: &mut Vec<String>) -> sqlx::Result<Option<Form>> {
    let columns: Vec<(String, String, Option<i64>, String)> = sqlx::query_as(
        "SELECT CONVERT(LOWER(column_name) USING utf8mb4), \
         CONVERT(LOWER(data_type) USING utf8mb4), CAST(datetime_precision AS SIGNED), \
         CONVERT(LOWER(extra) USING utf8mb4) FROM information_schema.columns \
         WHERE table_schema = DATABASE() AND table_name = 'operationshistory'",
    )
    .fetch_all(pool)
    .await?;
    if columns.is_empty() {
        return Ok(None);
    }
    let mut form = Form::default();
    for (name, data_type, precision, extra) in columns {
        if name == "endtime" && precision == Some(0) {
            form.whole_seconds = true;
            warnings.push(
                "the column `endtime` keeps whole seconds: a window begins at the whole second \
                 before it, so that it never counts too little; ALTER TABLE operationshistory \
                 MODIFY endtime TIMESTAMP(6) NULL"
                    .into(),
            );
        }
        if name == "endtime" && data_type == "datetime" {
            warnings.push(
                "the column `endtime` is a DATETIME, which knows no time zone: \
                 history.time_zone must name the one that its writers use"
                    .into(),
            );
        }
        form.own_ids |= name == "id" && extra.contains("auto_increment");
    }
    Ok(Some(form))
}
