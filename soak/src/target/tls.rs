//! Whom the generator trusts and who it says it is, where the service speaks TLS.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::connect::HandshakeClock;

/// The certificates of both sides.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    authorities: Option<Arc<RootCertStore>>,
    identity: Option<Arc<Identity>>,
}

#[derive(Debug)]
struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Trust {
    /// Trusts the authorities of a PEM bundle and no others.
    pub fn trust_only(&mut self, pem: &[u8]) -> Result<(), String> {
        let mut store = RootCertStore::empty();
        for certificate in certificates(pem)? {
            store.add(certificate).map_err(|error| error.to_string())?;
        }
        self.authorities = Some(Arc::new(store));
        Ok(())
    }

    /// Shows this certificate, with its chain, to a service that asks for one.
    pub fn identify(&mut self, chain: &[u8], key: &[u8]) -> Result<(), String> {
        let chain = certificates(chain)?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| format!("the key cannot be read: {error}"))?;
        self.identity = Some(Arc::new(Identity { chain, key }));
        // A key that does not belong to the certificate is found now, not at the first request.
        self.config().map(|_| ())
    }

    /// The settings of one client.
    pub(super) fn config(&self) -> Result<ClientConfig, String> {
        let told = |error: rustls::Error| error.to_string();
        let provider: Arc<CryptoProvider> = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(told)?;
        let builder = match &self.authorities {
            Some(authorities) => builder.with_root_certificates(Arc::clone(authorities)),
            None => builder.with_platform_verifier().map_err(told)?,
        };
        let mut config = match &self.identity {
            Some(identity) => builder
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .map_err(|error| format!("certificate and key do not go together: {error}"))?,
            None => builder.with_no_client_auth(),
        };
        config.resumption = Resumption::store(Arc::new(HandshakeClock));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = read.map_err(|error| format!("cannot be read as PEM: {error}"))?;
    if certificates.is_empty() {
        return Err(
            "holds no certificate; a PEM file with BEGIN CERTIFICATE lines is needed".to_owned()
        );
    }
    Ok(certificates)
}
