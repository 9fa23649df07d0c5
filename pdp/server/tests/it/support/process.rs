//! The binary as a process.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::http::{Reply, exchange};

const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary folder with files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder can be made"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a file stands in a folder"))
            .expect("the folder is writable");
        fs::write(&path, text).expect("the folder is writable");
        path
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn text(&self) -> String {
        self.path().display().to_string()
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdp"));
    for (name, _) in std::env::vars() {
        if name.starts_with("PDP_") || name == "CONFIG_FILE" {
            command.env_remove(name);
        }
    }
    command
}

/// A command that has ended.
#[derive(Debug)]
pub struct Finished {
    pub code: i32,
    pub out: String,
    pub err: String,
}

#[track_caller]
pub fn run(arguments: &[&str]) -> Finished {
    run_with_input(arguments, "", &[])
}

#[track_caller]
pub fn run_with_input(arguments: &[&str], input: &str, variables: &[(&str, &str)]) -> Finished {
    let mut child = command()
        .args(arguments)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the binary ends");
    Finished {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The address in a line that says that the service is ready.
#[track_caller]
fn listening(line: &str) -> String {
    line.strip_prefix("listening on ")
        .and_then(|rest| rest.split(' ').next())
        .and_then(|url| url.split_once("://"))
        .map(|(_, address)| address)
        .unwrap_or_else(|| panic!("not a ready line: {line}"))
        .to_owned()
}

/// A running service.
pub struct Server {
    child: Child,
    pub address: String,
    /// The line that it printed when it was ready.
    pub ready: String,
    printed: Mutex<mpsc::Receiver<String>>,
    log: Arc<Mutex<String>>,
    authorization: String,
}

impl Server {
    /// Starts with the policies of a folder, no state, on a free port.
    #[track_caller]
    pub fn start(policies: &Folder, more: &[&str]) -> Self {
        let folder = policies.text();
        let mut arguments =
            vec!["serve", "--policies", &folder, "--listen", "127.0.0.1:0", "--state", "none"];
        arguments.extend(more);
        Self::spawn(&arguments, &[])
    }

    #[track_caller]
    pub fn spawn(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::run(command().args(arguments).envs(variables.iter().copied()))
    }

    /// Starts within a shell that has run a script first, such as one that sets limits.
    #[track_caller]
    pub fn spawn_after(script: &str, arguments: &[&str]) -> Self {
        let script = format!("{script}; exec \"$0\" \"$@\"");
        Self::run(
            Command::new("sh").args(["-c", &script]).arg(command().get_program()).args(arguments),
        )
    }

    #[track_caller]
    fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let log = Arc::new(Mutex::new(String::new()));
        let stderr = child.stderr.take().expect("it is piped");
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut kept = kept.lock().expect("no test panics with it");
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let ready = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("the service did not start: {}", log.lock().expect("no test panics with it"))
        });
        let address = listening(&ready);
        let printed = Mutex::new(lines);
        Self { child, address, ready, printed, log, authorization: String::new() }
    }

    /// Asks from here on at the next address on which it listens.
    #[track_caller]
    pub fn turn(&mut self) {
        let printed = self.printed.lock().expect("no test panics with it");
        self.address =
            listening(&printed.recv_timeout(PATIENCE).expect("there is another address"));
    }

    /// The next line that it prints.
    #[track_caller]
    pub fn next_line(&mut self) -> String {
        let printed = self.printed.lock().expect("no test panics with it");
        printed.recv_timeout(PATIENCE).expect("it prints a line")
    }

    /// Sends these credentials with every request from here on.
    pub fn sign(mut self, header: &str) -> Self {
        self.authorization = header.to_owned();
        self
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], "")
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], body)
    }

    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        if !self.authorization.is_empty() {
            request += &format!("Authorization: {}\r\n", self.authorization);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        exchange(&self.address, request.as_bytes())
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        // Log lines and answers take different ways.
        thread::sleep(Duration::from_millis(50));
        self.log.lock().expect("no test panics with it").clone()
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status()
            .expect("kill is there");
        assert!(status.success());
    }

    /// Waits until it has ended.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("the service did not stop: {}", self.log());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for what must come.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
