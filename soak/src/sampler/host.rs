//! The machine that makes the load.

use std::path::{Path, PathBuf};

use crate::measure::record::{CgroupLimits, Host, HostSample};

/// Reads the whole host from procfs and keeps what it needs for differences.
#[derive(Debug)]
pub struct HostReader {
    proc: PathBuf,
    last: Vec<CoreTicks>,
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
        let mut reader = Self { proc: proc.to_owned(), last: Vec::new() };
        reader.last = reader.cores();
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
        HostSample {
            t,
            busy_pct,
            mem_available: meminfo(&memory, "MemAvailable"),
            cached: meminfo(&memory, "Cached"),
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

fn meminfo(text: &str, name: &str) -> i64 {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024)
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
            "MemTotal: 100 kB\nMemAvailable: 60 kB\nCached: 7 kB\n",
        )
        .expect("a small file");
        let mut reader = HostReader::at(folder.path());
        write("cpu  1 1 1 1\ncpu0 160 0 80 910 0 0 0 0 0 0\ncpu1 1 0 0 1099 0 0 0 0 0 0\nintr 5\n");
        let sample = reader.sample(5.0);
        assert_eq!(sample.busy_pct, [60.0, 1.0]);
        assert_eq!((sample.mem_available, sample.cached), (60 * 1024, 7 * 1024));
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
