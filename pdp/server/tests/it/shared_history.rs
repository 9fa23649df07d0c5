//! A service whose operations history is on a real server.

use std::thread;
use std::time::{Duration, Instant};

use crate::permits;
use crate::servers::{Database, Kind};
use crate::support::{
    DECISION, FREQUENCY, Folder, OPERATIONS, Server, guard_request, run, run_with_input,
};

const SETTINGS: [(&str, &str); 3] = [
    ("PDP_HISTORY__CREATE_SCHEMA", "true"),
    ("PDP_GUARD__INDETERMINATE", "deny"),
    ("PDP_HISTORY__DEADLINE", "1s"),
];

pub(crate) fn start(policies: &Folder, url: &str, more: &[(&str, &str)]) -> Server {
    let folder = policies.text();
    let arguments = [
        "serve",
        "--policies",
        &folder,
        "--listen",
        "127.0.0.1:0",
        "--state",
        "none",
        "--history",
        url,
    ];
    Server::spawn(&arguments, &[&SETTINGS, more].concat())
}

/// Runs the service once so that tables are there: a database may take connections before it is ready.
pub(crate) fn ready(database: &Database) {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        let listed = run_with_input(
            &["history", "export", "--history", &database.url()],
            "",
            &[("PDP_HISTORY__CREATE_SCHEMA", "true")],
        );
        if listed.code == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(200));
    }
    panic!("the database does not become ready");
}

fn decision(server: &Server) -> serde_json::Value {
    server.post(DECISION, &guard_request("Build", "vnf-2", 0)).json()
}

fn operation() -> String {
    let now = jiff::Timestamp::now();
    serde_json::json!({
        "actor": "SO", "operation": "Build", "target": "vnf-2", "outcome": "Success",
        "starttime": now, "endtime": now, "closedLoopName": "loop-1"
    })
    .to_string()
}

/// What one replica records the other counts; a dead server is Indeterminate in time and told; it is
/// found again when it is back.
fn serves(kind: Kind) {
    let Some(mut database) = Database::start(kind) else { return };
    ready(&database);
    let policies = Folder::new(&[("p.yaml", FREQUENCY)]);
    let (one, other) =
        (start(&policies, &database.url(), &[]), start(&policies, &database.url(), &[]));
    assert_eq!(decision(&one)["status"], "Permit");
    let reply = one.post(OPERATIONS, &operation());
    assert_eq!(reply.status, 201, "{}", reply.body);
    assert_eq!(decision(&other)["status"], "Deny");
    assert_eq!(other.get(OPERATIONS).json().as_array().map(Vec::len), Some(1));
    assert_eq!(one.get("/readyz").status, 200);

    database.kill();
    for _ in 0..5 {
        let answer = decision(&one);
        assert_eq!(answer["status"], "Deny", "{answer}");
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(message.contains("count-recent-operations could not answer"), "{answer}");
    }
    let readyz = one.get("/readyz");
    assert_eq!(readyz.status, 503, "{}", readyz.body);
    assert_ne!(readyz.json()["history"], "reachable");
    let metrics = one.get("/metrics").body;
    for name in [
        "pdp_attribute_lookup_duration_seconds_count{supplier=\"history\",result=\"failed\"}",
        "pdp_guard_indeterminate_total{cause=\"look_up\"}",
    ] {
        let line = metrics.lines().find(|line| line.starts_with(name));
        assert!(line.is_some_and(|line| !line.ends_with(" 0")), "{name}: {line:?}");
    }
    database.run();
    let started = Instant::now();
    while one.get("/readyz").status != 200 {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", one.log());
        thread::sleep(Duration::from_millis(50));
    }
    let answer = decision(&one);
    assert_eq!(answer["status"], "Deny", "the row is there: {answer}");
    assert!(answer.get("message").is_none(), "{answer}");

    let permits = permits::policies();
    let recording = [("PDP_GUARD__RECORD_PERMITS", "true"), ("PDP_HISTORY__DEADLINE", "30s")];
    let replicas: Vec<Server> =
        (0..4).map(|_| start(&permits, &database.url(), &recording)).collect();
    let replicas: Vec<&Server> = replicas.iter().collect();
    assert_eq!(permits::crowd(&replicas), 100);
    permits::a_retry_has_its_permit_again(&replicas);
}

#[test]
fn a_service_on_postgres() {
    serves(Kind::Postgres);
}

#[test]
fn a_service_on_mariadb() {
    serves(Kind::MariaDb);
}

