//! A pdp of the run's own: started on a free loopback port, watched, stopped.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::Url;
use rustix::process::{Pid, Signal, kill_process};

use crate::plan::SetupError;

const READY_WITHIN: Duration = Duration::from_secs(60);
const STOP_WITHIN: Duration = Duration::from_secs(15);
/// The limiter's window: a service that keeps less cannot answer it. Kept for a month, operations would grow
/// through all of the run, and hide a leak.
const RETENTION: (&str, &str) = ("PDP_HISTORY__RETENTION", "10m");
/// So many of its last lines are kept, for the message if it dies.
const LAST_LINES: usize = 12;

/// The service that is running, 0 if none is: an exit without ceremony must not leave it behind.
static RUNNING: AtomicU32 = AtomicU32::new(0);

/// Kills the service that is running, if one is.
pub fn kill_running() {
    send(RUNNING.swap(0, Ordering::SeqCst), Signal::KILL);
}

/// Sends a signal to a process, which may end in this very moment: that is what we want.
fn send(pid: u32, signal: Signal) {
    // 0 would mean our own group, and is no process here.
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Whatever becomes of us, even a kill that cannot be caught: the kernel then kills the service too.
#[allow(
    unsafe_code,
    reason = "only the child itself can ask the kernel for this, before it becomes the service"
)]
fn die_with_us(command: &mut Command) {
    let parent = rustix::process::getpid();
    // SAFETY: between fork and exec only two system calls are made, which are safe to make there.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // We may have died just before.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
        });
    }
}

/// A started service. Dropping it ends it.
#[derive(Debug)]
pub struct Spawned {
    child: Child,
    last_words: LastWords,
    status: Option<ExitStatus>,
}

impl Spawned {
    /// Starts `pdp serve` with the policies and nothing kept, and waits until it listens.
    pub fn start(
        pdp: &Path,
        policies: &Path,
        settings: &[(String, String)],
        give_up: impl Fn() -> bool,
    ) -> Result<(Self, Url), SetupError> {
        let mut command = Command::new(pdp);
        if std::env::var_os(RETENTION.0).is_none() {
            command.env(RETENTION.0, RETENTION.1);
        }
        command.envs(settings.iter().map(|(name, value)| (name, value)));
        die_with_us(&mut command);
        let child = command
            .args(["serve", "--state", "none", "--listen", "127.0.0.1:0", "--policies"])
            .arg(policies)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for the run; the service is stopped when the run is over.
            .process_group(0)
            .spawn()
            .map_err(|error| {
                SetupError::Usage(format!("--spawn: cannot start {}: {error}", pdp.display()))
            })?;
        RUNNING.store(child.id(), Ordering::SeqCst);
        let mut spawned = Self { child, last_words: LastWords::default(), status: None };
        let ready = spawned.listen();
        let url = spawned.await_ready(&ready, give_up)?;
        Ok((spawned, url))
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Why it is no more, if it has ended.
    pub fn death(&mut self) -> Option<String> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        let how = describe(self.status?);
        Some(format!("the service ended by itself ({how})"))
    }

    /// The last lines it printed.
    pub fn last_lines(&self) -> Vec<String> {
        self.last_words.lines().iter().cloned().collect()
    }

