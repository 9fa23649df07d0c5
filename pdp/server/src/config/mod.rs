//! What the service can be told: one file, the environment over it, flags over both.
//!
//! Each section below is a table of the file. Every key has a default, so that an empty file is a
//! configuration; a key that is not here is an error that names the nearest one.

mod check;
mod duration;
mod environment;
mod onap;
mod onap_history;
mod read;
mod secret;
mod variable;
mod zone;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pdp_engine::context::Limits as DecisionLimits;
use pdp_engine::context::multiple::Hierarchy;
use pdp_engine::function::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

pub use duration::Lasting;
pub use read::{Loaded, Overrides, load};
pub use secret::Secret;
pub use zone::Zone;

/// The effective configuration.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "The configuration of `pdp serve`")]
pub struct Config {
    /// Where and how to listen.
    pub server: Server,
    /// Who may ask.
    pub auth: Auth,
    /// Files and folders with policies.
    pub policies: Policies,
    /// What must survive a restart.
    pub state: State,
    /// Where operations are counted.
    pub history: History,
    /// Guard decisions.
    pub guard: Guard,
    /// Policies written in XACML.
    pub xacml: Xacml,
    /// Which applications take part.
    pub applications: Applications,
    /// The metrics endpoint.
    pub metrics: Metrics,
    /// Where requests are traced to.
    pub tracing: Tracing,
    /// The log of decisions.
    pub decision_log: DecisionLog,
    /// What a request or policy may cost.
    pub limits: Limits,
    /// What is logged, and how.
    pub log: Log,
}

/// Where and how to listen.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Addresses, each `HOST:PORT`; port 0 picks a free one.
    pub listen: Vec<String>,
    /// Addresses that alone answer the paths by which policies are administered, beside all others. None:
    /// every address does.
    pub administration: Vec<String>,
    /// Listen beyond loopback without credentials.
    pub insecure: bool,
    /// Speak HTTPS on all addresses.
    pub tls: Tls,
    /// Threads that answer requests; 0: one per core.
    pub workers: usize,
    /// How long an idle connection is kept.
    pub keep_alive: Lasting,
    /// How long a request may take to arrive in full, from its head on.
    pub body_timeout: Lasting,
    /// How long to go on accepting after `readyz` has turned, so that balancers see it.
    pub drain: Lasting,
    /// How long requests in flight may take to finish when the service stops.
    pub shutdown: Lasting,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: vec!["127.0.0.1:6969".into()],
            administration: Vec::new(),
            insecure: false,
            tls: Tls::default(),
            workers: 0,
            keep_alive: Lasting::seconds(75),
            body_timeout: Lasting::seconds(15),
            drain: Lasting::seconds(0),
            shutdown: Lasting::seconds(30),
        }
    }
}

/// TLS: certificate and key, or a key store. Without either the service speaks plain HTTP. What changes in
/// the files is in use for new connections within seconds.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tls {
    /// A PEM file with the certificate and those that lead to its authority.
    pub cert: Option<PathBuf>,
    /// A PEM file with the private key.
    pub key: Option<PathBuf>,
    /// A PKCS#12 key store with both, used where there is no `cert`.
    pub keystore: Option<PathBuf>,
    /// The password of the key store.
    pub keystore_password: Option<Secret>,
    /// A PEM file with the authorities whose clients may connect; without it clients need no certificate.
    pub client_ca: Option<PathBuf>,
}

impl Tls {
    /// Whether HTTPS is spoken.
    ///
    /// # Errors
    /// Only half of what it needs is named.
    pub fn is_on(&self) -> Result<bool, Failure> {
        let missing = |what: &str, has: &str| {
            Err(Failure::usage(format!("`server.tls.{has}` needs `server.tls.{what}`"))
                .at(format!("setting server.tls.{what}")))
        };
        if self.keystore_password.is_some() && self.keystore.is_none() {
            return missing("keystore", "keystore_password");
        }
        match (&self.cert, &self.key, &self.keystore) {
            (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => Err(Failure::usage(
                "the certificate is given twice, as PEM files and as a key store",
            )
            .at("settings server.tls.keystore and server.tls.cert, server.tls.key")
            .hint("leave server.tls.keystore away, or both server.tls.cert and server.tls.key")),
            (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(true),
            (Some(_), None, _) => missing("key", "cert"),
            (None, Some(_), _) => missing("cert", "key"),
            (None, None, None) if self.client_ca.is_some() => missing("cert", "client_ca"),
            (None, None, None) => Ok(false),
        }
    }
}

/// The one user of HTTP Basic authentication. Without user or password everyone may ask.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// The user's name.
    pub user: Option<String>,
    /// The password.
    pub password: Option<Secret>,
    /// A file that holds the password; the line break at its end does not count.
    pub password_file: Option<PathBuf>,
}

/// Files and folders with policies.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    /// Read at start, folders with all that is in them.
    pub paths: Vec<PathBuf>,
    /// Do not start when a policy is refused.
    pub strict: bool,
}

