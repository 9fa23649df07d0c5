//! What the service, the generator and the host use while the load runs.
//!
//! A local process is read from procfs, a distant one through its metrics page; both fill the
//! same fields. What a source does not tell stays absent.

pub mod cgroup;
pub mod host;
pub mod process;
pub mod scrape;

mod sockets;

use crate::measure::record::{ContextSwitches, Faults, Io, ProcessSample, TcpStates};
use crate::measure::series::round3;

/// The change from one sample to another, field by field; a peak is the later one's.
pub fn delta(before: &ProcessSample, after: &ProcessSample) -> ProcessSample {
    let int = |a: Option<i64>, b: Option<i64>| Some(b? - a?);
    let float = |a: Option<f64>, b: Option<f64>| Some(round3(b? - a?));
    ProcessSample {
        t: round3(after.t - before.t),
        cpu_s: float(before.cpu_s, after.cpu_s),
        cpu_user_s: float(before.cpu_user_s, after.cpu_user_s),
        cpu_system_s: float(before.cpu_system_s, after.cpu_system_s),
        rss: int(before.rss, after.rss),
        rss_peak: after.rss_peak,
        pss: int(before.pss, after.pss),
        private_dirty: int(before.private_dirty, after.private_dirty),
        file: int(before.file, after.file),
        anon: int(before.anon, after.anon),
        swap: int(before.swap, after.swap),
        heap: before.heap.as_ref().zip(after.heap.as_ref()).map(|(a, b)| {
            crate::measure::record::Heap {
                allocated: int(a.allocated, b.allocated),
                active: int(a.active, b.active),
                resident: int(a.resident, b.resident),
                mapped: int(a.mapped, b.mapped),
                retained: int(a.retained, b.retained),
            }
        }),
        faults: before
            .faults
            .as_ref()
            .zip(after.faults.as_ref())
            .map(|(a, b)| Faults { min: b.min - a.min, maj: b.maj - a.maj }),
        fds: int(before.fds, after.fds),
        sockets: int(before.sockets, after.sockets),
        tcp: before.tcp.as_ref().zip(after.tcp.as_ref()).map(|(a, b)| TcpStates {
            established: b.established - a.established,
            close_wait: b.close_wait - a.close_wait,
            listen: b.listen - a.listen,
            other: b.other - a.other,
        }),
        threads: int(before.threads, after.threads),
        ctx: before
            .ctx
            .as_ref()
            .zip(after.ctx.as_ref())
            .map(|(a, b)| ContextSwitches { vol: b.vol - a.vol, invol: b.invol - a.invol }),
        run_delay_ns: int(before.run_delay_ns, after.run_delay_ns),
        io: before
            .io
            .as_ref()
            .zip(after.io.as_ref())
            .map(|(a, b)| Io { read: b.read - a.read, write: b.write - a.write }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_needs_both_sides() {
        let before = ProcessSample {
            t: 1.0,
            cpu_s: Some(2.5),
            rss: Some(100),
            fds: Some(9),
            ..Default::default()
        };
        let after = ProcessSample {
            t: 11.0,
            cpu_s: Some(4.0),
            rss: Some(60),
            rss_peak: Some(120),
            ..Default::default()
        };
        let delta = delta(&before, &after);
        assert_eq!(
            (delta.t, delta.cpu_s, delta.rss, delta.rss_peak),
            (10.0, Some(1.5), Some(-40), Some(120))
        );
        assert_eq!(delta.fds, None);
    }
}
