//! `pdp history` with files that are larger than the memory it takes.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Folder, OPERATIONS, Server, run, run_with_input};

const ROWS: usize = 40_000;

fn rows(folder: &Folder, name: &str, number: usize) -> PathBuf {
    let path = folder.path().join(name);
    let mut file = BufWriter::new(File::create(&path).expect("the folder is writable"));
    let message = "m".repeat(250);
    for row in 0..number {
        writeln!(
            file,
            r#"{{"requestId":"r-{row}","actor":"SO","operation":"Build","target":"vnf-{}","outcome":"Success","message":"{message}","starttime":"2026-01-01T00:00:00Z","endtime":"2026-01-01T00:00:01Z"}}"#,
            row % 50
        )
        .expect("the disk has room");
    }
    file.flush().expect("the disk has room");
    path
}

/// Runs a command to its end with its output in a file, and says how much memory it had at most, in kB.
fn peak(arguments: &[&str], out: &Path) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pdp"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(File::create(out).expect("the folder is writable"))
        .spawn()
        .expect("the binary runs");
    let about = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let status = loop {
        let text = fs::read_to_string(&about).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(now.unwrap_or_default());
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(status.success(), "{arguments:?}");
    most
}

#[test]
fn a_history_of_any_size_moves_in_little_memory() {
    let files = Folder::new(&[]);
    let path = |name: &str| files.path().join(name).display().to_string();
    let (few, many) = (rows(&files, "few.jsonl", 500), rows(&files, "many.jsonl", ROWS));
    let out = files.path().join("out");
    let size = fs::metadata(&many).expect("it is there").len() / 1024;
    let mut peaks = Vec::new();
    for (file, state) in [(few, path("few-state")), (many, path("many-state"))] {
        let file = file.display().to_string();
        let retention =
            files.write("c.yaml", "history: {retention: 3650d}\n").display().to_string();
        let import =
            ["history", "import", "--config", &retention, "--state", &state, file.as_str()];
        let imported = peak(&import, &out);
        let mut exported = 0;
        for format in ["csv", "jsonl"] {
            let export = ["history", "export", "--state", &state, "--format", format];
            exported = exported.max(peak(&export, &out));
        }
        peaks.push((imported, exported));
    }
    let text = fs::read_to_string(&out).expect("it was written");
    assert_eq!(text.lines().count(), ROWS);
    for number in [0, 999, 1000, ROWS - 1] {
        let line = text.lines().nth(number).unwrap_or_default();
        assert!(line.contains(&format!("\"requestId\":\"r-{number}\"")), "{line}");
    }
    let ((few_in, few_out), (many_in, many_out)) = (peaks[0], peaks[1]);
    // The rows in memory would take more than the file does. Ten thousand stay, to be listed.
    assert!(many_in < few_in + size, "import: {few_in} kB and {many_in} kB for {size} kB");
    assert!(many_out < few_out + size / 2, "export: {few_out} kB and {many_out} kB for {size} kB");
}

#[test]
fn a_wrong_row_is_named_and_nothing_before_it_is_recorded_twice() {
    let files = Folder::new(&[]);
    let state = files.path().join("state").display().to_string();
    let now = jiff::Timestamp::now();
    let row = |target: &str| {
        format!(
            r#"{{"actor":"SO","operation":"Build","target":{target},"outcome":"Success","endtime":"{now}"}}"#
        )
    };
    let text: String =
        (1..=600).map(|line| row(if line == 400 { "7" } else { "\"vnf-1\"" }) + "\n").collect();
    let file = files.write("rows.jsonl", &text).display().to_string();
    let exported = || run(&["history", "export", "--state", &state]).out.lines().count();
    // A file is looked through before anything is recorded.
    let ended = run(&["history", "import", "--state", &state, &file]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("rows.jsonl:400:"), "{}", ended.err);
    assert!(ended.err.contains("`target`: expected text"), "{}", ended.err);
    assert_eq!(exported(), 0);
    // The standard input can be read once; what came before is recorded, and it is said how much.
    let ended = run_with_input(&["history", "import", "--state", &state], &text, &[]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("-:400:"), "{}", ended.err);
    assert!(
        ended.err.contains(&format!("{} rows before it are recorded", exported())),
        "{}",
        ended.err
    );
    let whole = "actor,operation,target,outcome,endtime\nSO,Build,vnf-1,Success";
    for (csv, told) in [
        (&*format!("{whole},{now}\nSO,Build,vnf-1,Success,yesterday\n"), "-:3"),
        ("actor,id\nSO,seven\n", "`id`: expected a whole number"),
        ("actor,colour\nSO,red\n", "there is no column `colour`"),
        ("actor,target\nSO\n", "-:2"),
    ] {
        let arguments = ["history", "import", "--state", &state, "--format", "csv"];
        let ended = run_with_input(&arguments, csv, &[]);
        assert_eq!(ended.code, 2, "{csv}: {}", ended.err);
        assert!(ended.err.contains(told), "{told}: {}", ended.err);
    }
}

