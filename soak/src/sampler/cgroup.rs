//! The control group of a process: its CPU, throttling, memory and pressure, in either version.
//!
//! In a container this is what the limits are about: `memory.current` holds the page cache as well,
//! which is why anonymous memory is told apart.

use std::fs;
use std::path::{Path, PathBuf};

use crate::measure::record::CgroupSample;

/// Where control groups are found on a running machine.
const ROOT: &str = "/sys/fs/cgroup";

/// Reads one control group again and again.
#[derive(Clone, Debug)]
pub enum CgroupReader {
    /// The unified tree: everything in one folder.
    V2(PathBuf),
    /// A folder for each controller.
    V1 {
        /// CPU time.
        cpuacct: PathBuf,
        /// Throttling.
        cpu: PathBuf,
        /// Memory.
        memory: PathBuf,
        /// Storage.
        blkio: PathBuf,
    },
}

impl CgroupReader {
    /// The group of the process `pid` of this machine.
    pub fn of(pid: u32) -> Option<Self> {
        Self::at(Path::new("/proc"), Path::new(ROOT), pid)
    }

    /// The group of a process described by the files of `proc` and `root`.
    pub fn at(proc: &Path, root: &Path, pid: u32) -> Option<Self> {
        let text = fs::read_to_string(proc.join(pid.to_string()).join("cgroup")).ok()?;
        let groups: Vec<(&str, &str)> = text.lines().filter_map(line).collect();
        let v1 = |controller: &str| {
            let (names, path) =
                groups.iter().find(|(names, _)| names.split(',').any(|name| name == controller))?;
            // Mounted under the joined names or under one of them.
            let mounts = [root.join(names), root.join(controller)];
            mounts.into_iter().find_map(|mount| seen(&mount, path))
        };
        if let (Some(memory), Some(cpuacct)) = (v1("memory"), v1("cpuacct")) {
            let cpu = v1("cpu").unwrap_or_else(|| cpuacct.clone());
            let blkio = v1("blkio").unwrap_or_else(|| root.join("blkio"));
            return Some(Self::V1 { cpuacct, cpu, memory, blkio });
        }
        let (_, path) = groups.iter().find(|(names, _)| names.is_empty())?;
        // On a machine with both versions the second has a folder of its own.
        let mounts = [root.to_owned(), root.join("unified")];
        let folder = mounts.into_iter().find_map(|mount| {
            seen(&mount, path).filter(|folder| folder.join("cgroup.controllers").is_file())
        })?;
        Some(Self::V2(folder))
    }

    /// The group now; `None` where it tells nothing.
    pub fn sample(&self, t: f64) -> Option<CgroupSample> {
        let sample = match self {
            Self::V2(folder) => v2(folder, t),
            Self::V1 { cpuacct, cpu, memory, blkio } => v1(cpuacct, cpu, memory, blkio, t),
        };
        (sample.cpu_s.is_some() || sample.memory.is_some()).then_some(sample)
    }
}

/// `ID:CONTROLLERS:PATH`
fn line(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(':')?;
    rest.split_once(':')
}

/// The folder of a group. In a container the path is the host's, and the group is the root that is seen.
fn seen(mount: &Path, path: &str) -> Option<PathBuf> {
    let whole = mount.join(path.trim_start_matches('/'));
    [whole, mount.to_owned()].into_iter().find(|folder| folder.is_dir())
}

