//! How long a connection takes to make: the time of TCP and that of TLS, apart.
//!
//! A layer around reqwest's connector measures the whole; TLS begins when rustls asks its session
//! store for a hint, which it does as it writes the first message of the handshake.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use tower_layer::Layer;
use tower_service::Service;

thread_local! {
    /// The moment at which the connection being made on this thread began with TLS.
    static TLS_BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Where the times of a client's latest connection are left.
#[derive(Clone, Debug, Default)]
pub struct SetupTimes(Arc<Mutex<(Option<u64>, Option<u64>)>>);

impl SetupTimes {
    /// TCP and TLS in microseconds, of a connection made since the last call.
    pub fn take(&self) -> (Option<u64>, Option<u64>) {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, began: Instant, tls_began: Option<Instant>) {
        let now = Instant::now();
        let micros = |from: Instant, to: Instant| (to - from).as_micros().max(1) as u64;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (
            Some(micros(began, tls_began.unwrap_or(now))),
            tls_began.map(|tls_began| micros(tls_began, now)),
        );
    }
}

/// Wraps reqwest's connector.
#[derive(Clone, Debug)]
pub(super) struct SetupLayer(pub(super) SetupTimes);

impl<S> Layer<S> for SetupLayer {
    type Service = Timed<S>;

    fn layer(&self, inner: S) -> Timed<S> {
        Timed { inner, times: self.0.clone() }
    }
}

/// A connector that is timed.
#[derive(Clone, Debug)]
pub(super) struct Timed<S> {
    inner: S,
    times: SetupTimes,
}

impl<S: Service<R>, R> Service<R> for Timed<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Connecting<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, target: R) -> Self::Future {
        Connecting {
            began: Instant::now(),
            tls_began: None,
            inner: Box::pin(self.inner.call(target)),
            times: self.times.clone(),
        }
    }
}

/// A connection in the making.
pub(super) struct Connecting<F> {
    began: Instant,
    tls_began: Option<Instant>,
    inner: Pin<Box<F>>,
    times: SetupTimes,
}

impl<F: Future<Output = Result<T, E>>, T, E> Future for Connecting<F> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        TLS_BEGAN.take();
        let polled = self.inner.as_mut().poll(context);
        if let Some(moment) = TLS_BEGAN.take() {
            self.tls_began = Some(moment);
        }
        if let Poll::Ready(Ok(_)) = polled {
            self.times.put(self.began, self.tls_began);
        }
        polled
    }
}

/// Notes when a handshake begins and remembers no session: every connection makes a full one.
#[derive(Debug)]
pub(super) struct HandshakeClock;

impl ClientSessionStore for HandshakeClock {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        TLS_BEGAN.set(Some(Instant::now()));
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, _: Tls13ClientSessionValue) {}

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        None
    }
}
