//! One process, read from procfs.

use std::path::{Path, PathBuf};

use super::sockets;
use crate::measure::record::{ContextSwitches, Faults, Io, ProcessSample};

/// Reads one process again and again.
#[derive(Clone, Debug)]
pub struct ProcessReader {
    folder: PathBuf,
    ticks_per_second: f64,
    page_size: i64,
}

impl ProcessReader {
    /// The process `pid` of this machine.
    pub fn new(pid: u32) -> Self {
        Self::at(&Path::new("/proc").join(pid.to_string()))
    }

    /// This process itself.
    pub fn own() -> Self {
        Self::at(Path::new("/proc/self"))
    }

    /// A process described by the files of `folder`.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            ticks_per_second: rustix::param::clock_ticks_per_second() as f64,
            page_size: rustix::param::page_size() as i64,
        }
    }

    /// Whether there is such a process that has not ended.
    pub fn is_alive(&self) -> bool {
        self.stat().is_some_and(|stat| !matches!(stat.state, 'Z' | 'X'))
    }

    /// The process now; `None` once it is gone. `deep` adds what is costly to find out (PSS).
    pub fn sample(&self, t: f64, deep: bool) -> Option<ProcessSample> {
        let stat = self.stat()?;
        let status = self.text("status");
        let status = status.as_deref().unwrap_or_default();
        let threads = self.threads(status);
        let rollup = if deep { self.text("smaps_rollup") } else { None };
        let rollup = rollup.as_deref().unwrap_or_default();
        let descriptors = sockets::descriptors(&self.folder);
        let (fds, sockets) = descriptors.unzip();
        let tcp =
            sockets.as_ref().filter(|_| deep).and_then(|inodes| sockets::tcp(&self.folder, inodes));
        let (user, system) =
            (stat.user_ticks / self.ticks_per_second, stat.system_ticks / self.ticks_per_second);
        Some(ProcessSample {
            t,
            cpu_s: Some(user + system),
            cpu_user_s: Some(user),
            cpu_system_s: Some(system),
            rss: self.resident().or_else(|| kilobytes(status, "VmRSS")),
            rss_peak: kilobytes(status, "VmHWM"),
            pss: kilobytes(rollup, "Pss"),
            private_dirty: kilobytes(rollup, "Private_Dirty"),
            file: kilobytes(status, "RssFile"),
            anon: kilobytes(status, "RssAnon"),
            swap: kilobytes(status, "VmSwap"),
            heap: None,
            faults: Some(Faults { min: stat.minor_faults, maj: stat.major_faults }),
            fds,
            sockets: sockets.map(|inodes| inodes.len() as i64),
            tcp,
            threads: number(status, "Threads"),
            ctx: threads.ctx,
            run_delay_ns: threads.run_delay_ns,
            io: self.text("io").and_then(|text| {
                let (read, write) = (number(&text, "read_bytes")?, number(&text, "write_bytes")?);
                Some(Io { read, write })
            }),
        })
    }

    fn stat(&self) -> Option<Stat> {
        Stat::parse(&self.text("stat")?)
    }

    /// The kernel counts switches and waiting for each thread; the process is the sum of those alive.
    fn threads(&self, status: &str) -> ThreadSums {
        let mut sums = ThreadSums::default();
        let folders = std::fs::read_dir(self.folder.join("task")).into_iter().flatten().flatten();
        for folder in folders.map(|entry| entry.path()) {
            let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            sums.add(&text("status"), &text("schedstat"));
        }
        if sums.ctx.is_none() {
            sums.add(status, &self.text("schedstat").unwrap_or_default());
        }
        sums
    }

    fn resident(&self) -> Option<i64> {
        let pages: i64 = self.text("statm")?.split_whitespace().nth(1)?.parse().ok()?;
        Some(pages * self.page_size)
    }

    fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(file)).ok()
    }
}

#[derive(Default)]
struct ThreadSums {
    ctx: Option<ContextSwitches>,
    run_delay_ns: Option<i64>,
}

impl ThreadSums {
    fn add(&mut self, status: &str, schedstat: &str) {
        let switches = number(status, "voluntary_ctxt_switches")
            .zip(number(status, "nonvoluntary_ctxt_switches"));
        if let Some((vol, invol)) = switches {
            let sum = self.ctx.get_or_insert(ContextSwitches { vol: 0, invol: 0 });
            sum.vol += vol;
            sum.invol += invol;
        }
        if let Some(waited) =
            schedstat.split_whitespace().nth(1).and_then(|field| field.parse::<i64>().ok())
        {
            *self.run_delay_ns.get_or_insert(0) += waited;
        }
    }
}

struct Stat {
    state: char,
    minor_faults: i64,
    major_faults: i64,
    user_ticks: f64,
    system_ticks: f64,
}