impl Default for Policies {
    fn default() -> Self {
        Self { paths: vec!["policies".into()], strict: false }
    }
}

/// What must survive a restart.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct State {
    /// A folder of this process alone, or `none` to keep nothing.
    pub folder: String,
}

impl Default for State {
    fn default() -> Self {
        Self { folder: "state".into() }
    }
}

/// Where operations are counted.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct History {
    /// `embedded`: in the state folder, where there is one; `memory`: in this process, forgotten when
    /// it stops; `postgres://`, `mysql://`, `redis://`, `rediss://`: shared with other replicas.
    #[serde(serialize_with = "secret::serialize_url")]
    pub url: String,
    /// A file that holds the address, which may have a password in it.
    pub url_file: Option<PathBuf>,
    /// How long records are kept.
    pub retention: Lasting,
    /// How long the look-ups of one decision may take together.
    pub deadline: Lasting,
    /// How old a count may be that is not asked for again; 0: each count is asked for.
    pub count_cache: Lasting,
    /// Connections of each worker to a database, at most.
    pub connections: u32,
    /// The time zone of a database's columns whose type does not say.
    pub time_zone: String,
    /// Create tables that are missing in a database.
    pub create_schema: bool,
    /// Forget rows of a database that are older than the retention; they have other owners too.
    pub prune: bool,
    /// Do not start without a shared history; otherwise the service starts and is not ready.
    pub required: bool,
    /// Certificates that a `rediss://` server is checked against, in PEM.
    pub ca: Option<PathBuf>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            url: "embedded".into(),
            url_file: None,
            retention: Lasting::days(31),
            deadline: Lasting::millis(500),
            count_cache: Lasting::seconds(0),
            connections: 8,
            time_zone: "UTC".into(),
            create_schema: false,
            prune: false,
            required: true,
            ca: None,
        }
    }
}

/// Guard decisions.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guard {
    /// What the answer reads when a decision is Indeterminate.
    pub indeterminate: WhenIndeterminate,
    /// Record each Permit of a frequency limiter, so that nobody else has to report what was permitted.
    pub record_permits: bool,
}

/// What a guard answer reads when its decision is Indeterminate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenIndeterminate {
    /// As ONAP answers: the operation goes ahead.
    #[default]
    Permit,
    /// The safe side: the operation does not go ahead.
    Deny,
}

/// Policies written in XACML.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Xacml {
    /// The identifier of the algorithm that combines several roots.
    pub combining: Option<String>,
    /// A file with the one root policy; the others are there to be referenced.
    pub root: Option<PathBuf>,
    /// The zone of times and dates that name none.
    pub implicit_zone: Zone,
    /// Requests in the JSON profile.
    pub json: XacmlJson,
    /// The resource tree that the scopes of requests walk: each resource with those directly below it.
    pub resources: ResourceTree,
}

/// Requests in the JSON profile of XACML.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct XacmlJson {
    /// Read attribute ids such as `subject-id` as the identifiers that they are short for, unless a policy
    /// asks for one as it is written. The profile has no such ids; ONAP's clients write them.
    pub short_ids: bool,
}

impl Default for XacmlJson {
    fn default() -> Self {
        Self { short_ids: true }
    }
}

/// Resources by the one they are directly below.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(transparent)]
pub struct ResourceTree(BTreeMap<String, Vec<String>>);

impl Hierarchy for ResourceTree {
    fn children(&self, resource: &str) -> Vec<String> {
        self.0.get(resource).cloned().unwrap_or_default()
    }
}

/// Which applications take part.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Applications {
    /// Names of applications that answer nothing.
    pub exclude: Vec<String>,
}