fn v2(folder: &Path, t: f64) -> CgroupSample {
    let cpu = text(folder, "cpu.stat");
    let memory = text(folder, "memory.stat");
    let seconds = |name| keyed(&cpu, name).map(|us| us as f64 / 1e6);
    let io = text(folder, "io.stat");
    CgroupSample {
        t,
        version: 2,
        cpu_s: seconds("usage_usec"),
        cpu_user_s: seconds("user_usec"),
        cpu_system_s: seconds("system_usec"),
        throttled: keyed(&cpu, "nr_throttled"),
        throttled_s: seconds("throttled_usec"),
        memory: number(folder, "memory.current"),
        memory_peak: number(folder, "memory.peak"),
        anon: keyed(&memory, "anon"),
        file: keyed(&memory, "file"),
        kernel: keyed(&memory, "kernel"),
        io_read: summed(&io, "rbytes"),
        io_write: summed(&io, "wbytes"),
        cpu_pressure_s: pressure(&text(folder, "cpu.pressure")),
        memory_pressure_s: pressure(&text(folder, "memory.pressure")),
    }
}

fn v1(cpuacct: &Path, cpu: &Path, memory: &Path, blkio: &Path, t: f64) -> CgroupSample {
    let throttling = text(cpu, "cpu.stat");
    let stat = text(memory, "memory.stat");
    let acct = text(cpuacct, "cpuacct.stat");
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let nanos = |value: Option<i64>| value.map(|ns| ns as f64 / 1e9);
    let io = text(blkio, "blkio.throttle.io_service_bytes");
    let operation = |name: &str| {
        let counts: Vec<i64> = io
            .lines()
            .filter_map(|line| {
                let mut fields = line.split_whitespace().skip(1);
                (fields.next()? == name).then(|| fields.next()?.parse().ok())?
            })
            .collect();
        (!counts.is_empty()).then(|| counts.iter().sum())
    };
    CgroupSample {
        t,
        version: 1,
        cpu_s: nanos(number(cpuacct, "cpuacct.usage")),
        cpu_user_s: keyed(&acct, "user").map(|n| n as f64 / ticks),
        cpu_system_s: keyed(&acct, "system").map(|n| n as f64 / ticks),
        throttled: keyed(&throttling, "nr_throttled"),
        throttled_s: nanos(keyed(&throttling, "throttled_time")),
        memory: number(memory, "memory.usage_in_bytes"),
        memory_peak: number(memory, "memory.max_usage_in_bytes"),
        anon: keyed(&stat, "total_rss"),
        file: keyed(&stat, "total_cache"),
        kernel: number(memory, "memory.kmem.usage_in_bytes"),
        io_read: operation("Read"),
        io_write: operation("Write"),
        cpu_pressure_s: None,
        memory_pressure_s: None,
    }
}

fn text(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_default()
}

fn number(folder: &Path, file: &str) -> Option<i64> {
    text(folder, file).trim().parse().ok()
}

/// The number after `NAME `.
fn keyed(text: &str, name: &str) -> Option<i64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

