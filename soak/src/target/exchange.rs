//! One exchange: from the moment of sending to the last byte of the answer, then its worth.

use std::error::Error;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::Response;

use crate::measure::recorder::{Outcome, Sample};
use crate::oracle::Expectation;

/// An answer larger than this is not read to its end.
const LARGEST_BODY: usize = 16 << 20;

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub struct InFlight {
    started: Instant,
    bytes_out: u64,
}

impl InFlight {
    /// Begins to measure; `bytes_out` is the size of the request's body.
    pub fn begin(bytes_out: usize) -> Self {
        Self { started: Instant::now(), bytes_out: bytes_out as u64 }
    }

    /// Reads the answer to its end, stops measuring, and then compares it with the expected one.
    pub async fn finish(
        self,
        answer: Result<Response, reqwest::Error>,
        expected: &Expectation,
    ) -> Sample {
        let response = match answer {
            Ok(response) => response,
            Err(error) => return self.failed(&error, None, None),
        };
        let ttfb_us = micros(self.started.elapsed());
        let status = response.status().as_u16();
        match read(response).await {
            Ok(body) => Sample {
                us: micros(self.started.elapsed()),
                ttfb_us: Some(ttfb_us),
                status: Some(status),
                bytes_in: body.len() as u64,
                bytes_out: self.bytes_out,
                outcome: expected.check(status, &body),
                ..Sample::default()
            },
            Err(Trouble::Http(error)) => self.failed(&error, Some(ttfb_us), Some(status)),
            Err(Trouble::TooLarge) => Sample {
                us: micros(self.started.elapsed()),
                ttfb_us: Some(ttfb_us),
                status: Some(status),
                bytes_in: LARGEST_BODY as u64,
                bytes_out: self.bytes_out,
                outcome: Outcome::Failed {
                    class: "answer too large".to_owned(),
                    sample: format!("more than {LARGEST_BODY} bytes"),
                },
                ..Sample::default()
            },
        }
    }

    fn failed(self, error: &reqwest::Error, ttfb_us: Option<u64>, status: Option<u16>) -> Sample {
        Sample {
            us: micros(self.started.elapsed()),
            ttfb_us,
            status,
            bytes_in: 0,
            bytes_out: self.bytes_out,
            outcome: Outcome::Failed { class: class(error).to_owned(), sample: cause(error) },
            ..Sample::default()
        }
    }
}

enum Trouble {
    Http(reqwest::Error),
    TooLarge,
}

async fn read(mut response: Response) -> Result<Bytes, Trouble> {
    let Some(first) = response.chunk().await.map_err(Trouble::Http)? else {
        return Ok(Bytes::new());
    };
    // Nearly every answer is one chunk.
    let Some(second) = response.chunk().await.map_err(Trouble::Http)? else {
        return Ok(first);
    };
    let mut body = BytesMut::from(&first[..]);
    body.extend_from_slice(&second);
    while let Some(chunk) = response.chunk().await.map_err(Trouble::Http)? {
        if body.len() + chunk.len() > LARGEST_BODY {
            return Err(Trouble::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn micros(elapsed: Duration) -> u64 {
    elapsed.as_micros().max(1) as u64
}

/// The kind of a transport failure in a few words.
pub fn class(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "timeout"
    } else if error.is_connect() {
        "cannot connect"
    } else if error.is_request() || error.is_body() || error.is_decode() {
        "connection broken"
    } else {
        "http"
    }
}

/// The innermost reason, which says more than the layers around it.
pub fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
