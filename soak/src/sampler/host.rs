//! The machine that makes the load.

use std::path::{Path, PathBuf};

use crate::measure::record::{CgroupLimits, Host, HostSample};

/// Reads the whole host from procfs and keeps what it needs for differences.
#[derive(Clone, Debug)]
pub struct HostReader {
    proc: PathBuf,
    last: Vec<CoreTicks>,
    last_disk: (Disk, f64),
}

/// Bytes that went to and came from all disks.
#[derive(Clone, Copy, Debug, Default)]
struct Disk {
    read: i64,
    written: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct CoreTicks {
    busy: u64,
    total: u64,
}

impl HostReader {
    /// This machine.
    pub fn new() -> Self {
        Self::at(Path::new("/proc"))
    }

    /// A machine described by the files of `proc`.
    pub fn at(proc: &Path) -> Self {
        let mut reader =
            Self { proc: proc.to_owned(), last: Vec::new(), last_disk: (Disk::default(), 0.0) };
        reader.last = reader.cores();
        reader.last_disk = (reader.disk(), 0.0);
        reader
    }

    /// The host since the call before.
    pub fn sample(&mut self, t: f64) -> HostSample {
        let cores = self.cores();
        let busy_pct = cores
            .iter()
            .zip(&self.last)
            .map(|(now, before)| {
                let total = now.total.saturating_sub(before.total);
                let busy = now.busy.saturating_sub(before.busy);
                if total == 0 { 0.0 } else { (busy as f64 * 1000.0 / total as f64).round() / 10.0 }
            })
            .collect();
        self.last = cores;
        let memory = self.text("meminfo");
        let sockets = self.text("net/sockstat");
        let disk = self.disk();
        let (before, since) = std::mem::replace(&mut self.last_disk, (disk, t));
        let per_second = |now: i64, before: i64| {
            let passed = t - since;
            if passed > 0.0 { ((now - before).max(0) as f64 / passed).round() as i64 } else { 0 }
        };
        HostSample {
            t,
            busy_pct,
            mem_available: meminfo(&memory, "MemAvailable"),
            mem_free: meminfo(&memory, "MemFree"),
            buffers: meminfo(&memory, "Buffers"),
            cached: meminfo(&memory, "Cached"),
            disk_read_per_s: per_second(disk.read, before.read),
            disk_write_per_s: per_second(disk.written, before.written),
            tcp_in_use: sockstat(&sockets, "inuse"),
            tcp_time_wait: sockstat(&sockets, "tw"),
        }
    }

    /// What does not change.
    pub fn describe(&self) -> Host {
        let cpu_model = self
            .text("cpuinfo")
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
            .map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned());
        Host {
            cpu_model,
            cores: usable_cores() as u64,
            mem_total: meminfo(&self.text("meminfo"), "MemTotal"),
            kernel: self.text("sys/kernel/osrelease").trim().to_owned(),
            cgroup_limits: cgroup_limits(Path::new("/sys/fs/cgroup")),
            generator_shares_host: false,
        }
    }

    fn cores(&self) -> Vec<CoreTicks> {
        self.text("stat").lines().filter_map(core_line).collect()
    }

    /// The sum over whole disks: partitions would count twice, and so would what lies on other disks.
    fn disk(&self) -> Disk {
        // The kernel counts in sectors of 512 bytes, whatever the disk's are.
        const SECTOR: i64 = 512;
        let text = self.text("diskstats");
        let mut sum = Disk::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (Some(name), Some(read), Some(written)) =
                (fields.get(2), fields.get(5), fields.get(9))
            else {
                continue;
            };
            if is_whole_disk(name) {
                sum.read += read.parse::<i64>().unwrap_or(0) * SECTOR;
                sum.written += written.parse::<i64>().unwrap_or(0) * SECTOR;
            }
        }
        sum
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.proc.join(file)).unwrap_or_default()
    }
}

impl Default for HostReader {
    fn default() -> Self {
        Self::new()
    }
}

