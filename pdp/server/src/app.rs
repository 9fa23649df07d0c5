//! The composition root: a configuration becomes a service, which runs until it is told to stop.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use actix_web::middleware::from_fn;
use actix_web::{App as HttpApp, HttpServer, rt};
use pdp_engine::context::Limits;
use pdp_onap::Application;
use tokio::signal::unix::{Signal, SignalKind, signal};
use uuid::Uuid;

use crate::administration::{Administration, Archive};
use crate::config::Config;
use crate::failure::{Failure, counted};
use crate::history::Histories;
use crate::rest::{self, Credentials, Worker};
use crate::state::StateFolder;
use crate::store::{Sources, Store, Watch};
use crate::telemetry::{DecisionLog, Traces, Workers, give_back};
use crate::tls::Tls;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// How long spans and lines of the decision log may take to get out when the service stops.
const LAST_SPANS: Duration = Duration::from_secs(3);
const LAST_LINES: Duration = Duration::from_secs(5);

/// What all workers share.
#[derive(Debug)]
pub struct App {
    /// The effective configuration.
    pub config: Config,
    /// The name in the health report.
    pub name: String,
    /// Who may ask; none: everyone.
    pub credentials: Option<Credentials>,
    /// Applications that answer nothing.
    pub excluded: Vec<Application>,
    /// The policies.
    pub store: Arc<Store>,
    /// Policies that come and go while the service runs.
    pub administration: Arc<Administration>,
    /// The addresses at which they do; none: all.
    pub administered_at: Vec<SocketAddr>,
    /// What a decision may spend.
    pub limits: Limits,
    /// What guard policies ask.
    pub histories: Arc<Histories>,
    /// The counters of all workers.
    pub workers: Workers,
    /// Where decisions are logged to; none: nowhere.
    pub decision_log: Option<DecisionLog>,
    /// Where spans are sent to; none: nothing is traced.
    pub traces: Option<Traces>,
    /// Where the service stands between start and stop.
    pub lifecycle: Lifecycle,
    /// What HTTPS is spoken with; none: plain HTTP.
    pub tls: Option<Arc<Tls>>,
    /// Held until the end, so that no other process takes the folder.
    _state: Option<StateFolder>,
}

/// Where the service stands between start and stop.
#[derive(Debug, Default)]
pub struct Lifecycle {
    alive: AtomicBool,
    passive: AtomicBool,
    draining: AtomicBool,
    stopping: AtomicBool,
}

impl Lifecycle {
    /// All start steps are done and stopping has not begun. A service that drains is alive: whoever asks it
    /// meanwhile is answered as ever.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Relaxed) && !self.stopping.load(Relaxed)
    }

    /// Decisions are answered.
    pub fn is_active(&self) -> bool {
        !self.passive.load(Relaxed)
    }

    /// No more requests are wanted; those that come until the service stops are answered.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Relaxed)
    }

    /// All start steps are done.
    pub fn started(&self) {
        self.alive.store(true, Relaxed);
    }

    /// Opens or closes the service for decisions.
    pub fn set_active(&self, active: bool) {
        self.passive.store(!active, Relaxed);
    }

    /// From here on no requests are wanted; there is no way back.
    pub fn drain(&self) {
        self.draining.store(true, Relaxed);
    }

    /// Stopping begins: what is in flight is finished.
    pub fn stop(&self) {
        self.stopping.store(true, Relaxed);
    }
}

impl App {
    /// Joins the parts and loads the policies.
    ///
    /// # Errors
    /// A setting cannot be used, the state folder is taken, or policies were refused under strict.
    pub fn build(config: Config) -> Result<Self, Failure> {
        let excluded = excluded(&config)?;
        let state = StateFolder::open(&config.state)?;
        let histories = Arc::new(Histories::open(&config, state.as_ref())?);
        let counting = Arc::clone(&histories);
        let counts_to = move |number| counting.count_at_least(number);
        let (archive, administered) = Archive::open(state.as_ref().map(|state| &*state.path))?;
        let store = Store::load(Sources::of(&config, &excluded)?, administered, counts_to)?;
        if store.current().policies.len() >= Store::MANY {
            give_back();
        }
        let store = Arc::new(store);
        let name = format!("xacml-{}", Uuid::new_v4());
        Ok(Self {
            traces: Traces::open(&config.tracing, &name)?,
            name,
            credentials: Credentials::of(&config.auth),
            excluded,
            limits: config.decision_limits(),
            administration: Arc::new(Administration::new(archive, Arc::clone(&store))),
            administered_at: Vec::new(),
            store,
            histories,
            workers: Workers::default(),
            lifecycle: Lifecycle::default(),
            decision_log: DecisionLog::open(&config.decision_log)?,
            tls: None,
            _state: state,
            config,
        })
    }

