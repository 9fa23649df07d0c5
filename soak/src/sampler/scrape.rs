//! The same figures from the service's metrics page, for what procfs cannot tell (the allocator)
//! and for a process on another machine.

use crate::measure::record::{Heap, ProcessSample};

/// One line of the page.
struct Line<'a> {
    name: &'a str,
    labels: &'a str,
    value: f64,
}

/// Reads what the page tells about its process.
pub fn process_sample(page: &str, t: f64) -> ProcessSample {
    let mut sample = ProcessSample { t, ..Default::default() };
    let mut heap = Heap::default();
    for line in lines(page) {
        let whole = Some(line.value as i64);
        match line.name {
            "process_cpu_seconds_total" => sample.cpu_s = Some(line.value),
            "process_resident_memory_bytes" => sample.rss = whole,
            "process_open_fds" => sample.fds = whole,
            "process_threads" => sample.threads = whole,
            "pdp_allocator_bytes" => match label(line.labels, "state") {
                Some("allocated") => heap.allocated = whole,
                Some("active") => heap.active = whole,
                Some("resident") => heap.resident = whole,
                Some("mapped") => heap.mapped = whole,
                Some("retained") => heap.retained = whole,
                _ => {}
            },
            _ => {}
        }
    }
    sample.heap = (heap != Heap::default()).then_some(heap);
    sample
}

/// The version that the service gives of itself.
pub fn version(page: &str) -> Option<String> {
    lines(page)
        .find(|line| line.name == "pdp_build_info")
        .and_then(|line| label(line.labels, "version"))
        .map(str::to_owned)
}

fn lines(page: &str) -> impl Iterator<Item = Line<'_>> {
    page.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (series, value) = match line.rfind('}') {
            Some(end) => line.split_at(end + 1),
            None => line.split_at(line.find(' ')?),
        };
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        // A time stamp may follow the value.
        let value = value.split_whitespace().next()?.parse().ok()?;
        Some(Line { name: name.trim(), labels: labels.trim_end_matches('}'), value })
    })
}

/// The value of one label. Values here hold no quotes, so none is unescaped.
fn label<'a>(labels: &'a str, name: &str) -> Option<&'a str> {
    labels.split(',').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# HELP process_cpu_seconds_total Total user and system CPU time\n\
        # TYPE process_cpu_seconds_total counter\n\
        process_cpu_seconds_total 12.5\n\
        process_open_fds 17\n\
        process_resident_memory_bytes 20971520\n\
        process_threads 9 1700000000000\n\
        pdp_allocator_bytes{state=\"allocated\"} 1.5e6\n\
        pdp_allocator_bytes{state=\"retained\",extra=\"x\"} 42\n\
        pdp_build_info{version=\"0.1.0\",revision=\"abc\"} 1\n\
        broken_line\n\
        pdpx_policy_decisions_total{application=\"guard\",status=\"permit\"} 5\n";

    #[test]
    fn the_same_fields_come_from_the_metrics_page() {
        let sample = process_sample(PAGE, 3.0);
        let expected = ProcessSample {
            t: 3.0,
            cpu_s: Some(12.5),
            rss: Some(20_971_520),
            fds: Some(17),
            threads: Some(9),
            heap: Some(Heap {
                allocated: Some(1_500_000),
                retained: Some(42),
                ..Default::default()
            }),
            ..Default::default()
        };
        assert_eq!(sample, expected);
        assert_eq!(version(PAGE).as_deref(), Some("0.1.0"));
    }

    #[test]
    fn another_page_gives_nothing() {
        let sample = process_sample("<html>not metrics</html>\n", 0.0);
        assert_eq!(sample, ProcessSample::default());
        assert_eq!(version(""), None);
    }
}
