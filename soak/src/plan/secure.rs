//! Mode `secure`: the same load over plain HTTP, TLS and mutual TLS, with and without credentials, over
//! kept and new connections.

use std::time::Duration;

use super::modes::leg;
use super::*;
use crate::options::Secure;
use crate::scenario::Activity;
use crate::target::certificates::Certificates;

/// A service of our own wants these where it wants any.
const USER: &str = "soak";

impl Plan {
    /// What security costs.
    pub fn secure(options: &Secure, command: Vec<String>) -> Result<Self, SetupError> {
        let plain = client(&options.common)?;
        let cohort = Cohort::new("users", Activity::One(options.subject), options.users);
        let drop = Duration::from_secs(options.step.as_secs() / 6);
        let timing = Timing::step(options.step, drop, Duration::from_secs(1));
        let legs = |label: &str| -> Vec<Leg> {
            [true, false]
                .map(|keep_alive| {
                    let connections = if keep_alive { "kept" } else { "new" };
                    let name = format!("{label}, {connections} connections");
                    Leg { keep_alive, ..leg(&name, vec![cohort.clone()], timing) }
                })
                .into()
        };
        let (stations, certificates) = if options.common.target.spawn {
            let (stations, certificates) = own(options, &plain, &legs)?;
            (stations, Some(certificates))
        } else {
            (given(options, &plain, &legs)?, None)
        };
        let subject = Some(options.subject);
        let plan = Self::new(Mode::Secure, &options.common, subject, command, stations)?;
        Ok(Self { certificates, ..plan })
    }
}

/// Services that run already: the addresses that were given, each with the credentials that were given.
fn given(
    options: &Secure,
    settings: &ClientSettings,
    legs: &dyn Fn(&str) -> Vec<Leg>,
) -> Result<Vec<Station>, SetupError> {
    let credentials = options.common.target.user.is_some();
    let station = |label: &str, target| {
        let name = if credentials { format!("{label}, credentials") } else { label.to_owned() };
        Station {
            label: label.to_owned(),
            target,
            client: settings.clone(),
            credentials,
            wants_tls: label != "plain",
            legs: legs(&name),
        }
    };
    let mut stations = vec![station("plain", target(&options.common.target)?)];
    for (label, flag, url) in [
        ("TLS", "--tls-target", &options.tls_target),
        ("mutual TLS", "--mtls-target", &options.mtls_target),
    ] {
        if let Some(url) = url {
            let url = address(flag, url)?;
            let pid = options.common.target.pid;
            let administration = match &stations[0].target {
                TargetPlan::Attach { administration, .. } => administration.clone(),
                TargetPlan::Spawn { .. } => None,
            };
            stations.push(station(label, TargetPlan::Attach { url, administration, pid }));
        }
    }
    Ok(stations)
}

/// Services of our own, one for each way, with certificates made for this run.
fn own(
    options: &Secure,
    settings: &ClientSettings,
    legs: &dyn Fn(&str) -> Vec<Leg>,
) -> Result<(Vec<Station>, Certificates), SetupError> {
    let TargetPlan::Spawn { pdp, policies, .. } = target(&options.common.target)? else {
        return Err(SetupError::Usage("--spawn is needed".to_owned()));
    };
    let certificates = Certificates::make().map_err(|error| {
        SetupError::Usage(format!("--spawn: certificates for the run cannot be made: {error}"))
    })?;
    let secret = format!("{:016x}", crate::scenario::rng::random());
    let mut stations = Vec::new();
    for (label, tls, mutual) in
        [("plain", false, false), ("TLS", true, false), ("mutual TLS", true, true)]
    {
        for credentials in [false, true] {
            let mut client = settings.clone();
            let mut environment: Vec<(String, String)> = Vec::new();
            let mut set = |name: &str, value: &str| {
                environment.push((name.to_owned(), value.to_owned()));
            };
            if credentials {
                set("PDP_AUTH__USER", USER);
                set("PDP_AUTH__PASSWORD", &secret);
                client.basic_auth(USER, &secret).map_err(SetupError::Usage)?;
            }
            if tls {
                set("PDP_SERVER__TLS__CERT", &certificates.path("server.pem"));
                set("PDP_SERVER__TLS__KEY", &certificates.path("server.key"));
                client.trust.trust_only(&certificates.authority).map_err(SetupError::Usage)?;
            }
            if mutual {
                set("PDP_SERVER__TLS__CLIENT_CA", &certificates.path("authority.pem"));
                client
                    .trust
                    .identify(&certificates.client, &certificates.client_key)
                    .map_err(SetupError::Usage)?;
            }
            let name = if credentials { format!("{label}, credentials") } else { label.to_owned() };
            stations.push(Station {
                label: label.to_owned(),
                target: TargetPlan::Spawn {
                    pdp: pdp.clone(),
                    policies: policies.clone(),
                    settings: environment,
                },
                client,
                credentials,
                wants_tls: tls,
                legs: legs(&name),
            });
        }
    }
    Ok((stations, certificates))
}
