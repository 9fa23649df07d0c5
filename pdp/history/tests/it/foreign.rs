//! Tables that others have made and write.

use std::thread;
use std::time::{Duration, Instant};

use pdp_history::blocking::Blocking;
use pdp_history::connect::RemoteSettings;
use pdp_onap::history::{Admission, OperationHistory, Permit, Window};
use sqlx::{Connection, MySqlConnection, PgConnection};

use crate::servers::{Database, Kind};
use crate::shared::{connect, count, key, remote, row, settings};

/// The older form of ONAP's table, in a database whose TIMESTAMP keeps whole seconds.
const OLDER: &str = "CREATE TABLE operationshistory (id BIGINT AUTO_INCREMENT NOT NULL, \
    closedLoopName VARCHAR(255) NOT NULL, requestId VARCHAR(50) NOT NULL, \
    actor VARCHAR(50) NOT NULL, operation VARCHAR(50) NOT NULL, target VARCHAR(50) NOT NULL, \
    starttime TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, outcome VARCHAR(50) NOT NULL, \
    message VARCHAR(255), subrequestId VARCHAR(50), \
    endtime TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (id))";

/// Runs statements as another writer does, once the server takes them.
fn write(database: &Database, statements: &[&'static str]) {
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    loop {
        let done = runtime.block_on(async {
            let url = database.url();
            if url.starts_with("postgres") {
                let mut to = PgConnection::connect(&url).await?;
                for statement in statements {
                    sqlx::raw_sql(*statement).execute(&mut to).await?;
                }
            } else {
                let mut to = MySqlConnection::connect(&url).await?;
                for statement in statements {
                    sqlx::raw_sql(*statement).execute(&mut to).await?;
                }
            }
            Ok::<(), sqlx::Error>(())
        });
        match done {
            Ok(()) => return,
            Err(sqlx::Error::Database(error)) if !error.message().contains("starting up") => {
                panic!("{error}")
            }
            Err(error) => assert!(started.elapsed() < Duration::from_secs(60), "{error}"),
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn permit(history: &Blocking, request_id: Option<&str>) -> Admission {
    let limits = [(Window::of_seconds(3600).expect("an hour"), 4)];
    let permit = Permit { key: key("vnf-1"), request_id, limits: &limits };
    history.record_if(&permit).expect("it answers")
}

/// The warnings of a start.
fn warnings(settings: &RemoteSettings) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let checked = runtime.expect("a runtime").block_on(remote(settings.clone()).check());
    checked.expect("it can be used").join("\n")
}

#[test]
fn the_older_table_of_mariadb_counts_and_is_written() {
    let Some(database) = Database::start(Kind::MariaDb) else { return };
    write(&database, &[OLDER]);
    let settings = RemoteSettings { create_schema: false, ..settings(database.url()) };
    let told = warnings(&settings);
    assert!(told.contains("keeps whole seconds") && told.contains("no index"), "{told}");
    write(&database, &["CREATE TABLE pdp_permit_lock (bucket INT NOT NULL, PRIMARY KEY (bucket))"]);
    let history = connect(&remote(settings));
    write(
        &database,
        &[
            "INSERT INTO operationshistory (closedLoopName, requestId, actor, operation, target, \
             outcome) VALUES ('loop', 'r', 'SO', 'Scale', 'vnf-1', 'Success')",
            "INSERT INTO operationshistory (closedLoopName, requestId, actor, operation, target, \
             outcome, endtime) VALUES ('loop', 'r', 'SO', 'Scale', 'vnf-1', 'Started', NULL)",
            "INSERT INTO operationshistory (closedLoopName, requestId, actor, operation, target, \
             outcome) VALUES ('loop', 'r', 'so', 'Scale', 'vnf-1 ', 'Success')",
        ],
    );
    assert_eq!(count(&history, "vnf-1"), Ok(1), "one ended, one has not, one is another key");
    let mut mine = row(&history, "vnf-1");
    mine.request_id = Some("r-0".into());
    history.record(mine).expect("it is recorded");
    assert_eq!(permit(&history, Some("r-1")), Admission::Recorded);
    assert_eq!(permit(&history, None), Admission::Recorded);
    assert_eq!(permit(&history, Some("r-1")), Admission::Known);
    assert_eq!(permit(&history, Some("r-2")), Admission::Refused(vec![4]));
}

/// Columns that know no time zone are written in that of their writers: two hours to the east.
#[test]
fn times_without_a_zone_are_read_in_that_of_the_setting() {
    for (kind, statements) in [
        (
            Kind::Postgres,
            [
                include_str!("../../src/sql/schema/postgres.sql"),
                "INSERT INTO operationshistory (id, actor, operation, target, outcome, endtime) \
                 VALUES (1000, 'SO', 'Scale', 'vnf-1', 'Success', \
                 (now() AT TIME ZONE 'UTC') + interval '2 hours' - interval '1 minute')",
                "INSERT INTO operationshistory (id, actor, operation, target, outcome, endtime) \
                 VALUES (1001, 'SO', 'Scale', 'vnf-2', 'Success', now() AT TIME ZONE 'UTC')",
            ],
        ),
        (
            Kind::MariaDb,
            [
                "CREATE TABLE operationshistory (id BIGINT PRIMARY KEY, closedLoopName VARCHAR(255), \
                 requestId VARCHAR(50), subrequestId VARCHAR(50), actor VARCHAR(50), \
                 operation VARCHAR(50), target VARCHAR(50), starttime DATETIME(6), \
                 outcome VARCHAR(50), message VARCHAR(255), endtime DATETIME(6), \
                 INDEX (target, operation, actor, endtime))",
                "INSERT INTO operationshistory (id, actor, operation, target, outcome, endtime) \
                 VALUES (1000, 'SO', 'Scale', 'vnf-1', 'Success', \
                 UTC_TIMESTAMP(6) + INTERVAL 119 MINUTE)",
                "INSERT INTO operationshistory (id, actor, operation, target, outcome, endtime) \
                 VALUES (1001, 'SO', 'Scale', 'vnf-2', 'Success', UTC_TIMESTAMP(6))",
            ],
        ),
    ] {
        let Some(database) = Database::start(kind) else { continue };
        write(&database, &statements);
        for (zone, expected) in [("+02:00", [1, 0]), ("UTC", [0, 1]), ("-05:00", [0, 0])] {
            let settings = RemoteSettings {
                create_schema: false,
                time_zone: zone.into(),
                ..settings(database.url())
            };
            let told = warnings(&settings);
            assert!(kind != Kind::MariaDb || told.contains("history.time_zone"), "{told}");
            let history = connect(&remote(settings));
            let found = ["vnf-1", "vnf-2"].map(|target| count(&history, target));
            assert_eq!(found, expected.map(Ok), "{kind:?} {zone}");
        }
    }
}
