//! What is read at each edge of an interval: service, generator, host.

use std::thread;
use std::time::{Duration, Instant};

use super::scraper::Scraper;
use crate::measure::histogram::Latencies;
use crate::measure::record::{HostSample, ProcessSample, Resources, Source};
use crate::measure::series::round3;
use crate::sampler;
use crate::sampler::cgroup::CgroupReader;
use crate::sampler::host::{HostReader, usable_cores};
use crate::sampler::process::ProcessReader;

/// The costly part of a sample is taken this often.
const DEEP_EVERY: Duration = Duration::from_secs(30);

/// What an interval cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) generator_share: f64,
    pub(super) generator_cores: f64,
    pub(super) server_cores: Option<f64>,
    pub(super) host_busy_pct: f64,
}

/// The readers of service, generator and host, and what they have read.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    server: Option<ProcessReader>,
    scraper: Option<Scraper>,
    generator: ProcessReader,
    host: HostReader,
    cgroup: Option<CgroupReader>,
    /// What sampling costs the generator itself.
    cost: Latencies,
    pub(super) resources: Resources,
    last_deep: Option<Instant>,
    generator_cpu: f64,
    taken: Instant,
}

impl Watch {
    pub(super) fn new(pid: Option<u32>, scraper: Option<Scraper>) -> Self {
        let source = match (pid, &scraper) {
            (Some(_), _) => Source::Procfs,
            (None, Some(_)) => Source::Metrics,
            (None, None) => Source::None,
        };
        Self {
            server: pid.map(ProcessReader::new),
            scraper,
            generator: ProcessReader::own(),
            host: HostReader::new(),
            cgroup: pid.and_then(CgroupReader::of),
            cost: Latencies::default(),
            resources: Resources { source, ..Resources::default() },
            last_deep: None,
            generator_cpu: 0.0,
            taken: Instant::now(),
        }
    }

    /// The service and the generator before the load.
    pub(super) fn first(&mut self, t: f64) {
        // The metrics page is read beside; give it the time to be read once.
        let deadline = Instant::now() + Duration::from_secs(2);
        while self.scraper.as_ref().is_some_and(|scraper| scraper.latest(0.0).is_none())
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(10));
        }
        let t = round3(t);
        self.resources.before = self.server_sample(t, true);
        self.resources.server.extend(self.resources.before.clone());
        if let Some(generator) = self.generator.sample(t, false) {
            self.generator_cpu = generator.cpu_s.unwrap_or_default();
            self.resources.generator.push(slim(generator));
        }
        self.taken = Instant::now();
    }

    /// One row of each series.
    pub(super) fn take(&mut self, t: f64) -> Load {
        let began = Instant::now();
        let t = round3(t);
        let passed = self.taken.elapsed().as_secs_f64().max(1e-3);
        self.taken = Instant::now();
        let deep = self.last_deep.is_none_or(|last| last.elapsed() >= DEEP_EVERY);
        let mut load = Load::default();
        if let Some(server) = self.server_sample(t, deep) {
            let before = self.resources.server.last().and_then(|sample| sample.cpu_s);
            load.server_cores =
                server.cpu_s.zip(before).map(|(now, before)| (now - before) / passed);
            self.resources.server.push(server);
        }
        if let Some(generator) = self.generator.sample(t, false) {
            let cpu = generator.cpu_s.unwrap_or_default();
            load.generator_cores = (cpu - self.generator_cpu) / passed;
            load.generator_share = load.generator_cores / usable_cores() as f64;
            self.generator_cpu = cpu;
            self.resources.generator.push(slim(generator));
        }
        let host: HostSample = self.host.sample(t);
        if !host.busy_pct.is_empty() {
            load.host_busy_pct = host.busy_pct.iter().sum::<f64>() / host.busy_pct.len() as f64;
        }
        self.resources.host.push(host);
        if deep {
            self.resources.cgroup.extend(self.cgroup.as_ref().and_then(|group| group.sample(t)));
        }
        self.cost.record(began.elapsed().as_micros().max(1) as u64);
        load
    }

    /// The service after the load, and all the series.
    pub(super) fn last(mut self, t: f64) -> Resources {
        let after = self.server_sample(round3(t), true);
        // A service that died is described by the last sample it left.
        self.resources.after = after.or_else(|| self.resources.server.last().cloned());
        self.resources.delta = self
            .resources
            .before
            .as_ref()
            .zip(self.resources.after.as_ref())
            .map(|(before, after)| sampler::delta(before, after));
        self.resources.sampling_us = self.cost.stats();
        self.resources
    }

    fn server_sample(&mut self, t: f64, deep: bool) -> Option<ProcessSample> {
        let page = self.scraper.as_ref().and_then(|scraper| scraper.latest(t));
        if deep {
            self.last_deep = Some(Instant::now());
        }
        match &self.server {
            Some(reader) => {
                let mut sample = reader.sample(t, deep)?;
                sample.heap = page.and_then(|page| page.heap);
                Some(sample)
            }
            None => page,
        }
    }
}

/// What is worth keeping of the generator's own samples.
fn slim(sample: ProcessSample) -> ProcessSample {
    ProcessSample {
        t: sample.t,
        cpu_s: sample.cpu_s,
        rss: sample.rss,
        fds: sample.fds,
        threads: sample.threads,
        ..ProcessSample::default()
    }
}
