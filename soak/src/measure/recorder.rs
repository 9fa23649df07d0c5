//! Where the users leave their measurements. One short lock per endpoint; nothing grows with the
//! length of the run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::endpoint::Endpoint;
use super::histogram::Latencies;
use super::jtl::Jtl;
use super::record::ErrorClass;

/// More kinds of error than this are counted together as `other`.
const MOST_CLASSES: usize = 24;
/// So many wrong decisions are kept in words; all are counted.
const MOST_WRONG_SAMPLES: usize = 5;

/// One finished exchange.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// From sending to the last byte of the answer, in microseconds.
    pub us: u64,
    /// From sending to the answer's headers, in microseconds; absent if none came.
    pub ttfb_us: Option<u64>,
    /// Making the connection, where one was made, in microseconds.
    pub connect_us: Option<u64>,
    /// The TLS handshake within that, in microseconds.
    pub tls_us: Option<u64>,
    /// From the intended moment of sending, in microseconds, where there was one.
    pub corrected_us: Option<u64>,
    /// The HTTP status, if an answer came.
    pub status: Option<u16>,
    /// Bytes of the answer's body.
    pub bytes_in: u64,
    /// Bytes of the request's body.
    pub bytes_out: u64,
    /// What the answer was worth.
    pub outcome: Outcome,
}

/// What an answer was worth: the three counts of a request, which add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The expected answer.
    #[default]
    Ok,
    /// A proper answer with another decision than the expected one.
    Wrong(String),
    /// No proper answer.
    Failed {
        /// The kind of failure; a small set of words.
        class: String,
        /// This failure in full.
        sample: String,
    },
}

/// The counts and times of one endpoint over some stretch of the run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Whole exchanges.
    pub latencies: Latencies,
    /// Until the answer's headers.
    pub ttfb: Latencies,
    /// Making connections.
    pub connect: Latencies,
    /// TLS handshakes.
    pub tls: Latencies,
    /// From the intended moments of sending.
    pub corrected: Latencies,
    /// Expected answers.
    pub ok: u64,
    /// Answers with another decision.
    pub wrong: u64,
    /// Failures.
    pub failed: u64,
    /// Bytes of answers' bodies.
    pub bytes_in: u64,
    /// Bytes of requests' bodies.
    pub bytes_out: u64,
    /// Answers by HTTP status.
    pub status: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, (u64, String)>,
    /// The first wrong decisions in words.
    pub wrong_samples: Vec<String>,
}

impl Tally {
    /// All requests.
    pub fn count(&self) -> u64 {
        self.ok + self.wrong + self.failed
    }

    /// Takes one exchange.
    pub fn record(&mut self, sample: Sample) {
        self.latencies.record(sample.us);
        for (times, us) in [
            (&mut self.ttfb, sample.ttfb_us),
            (&mut self.connect, sample.connect_us),
            (&mut self.tls, sample.tls_us),
            (&mut self.corrected, sample.corrected_us),
        ] {
            us.into_iter().for_each(|us| times.record(us));
        }
        self.bytes_in += sample.bytes_in;
        self.bytes_out += sample.bytes_out;
        if let Some(status) = sample.status {
            *self.status.entry(status).or_default() += 1;
        }
        match sample.outcome {
            Outcome::Ok => self.ok += 1,
            Outcome::Wrong(words) => {
                self.wrong += 1;
                self.keep_wrong(words);
            }
            Outcome::Failed { class, sample } => {
                self.failed += 1;
                self.add_errors(&class, 1, &sample);
            }
        }
    }

    /// Adds the counts of another, without its times.
    pub fn add_counts(&mut self, other: &Self) {
        self.ok += other.ok;
        self.wrong += other.wrong;
        self.failed += other.failed;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        for (status, count) in &other.status {
            *self.status.entry(*status).or_default() += count;
        }
        for (class, (count, sample)) in &other.errors {
            self.add_errors(class, *count, sample);
        }
        other.wrong_samples.iter().for_each(|words| self.keep_wrong(words.clone()));
    }

    /// Adds the times of another.
    pub fn add_times(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        self.ttfb.add(&other.ttfb);
        self.connect.add(&other.connect);
        self.tls.add(&other.tls);
        self.corrected.add(&other.corrected);
    }

    /// Forgets everything and keeps the memory.
    pub fn reset(&mut self) {
        let [latencies, ttfb, connect, tls, corrected] = [
            &mut self.latencies,
            &mut self.ttfb,
            &mut self.connect,
            &mut self.tls,
            &mut self.corrected,
        ]
        .map(|times| {
            times.reset();
            std::mem::take(times)
        });
        *self = Self { latencies, ttfb, connect, tls, corrected, ..Self::default() };
    }

    /// The failures as the record keeps them, the most frequent first.
    pub fn error_classes(&self) -> Vec<ErrorClass> {
        let mut classes: Vec<ErrorClass> = self
            .errors
            .iter()
            .map(|(class, (count, sample))| ErrorClass {
                class: class.clone(),
                count: *count,
                sample: sample.clone(),
            })
            .collect();
        classes.sort_by_key(|class| std::cmp::Reverse(class.count));
        classes
    }