/// An operation that ends now, with some members changed; null takes one away.
fn operation(change: &Value) -> Value {
    let now = jiff::Timestamp::now();
    let mut row = json!({
        "closedLoopName": "loop-1", "requestId": "r-1", "actor": "SO", "operation": "Build",
        "target": "vnf-1", "outcome": "Success", "starttime": now, "endtime": now
    });
    for (name, value) in change.as_object().into_iter().flatten() {
        row[name] = value.clone();
    }
    let members = row.as_object_mut().expect("it is an object");
    members.retain(|_, value| !value.is_null());
    row
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

fn table(rows: &[Value]) -> String {
    let names = ["closedLoopName", "requestId", "actor", "operation", "target", "outcome"];
    let names = [&names[..], &["starttime", "endtime"]].concat();
    let row = |row: &Value| {
        let fields = names.iter().map(|name| row[name].as_str().unwrap_or_default());
        fields.collect::<Vec<_>>().join(",") + "\n"
    };
    names.join(",") + "\n" + &rows.iter().map(row).collect::<String>()
}

fn import(file: &Path, state: &str, more: &[&str]) -> crate::support::Finished {
    let file = file.display().to_string();
    let arguments = [&["history", "import", "--state", state, &file][..], more].concat();
    run(&arguments)
}

fn exported(state: &str) -> usize {
    run(&["history", "export", "--state", state]).out.lines().count()
}

#[test]
fn an_import_takes_what_the_service_takes_and_nothing_of_a_file_with_another_row() {
    let files = Folder::new(&[]);
    let server = Server::start(&files, &[]);
    let nothing = json!({
        "closedLoopName": null, "requestId": null, "actor": null, "operation": null,
        "target": null, "outcome": null, "starttime": null, "endtime": null
    });
    let long = "x".repeat(256);
    let unseen = "no policy could ever see this operation";
    for (at, (change, told)) in [
        (json!({"endtime": null}), ""), // it goes on: the outcome of a loop
        (json!({"closedLoopName": null, "starttime": null}), ""), // it counts
        (json!({"endtime": "2099-01-01T00:00:00Z"}), "expected a time that is past"),
        (json!({"starttime": "1969-12-31T00:00:00Z"}), "expected a time after 1970"),
        (json!({"target": long}), "`target` is longer than 255 characters"),
        (json!({"outcome": null}), unseen),
        (json!({"actor": null, "closedLoopName": null}), unseen),
        (json!({"endtime": null, "starttime": null}), unseen),
        (nothing, unseen),
    ]
    .into_iter()
    .enumerate()
    {
        let rows = [operation(&json!({})), operation(&change)];
        let taken = told.is_empty();
        let reply = server.post(OPERATIONS, &rows[1].to_string());
        assert_eq!(reply.status, if taken { 201 } else { 400 }, "{change}: {}", reply.body);
        assert!(taken || reply.body.contains(told), "{change}: {}", reply.body);
        for (name, text) in [("rows.jsonl", lines(&rows)), ("rows.csv", table(&rows))] {
            let state = files.path().join(format!("state-{at}-{name}")).display().to_string();
            let ended = import(&files.write(name, &text), &state, &[]);
            assert_eq!(ended.code, if taken { 0 } else { 2 }, "{name} {change}: {}", ended.err);
            assert_eq!(exported(&state), if taken { 2 } else { 0 }, "{name} {change}");
            let place = format!("{name}:{}", if name == "rows.csv" { 3 } else { 2 });
            for text in [told, if taken { "" } else { place.as_str() }] {
                assert!(ended.err.contains(text), "{name} {change}: {text}: {}", ended.err);
            }
            let helped = ended.err.contains("--skip-unseen");
            assert_eq!(helped, told == unseen, "{name} {change}: {}", ended.err);
        }
    }
    // An empty text is one in JSON, and none in a table.
    let empty = operation(&json!({"actor": ""}));
    assert_eq!(server.post(OPERATIONS, &empty.to_string()).status, 400);
    let state = files.path().join("state-empty").display().to_string();
    let ended = import(&files.write("rows.jsonl", &lines(&[empty])), &state, &[]);
    assert!(ended.code == 2 && ended.err.contains("`actor` is empty"), "{}", ended.err);
}

#[test]
fn rows_that_no_policy_could_see_are_left_out_where_that_is_asked_for() {
    let files = Folder::new(&[]);
    let state = files.path().join("state").display().to_string();
    let unseen = operation(&json!({"outcome": null}));
    let mut rows =
        vec![operation(&json!({})), unseen.clone(), operation(&json!({"endtime": null}))];
    let ended = import(&files.write("rows.csv", &table(&rows)), &state, &["--skip-unseen"]);
    assert_eq!((ended.code, &*ended.out), (0, "2 operations recorded\n"), "{}", ended.err);
    assert!(ended.err.contains("1 row left out"), "{}", ended.err);
    assert_eq!(exported(&state), 2);
    rows.push(operation(&json!({"endtime": "2099-01-01T00:00:00Z"})));
    let ended = import(&files.write("rows.csv", &table(&rows)), &state, &["--skip-unseen"]);
    assert!(ended.code == 2 && ended.err.contains("rows.csv:5"), "{}", ended.err);
    assert_eq!(exported(&state), 2, "what is wrong is refused all the same");
}

#[test]
fn how_rows_are_written_is_told_by_the_name_of_the_file_unless_a_flag_says_it() {
    let files = Folder::new(&[]);
    let row = [operation(&json!({}))];
    let (lines, table) = (lines(&row), table(&row));
    let list = format!("[{}]\n", row[0]);
    for (at, (name, text, format, told)) in [
        ("a.csv", &table, None, ""),
        ("A.CSV", &table, None, ""),
        ("a.json", &lines, None, ""),
        ("a.jsonl", &lines, None, ""),
        ("a.ndjson", &lines, None, ""),
        ("a.csv", &lines, Some("jsonl"), ""),
        ("a.txt", &table, Some("csv"), ""),
        ("a", &lines, Some("jsonl"), ""),
        ("a.txt", &table, None, ".csv, .json, .jsonl or .ndjson"),
        ("a", &lines, None, "--format csv"),
        ("a.csv", &lines, None, "there is no column"),
        ("a.json", &table, None, "not an operation: not JSON"),
        ("a.json", &list, None, "jq -c '.[]'"),
    ]
    .into_iter()
    .enumerate()
    {
        let state = files.path().join(format!("state-{at}")).display().to_string();
        let more: Vec<&str> = format.iter().flat_map(|format| ["--format", *format]).collect();
        let ended = import(&files.write(name, text), &state, &more);
        let said = format!("{}{}", ended.out, ended.err);
        assert_eq!(ended.code, if told.is_empty() { 0 } else { 2 }, "{name} {format:?}: {said}");
        let told = if told.is_empty() { "1 operation recorded" } else { told };
        assert!(said.contains(told), "{name} {format:?}: {told}: {said}");
    }
    let state = files.path().join("state-input").display().to_string();
    let ended = run_with_input(&["history", "import", "--state", &state], &lines, &[]);
    assert_eq!((ended.code, &*ended.out), (0, "1 operation recorded\n"), "{}", ended.err);
}
