//! Certificates, keys and authorities that are renewed in their files while the service runs.

use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::{Folder, Server, eventually};
use crate::tls::{Authority, Issued, start};

/// A Secret as the kubelet mounts it: the files stand behind a link, which is turned to another version of
/// all of them at once.
struct Secret(Folder);

impl Secret {
    fn turn(&self, version: &str, files: &[(&str, String)]) {
        let at = |name: &str| self.0.path().join(name);
        for (name, text) in files {
            self.0.write(&format!("{version}/{name}"), text);
        }
        let old = fs::read_link(at("..data")).ok();
        symlink(version, at("..data_tmp")).expect("the folder takes links");
        fs::rename(at("..data_tmp"), at("..data")).expect("a link is replaced at once");
        if let Some(old) = old {
            fs::remove_dir_all(self.0.path().join(old)).expect("it is there");
        }
        for (name, _) in files {
            if !at(name).is_symlink() {
                symlink(format!("..data/{name}"), at(name)).expect("the folder takes links");
            }
        }
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

fn pair(certificate: &Issued, key: &Issued) -> Vec<(&'static str, String)> {
    vec![("tls.crt", certificate.0.pem()), ("tls.key", key.1.serialize_pem())]
}

/// Whom a client trusts, and what it proves itself with.
fn client(trusted: &Authority, identity: Option<&Issued>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(trusted.der.clone())).expect("it is an authority");
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("these are supported")
        .with_root_certificates(roots);
    let mut config = match identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivatePkcs8KeyDer::from(key.serialize_der());
            let chain = vec![certificate.der().clone()];
            builder.with_client_auth_cert(chain, key.into()).expect("they belong together")
        }
    };
    // A session that is taken up again shows the certificate that it was begun with.
    if identity.is_none() {
        config.resumption = Resumption::disabled();
    }
    Arc::new(config)
}

/// A connection that is kept.
struct Connection(StreamOwned<ClientConnection, TcpStream>);

impl Connection {
    fn open(server: &Server, client: &Arc<ClientConfig>) -> Self {
        let stream = TcpStream::connect(&server.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket takes a timeout");
        let name = ServerName::try_from("localhost").expect("it is a name");
        let connection = ClientConnection::new(Arc::clone(client), name).expect("it can be made");
        Self(StreamOwned::new(connection, stream))
    }

    /// The body that is answered at a path.
    fn ask(&mut self, path: &str) -> io::Result<String> {
        write!(self.0, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")?;
        self.0.flush()?;
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            let read = self.0.read(&mut buffer)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            bytes.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&bytes);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|text| text.parse().ok()).expect("it says so");
            if body.len() >= length {
                return Ok(body.to_owned());
            }
        }
    }

    /// The certificate that it was shown.
    fn shown(&self) -> Vec<u8> {
        let chain = self.0.conn.peer_certificates().unwrap_or_default();
        chain.first().map(|certificate| certificate.to_vec()).unwrap_or_default()
    }
}

/// What a new connection is shown, and answered at a path.
fn ask(server: &Server, client: &Arc<ClientConfig>, path: &str) -> io::Result<(Vec<u8>, String)> {
    let mut connection = Connection::open(server, client);
    let body = connection.ask(path)?;
    Ok((connection.shown(), body))
}

#[track_caller]
fn answer(server: &Server, client: &Arc<ClientConfig>, path: &str) -> (Vec<u8>, String) {
    ask(server, client, path).expect("it answers")
}