    /// Asks it to end, waits, and kills it if it does not; says what was odd.
    pub fn stop(mut self) -> Option<String> {
        if let Some(death) = self.death() {
            return Some(death);
        }
        send(self.pid(), Signal::TERM);
        let deadline = Instant::now() + STOP_WITHIN;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Ok(Some(status)) => {
                    self.status = Some(status);
                    let odd = format!(
                        "the service stopped oddly ({}){}",
                        describe(status),
                        self.last_words.told()
                    );
                    return (!status.success()).then_some(odd);
                }
                Err(error) => return Some(format!("the service cannot be waited for: {error}")),
            }
        }
        // Dropping kills it.
        Some(format!(
            "the service did not stop within {} s of being asked and was killed",
            STOP_WITHIN.as_secs()
        ))
    }

    /// Reads both of its outputs to their end, so that it never waits for us; what it prints first
    /// on standard output arrives at the receiver.
    fn listen(&mut self) -> Receiver<String> {
        let (sender, receiver) = channel();
        if let Some(stdout) = self.child.stdout.take() {
            let words = self.last_words.clone();
            std::thread::spawn(move || {
                for line in lines(stdout) {
                    words.add(&line);
                    // Nobody waits for further lines once it is ready.
                    let _ = sender.send(line);
                }
            });
        }
        if let Some(stderr) = self.child.stderr.take() {
            let words = self.last_words.clone();
            std::thread::spawn(move || lines(stderr).for_each(|line| words.add(&line)));
        }
        receiver
    }

    fn await_ready(
        &mut self,
        ready: &Receiver<String>,
        give_up: impl Fn() -> bool,
    ) -> Result<Url, SetupError> {
        let deadline = Instant::now() + READY_WITHIN;
        loop {
            if give_up() {
                return Err(SetupError::Interrupted);
            }
            match ready.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => {
                    if let Some(url) = ready_line(&line) {
                        return Ok(url);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(Duration::from_millis(20))
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(death) = self.death() {
                // Its last words may still be on their way.
                std::thread::sleep(Duration::from_millis(100));
                return Err(SetupError::Target(format!(
                    "--spawn: {death}{}",
                    self.last_words.told()
                )));
            }
            if Instant::now() >= deadline {
                return Err(SetupError::Target(format!(
                    "--spawn: the service did not say `listening on http://...` within {} s{}",
                    READY_WITHIN.as_secs(),
                    self.last_words.told()
                )));
            }
        }
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        RUNNING.store(0, Ordering::SeqCst);
        if self.status.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The address in `listening on http://HOST:PORT (...)`.
fn ready_line(line: &str) -> Option<Url> {
    let address = line.strip_prefix("listening on ")?.split_whitespace().next()?;
    let url = Url::parse(address).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "no exit status".to_owned(),
    }
}

fn lines(output: impl Read) -> impl Iterator<Item = String> {
    BufReader::new(output)
        .split(b'\n')
        .map_while(Result::ok)
        .map(|line| String::from_utf8_lossy(&line).into_owned())
}

#[derive(Clone, Debug, Default)]
struct LastWords(Arc<Mutex<VecDeque<String>>>);

impl LastWords {
    fn add(&self, line: &str) {
        let mut lines = self.lines();
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(400).collect());
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self) -> String {
        let lines = self.lines();
        if lines.is_empty() {
            return "; it printed nothing".to_owned();
        }
        let text: Vec<String> = lines.iter().map(|line| format!("\n  | {line}")).collect();
        format!("; its last lines:{}", text.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_gives_the_address() {
        let address = |line: &str| ready_line(line).map(|url| url.to_string());
        assert_eq!(
            address("listening on http://127.0.0.1:41234 (3 policies in 12 ms)").as_deref(),
            Some("http://127.0.0.1:41234/")
        );
        assert_eq!(
            address("listening on https://[::1]:6969 (1 policies in 1 ms)").as_deref(),
            Some("https://[::1]:6969/")
        );
        for line in ["", "listening", "listening on nothing", "warning: listening on http://x"] {
            assert_eq!(address(line), None, "{line}");
        }
    }

    #[test]
    fn a_binary_that_cannot_start_or_ends_at_once_is_told_with_its_words() {
        let start = |pdp: &str| {
            Spawned::start(Path::new(pdp), Path::new("p"), &[], || false)
                .map(|_| ())
                .map_err(|e| e.to_string())
        };
        assert!(
            start("/nowhere/pdp").expect_err("no such file").contains("cannot start /nowhere/pdp")
        );
        let error = start("/bin/false").expect_err("it ends at once");
        assert!(error.contains("exit status 1") && error.contains("printed nothing"), "{error}");
    }
}