impl Stat {
    /// The name in parentheses may hold anything, spaces and parentheses too: fields are counted
    /// from the last closing one.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_whitespace().collect();
        // The first field here is the third of proc(5).
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            state: field(3)?.chars().next()?,
            minor_faults: field(10)?.parse().ok()?,
            major_faults: field(12)?.parse().ok()?,
            user_ticks: field(14)?.parse().ok()?,
            system_ticks: field(15)?.parse().ok()?,
        })
    }
}

/// `Name:   12 kB` as bytes.
fn kilobytes(text: &str, name: &str) -> Option<i64> {
    Some(number(text, name)? * 1024)
}

/// The number after `Name:`.
fn number(text: &str, name: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(files: &[(&str, &str)]) -> (tempfile::TempDir, ProcessReader) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a small file");
        }
        let reader = ProcessReader {
            folder: folder.path().to_owned(),
            ticks_per_second: 100.0,
            page_size: 4096,
        };
        (folder, reader)
    }

    const STAT: &str = "4321 (a (strange) name) S 1 4321 4321 0 -1 4194304 1500 0 7 0 6027 318 0 0 20 0 6 0 100 1 2";
    const STATUS: &str = "Name:\tpdp\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\nRssAnon:\t    8192 kB\n\
                          RssFile:\t    2048 kB\nVmSwap:\t       0 kB\nThreads:\t6\n\
                          voluntary_ctxt_switches:\t900\nnonvoluntary_ctxt_switches:\t31\n";

    #[test]
    fn a_recorded_process_is_read_field_by_field() {
        let (folder, reader) = recorded(&[
            ("stat", STAT),
            ("status", STATUS),
            ("statm", "9999 2560 512 1 0 999 0\n"),
            (
                "smaps_rollup",
                "55d-7ff ---p 00000000 00:00 0 [rollup]\nRss:   10240 kB\nPss:    9000 kB\nPrivate_Dirty:  7000 kB\n",
            ),
            ("schedstat", "63450000000 1234567 8901\n"),
            (
                "io",
                "rchar: 1\nwchar: 2\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n",
            ),
        ]);
        std::fs::create_dir(folder.path().join("fd")).expect("a folder");
        for name in ["0", "1", "2"] {
            std::fs::write(folder.path().join("fd").join(name), "").expect("an empty file");
        }
        let sample = reader.sample(12.0, true).expect("the process is there");
        let expected = ProcessSample {
            t: 12.0,
            cpu_s: Some(60.27 + 3.18),
            cpu_user_s: Some(60.27),
            cpu_system_s: Some(3.18),
            rss: Some(2560 * 4096),
            rss_peak: Some(20480 * 1024),
            pss: Some(9000 * 1024),
            private_dirty: Some(7000 * 1024),
            file: Some(2048 * 1024),
            anon: Some(8192 * 1024),
            swap: Some(0),
            heap: None,
            faults: Some(Faults { min: 1500, maj: 7 }),
            fds: Some(3),
            sockets: Some(0),
            tcp: None,
            threads: Some(6),
            ctx: Some(ContextSwitches { vol: 900, invol: 31 }),
            run_delay_ns: Some(1_234_567),
            io: Some(Io { read: 4096, write: 8192 }),
        };
        assert_eq!(sample, expected);
        assert!(reader.is_alive());
        assert_eq!(reader.sample(12.0, false).and_then(|sample| sample.pss), None);
    }

    #[test]
    fn switches_and_waiting_are_summed_over_the_threads() {
        let (folder, reader) =
            recorded(&[("stat", STAT), ("status", STATUS), ("schedstat", "1 5 1")]);
        for thread in ["4321", "4322"] {
            let path = folder.path().join("task").join(thread);
            std::fs::create_dir_all(&path).expect("a folder");
            std::fs::write(path.join("status"), STATUS).expect("a small file");
            std::fs::write(path.join("schedstat"), "9 70 3").expect("a small file");
        }
        let sample = reader.sample(0.0, false).expect("the process is there");
        assert_eq!(sample.ctx, Some(ContextSwitches { vol: 1800, invol: 62 }));
        assert_eq!(sample.run_delay_ns, Some(140));
    }

    #[test]
    fn a_zombie_is_not_alive_and_a_missing_process_is_no_sample() {
        let (_folder, reader) = recorded(&[("stat", &STAT.replace(") S ", ") Z "))]);
        assert!(!reader.is_alive());
        let (_folder, reader) = recorded(&[]);
        assert!(!reader.is_alive());
        assert_eq!(reader.sample(0.0, true), None);
    }

    #[test]
    fn files_that_may_not_be_read_leave_their_fields_out() {
        let (_folder, reader) = recorded(&[("stat", STAT)]);
        let sample = reader.sample(0.0, true).expect("stat is enough");
        assert_eq!(
            (sample.rss, sample.anon, sample.fds, sample.io.clone()),
            (None, None, None, None)
        );
        assert!(sample.cpu_s.is_some());
    }

    #[test]
    fn this_process_can_be_read() {
        let sample = ProcessReader::own().sample(0.0, true).expect("this process is there");
        assert!(sample.rss.expect("statm is readable") > 0);
        assert!(sample.threads.expect("status is readable") >= 1);
    }
}
