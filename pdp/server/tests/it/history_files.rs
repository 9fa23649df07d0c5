//! `pdp history` with files that are larger than the memory it takes.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{Folder, run, run_with_input};

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
    let (few, many) = (rows(&files, "few", 500), rows(&files, "many", ROWS));
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
    let row = |target: &str| {
        format!(
            r#"{{"actor":"SO","operation":"Build","target":{target},"outcome":"Success","endtime":"2026-11-01T00:00:00Z"}}"#
        )
    };
    let text: String =
        (1..=600).map(|line| row(if line == 400 { "7" } else { "\"vnf-1\"" }) + "\n").collect();
    let file = files.write("rows", &text).display().to_string();
    let exported = || run(&["history", "export", "--state", &state]).out.lines().count();
    // A file is looked through before anything is recorded.
    let ended = run(&["history", "import", "--state", &state, &file]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("rows:400:"), "{}", ended.err);
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
    for (csv, told) in [
        ("actor,endtime\nSO,2026-11-01T00:00:00Z\nSO,yesterday\n", "-:3"),
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