/// The cores that this process may use, by affinity and control group.
pub fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// `cpu3 user nice system idle iowait irq softirq steal ...`; the line of all cores is left out.
fn core_line(line: &str) -> Option<CoreTicks> {
    let mut fields = line.split_whitespace();
    let name = fields.next()?.strip_prefix("cpu")?;
    if name.is_empty() {
        return None;
    }
    // Guest time is part of user time already.
    let ticks: Vec<u64> = fields.take(8).filter_map(|field| field.parse().ok()).collect();
    let idle = ticks.get(3)? + ticks.get(4).unwrap_or(&0);
    let total: u64 = ticks.iter().sum();
    Some(CoreTicks { busy: total - idle, total })
}

/// `vda`, `sda`, `nvme0n1`, `mmcblk0`; not their partitions, and none that lies on others.
fn is_whole_disk(name: &str) -> bool {
    let lettered = ["sd", "vd", "hd", "xvd"].iter().any(|kind| {
        name.strip_prefix(kind).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_lowercase()))
    });
    let numbered = (name.starts_with("nvme") || name.starts_with("mmcblk")) && !name.contains('p');
    lettered || numbered
}

fn meminfo(text: &str, name: &str) -> i64 {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024)
}

/// The number after a name in `TCP: inuse 5 orphan 0 tw 2 alloc 7 mem 1`.
fn sockstat(text: &str, name: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix("TCP: "))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != name);
    words.nth(1)?.parse().ok()
}

fn cgroup_limits(root: &Path) -> CgroupLimits {
    let text = |file: &str| std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let cpu = text("cpu.max");
    let mut cpu = cpu.split_whitespace().map(str::parse::<f64>);
    CgroupLimits {
        cpu_cores: match (cpu.next(), cpu.next()) {
            (Some(Ok(quota)), Some(Ok(period))) if period > 0.0 => Some(quota / period),
            _ => None,
        },
        memory: text("memory.max").trim().parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_is_the_difference_of_two_samples() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write =
            |stat: &str| std::fs::write(folder.path().join("stat"), stat).expect("a small file");
        write("cpu  1 1 1 1\ncpu0 100 0 50 850 0 0 0 0 0 0\ncpu1 0 0 0 1000 0 0 0 0 0 0\nintr 5\n");
        std::fs::write(
            folder.path().join("meminfo"),
            "MemTotal: 100 kB\nMemFree: 40 kB\nMemAvailable: 60 kB\nBuffers: 3 kB\nCached: 7 kB\n",
        )
        .expect("a small file");
        let disks = |read: u64, written: u64| {
            let line = |name: &str| format!(" 254 0 {name} 1 0 {read} 0 1 0 {written} 0 0 0 0\n");
            let text = format!("{}{}{}", line("vda"), line("vda1"), line("dm-0"));
            std::fs::write(folder.path().join("diskstats"), text).expect("a small file");
        };
        std::fs::create_dir(folder.path().join("net")).expect("a folder");
        let sockets =
            "sockets: used 9\nTCP: inuse 5 orphan 0 tw 2 alloc 7 mem 1\nUDP: inuse 3 mem 0\n";
        std::fs::write(folder.path().join("net/sockstat"), sockets).expect("a small file");
        disks(10, 100);
        let mut reader = HostReader::at(folder.path());
        disks(20, 200);
        write("cpu  1 1 1 1\ncpu0 160 0 80 910 0 0 0 0 0 0\ncpu1 1 0 0 1099 0 0 0 0 0 0\nintr 5\n");
        let sample = reader.sample(5.0);
        assert_eq!(sample.busy_pct, [60.0, 1.0]);
        assert_eq!((sample.mem_available, sample.cached), (60 * 1024, 7 * 1024));
        assert_eq!((sample.tcp_in_use, sample.tcp_time_wait), (Some(5), Some(2)));
        assert_eq!((sample.mem_free, sample.buffers), (40 * 1024, 3 * 1024));
        assert_eq!((sample.disk_read_per_s, sample.disk_write_per_s), (1024, 10_240));
        assert!(is_whole_disk("nvme0n1") && !is_whole_disk("nvme0n1p1") && !is_whole_disk("loop0"));
    }

    #[test]
    fn limits_of_the_control_group_are_read_when_they_are_set() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(cgroup_limits(folder.path()).cpu_cores, None);
        std::fs::write(folder.path().join("cpu.max"), "150000 100000\n").expect("a small file");
        std::fs::write(folder.path().join("memory.max"), "max\n").expect("a small file");
        let limits = cgroup_limits(folder.path());
        assert_eq!((limits.cpu_cores, limits.memory), (Some(1.5), None));
    }
}
