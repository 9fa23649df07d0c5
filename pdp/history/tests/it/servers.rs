//! Real databases for tests: started on private ports in folders of their own, stopped with the test.

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(90);

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    MariaDb,
    Redis,
}

/// A server that runs.
pub(crate) struct Database {
    kind: Kind,
    folder: tempfile::TempDir,
    port: u16,
    child: Option<Child>,
}

impl Database {
    /// Starts one; none where it is not installed, which is said loudly, and is a failure where
    /// REQUIRE_SERVERS is set.
    #[track_caller]
    pub(crate) fn start(kind: Kind) -> Option<Self> {
        if program(kind).is_none() {
            assert!(
                std::env::var_os("REQUIRE_SERVERS").is_none(),
                "{kind:?} is not installed, and REQUIRE_SERVERS is set: see .ci/prepare"
            );
            // Standard error, past the capture of a test that passes.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("SKIPPED: {kind:?} is not installed, see .ci/prepare\n").as_bytes(),
            );
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let mut database = Self { kind, folder, port, child: None };
        database.prepare();
        database.run();
        Some(database)
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        match self.kind {
            Kind::Postgres => format!("postgres://pdp@127.0.0.1:{}/postgres", self.port),
            Kind::MariaDb => {
                format!("mysql://pdp:pdp@127.0.0.1:{}/operationshistory", self.port)
            }
            Kind::Redis => format!("redis://:secret@127.0.0.1:{}", self.port),
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn prepare(&self) {
        let folder = self.folder.path();
        match self.kind {
            Kind::Postgres => {
                give(folder, "postgres");
                let initdb = program(Kind::Postgres).expect("it is there").with_file_name("initdb");
                finish(user("postgres", &initdb).arg("-D").arg(self.data()).args([
                    "-A",
                    "trust",
                    "-U",
                    "pdp",
                    "--no-sync",
                    "-E",
                    "UTF8",
                    "--locale=C",
                ]));
            }
            Kind::MariaDb => {
                let sql = "CREATE DATABASE IF NOT EXISTS operationshistory;\n\
                           CREATE USER IF NOT EXISTS 'pdp'@'%' IDENTIFIED BY 'pdp';\n\
                           GRANT ALL ON operationshistory.* TO 'pdp'@'%';\n";
                std::fs::write(folder.join("init.sql"), sql).expect("the folder is writable");
                give(folder, "mysql");
                let mut install = user("mysql", Path::new("mariadb-install-db"));
                finish(
                    install
                        .arg("--no-defaults")
                        .arg("--skip-test-db")
                        .arg("--skip-name-resolve")
                        .arg(format!("--datadir={}", self.data().display())),
                );
            }
            Kind::Redis => std::fs::create_dir(self.data()).expect("the folder is writable"),
        }
    }

    /// Starts it, again after [`Self::kill`], and waits until it takes connections.
    #[track_caller]
    pub(crate) fn run(&mut self) {
        let folder = self.folder.path();
        let (data, port) = (self.data().display().to_string(), self.port.to_string());
        let program = program(self.kind).expect("it is there");
        let mut command = match self.kind {
            Kind::Postgres => {
                let mut command = user("postgres", &program);
                command.args(["-D", &data, "-p", &port, "-c", "listen_addresses=127.0.0.1"]);
                command.args(["-c", "max_connections=300", "-k"]).arg(folder);
                command
            }
            Kind::MariaDb => {
                let mut command = user("mysql", &program);
                command.args([
                    "--no-defaults".to_owned(),
                    format!("--datadir={data}"),
                    format!("--port={port}"),
                    "--bind-address=127.0.0.1".to_owned(),
                    "--skip-name-resolve".to_owned(),
                    "--max-connections=300".to_owned(),
                    "--innodb-buffer-pool-size=32M".to_owned(),
                    format!("--socket={}", folder.join("socket").display()),
                    format!("--pid-file={}", folder.join("pid").display()),
                    format!("--init-file={}", folder.join("init.sql").display()),
                ]);
                command
            }
            Kind::Redis => {
                let mut command = Command::new(program);
                command.args(["--port", &port, "--bind", "127.0.0.1", "--dir", &data]);
                command.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
                command.args(["--requirepass", "secret"]);
                command
            }
        };
        let log = File::create(folder.join("log")).expect("the folder is writable");
        let errors = log.try_clone().expect("a file can be shared");
        let child = command.stdin(Stdio::null()).stdout(log).stderr(errors).spawn();
        self.child = Some(child.expect("it is there"));
        let started = Instant::now();
        while !self.answers() {
            let log = || std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            assert!(started.elapsed() < PATIENCE, "{:?} does not start: {}", self.kind, log());
            let child = self.child.as_mut().expect("it was started");
            let ended = child.try_wait().expect("the child is ours");
            assert!(ended.is_none(), "{:?} ended: {}", self.kind, log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn answers(&self) -> bool {
        // A server may listen before it is ready; whoever asks tries again.
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // Also what it started: PostgreSQL has a process for each connection.
        let id = child.id().to_string();
        let _ = Command::new("pkill").args(["-KILL", "-P", &id]).status();
        let _ = child.kill();
        let _ = child.wait();
        if self.kind == Kind::Postgres {
            let _ = std::fs::remove_file(self.data().join("postmaster.pid"));
        }
        let started = Instant::now();
        while self.answers() && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.kill();
    }
}

fn program(kind: Kind) -> Option<PathBuf> {
    let on_path = |name: &str| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .chain(["/usr/sbin".into()])
            .map(|folder| folder.join(name))
            .find(|file| file.exists())
    };
    match kind {
        Kind::Postgres => {
            let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
            let mut found: Vec<PathBuf> = versions
                .flatten()
                .map(|version| version.path().join("bin/postgres"))
                .filter(|file| file.exists())
                .collect();
            found.sort();
            found.pop()
        }
        Kind::MariaDb => on_path("mariadbd"),
        Kind::Redis => on_path("redis-server"),
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|about| {
        use std::os::unix::fs::MetadataExt;
        about.uid() == 0
    })
}

/// A command that does not run as root. `setpriv` becomes the command, so that its process is the
/// server's.
fn user(name: &str, program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", name, "--regid", name, "--clear-groups", "--"]).arg(program);
    command
}

fn give(folder: &Path, name: &str) {
    if is_root() {
        finish(Command::new("chown").arg("-R").arg(name).arg(folder));
    }
}

#[track_caller]
fn finish(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("the command is there");
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