    /// Whether policies are administered at this address of the service.
    pub fn administers_at(&self, address: SocketAddr) -> bool {
        self.administered_at.is_empty() || self.administered_at.contains(&address)
    }

    /// What is wrong with the operations history; nothing while it answers.
    pub fn history_fault(&self) -> Option<String> {
        self.histories.fault()
    }

    /// Whether requests are wanted: it has started, is not stopping, and its history answers.
    pub fn is_ready(&self) -> bool {
        self.lifecycle.is_alive() && !self.lifecycle.is_draining() && self.history_fault().is_none()
    }
}

fn excluded(config: &Config) -> Result<Vec<Application>, Failure> {
    config
        .applications
        .exclude
        .iter()
        .map(|name| {
            Application::of_name(name).ok_or_else(|| {
                Failure::usage(format!("there is no application `{name}`"))
                    .at("setting applications.exclude")
                    .hint("known: monitoring, naming, match, optimization, guard, native, tutorial")
            })
        })
        .collect()
}

/// An address that is bound.
struct Bound {
    listener: TcpListener,
    /// Host as it was given, port as it came out.
    shown: String,
    /// For administration.
    administers: bool,
}

fn bind(config: &Config) -> Result<Vec<Bound>, Failure> {
    let guarded = config.server.insecure || Credentials::of(&config.auth).is_some();
    let plain = config.server.listen.iter().map(|address| bind_one(address, guarded));
    let administration = config
        .server
        .administration
        .iter()
        .map(|address| Ok(Bound { administers: true, ..bind_one(address, guarded)? }));
    plain.chain(administration).collect()
}

