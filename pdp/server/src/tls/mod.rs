//! TLS: what the service proves who it is with, and what clients must prove.
//!
//! Keys come from PEM files or from a PKCS#12 key store ([`identity`]). The one in use can be exchanged
//! while connections go on ([`Tls::reload`]).

mod identity;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::RootCertStore;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;

pub(crate) use identity::private_key;

use crate::config;
use crate::failure::Failure;

/// TLS as the configuration has it.
#[derive(Clone, Debug)]
pub struct Tls {
    setting: config::Tls,
    current: Arc<Current>,
    config: rustls::ServerConfig,
}

/// The certificate that is shown to clients now.
#[derive(Debug)]
struct Current(ArcSwap<CertifiedKey>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl Tls {
    /// What the configuration names; none where it names no certificate.
    ///
    /// # Errors
    /// A file cannot be read or used, or only half of what is needed is named.
    pub fn of(setting: &config::Tls) -> Result<Option<Self>, Failure> {
        if !setting.is_on()? {
            return Ok(None);
        }
        let provider = provider();
        let current = Arc::new(Current(ArcSwap::from_pointee(identity::read(setting, &provider)?)));
        let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::environment(format!("TLS cannot be used: {error}")))?;
        let builder = match &setting.client_ca {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let roots = Arc::new(roots(path)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(|error| unusable(path, &error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let resolver: Arc<dyn ResolvesServerCert> = Arc::clone(&current) as _;
        let config = builder.with_cert_resolver(resolver);
        Ok(Some(Self { setting: setting.clone(), current, config }))
    }

    /// For a listener.
    pub fn config(&self) -> rustls::ServerConfig {
        self.config.clone()
    }

    /// Reads certificate and key again; connections from here on see the new ones.
    ///
    /// # Errors
    /// They cannot be used; the old ones stay.
    pub fn reload(&self) -> Result<(), Failure> {
        let key = identity::read(&self.setting, &provider())?;
        self.current.0.store(Arc::new(key));
        Ok(())
    }
}

/// The algorithms that both sides are built with.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// The authorities in a PEM file.
///
/// # Errors
/// It cannot be read, or holds no certificate.
pub fn roots(path: &Path) -> Result<RootCertStore, Failure> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| unusable(path, &error))?;
    }
    Ok(roots)
}

/// All certificates of a PEM file, in their order.
///
/// # Errors
/// It cannot be read, or holds none.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let bytes = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| unusable(path, &error))?;
    if found.is_empty() {
        return Err(Failure::usage("the file holds no certificate")
            .in_file(path)
            .hint("a PEM file has lines with -----BEGIN CERTIFICATE-----"));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path)
        .map_err(|error| Failure::usage(format!("the file cannot be read: {error}")).in_file(path))
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("the file cannot be used: {error}")).in_file(path)
}
