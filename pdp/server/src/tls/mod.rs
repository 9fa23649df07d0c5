//! TLS: what the service proves who it is with, and what clients must prove.
//!
//! Keys come from PEM files or from a PKCS#12 key store ([`identity`]), the authorities of clients from a
//! PEM file ([`clients`]). What is in use is exchanged while connections go on: when it is asked for
//! ([`Tls::reload`]), and by itself when the files change ([`Tls::follow`]).

mod clients;
mod follow;
mod identity;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, Mutex};

use arc_swap::{ArcSwap, ArcSwapOption};
use rustls::RootCertStore;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, ResolvesServerCert, StoresServerSessions};
use rustls::sign::CertifiedKey;

use clients::{Authorities, Clients};
use follow::Followed;
pub(crate) use identity::private_key;

use crate::config;
use crate::failure::Failure;

/// TLS as the configuration has it.
#[derive(Debug)]
pub struct Tls {
    setting: config::Tls,
    current: Arc<Current>,
    clients: Option<Arc<Clients>>,
    config: rustls::ServerConfig,
    followed: Mutex<Followed>,
    /// Why the files as they are now cannot be used.
    fault: ArcSwapOption<Failure>,
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
        let followed = Mutex::new(Followed::of(setting));
        let (key, authorities) = read_all(setting, &provider)?;
        let current = Arc::new(Current(ArcSwap::from_pointee(key)));
        let clients = authorities.map(|authorities| Arc::new(Clients::of(authorities)));
        let builder = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::environment(format!("TLS cannot be used: {error}")))?;
        let builder = match &clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                let verifier: Arc<dyn ClientCertVerifier> = Arc::clone(clients) as _;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let resolver: Arc<dyn ResolvesServerCert> = Arc::clone(&current) as _;
        let mut config = builder.with_cert_resolver(resolver);
        if let Some(clients) = &clients {
            let sessions: Arc<dyn StoresServerSessions> = Arc::clone(clients) as _;
            config.session_storage = sessions;
        }
        let setting = setting.clone();
        Ok(Some(Self {
            setting,
            current,
            clients,
            config,
            followed,
            fault: ArcSwapOption::empty(),
        }))
    }

    /// For a listener.
    pub fn config(&self) -> rustls::ServerConfig {
        self.config.clone()
    }

    /// Why the files as they are now cannot be used and an earlier state of them goes on; nothing while
    /// all is well.
    pub fn fault(&self) -> Option<Arc<Failure>> {
        self.fault.load_full()
    }

    /// Takes what the files hold now: all of it, or nothing.
    fn exchange(&self) -> Result<(), Failure> {
        let read = read_all(&self.setting, &provider());
        self.fault.store(read.as_ref().err().cloned().map(Arc::new));
        let (key, authorities) = read?;
        self.current.0.store(Arc::new(key));
        if let (Some(clients), Some(authorities)) = (&self.clients, authorities) {
            clients.trust(authorities);
        }
        Ok(())
    }
}

fn read_all(
    setting: &config::Tls,
    provider: &Arc<CryptoProvider>,
) -> Result<(CertifiedKey, Option<Authorities>), Failure> {
    let key = identity::read(setting, provider)?;
    let authorities = match &setting.client_ca {
        Some(path) => Some(Authorities::read(path, Arc::clone(provider))?),
        None => None,
    };
    Ok((key, authorities))
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
    fs::read(path).map_err(|error| {
        let failure = Failure::usage(format!("the file cannot be read: {error}")).in_file(path);
        failure.hint(match error.kind() {
            ErrorKind::NotFound if path.is_symlink() => {
                "the link leads nowhere: `ls -l` shows where it should"
            }
            ErrorKind::NotFound => "is the path right, and is the volume mounted that holds it?",
            ErrorKind::PermissionDenied => {
                "the user that the service runs as must be able to read it"
            }
            _ => "name a file that can be read",
        })
    })
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("the file cannot be used: {error}"))
        .in_file(path)
        .hint(format!("`openssl x509 -in {} -noout -text` shows what it holds", path.display()))
}
