//! The programs of the servers, and how they are run by a user who is not root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Kind;

pub(super) fn program(kind: Kind) -> Option<PathBuf> {
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
pub(super) fn user(name: &str, program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", name, "--regid", name, "--clear-groups", "--"]).arg(program);
    command
}

pub(super) fn give(folder: &Path, name: &str) {
    if is_root() {
        finish(Command::new("chown").arg("-R").arg(name).arg(folder));
    }
}

#[track_caller]
pub(super) fn finish(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("the command is there");
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