    fn keep_wrong(&mut self, words: String) {
        if self.wrong_samples.len() < MOST_WRONG_SAMPLES {
            self.wrong_samples.push(words);
        }
    }

    fn add_errors(&mut self, class: &str, count: u64, sample: &str) {
        let known = self.errors.contains_key(class) || self.errors.len() < MOST_CLASSES;
        let class = if known { class } else { "other" };
        let entry = self.errors.entry(class.to_owned()).or_insert_with(|| (0, sample.to_owned()));
        entry.0 += count;
    }
}

/// The meeting place of users and clock.
#[derive(Debug, Default)]
pub struct Recorder {
    cells: [Mutex<Tally>; Endpoint::COUNT],
    ok: AtomicU64,
    slowest_ok_us: AtomicU64,
    users: AtomicU64,
    /// Where each request is written as a line, if anywhere.
    jtl: Option<std::sync::Arc<Jtl>>,
}

impl Recorder {
    /// One that also writes each request as a line.
    pub fn new(jtl: Option<std::sync::Arc<Jtl>>) -> Self {
        Self { jtl, ..Self::default() }
    }

    /// Takes one exchange of an endpoint by `who`.
    pub fn record(&self, endpoint: Endpoint, who: &str, sample: Sample) {
        if let Some(jtl) = &self.jtl {
            jtl.write(endpoint, who, self.users(), &sample);
        }
        if sample.outcome == Outcome::Ok {
            self.ok.fetch_add(1, Ordering::Relaxed);
            self.slowest_ok_us.fetch_max(sample.us, Ordering::Relaxed);
        }
        self.cell(endpoint).record(sample);
    }

    /// Hands over what has come in since the last call. `tallies` must be reset and as long as
    /// [`Endpoint::ALL`]; they are exchanged with the recorder's, so no lock is held for long.
    pub fn take(&self, tallies: &mut [Tally; Endpoint::COUNT]) {
        for endpoint in Endpoint::ALL {
            std::mem::swap(&mut *self.cell(endpoint), &mut tallies[endpoint.index()]);
        }
    }

    /// Expected answers since the start: moves as long as the service answers.
    pub fn answered(&self) -> u64 {
        self.ok.load(Ordering::Relaxed)
    }

    /// The longest that an expected answer took, in microseconds.
    pub fn slowest_answer_us(&self) -> u64 {
        self.slowest_ok_us.load(Ordering::Relaxed)
    }

    /// A user starts.
    pub fn user_started(&self) {
        self.users.fetch_add(1, Ordering::Relaxed);
    }

    /// A user stops.
    pub fn user_stopped(&self) {
        self.users.fetch_sub(1, Ordering::Relaxed);
    }

    /// Users that are running.
    pub fn users(&self) -> u64 {
        self.users.load(Ordering::Relaxed)
    }

    fn cell(&self, endpoint: Endpoint) -> std::sync::MutexGuard<'_, Tally> {
        // A tally is only ever added to, so one left behind by a panic is still sound.
        self.cells[endpoint.index()].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(us: u64, outcome: Outcome) -> Sample {
        Sample {
            us,
            ttfb_us: Some(us / 2),
            status: Some(200),
            bytes_in: 10,
            bytes_out: 20,
            outcome,
            ..Sample::default()
        }
    }

    #[test]
    fn the_three_counts_add_up_and_are_handed_over_once() {
        let recorder = Recorder::default();
        recorder.record(Endpoint::Monitoring, "u", sample(10, Outcome::Ok));
        recorder.record(Endpoint::Monitoring, "u", sample(20, Outcome::Wrong("no".into())));
        recorder.record(
            Endpoint::Monitoring,
            "u",
            sample(30, Outcome::Failed { class: "timeout".into(), sample: "after 1 s".into() }),
        );
        let mut tallies: [Tally; Endpoint::COUNT] = Default::default();
        recorder.take(&mut tallies);
        let tally = &tallies[Endpoint::Monitoring.index()];
        assert_eq!((tally.count(), tally.ok, tally.wrong, tally.failed), (3, 1, 1, 1));
        assert_eq!((tally.bytes_in, tally.bytes_out, tally.status[&200]), (30, 60, 3));
        assert_eq!((recorder.answered(), recorder.slowest_answer_us()), (1, 10));

        tallies.iter_mut().for_each(Tally::reset);
        recorder.take(&mut tallies);
        assert_eq!(tallies.iter().map(Tally::count).sum::<u64>(), 0);
    }

    #[test]
    fn words_about_trouble_stay_few_and_counts_stay_whole() {
        let mut tally = Tally::default();
        for number in 0..100 {
            let class = format!("kind {number}");
            tally.record(sample(1, Outcome::Failed { class, sample: String::new() }));
            tally.record(sample(1, Outcome::Wrong(number.to_string())));
        }
        assert_eq!(tally.errors.len(), MOST_CLASSES + 1);
        assert_eq!(tally.error_classes().iter().map(|class| class.count).sum::<u64>(), 100);
        assert_eq!(tally.error_classes()[0].class, "other");
        assert_eq!((tally.wrong, tally.wrong_samples.len()), (100, MOST_WRONG_SAMPLES));
    }
}
