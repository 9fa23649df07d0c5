//! What clients prove, where `server.tls.client_ca` asks them for certificates.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ServerSessionMemoryCache, StoresServerSessions, WebPkiClientVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme};

use super::{certificates, unusable};
use crate::failure::Failure;

pub(super) const CLIENT_CA: &str = "server.tls.client_ca";

/// Sessions that may be resumed: as many as rustls keeps by itself.
const SESSIONS: usize = 256;

/// The authorities whose clients may connect, which can be exchanged while connections go on.
#[derive(Debug)]
pub(super) struct Clients {
    first: Authorities,
    /// Who resumes a session proves nothing anew: with other authorities there are other sessions.
    sessions: ArcSwap<ServerSessionMemoryCache>,
}

/// One state of the authorities, and those that came after it. All are kept, since the handshake borrows
/// the names of the current ones.
#[derive(Debug)]
pub(super) struct Authorities {
    certificates: Vec<CertificateDer<'static>>,
    verifier: Arc<dyn ClientCertVerifier>,
    next: OnceLock<Box<Self>>,
}

impl Authorities {
    /// Reads them.
    ///
    /// # Errors
    /// The file cannot be read or used.
    pub(super) fn read(path: &Path, provider: Arc<CryptoProvider>) -> Result<Self, Failure> {
        let bad = |error: &dyn std::fmt::Display| unusable(path, error).named_by(CLIENT_CA);
        let certificates = certificates(path).map_err(|failure| failure.named_by(CLIENT_CA))?;
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|error| bad(&error))?;
        }
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map_err(|error| bad(&error))?;
        Ok(Self { certificates, verifier, next: OnceLock::new() })
    }

    fn last(&self) -> &Self {
        let mut last = self;
        while let Some(next) = last.next.get() {
            last = next;
        }
        last
    }
}

impl Clients {
    pub(super) fn of(authorities: Authorities) -> Self {
        let sessions = ArcSwap::new(ServerSessionMemoryCache::new(SESSIONS));
        Self { first: authorities, sessions }
    }

    /// From here on these authorities count, and no others.
    pub(super) fn trust(&self, authorities: Authorities) {
        let last = self.first.last();
        if last.certificates != authorities.certificates {
            // Files are read by one thread at a time, so that nothing else comes in between.
            let _ = last.next.set(Box::new(authorities));
            self.sessions.store(ServerSessionMemoryCache::new(SESSIONS));
        }
    }

    fn now(&self) -> &dyn ClientCertVerifier {
        &*self.first.last().verifier
    }
}

impl ClientCertVerifier for Clients {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.now().root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.now().verify_client_cert(end_entity, intermediates, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.now().verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.now().verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.now().supported_verify_schemes()
    }
}

impl StoresServerSessions for Clients {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        self.sessions.load().put(key, value)
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.sessions.load().get(key)
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.sessions.load().take(key)
    }

    fn can_cache(&self) -> bool {
        true
    }
}
