//! Certificate chain and private key, from PEM files or a PKCS#12 key store.

use std::path::Path;

use p12_keystore::error::Error;
use p12_keystore::{KeyStore, Pkcs12ImportPolicy};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::CertifiedKey;

use super::{certificates, read as file, unusable};
use crate::config;
use crate::failure::Failure;

/// The settings that name the files.
const CERT: &str = "server.tls.cert";
const KEY: &str = "server.tls.key";
const KEYSTORE: &str = "server.tls.keystore";

/// What Java's own key stores begin with.
const JKS: [u8; 4] = [0xFE, 0xED, 0xFE, 0xED];
const JCEKS: [u8; 4] = [0xCE, 0xCE, 0xCE, 0xCE];

/// What the setting names: certificate and key, or else a key store.
///
/// # Errors
/// A file cannot be read, or what is in it does not belong together.
pub(super) fn read(
    setting: &config::Tls,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, Failure> {
    match (&setting.cert, &setting.key, &setting.keystore) {
        (Some(cert), Some(key), _) => {
            let chain = certificates(cert).map_err(|failure| failure.named_by(CERT))?;
            let secret = private_key(key).map_err(|failure| failure.named_by(KEY))?;
            CertifiedKey::from_der(chain, secret, provider)
                .map_err(|error| unpaired(&error, cert, key))
        }
        (_, _, Some(path)) => {
            let password = setting.keystore_password.as_ref().map_or("", |text| text.reveal());
            let pair = keystore(path, password).and_then(|(chain, key)| {
                CertifiedKey::from_der(chain, key, provider).map_err(|error| {
                    Failure::usage(format!("its certificate and key cannot be used: {error}"))
                        .in_file(path)
                        .hint(format!("`openssl pkcs12 -info -in {}` shows them", path.display()))
                })
            });
            pair.map_err(|failure| failure.named_by(KEYSTORE))
        }
        _ => Err(Failure::usage("TLS needs a certificate").at("setting server.tls")),
    }
}

/// Why certificate and key are no pair, each being what it should be for itself.
fn unpaired(error: &rustls::Error, cert: &Path, key: &Path) -> Failure {
    match error {
        rustls::Error::InconsistentKeys(_) => {
            Failure::usage("certificate and private key do not belong together")
                .at(format_args!(
                    "{}, setting {CERT}, and {}, setting {KEY}",
                    cert.display(),
                    key.display()
                ))
                .hint(
                    "for a pair `openssl x509 -in CERT -noout -pubkey` and `openssl pkey -in KEY -pubout` print \
                     the same; the service's own certificate is the first in its file",
                )
        }
        rustls::Error::InvalidCertificate(_) => unusable(cert, error).named_by(CERT),
        _ => Failure::usage(format!("the private key cannot be used: {error}"))
            .in_file(key)
            .hint("RSA, ECDSA and Ed25519 keys can be used: `openssl pkey -in KEY -noout -text` shows what it is")
            .named_by(KEY),
    }
}

/// The first private key of a PEM file.
///
/// # Errors
/// It cannot be read, or holds none.
pub(crate) fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Failure> {
    let bytes = file(path)?;
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|error| {
        let encrypted = bytes.windows(9).any(|part| part == b"ENCRYPTED");
        let failure = Failure::usage(format!("the file holds no key that can be used: {error}"));
        failure.in_file(path).hint(if encrypted {
            "the key is encrypted: `openssl pkey -in FILE -out PLAIN` writes one that is not"
        } else {
            "a PEM file has lines with -----BEGIN PRIVATE KEY-----"
        })
    })
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn keystore(path: &Path, password: &str) -> Result<Identity, Failure> {
    let bytes = file(path).map_err(|failure| {
        failure.hint(
            "server.tls.keystore names it; with ONAP's file and https the variables KEYSTORE and KEYSTORE_PASSWD do",
        )
    })?;
    if bytes.starts_with(&JKS) || bytes.starts_with(&JCEKS) {
        return Err(Failure::usage("this is a key store in Java's own format, not PKCS#12")
            .in_file(path)
            .hint(format!(
                "`keytool -importkeystore -srckeystore {} -destkeystore keystore.p12 -deststoretype PKCS12` converts it",
                path.display()
            )));
    }
    if bytes.starts_with(b"-----BEGIN") {
        return Err(Failure::usage("this is a PEM file, not a PKCS#12 key store")
            .in_file(path)
            .hint("name PEM files with server.tls.cert and server.tls.key"));
    }
    let store = KeyStore::from_pkcs12(&bytes, password, Pkcs12ImportPolicy::Strict).map_err(
        |error| match error {
            Error::MacError(_) => Failure::usage("the password of the key store is wrong")
                .in_file(path)
                .hint("it is the setting server.tls.keystore_password, for ONAP's file the variable KEYSTORE_PASSWD"),
            error => unusable(path, &error).hint(format!(
                "`openssl pkcs12 -info -in {}` shows whether it is a PKCS#12 key store",
                path.display()
            )),
        },
    )?;
    let (_, chain) = store.private_key_chain().ok_or_else(|| {
        Failure::usage("the key store holds no private key with its certificate")
            .in_file(path)
            .hint("`openssl pkcs12 -export -in CERT -inkey KEY -out keystore.p12` makes one with both")
    })?;
    let certificates =
        chain.certs().iter().map(|one| CertificateDer::from(one.as_der().to_vec())).collect();
    let key = PrivatePkcs8KeyDer::from(chain.key().as_der().to_vec());
    Ok((certificates, key.into()))
}
