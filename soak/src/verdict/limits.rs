//! Limits of rules: which make sense, and in which units they are written.

use super::rules::{Metric, Op};

/// Whether a figure of this metric could be on either side of the limit.
pub(super) fn possible(metric: Metric, op: Op, value: f64) -> Result<(), &'static str> {
    if !value.is_finite() {
        return Err("this number is too large");
    }
    match metric {
        // These can shrink.
        Metric::RssDelta | Metric::FdsDelta | Metric::ThreadsDelta => Ok(()),
        _ if value < 0.0 => Err("this can never be below zero; write a positive limit"),
        // A trend that is not there is 0 %, and one can fall.
        Metric::Drift | Metric::TpsDrift => Ok(()),
        _ if value == 0.0 && op == Op::Less => {
            Err("nothing is below zero; write `<= 0`, or a positive limit")
        }
        _ if value == 0.0 && op == Op::AtLeast => {
            Err("everything is at least zero; write a positive limit")
        }
        Metric::ErrorRate if value > 100.0 => Err("a rate is at most 100 %"),
        Metric::ErrorRate if value == 100.0 && matches!(op, Op::AtMost | Op::More) => {
            Err("a rate is at most 100 %, so this says nothing; write a smaller limit")
        }
        _ => Ok(()),
    }
}

/// From the written unit to that of the limit.
pub(super) fn factor(metric: Metric, unit: &str) -> Result<f64, &'static str> {
    const SIZES: [(&str, f64); 6] = [
        ("B", 1.0),
        ("KiB", 1024.0),
        ("kB", 1e3),
        ("MiB", 1048576.0),
        ("MB", 1e6),
        ("GiB", 1073741824.0),
    ];
    let size = |unit: &str| SIZES.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    match metric {
        Metric::Percentile(_)
        | Metric::Average
        | Metric::Max
        | Metric::First
        | Metric::CpuPerRequest => match unit {
            "us" => Ok(1.0),
            "ms" => Ok(1e3),
            "s" => Ok(1e6),
            _ => Err("write us, ms or s after the number"),
        },
        Metric::ErrorRate | Metric::Drift | Metric::TpsDrift => match unit {
            "%" => Ok(1.0),
            _ => Err("write % after the number"),
        },
        Metric::RssDelta => size(unit).ok_or("write KiB, MiB or GiB after the number"),
        Metric::Leak => {
            unit.strip_suffix("/min").and_then(size).ok_or("write a tolerance such as 16KiB/min")
        }
        Metric::Tps => match unit {
            "" | "/s" => Ok(1.0),
            _ => Err("write requests per second, with no unit"),
        },
        Metric::Errors | Metric::FdsDelta | Metric::ThreadsDelta => match unit {
            "" => Ok(1.0),
            _ => Err("write a plain number"),
        },
    }
}