#[test]
fn a_service_on_redis() {
    serves(Kind::Redis);
}

#[test]
fn without_its_history_the_service_starts_only_where_it_may() {
    let policies = Folder::new(&[]);
    let folder = policies.text();
    let url = "postgres://pdp@127.0.0.1:9/db";
    let arguments = [
        "serve",
        "--policies",
        &folder,
        "--listen",
        "127.0.0.1:0",
        "--state",
        "none",
        "--history",
        url,
    ];
    let ended = run(&arguments);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("history.required"), "{}", ended.err);
    let server = Server::spawn(&arguments, &[("PDP_HISTORY__REQUIRED", "false")]);
    assert_eq!(server.get("/readyz").status, 503);
    assert_eq!(server.get("/livez").status, 200);
}

#[test]
fn operations_move_between_histories_as_files() {
    let (one, other) = (Folder::new(&[]), Folder::new(&[]));
    let line = "{\"closedLoopName\":\"loop, \\\"quoted\\\"\",\"actor\":\"SO\",\"operation\":\"Build\",\
                \"target\":\"vnf-1\",\"starttime\":\"2026-01-01T00:00:00.123456789Z\",\
                \"outcome\":\"Success\",\"message\":\"two\\nlines\",\"endtime\":\"2026-01-01T00:00:01Z\"}\n";
    let import = |state: &Folder, format: &str, text: &str| {
        let state = state.text();
        run_with_input(&["history", "import", "--state", &state, "--format", format], text, &[])
    };
    let export = |state: &Folder, format: &str| {
        let state = state.text();
        let ended = run(&["history", "export", "--state", &state, "--format", format]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        ended.out
    };
    let ended = import(&one, "jsonl", line);
    assert_eq!((ended.code, ended.out.trim()), (0, "1 operation recorded"), "{}", ended.err);
    let table = export(&one, "csv");
    assert!(table.starts_with("id,closedLoopName,"), "{table}");
    let ended = import(&other, "csv", &table);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(export(&other, "jsonl"), export(&one, "jsonl"));
    assert_eq!(export(&one, "jsonl"), line.replacen('{', "{\"id\":1,", 1));

    for (format, text, place) in [
        ("jsonl", "\n{\"actor\": 7}\n", "-:2:"),
        ("csv", "actor,endtime\nSO,yesterday\n", "-:2"),
        ("csv", "actor,color\nSO,red\n", "`color`"),
    ] {
        let ended = import(&one, format, text);
        assert_eq!(ended.code, 2, "{}", ended.err);
        assert!(ended.err.contains(place), "{place}: {}", ended.err);
    }
    let ended = run(&["history", "export", "--history", "memory"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
}

/// Wherever the address stands, and whatever is wrong with it, its password is not repeated.
#[test]
fn the_password_of_a_history_is_never_told() {
    let files = Folder::new(&[]);
    let state = files.path().join("state").display().to_string();
    for (at, url) in [
        "postgres://pdp:sesame@127.0.0.1:9/db",
        "postgres://pdp:sesame@127.0.0.1:port/db",
        "postgres://pdp:sesame@127.0.0.1:9/db?sslmode=sometimes",
        "postgres://pdp@127.0.0.1:9/db?password=sesame",
        "mysql://pdp:sesame@127.0.0.1:9/db",
        "mysql://pdp:sesame@127.0.0.1:9/db?ssl-mode=sometimes",
        "redis://pdp:sesame@127.0.0.1:9",
        "redis://pdp:sesame@127.0.0.1:9/many",
        "rediss://:sesame@127.0.0.1:9",
        "oracle://pdp:sesame@127.0.0.1/db",
    ]
    .into_iter()
    .enumerate()
    {
        let file = files.write(&format!("url-{at}"), &format!("{url}\n")).display().to_string();
        for setting in [("PDP_HISTORY__URL", url), ("PDP_HISTORY__URL_FILE", file.as_str())] {
            for arguments in [
                ["serve", "--listen", "127.0.0.1:0", "--state", "none"].as_slice(),
                &["serve", "--print-config", "--state", "none"],
                &["history", "export", "--state", &state],
            ] {
                let ended = run_with_input(arguments, "", &[setting]);
                let said = format!("{}{}", ended.out, ended.err);
                assert!(!said.contains("sesame"), "{url} by {}: {said}", setting.0);
                let printed = arguments.contains(&"--print-config");
                assert!(printed || ended.code != 0, "{url}: {said}");
                assert!(!said.is_empty(), "{url}");
            }
        }
    }
}
