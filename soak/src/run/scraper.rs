//! Reads the service's metrics page beside the load, so that a slow page never holds up the clock.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::measure::record::ProcessSample;
use crate::plan::Station;
use crate::sampler::scrape;
use crate::target::Target;

/// The latest reading of the page.
#[derive(Clone, Debug)]
pub(super) struct Scraper {
    latest: Arc<Mutex<Option<(Instant, ProcessSample)>>>,
    fresh_for: Duration,
}

impl Scraper {
    /// Starts reading, once per interval.
    pub(super) fn start(runtime: &Runtime, target: &Target, station: &Station) -> Option<Self> {
        let client = station.client.builder(target.url.scheme(), None).build().ok()?;
        let url = target.join("metrics");
        let every = station.legs.first()?.timing.interval;
        let latest: Arc<Mutex<Option<(Instant, ProcessSample)>>> = Arc::default();
        let slot = Arc::clone(&latest);
        runtime.spawn(async move {
            let mut ticks = tokio::time::interval(every);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Ok(response) = client.get(url.clone()).send().await else {
                    continue;
                };
                let Ok(page) = response.text().await else {
                    continue;
                };
                let sample = scrape::process_sample(&page, 0.0);
                *slot.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((Instant::now(), sample));
            }
        });
        Some(Self { latest, fresh_for: every * 2 + Duration::from_secs(1) })
    }

    /// The latest reading, unless it is old.
    pub(super) fn latest(&self, t: f64) -> Option<ProcessSample> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let (read, sample) = latest.as_ref()?;
        (read.elapsed() <= self.fresh_for).then(|| ProcessSample { t, ..sample.clone() })
    }
}
