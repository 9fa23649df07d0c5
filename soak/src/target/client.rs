//! How the service is spoken to: credentials, certificates, connections. Each user has a client,
//! and so a connection, of its own.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, redirect, retry};

/// The settings that all clients of a run share.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// After this time a request has failed.
    pub timeout: Duration,
    /// Whether connections are used again.
    pub keep_alive: bool,
    headers: HeaderMap,
    authorities: Option<Vec<Certificate>>,
}

impl ClientSettings {
    /// Settings without credentials, for the system's certificate authorities.
    pub fn new(timeout: Duration, keep_alive: bool) -> Self {
        Self { timeout, keep_alive, headers: HeaderMap::new(), authorities: None }
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

    /// Trusts the authorities of a PEM bundle and no others.
    pub fn trust_only(&mut self, pem: &[u8]) -> Result<(), String> {
        let authorities = Certificate::from_pem_bundle(pem).map_err(|error| error.to_string())?;
        if authorities.is_empty() {
            return Err("holds no certificate; a PEM file with BEGIN CERTIFICATE lines is needed"
                .to_owned());
        }
        self.authorities = Some(authorities);
        Ok(())
    }

    /// A builder for one client of a target with that scheme.
    pub fn builder(&self, scheme: &str) -> ClientBuilder {
        let builder = Client::builder()
            .user_agent(concat!("soak/", env!("CARGO_PKG_VERSION")))
            .default_headers(self.headers.clone())
            .timeout(self.timeout)
            .pool_max_idle_per_host(if self.keep_alive { usize::MAX } else { 0 })
            .http1_only()
            .tcp_nodelay(true)
            // What is measured is the service, at the address that was given, once.
            .no_proxy()
            .no_gzip()
            .redirect(redirect::Policy::none())
            .retry(retry::never());
        match &self.authorities {
            Some(authorities) => builder.tls_certs_only(authorities.iter().cloned()),
            // Plain HTTP needs no authorities; reading the system's costs memory for each client.
            None if scheme == "http" => builder.tls_certs_only([]),
            None => builder,
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
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        for pem in
            ["", "-----BEGIN CERTIFICATE-----\nnot base64 at all!\n-----END CERTIFICATE-----\n"]
        {
            assert!(settings().trust_only(pem.as_bytes()).is_err(), "{pem}");
        }
    }

    #[test]
    fn clients_can_be_built_for_both_schemes() {
        for scheme in ["http", "https"] {
            settings().builder(scheme).build().expect(scheme);
        }
    }
}
