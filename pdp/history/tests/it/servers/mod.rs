//! Real databases for tests: started on private ports in folders of their own, stopped with the test.

mod programs;

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use programs::{finish, give, program, user};

const PATIENCE: Duration = Duration::from_secs(90);

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    MariaDb,
    Redis,
}

/// What a server proves itself with, in PEM; who asks it must know the password.
#[allow(dead_code)] // of those who share this file one has some
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// The password of a server with an [`Identity`]; some of it has a meaning in addresses.
#[allow(dead_code)]
pub(crate) const PASSWORD: &str = "open-sesame";

/// A server that runs.
pub(crate) struct Database {
    kind: Kind,
    folder: tempfile::TempDir,
    port: u16,
    child: Option<Child>,
    /// It speaks TLS alone.
    closed: bool,
}

impl Database {
    /// Starts one; none where it is not installed, which is said loudly, and is a failure where
    /// REQUIRE_SERVERS is set.
    #[track_caller]
    pub(crate) fn start(kind: Kind) -> Option<Self> {
        Self::start_as(kind, None)
    }

    /// The same for a server that speaks TLS alone and wants a password.
    #[track_caller]
    pub(crate) fn start_as(kind: Kind, identity: Option<&Identity>) -> Option<Self> {
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
        let mut database = Self { kind, folder, port, child: None, closed: identity.is_some() };
        if let Some(identity) = identity {
            for (name, pem) in [("cert.pem", &identity.certificate), ("key.pem", &identity.key)] {
                let path = database.folder.path().join(name);
                std::fs::write(&path, pem).expect("the folder is writable");
                finish(Command::new("chmod").arg("600").arg(path));
            }
        }
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

    /// Where a server with an [`Identity`] is, for a user with this password.
    #[allow(dead_code)]
    pub(crate) fn closed_url(&self, password: &str, options: &str) -> String {
        let (scheme, database) = match self.kind {
            Kind::Postgres => ("postgres", "/postgres"),
            Kind::MariaDb => ("mysql", "/operationshistory"),
            Kind::Redis => ("rediss", ""),
        };
        format!("{scheme}://pdp:{password}@127.0.0.1:{}{database}{options}", self.port)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn prepare(&self) {
        let folder = self.folder.path();
        match self.kind {
            Kind::Postgres => {
                let initdb = program(Kind::Postgres).expect("it is there").with_file_name("initdb");
                let (password, access) = (folder.join("password"), folder.join("access"));
                std::fs::write(&password, PASSWORD).expect("the folder is writable");
                std::fs::write(&access, "hostssl all all 127.0.0.1/32 scram-sha-256\n")
                    .expect("the folder is writable");
                give(folder, "postgres");
                finish(user("postgres", &initdb).arg("-D").arg(self.data()).args([
                    format!("--pwfile={}", password.display()).as_str(),
                    "-A",
                    if self.closed { "scram-sha-256" } else { "trust" },
                    "-U",
                    "pdp",
                    "--no-sync",
                    "-E",
                    "UTF8",
                    "--locale=C",
                ]));
            }
            Kind::MariaDb => {
                let password = if self.closed { PASSWORD } else { "pdp" };
                let sql = format!(
                    "CREATE DATABASE IF NOT EXISTS operationshistory;\n\
                     CREATE USER IF NOT EXISTS 'pdp'@'%' IDENTIFIED BY '{password}';\n\
                     GRANT ALL ON operationshistory.* TO 'pdp'@'%';\n"
                );
                std::fs::write(folder.join("init.sql"), sql).expect("the folder is writable");
                give(folder, "mysql");
                let mut install = user("mysql", Path::new("mariadb-install-db"));
                finish(
                    // Servers that share a folder for temporary tables delete those of each other.
                    install
                        .env("TMPDIR", folder)
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
                if self.closed {
                    let setting = |name: &str, file: &str| {
                        ["-c".to_owned(), format!("{name}={}", folder.join(file).display())]
                    };
                    command.args(["-c", "ssl=on"]);
                    command.args(setting("ssl_cert_file", "cert.pem"));
                    command.args(setting("ssl_key_file", "key.pem"));
                    command.args(setting("hba_file", "access"));
                }
                command
            }
            Kind::MariaDb => {
                let mut command = user("mysql", &program);
                command.env("TMPDIR", folder);
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
                if self.closed {
                    command.args([
                        "--require-secure-transport=ON".to_owned(),
                        format!("--ssl-cert={}", folder.join("cert.pem").display()),
                        format!("--ssl-key={}", folder.join("key.pem").display()),
                    ]);
                }
                command
            }
            Kind::Redis => {
                let mut command = Command::new(program);
                command.args(["--bind", "127.0.0.1", "--dir", &data]);
                command.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
                if self.closed {
                    command.args(["--port", "0", "--tls-port", &port, "--tls-auth-clients", "no"]);
                    for (option, file) in [
                        ("--tls-cert-file", "cert.pem"),
                        ("--tls-key-file", "key.pem"),
                        ("--tls-ca-cert-file", "cert.pem"),
                    ] {
                        command.arg(option).arg(folder.join(file));
                    }
                    command.args(["--user", "default", "off"]);
                    command.args(["--user", "pdp", "on", &format!(">{PASSWORD}"), "~pdp:*"]);
                    command.args(["+@all", "-@dangerous", "+config|get", "+role", "+info"]);
                } else {
                    command.args(["--port", &port, "--requirepass", "secret"]);
                }
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

    /// Sends a signal to it and to what it started: PostgreSQL has a process for each connection.
    fn signal(&self, name: &str) {
        let Some(child) = &self.child else { return };
        let id = child.id().to_string();
        let _ = Command::new("pkill").args([name, "-P", &id]).status();
        let _ = Command::new("kill").args([name, &id]).status();
    }

    /// Stops its processes where they are: connections stay, and nothing is answered.
    #[allow(dead_code)] // of those who share this file one does it
    pub(crate) fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on after [`Self::pause`].
    #[allow(dead_code)]
    pub(crate) fn resume(&self) {
        self.signal("-CONT");
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&mut self) {
        self.signal("-KILL");
        let Some(mut child) = self.child.take() else { return };
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
