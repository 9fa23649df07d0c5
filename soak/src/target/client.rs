//! How the service is spoken to: credentials, certificates, connections. Each user has a client,
//! and so a connection, of its own.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, redirect, retry};

use super::connect::{SetupLayer, SetupTimes};
use super::tls::Trust;

/// The settings that all clients of a run share.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// After this time a request has failed.
    pub timeout: Duration,
    /// Whether connections are used again.
    pub keep_alive: bool,
    /// The certificates of both sides.
    pub trust: Trust,
    headers: HeaderMap,
}

impl ClientSettings {
    /// Settings without credentials, for the system's certificate authorities.
    pub fn new(timeout: Duration, keep_alive: bool) -> Self {
        Self { timeout, keep_alive, trust: Trust::default(), headers: HeaderMap::new() }
    }

    /// Sends Basic credentials with every request.
    pub fn basic_auth(&mut self, user: &str, password: &str) -> Result<(), String> {
        if user.contains(':') {
            return Err("a user name cannot hold a colon".to_owned());
        }
        let text = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        let mut value = HeaderValue::from_str(&text).map_err(|error| error.to_string())?;
        value.set_sensitive(true);
        self.headers.insert(AUTHORIZATION, value);
        Ok(())
    }

    /// Sends no credentials any more.
    pub fn forget_credentials(&mut self) {
        self.headers.remove(AUTHORIZATION);
    }

    /// Sends a further header, written as `Name: value`, with every request.
    pub fn header(&mut self, line: &str) -> Result<(), String> {
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| format!("`{line}` has no colon; write `Name: value`"))?;
        let name: HeaderName =
            name.trim().parse().map_err(|_| format!("`{}` is not a header name", name.trim()))?;
        let value: HeaderValue = value
            .trim()
            .parse()
            .map_err(|_| format!("the value of `{name}` holds characters a header cannot"))?;
        self.headers.append(name, value);
        Ok(())
    }

    /// A builder for one client of a target with that scheme, whose connections are timed if wanted.
    pub fn builder(&self, scheme: &str, setup: Option<&SetupTimes>) -> ClientBuilder {
        let builder = Client::builder()
            .user_agent(concat!("soak/", env!("CARGO_PKG_VERSION")))
            .default_headers(self.headers.clone())
            .timeout(self.timeout)
            // Who asks one thing after the other needs one connection; more would come and go by chance, and
            // with them the service's memory.
            .pool_max_idle_per_host(usize::from(self.keep_alive))
            .http1_only()
            .tcp_nodelay(true)
            // What is measured is the service, at the address that was given, once.
            .no_proxy()
            .no_gzip()
            .redirect(redirect::Policy::none())
            .retry(retry::never());
        let builder = match setup {
            Some(times) => builder.connector_layer(SetupLayer(times.clone())),
            None => builder,
        };
        if scheme == "http" {
            // Plain HTTP needs no authorities; reading the system's costs memory for each client.
            return builder.tls_certs_only([]);
        }
        match self.trust.config() {
            Ok(config) => builder.tls_backend_preconfigured(config),
            // What reqwest makes of it by itself; the plan has tried the certificates that were given.
            Err(_) => builder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> ClientSettings {
        ClientSettings::new(Duration::from_secs(1), true)
    }

    #[test]
    fn headers_and_credentials_are_checked() {
        let mut settings = settings();
        settings.header("X-Trace: on").expect("a header");
        settings.basic_auth("healthcheck", "zb!XztG34").expect("credentials");
        assert_eq!(settings.headers["x-trace"], "on");
        assert!(settings.headers[AUTHORIZATION].is_sensitive());
        for line in ["no colon", "bad name : x", ": x", "X: a\u{7f}"] {
            assert!(settings.header(line).is_err(), "{line}");
        }
        assert!(settings.basic_auth("a:b", "c").is_err());
        settings.forget_credentials();
        assert!(!settings.headers.contains_key(AUTHORIZATION));
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        for pem in
            ["", "-----BEGIN CERTIFICATE-----\nnot base64 at all!\n-----END CERTIFICATE-----\n"]
        {
            assert!(settings().trust.trust_only(pem.as_bytes()).is_err(), "{pem}");
            assert!(settings().trust.identify(pem.as_bytes(), b"").is_err(), "{pem}");
        }
    }

    #[test]
    fn clients_can_be_built_for_both_schemes() {
        for scheme in ["http", "https"] {
            settings().builder(scheme, None).build().expect(scheme);
        }
    }
}
