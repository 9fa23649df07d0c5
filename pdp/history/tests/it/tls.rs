//! Real servers that speak TLS alone and want a password.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pdp_history::blocking::Blocking;
use pdp_history::connect::RemoteSettings;
use pdp_onap::history::HistoryError;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::servers::{Database, Identity, Kind, PASSWORD};
use crate::shared::{count, remote, row, settings};

/// An authority's certificate in PEM, and a certificate for this machine that it has signed.
fn authority(name: &str) -> (String, Identity) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().expect("a key can be made");
    let root = params.self_signed(&key).expect("an authority signs itself").pem();
    let issuer = Issuer::new(params, key);
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let params = CertificateParams::new(names).expect("these are names");
    let key = KeyPair::generate().expect("a key can be made");
    let certificate = params.signed_by(&key, &issuer).expect("the authority signs").pem();
    (root, Identity { certificate, key: key.serialize_pem() })
}

/// The settings of someone who trusts an authority.
fn trusting(database: &Database, kind: Kind, password: &str, root: &Path) -> RemoteSettings {
    let file = root.display();
    let options = match kind {
        Kind::Postgres => format!("?sslmode=verify-full&sslrootcert={file}"),
        Kind::MariaDb => format!("?ssl-mode=VERIFY_IDENTITY&ssl-ca={file}"),
        Kind::Redis => String::new(),
    };
    let authority = (kind == Kind::Redis).then(|| fs::read(root).expect("the file is there"));
    RemoteSettings { authority, ..settings(database.closed_url(password, &options)) }
}

fn try_once(settings: &RemoteSettings) -> Result<Blocking, HistoryError> {
    let remote = remote(settings.clone());
    Blocking::new(async || {
        remote.check().await?;
        remote.connect()
    })
}

fn is_closed(kind: Kind) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, pem: &str| {
        let path = folder.path().join(name);
        fs::write(&path, pem).expect("the folder is writable");
        path
    };
    let (root, identity) = authority("ours");
    let (ours, other) = (write("ours.pem", &root), write("other.pem", &authority("other").0));
    let Some(database) = Database::start_as(kind, Some(&identity)) else { return };

    let right = trusting(&database, kind, PASSWORD, &ours);
    let started = Instant::now();
    let history = loop {
        match try_once(&right) {
            Ok(history) => break history,
            // It takes connections before it is ready.
            Err(_) if started.elapsed() < Duration::from_secs(60) => {
                thread::sleep(Duration::from_millis(100));
            }
            Err(error) => panic!("{kind:?} cannot be reached: {error}"),
        }
    };
    use pdp_onap::history::OperationHistory;
    history.record(row(&history, "closed")).expect("it is recorded");
    assert_eq!(count(&history, "closed"), Ok(1));

    let told =
        |settings: &RemoteSettings| try_once(settings).expect_err("it is refused").to_string();
    let error = told(&trusting(&database, kind, PASSWORD, &other));
    assert!(error.contains("certificate"), "{kind:?}: an authority that is not theirs: {error}");
    let error = told(&trusting(&database, kind, "wrong-sesame", &ours));
    assert!(!error.contains("sesame"), "{kind:?}: {error}");
    let says = ["password", "denied", "WRONGPASS", "authentication"];
    assert!(says.iter().any(|word| error.contains(word)), "{kind:?}: {error}");
    let plain = match kind {
        Kind::Postgres => database.closed_url(PASSWORD, "?sslmode=disable"),
        Kind::MariaDb => database.closed_url(PASSWORD, "?ssl-mode=DISABLED"),
        Kind::Redis => database.closed_url(PASSWORD, "").replace("rediss:", "redis:"),
    };
    let error = told(&settings(plain));
    assert!(!error.contains("sesame"), "{kind:?}: without TLS: {error}");
}

#[test]
fn postgres_with_tls_and_a_password() {
    is_closed(Kind::Postgres);
}

#[test]
fn mariadb_with_tls_and_a_password() {
    is_closed(Kind::MariaDb);
}

#[test]
fn redis_with_tls_and_a_user_of_its_own() {
    is_closed(Kind::Redis);
}
