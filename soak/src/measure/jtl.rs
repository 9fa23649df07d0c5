//! Every request as a line of JMeter's CSV result file, written as it ends, so that scripts and reports
//! made for those files go on working.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::endpoint::Endpoint;
use super::recorder::{Outcome, Sample};

/// JMeter's default columns.
const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
                      failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n";

/// The open file.
#[derive(Debug)]
pub struct Jtl {
    file: Mutex<BufWriter<File>>,
    base: String,
    broken: AtomicBool,
}

impl Jtl {
    /// Makes the file and writes its header; `base` is the target's address.
    pub fn create(path: &Path, base: &str) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(HEADER.as_bytes())?;
        Ok(Self { file: Mutex::new(file), base: base.to_owned(), broken: AtomicBool::new(false) })
    }

    /// Writes one line. A disk that is full ends the file, not the run.
    pub fn write(&self, endpoint: Endpoint, who: &str, users: u64, sample: &Sample) {
        let line = line(&self.base, endpoint, who, users, sample, jiff::Timestamp::now());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.broken.load(Ordering::Relaxed) && file.write_all(line.as_bytes()).is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Writes what is buffered; says whether the file is whole.
    pub fn finish(&self) -> bool {
        let flushed = self.file.lock().unwrap_or_else(PoisonError::into_inner).flush().is_ok();
        flushed && !self.broken.load(Ordering::Relaxed)
    }
}

fn line(
    base: &str,
    endpoint: Endpoint,
    who: &str,
    users: u64,
    sample: &Sample,
    ended: jiff::Timestamp,
) -> String {
    let started = ended.as_millisecond() - (sample.us / 1000) as i64;
    let (success, failure, message) = match &sample.outcome {
        Outcome::Ok => (true, String::new(), "OK"),
        Outcome::Wrong(words) => (false, words.clone(), "OK"),
        Outcome::Failed { class, sample } => (false, sample.clone(), class.as_str()),
    };
    // JMeter writes the class of an exception where there is no status.
    let code = sample.status.map_or_else(|| "Non HTTP response code".to_owned(), |s| s.to_string());
    let millis = |us: Option<u64>| us.unwrap_or(0) / 1000;
    format!(
        "{started},{},{},{},{},{},text,{success},{},{},{},{users},{users},{},{},0,{}\n",
        sample.us / 1000,
        endpoint.name(),
        code,
        quoted(message),
        quoted(who),
        quoted(&failure),
        sample.bytes_in,
        sample.bytes_out,
        quoted(&format!("{base}{}", endpoint.path())),
        millis(sample.ttfb_us),
        millis(Some(sample.connect_us.unwrap_or(0) + sample.tls_us.unwrap_or(0))),
    )
}

/// A field as CSV has it: in quotes where it holds a comma, a quote or a line's end.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_columns_of_the_header() {
        let sample = Sample {
            us: 12_345,
            ttfb_us: Some(11_000),
            status: Some(200),
            bytes_in: 19,
            bytes_out: 200,
            outcome: Outcome::Wrong("expected Permit, got \"Deny\"".into()),
            ..Sample::default()
        };
        let ended = jiff::Timestamp::from_millisecond(1_700_000_000_012).expect("a moment");
        let line = line("http://h/", Endpoint::GuardMinMax, "soak-decisions-1", 30, &sample, ended);
        assert_eq!(
            line,
            "1700000000000,12,guard-minmax,200,OK,soak-decisions-1,text,false,\
             \"expected Permit, got \"\"Deny\"\"\",19,200,30,30,http://h/policy/pdpx/v1/decision,11,0,0\n"
        );
        assert_eq!(HEADER.matches(',').count(), 16);
    }
}