/// The metrics endpoint.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Answer `/metrics`.
    pub enabled: bool,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// Traces by OpenTelemetry. Without a collector nothing is traced.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tracing {
    /// A collector that takes OTLP over HTTP in JSON, such as `http://127.0.0.1:4318`; `/v1/traces` is
    /// added to an address without a path. Where this is not set, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`
    /// and `OTEL_EXPORTER_OTLP_ENDPOINT` are heeded.
    pub otlp_endpoint: Option<String>,
    /// The service's name in traces. Where this is not set, `OTEL_SERVICE_NAME` is heeded.
    pub service_name: String,
    /// Of 100 requests that come without a trace, how many begin one that is recorded. Of the others
    /// the client decides.
    pub sample_percent: u8,
    /// Headers that the collector wants, such as a key, as OpenTelemetry writes them: `NAME=VALUE`, several
    /// with commas, `%XX` for what a value cannot hold. Where this is not set,
    /// `OTEL_EXPORTER_OTLP_TRACES_HEADERS` and `OTEL_EXPORTER_OTLP_HEADERS` are heeded.
    pub headers: Option<Secret>,
    /// The authorities of an https collector, as a PEM file. Where this is not set,
    /// `OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE` and `OTEL_EXPORTER_OTLP_CERTIFICATE` are heeded.
    pub ca: Option<PathBuf>,
}

impl Default for Tracing {
    fn default() -> Self {
        Self {
            otlp_endpoint: None,
            service_name: "pdp".into(),
            sample_percent: 100,
            headers: None,
            ca: None,
        }
    }
}

/// The log of decisions: one JSON line each. What does not fit is dropped and counted; no decision
/// waits for it.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionLog {
    /// A file that is appended to, or `stdout`; without it decisions are not logged. SIGHUP opens the
    /// file again.
    pub to: Option<String>,
    /// Lines that may wait to be written; what comes beyond is dropped.
    pub buffer: usize,
}

impl Default for DecisionLog {
    fn default() -> Self {
        Self { to: None, buffer: 10_000 }
    }
}

/// What a request or policy may cost.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The largest request body, in bytes.
    pub request_bytes: usize,
    /// The largest policy file, in bytes.
    pub policy_bytes: u64,
    /// The steps that one decision may take.
    pub decision_steps: u64,
    /// The individual decisions that one request may ask for.
    pub decisions: usize,
    /// Policies within each other in one decision, references followed.
    pub policy_depth: usize,
    /// Policy references that one decision follows one after another.
    pub reference_depth: usize,
    /// The longest text that a function may build, in bytes.
    pub text_bytes: usize,
    /// The largest bag that a function may build, in values.
    pub bag_values: usize,
    /// Calls of `access-permitted` that one decision may make.
    pub permitted_calls: usize,
    /// Calls of `access-permitted` within each other.
    pub permitted_depth: usize,
}

/// Evaluation goes down by recursion: beyond these it could leave the stack.
pub(crate) const DEEPEST_POLICIES: usize = 256;
pub(crate) const DEEPEST_CALLS: usize = 8;

impl Default for Limits {
    fn default() -> Self {
        let decision = DecisionLimits::default();
        Self {
            request_bytes: 1 << 20,
            policy_bytes: 64 << 20,
            decision_steps: decision.steps,
            decisions: decision.decisions,
            policy_depth: decision.policy_depth,
            reference_depth: decision.reference_depth,
            text_bytes: decision.settings.max_text,
            bag_values: decision.settings.max_bag,
            permitted_calls: decision.permitted_calls,
            permitted_depth: decision.permitted_depth,
        }
    }
}

impl Config {
    /// What a decision may spend, as the engine takes it.
    pub fn decision_limits(&self) -> DecisionLimits {
        let limits = self.limits;
        DecisionLimits {
            steps: limits.decision_steps,
            decisions: limits.decisions,
            policy_depth: limits.policy_depth,
            reference_depth: limits.reference_depth,
            permitted_calls: limits.permitted_calls,
            permitted_depth: limits.permitted_depth,
            settings: Settings {
                implicit_zone: self.xacml.implicit_zone.minutes(),
                max_text: limits.text_bytes,
                max_bag: limits.bag_values,
            },
            ..DecisionLimits::default()
        }
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `text` or `json`; without it text on a terminal and JSON elsewhere.
    pub format: Option<LogFormat>,
    /// `error`, `warn`, `info`, `debug`, `trace`, or a filter such as `info,pdp_server::rest=debug`.
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self { format: None, level: "info".into() }
    }
}

/// How log lines are written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