/// The sum of `NAME=` over all lines.
fn summed(text: &str, name: &str) -> Option<i64> {
    let fields = text.split_whitespace();
    let values: Vec<i64> = fields
        .filter_map(|field| field.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
        .collect();
    (!values.is_empty()).then(|| values.iter().sum())
}

/// The time that some task waited, out of `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`.
fn pressure(text: &str) -> Option<f64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    Some(summed(some, "total")? as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a small file");
        }
        folder
    }

    fn reader(tree: &tempfile::TempDir) -> Option<CgroupReader> {
        CgroupReader::at(&tree.path().join("proc"), &tree.path().join("cgroup"), 42)
    }

    #[test]
    fn the_unified_tree_is_read() {
        let tree = tree(&[
            ("proc/42/cgroup", "0::/kubepods/pod1\n"),
            ("cgroup/cgroup.controllers", "cpu memory\n"),
            ("cgroup/kubepods/pod1/cgroup.controllers", "cpu memory\n"),
            (
                "cgroup/kubepods/pod1/cpu.stat",
                "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\nnr_periods 9\nnr_throttled 3\nthrottled_usec 40000\n",
            ),
            ("cgroup/kubepods/pod1/memory.current", "1048576\n"),
            ("cgroup/kubepods/pod1/memory.peak", "2097152\n"),
            (
                "cgroup/kubepods/pod1/memory.stat",
                "anon 700000\nfile 300000\nkernel 40000\nkernel_stack 1\n",
            ),
            (
                "cgroup/kubepods/pod1/io.stat",
                "8:0 rbytes=100 wbytes=5 rios=1\n8:16 rbytes=20 wbytes=7 rios=1\n",
            ),
            (
                "cgroup/kubepods/pod1/cpu.pressure",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n",
            ),
        ]);
        let sample = reader(&tree).expect("a group").sample(7.0).expect("figures");
        assert_eq!((sample.version, sample.cpu_s, sample.cpu_user_s), (2, Some(2.5), Some(2.0)));
        assert_eq!((sample.throttled, sample.throttled_s), (Some(3), Some(0.04)));
        assert_eq!((sample.memory, sample.memory_peak), (Some(1_048_576), Some(2_097_152)));
        assert_eq!(
            (sample.anon, sample.file, sample.kernel),
            (Some(700_000), Some(300_000), Some(40_000))
        );
        assert_eq!((sample.io_read, sample.io_write), (Some(120), Some(12)));
        assert_eq!((sample.cpu_pressure_s, sample.memory_pressure_s), (Some(1.5), None));
    }

    #[test]
    fn the_first_versions_folders_are_read() {
        let tree = tree(&[
            (
                "proc/42/cgroup",
                "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n3:blkio:/docker/abc\n1:name=systemd:/docker/abc\n",
            ),
            ("cgroup/memory/docker/abc/memory.usage_in_bytes", "5000\n"),
            ("cgroup/memory/docker/abc/memory.max_usage_in_bytes", "9000\n"),
            (
                "cgroup/memory/docker/abc/memory.stat",
                "cache 1\nrss 2\ntotal_cache 1500\ntotal_rss 3000\n",
            ),
            ("cgroup/cpu,cpuacct/docker/abc/cpuacct.usage", "1500000000\n"),
            ("cgroup/cpu,cpuacct/docker/abc/cpuacct.stat", "user 100\nsystem 50\n"),
            (
                "cgroup/cpu,cpuacct/docker/abc/cpu.stat",
                "nr_periods 1\nnr_throttled 4\nthrottled_time 2000000000\n",
            ),
            (
                "cgroup/blkio/docker/abc/blkio.throttle.io_service_bytes",
                "8:0 Read 10\n8:0 Write 20\n8:16 Read 1\nTotal 31\n",
            ),
        ]);
        let sample = reader(&tree).expect("a group").sample(0.0).expect("figures");
        assert_eq!((sample.version, sample.cpu_s), (1, Some(1.5)));
        assert_eq!((sample.throttled, sample.throttled_s), (Some(4), Some(2.0)));
        assert_eq!((sample.memory, sample.memory_peak), (Some(5000), Some(9000)));
        assert_eq!((sample.anon, sample.file), (Some(3000), Some(1500)));
        assert_eq!((sample.io_read, sample.io_write), (Some(11), Some(20)));
    }

    #[test]
    fn a_container_sees_its_group_as_the_root() {
        let tree = tree(&[
            ("proc/42/cgroup", "0::/../../host/path\n"),
            ("cgroup/cgroup.controllers", "cpu memory\n"),
            ("cgroup/memory.current", "77\n"),
        ]);
        let reader = reader(&tree).expect("a group");
        assert_eq!(reader.sample(0.0).and_then(|sample| sample.memory), Some(77));
    }

    #[test]
    fn where_there_is_no_group_nothing_is_told() {
        assert!(reader(&tree(&[])).is_none());
        assert!(reader(&tree(&[("proc/42/cgroup", "0::/x\n")])).is_none());
        let bare = tree(&[("proc/42/cgroup", "0::/\n"), ("cgroup/cgroup.controllers", "\n")]);
        assert!(reader(&bare).expect("a group").sample(0.0).is_none());
    }
}
