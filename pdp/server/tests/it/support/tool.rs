//! Programs of others that tests run: proxies, monitoring.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program; none where it is not installed, which is said loudly, and is a failure where
/// REQUIRE_SERVERS is set.
#[track_caller]
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
    let found = folders.map(|folder| Path::new(folder).join(name)).find(|path| path.is_file());
    if found.is_none() {
        assert!(
            std::env::var_os("REQUIRE_SERVERS").is_none(),
            "{name} is not installed, and REQUIRE_SERVERS is set: see .ci/prepare"
        );
        // Standard error, past the capture of a test that passes.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("SKIPPED: {name} is not installed, see .ci/prepare\n").as_bytes(),
        );
    }
    found
}

/// A program that runs until the test ends.
pub struct Running(Child);

impl Running {
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(quiet.spawn().expect("the program runs"))
    }

    #[track_caller]
    pub fn check(&mut self) {
        let ended = self.0.try_wait().expect("the child is ours");
        assert!(ended.is_none(), "the program has ended: {ended:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ports below those that the system gives out by itself, so that one stays free while its owner
/// restarts.
#[track_caller]
pub fn quiet_ports<const N: usize>() -> [u16; N] {
    let mut free = (0..).map(|at: u32| {
        let spread = std::process::id().wrapping_mul(7919).wrapping_add(at.wrapping_mul(13));
        u16::try_from(20_000 + spread % 12_000).expect("it is below 32000")
    });
    std::array::from_fn(|_| {
        free.find(|port| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok())
            .expect("there is a free port")
    })
}