fn bind_one(address: &str, guarded: bool) -> Result<Bound, Failure> {
    let fault = |what: String| Failure::usage(what).at(format!("listen {address}"));
    let (host, _) = address
        .rsplit_once(':')
        .filter(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        .ok_or_else(|| {
            fault("an address to listen on is HOST:PORT".into()).hint("such as 127.0.0.1:6969")
        })?;
    let resolved: Vec<SocketAddr> = address
        .to_socket_addrs()
        .map_err(|error| {
            fault(format!("the host cannot be found: {error}")).hint(
                "give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them",
            )
        })?
        .collect();
    let Some(first) = resolved.first() else {
        return Err(fault("the host has no address".into()));
    };
    if !guarded && !resolved.iter().all(|address| address.ip().is_loopback()) {
        return Err(fault("anyone on the network could ask: there are no credentials".into())
            .hint("set auth.user and auth.password, listen on 127.0.0.1, or say --insecure"));
    }
    let listener = listen(*first).map_err(|error| {
        let failure = Failure::environment(format!("cannot listen: {error}")).at(address);
        match error.kind() {
            io::ErrorKind::AddrInUse => failure.hint(
                "another process has the port: stop it, give another one with --listen, or let port 0 pick a free one",
            ),
            io::ErrorKind::PermissionDenied => failure.hint("ports below 1024 need rights that this process lacks"),
            _ => failure.hint("is the address one of this machine?"),
        }
    })?;
    let port = listener.local_addr().map_or(first.port(), |address| address.port());
    Ok(Bound { listener, shown: format!("{host}:{port}"), administers: false })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(
        socket2::Domain::for_address(address),
        socket2::Type::STREAM,
        Some(socket2::Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// Runs the service until a signal stops it. `ready` is called once per address, with its URL and a
/// summary.
///
/// # Errors
/// It cannot start.
pub fn run(config: Config, ready: impl Fn(&str, &Summary)) -> Result<(), Failure> {
    let started = Instant::now();
    let tls = Tls::of(&config.server.tls)?;
    let bound = bind(&config)?;
    let mut app = App::build(config)?;
    let administer = bound.iter().filter(|bound| bound.administers);
    app.administered_at = administer.filter_map(|it| it.listener.local_addr().ok()).collect();
    app.tls = tls.map(Arc::new);
    let app = Arc::new(app);
    warn_if_open(&app, &bound);
    rt::System::new().block_on(serve(app, bound, started, ready))
}

/// What is said when the service is ready.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Policies that decide.
    pub policies: usize,
    /// From the start of the process to here, in milliseconds.
    pub millis: u128,
}

async fn serve(
    app: Arc<App>,
    bound: Vec<Bound>,
    started: Instant,
    ready: impl Fn(&str, &Summary),
) -> Result<(), Failure> {
    let fault =
        |error: io::Error| Failure::environment(format!("the service cannot start: {error}"));
    let settings = &app.config.server;
    let shared = Arc::clone(&app);
    // Called once in each worker thread.
    let mut server = HttpServer::new(move || {
        HttpApp::new()
            .app_data(Rc::new(Worker::new(Arc::clone(&shared))))
            .wrap(from_fn(rest::edge))
            .configure(rest::configure)
    })
    .keep_alive(settings.keep_alive.get())
    // Else a small answer may wait for a client's delayed acknowledgement of what went before.
    .tcp_nodelay(true)
    .shutdown_timeout(settings.shutdown.get().as_secs())
    .shutdown_signal(stop_signal(Arc::clone(&app)).map_err(fault)?);
    if settings.workers > 0 {
        server = server.workers(settings.workers);
    }
    let mut addresses = Vec::new();
    for Bound { listener, shown, administers } in bound {
        let (listening, scheme) = match &app.tls {
            None => (server.listen(listener), "http"),
            Some(tls) => (server.listen_rustls_0_23(listener, tls.config()), "https"),
        };
        server = listening.map_err(fault)?;
        let what = if administers { " for administration" } else { "" };
        addresses.push(format!("{scheme}://{shown}{what}"));
    }
    let server = server.run();
    let _watch = Watch::start(Arc::clone(&app.store));
    let tended = Arc::clone(&app);
    rt::spawn(async move { tended.histories.tend(&tended.config.history).await });
    rt::spawn(hang_up(signal(SignalKind::hangup()).map_err(fault)?, Arc::clone(&app)));
    if let Some(tls) = &app.tls {
        tls.follow();
    }
    app.lifecycle.started();
    let summary = Summary {
        policies: app.store.current().policies.len(),
        millis: started.elapsed().as_millis(),
    };
    for address in &addresses {
        ready(address, &summary);
    }
    server.await.map_err(fault)?;
    if let Some(Err(why)) = app.decision_log.as_ref().map(|log| log.close(LAST_LINES)) {
        tracing::warn!("stopped before the decision log had taken its last lines: {why}");
    }
    if app.traces.as_ref().is_some_and(|traces| !traces.close(LAST_SPANS)) {
        tracing::warn!("stopped before the collector had taken the last spans");
    }
    match app.workers.in_flight() {
        0 => tracing::info!("stopped"),
        cut => tracing::warn!(
            requests = cut,
            "stopped: {} not finished within {} and cut off; server.shutdown sets how long requests may take",
            counted(cut, "request was", "requests were"),
            app.config.server.shutdown
        ),
    }
    Ok(())
}

/// A hang-up is no reason to stop: certificates are read and logs opened again, as for a service
/// without a terminal.
async fn hang_up(mut signals: Signal, app: Arc<App>) {
    while signals.recv().await.is_some() {
        if let Some(log) = &app.decision_log {
            log.reopen();
            tracing::info!("SIGHUP: the decision log is opened again");
        }
        match app.tls.as_ref().map(|tls| tls.reload()) {
            None if app.decision_log.is_some() => {}
            None => tracing::info!("SIGHUP: there is nothing to read again"),
            Some(Ok(())) => tracing::info!("SIGHUP: the certificate was read again"),
            Some(Err(failure)) => {
                tracing::error!(
                    hint = failure.hint.as_deref(),
                    "SIGHUP: the certificate stays as it was: {failure}"
                );
            }
        }
    }
}

/// Resolves when the service is to stop accepting. `readyz` has turned by then.
fn stop_signal(app: Arc<App>) -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        either(&mut terminate, &mut interrupt).await;
        app.lifecycle.drain();
        tracing::info!(
            in_flight = app.workers.in_flight(),
            "stopping: requests in flight are finished"
        );
        rt::spawn(async move {
            either(&mut terminate, &mut interrupt).await;
            tracing::warn!("told to stop again: stopping at once");
            std::process::exit(130);
        });
        rt::time::sleep(app.config.server.drain.get()).await;
        app.lifecycle.stop();
    })
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

fn warn_if_open(app: &App, bound: &[Bound]) {
    let beyond = bound
        .iter()
        .any(|bound| bound.listener.local_addr().is_ok_and(|address| !address.ip().is_loopback()));
    if beyond && app.credentials.is_none() {
        tracing::warn!(
            "anyone on the network can ask for decisions and record operations: no credentials are set"
        );
    }
}