#[test]
fn a_secret_that_is_turned_to_a_renewed_certificate_is_followed_and_a_broken_one_is_not() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let (ours, secret) = (Authority::new(&files, "ours"), Secret(Folder::new(&[])));
    let [first, second, third] = std::array::from_fn(|_| ours.issue());
    secret.turn("..2026_01", &pair(&first, &first));
    let server = start(
        &policies,
        &[
            ("PDP_SERVER__TLS__CERT", &secret.path("tls.crt")),
            ("PDP_SERVER__TLS__KEY", &secret.path("tls.key")),
        ],
    );
    let client = client(&ours, None);
    let answer = |path: &str| answer(&server, &client, path);
    let mut kept = Connection::open(&server, &client);
    kept.ask("/livez").expect("it answers");
    assert!(kept.shown() == first.0.der().to_vec());
    let is_current = r#""certificate":"as its files have it""#;
    assert!(answer("/readyz").1.contains(is_current));

    secret.turn("..2026_02", &pair(&second, &second));
    eventually("new connections see it", || answer("/livez").0 == second.0.der().to_vec());
    assert_eq!(kept.ask("/livez").expect("what is connected goes on"), r#"{"live":true}"#);
    assert!(kept.shown() == first.0.der().to_vec());
    assert!(answer("/readyz").1.contains(is_current));

    let broken = "-----BEGIN PRIVATE KEY-----\nAAAA\n";
    for (version, held, says) in [
        ("..2026_03", pair(&third, &second), "do not belong together"),
        ("..2026_04", pair(&third, &third)[..1].to_vec(), "setting server.tls.key"),
        ("..2026_05", vec![("tls.crt", third.0.pem()), ("tls.key", broken.into())], "no key that"),
    ] {
        secret.turn(version, &held);
        eventually("it is told", || answer("/readyz").1.contains(says));
        let (shown, ready) = answer("/readyz");
        assert!(shown == second.0.der().to_vec(), "{says}");
        assert!(ready.contains(r#""ready":true"#) && ready.contains("an earlier one"), "{ready}");
        assert!(answer("/metrics").1.contains("\npdp_certificate_refused 1\n"), "{says}");
        let log = server.log();
        assert!(log.contains("stays as it was") && log.contains(says), "{says}: {log}");
    }
    secret.turn("..2026_06", &pair(&third, &third));
    eventually("the mended one is shown", || answer("/livez").0 == third.0.der().to_vec());
    assert!(answer("/readyz").1.contains(is_current));
    assert!(answer("/metrics").1.contains("\npdp_certificate_refused 0\n"));
}

#[test]
fn authorities_of_clients_are_followed_too() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let (ours, other) = (Authority::new(&files, "ours"), Authority::new(&files, "other"));
    let (cert, key) = ours.sign("server");
    let text = |path: &str| fs::read_to_string(path).expect("it was written");
    let trusted = files.write("clients.pem", &text(&ours.pem())).display().to_string();
    let server = start(
        &policies,
        &[
            ("PDP_SERVER__TLS__CERT", &cert),
            ("PDP_SERVER__TLS__KEY", &key),
            ("PDP_SERVER__TLS__CLIENT_CA", &trusted),
        ],
    );
    let known = client(&ours, Some(&ours.issue()));
    let stranger = client(&ours, Some(&other.issue()));
    let mut kept = Connection::open(&server, &known);
    kept.ask("/livez").expect("it answers");
    answer(&server, &known, "/livez");
    assert!(ask(&server, &stranger, "/livez").is_err());

    files.write("clients.pem", "none");
    eventually("it is told", || kept.ask("/readyz").is_ok_and(|it| it.contains("client_ca")));
    answer(&server, &known, "/livez");

    files.write("clients.pem", &text(&other.pem()));
    eventually("others may connect", || ask(&server, &stranger, "/livez").is_ok());
    assert!(ask(&server, &known, "/livez").is_err(), "also where there is a session to resume");
    kept.ask("/livez").expect("what is connected goes on");
}

#[test]
fn a_key_store_is_followed_too() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let ours = Authority::new(&files, "ours");
    let store = ours.keystore("keystore.p12", "open-sesame");
    let server = start(
        &policies,
        &[
            ("PDP_SERVER__TLS__KEYSTORE", &store),
            ("PDP_SERVER__TLS__KEYSTORE_PASSWORD", "open-sesame"),
        ],
    );
    let client = client(&ours, None);
    let (before, _) = answer(&server, &client, "/livez");
    ours.keystore("keystore.p12", "another");
    eventually("it is told", || answer(&server, &client, "/readyz").1.contains("password"));
    assert!(answer(&server, &client, "/livez").0 == before);
    ours.keystore("keystore.p12", "open-sesame");
    eventually("the renewed one is shown", || answer(&server, &client, "/livez").0 != before);
    assert!(!answer(&server, &client, "/readyz").1.contains("password"));
}
