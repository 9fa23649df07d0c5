//! HTTPS with real handshakes; the certificates are made here.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use p12_keystore::{
    Certificate, EncryptionAlgorithm, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain,
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::support::{Folder, Server, run, run_with_input};

/// A certificate and its key.
pub(crate) type Issued = (rcgen::Certificate, KeyPair);

/// An authority, and the folder in which it and what it signs stand as PEM files.
pub(crate) struct Authority {
    folder: PathBuf,
    name: &'static str,
    issuer: Issuer<'static, KeyPair>,
    pub(crate) der: Vec<u8>,
}

impl Authority {
    pub(crate) fn new(folder: &Folder, name: &'static str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.self_signed(&key).expect("an authority signs itself");
        folder.write(&format!("{name}.pem"), &certificate.pem());
        let der = certificate.der().to_vec();
        Self { folder: folder.path().to_owned(), name, issuer: Issuer::new(params, key), der }
    }

    pub(crate) fn pem(&self) -> String {
        self.path(&format!("{}.pem", self.name))
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Signs a certificate for this machine; files `NAME.cert.pem` and `NAME.key.pem`.
    pub(crate) fn sign(&self, name: &str) -> (String, String) {
        let (certificate, key) = self.issue();
        let (cert, secret) =
            (self.path(&format!("{name}.cert.pem")), self.path(&format!("{name}.key.pem")));
        fs::write(&cert, certificate.pem()).expect("the folder is writable");
        fs::write(&secret, key.serialize_pem()).expect("the folder is writable");
        (cert, secret)
    }

    pub(crate) fn issue(&self) -> Issued {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(names).expect("these are names");
        params.distinguished_name.push(DnType::CommonName, "pdp");
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &self.issuer).expect("the authority signs");
        (certificate, key)
    }

    /// A PKCS#12 key store.
    pub(crate) fn keystore(&self, name: &str, password: &str) -> String {
        let (certificate, key) = self.issue();
        let der = |bytes: &[u8]| Certificate::from_der(bytes).expect("a certificate");
        let key = PrivateKey::from_der(&key.serialize_der()).expect("a key");
        let chain = [der(certificate.der()), der(&self.der)];
        let mut store = KeyStore::new();
        let entry = PrivateKeyChain::new("1", key, chain);
        store.add_entry("pdp", KeyStoreEntry::PrivateKeyChain(entry));
        let bytes = store
            .writer(password)
            .encryption_algorithm(EncryptionAlgorithm::PbeWithHmacSha256AndAes256)
            .write()
            .expect("a key store can be written");
        let path = self.path(name);
        fs::write(&path, bytes).expect("the folder is writable");
        path
    }
}

pub(crate) fn start(policies: &Folder, settings: &[(&str, &str)]) -> Server {
    let arguments =
        ["serve", "--policies", &policies.text(), "--listen", "127.0.0.1:0", "--state", "none"];
    Server::spawn(&arguments, settings)
}

/// The exit code of a health check with these arguments after the URL.
fn check(server: &Server, more: &[&str]) -> i32 {
    let url = format!("https://{}/readyz", server.address);
    let mut arguments = vec!["healthcheck", "--url", &url];
    arguments.extend(more);
    run(&arguments).code
}

#[test]
fn pem_files_make_it_https() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let (ours, other) = (Authority::new(&files, "ours"), Authority::new(&files, "other"));
    let (cert, key) = ours.sign("server");
    let server =
        start(&policies, &[("PDP_SERVER__TLS__CERT", &cert), ("PDP_SERVER__TLS__KEY", &key)]);
    assert!(server.ready.starts_with("listening on https://127.0.0.1:"), "{}", server.ready);
    assert_eq!(check(&server, &["--cacert", &ours.pem()]), 0);
    assert_eq!(check(&server, &["--cacert", &other.pem()]), 3);
    assert_eq!(check(&server, &[]), 2);
    let (base, pem) = (format!("https://{}", server.address), ours.pem());
    let told = run(&["healthcheck", "--url", &base, "--cacert", &pem]);
    assert_eq!((told.code, told.out.contains("\"ready\":true")), (0, true), "{}", told.out);
    let plain = format!("http://{}/readyz", server.address);
    assert_ne!(run(&["healthcheck", "--url", &plain]).code, 0);
    assert_eq!(check(&server, &["--cacert", &ours.pem()]), 0);
}

/// A certificate that has signed itself; files `NAME.cert.pem` and `NAME.key.pem`.
fn self_signed(folder: &Folder, name: &str, host: &str, authority: IsCa) -> (String, String) {
    let mut params = CertificateParams::new(vec![host.to_owned()]).expect("it is a name");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = authority;
    let key = KeyPair::generate().expect("a key can be made");
    let certificate = params.self_signed(&key).expect("it signs itself");
    let cert = folder.write(&format!("{name}.cert.pem"), &certificate.pem());
    let key = folder.write(&format!("{name}.key.pem"), &key.serialize_pem());
    (cert.display().to_string(), key.display().to_string())
}

#[test]
fn a_health_check_says_what_to_do_about_a_certificate_that_it_does_not_trust() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let other = Authority::new(&files, "other").pem();
    let authority = IsCa::Ca(BasicConstraints::Unconstrained);
    let plain = self_signed(&files, "plain", "127.0.0.1", IsCa::NoCa);
    let authority = self_signed(&files, "authority", "127.0.0.1", authority);
    let elsewhere = self_signed(&files, "elsewhere", "pdp.example", IsCa::ExplicitNoCa);
    for ((cert, key), cacert, code, told) in [
        (&plain, Some(&plain.0), 0, ""),
        (&plain, Some(&other), 3, "is named itself"),
        (&plain, None, 2, "--cacert FILE; a certificate that nobody but itself has signed"),
        (&authority, Some(&authority.0), 3, "CA:FALSE`, and name it with --cacert FILE"),
        (&elsewhere, Some(&elsewhere.0), 3, "ask by a name or address that the certificate holds"),
    ] {
        let settings = [("PDP_SERVER__TLS__CERT", &**cert), ("PDP_SERVER__TLS__KEY", &**key)];
        let server = start(&policies, &settings);
        let url = format!("https://{}", server.address);
        let mut arguments = vec!["healthcheck", "--url", &url];
        arguments.extend(cacert.iter().flat_map(|path| ["--cacert", path.as_str()]));
        let ended = run(&arguments);
        assert_eq!(ended.code, code, "{told}: {}", ended.err);
        assert!(ended.err.contains(told), "{told}: {}", ended.err);
        assert!(!ended.err.contains("OtherError"), "a library's words: {}", ended.err);
    }
    let server = start(&policies, &[]);
    let url = format!("https://{}", server.address);
    let ended = run(&["healthcheck", "--url", &url, "--cacert", &other]);
    assert!(ended.code == 3 && ended.err.contains("ask with http://"), "{}", ended.err);
}

#[test]
fn clients_prove_who_they_are_where_an_authority_is_named() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let (ours, other) = (Authority::new(&files, "ours"), Authority::new(&files, "other"));
    let (cert, key) = ours.sign("server");
    let server = start(
        &policies,
        &[
            ("PDP_SERVER__TLS__CERT", &cert),
            ("PDP_SERVER__TLS__KEY", &key),
            ("PDP_SERVER__TLS__CLIENT_CA", &ours.pem()),
        ],
    );
    let ca = ours.pem();
    let (cert, key) = ours.sign("client");
    assert_eq!(check(&server, &["--cacert", &ca, "--cert", &cert, "--key", &key]), 0);
    assert_eq!(check(&server, &["--cacert", &ca]), 3);
    let url = format!("https://{}", server.address);
    let told = run(&["healthcheck", "--url", &url, "--cacert", &ca]).err;
    assert!(told.contains("--cert FILE and --key FILE"), "{told}");
    let (cert, key) = other.sign("stranger");
    assert_eq!(check(&server, &["--cacert", &ca, "--cert", &cert, "--key", &key]), 3);
}

const ONAP: &str = r#"{
    "name": "X", "pdpGroup": "g", "pdpType": "xacml",
    "restServerParameters": {"host": "0.0.0.0", "port": 6969, "userName": "u", "password": "p", "https": true},
    "policyApiParameters": {"hostname": "api", "port": 6969},
    "applicationParameters": {"applicationPath": "/apps"},
    "topicParameterGroup": {"topicSources": [], "topicSinks": []}
}"#;

#[test]
fn onap_s_file_with_https_starts_with_its_key_store() {
    let files = Folder::new(&[("defaultConfig.json", ONAP)]);
    let ours = Authority::new(&files, "ours");
    let store = ours.keystore("keystore.p12", "Pol1cy_0nap");
    let config = ours.path("defaultConfig.json");
    let arguments = ["serve", "-c", &config, "--listen", "127.0.0.1:0", "--state", "none"];
    let server = Server::spawn(&arguments, &[("KEYSTORE", &store)]);
    assert_eq!(check(&server, &["--cacert", &ours.pem()]), 0);
    let other = ours.keystore("other.p12", "another");
    let variables = [("KEYSTORE", other.as_str()), ("KEYSTORE_PASSWD", "another")];
    let server = Server::spawn(&arguments, &variables);
    assert_eq!(check(&server, &["--cacert", &ours.pem()]), 0);
    let ended = run_with_input(&arguments, "", &variables[..1]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended.err.contains("password") && ended.err.contains("KEYSTORE_PASSWD"),
        "{}",
        ended.err
    );
}

#[test]
fn what_cannot_be_used_is_named_with_what_to_do() {
    let files = Folder::new(&[
        ("text.pem", "no certificate"),
        (
            "locked.pem",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        ),
    ]);
    let ours = Authority::new(&files, "ours");
    let (cert, key) = ours.sign("one");
    let (_, wrong) = ours.sign("two");
    let jks = ours.path("store.jks");
    fs::write(&jks, [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2]).expect("the folder is writable");
    let junk = ours.path("text.pem");
    let locked = ours.path("locked.pem");
    let (c, k, s, a) = (
        "PDP_SERVER__TLS__CERT",
        "PDP_SERVER__TLS__KEY",
        "PDP_SERVER__TLS__KEYSTORE",
        "PDP_SERVER__TLS__CLIENT_CA",
    );
    type Row<'r> = (&'r [(&'r str, &'r str)], &'r str, &'r str);
    let rows: &[Row<'_>] = &[
        (&[(c, &cert)], "needs `server.tls.key`", "server.tls.key"),
        (&[(k, &key)], "needs `server.tls.cert`", "server.tls.cert"),
        (&[(a, &cert)], "needs `server.tls.cert`", "server.tls.client_ca"),
        (&[(c, &cert), (k, &wrong)], "belong together", "setting server.tls.key"),
        (&[(c, &junk), (k, &key)], "no certificate", "text.pem, setting server.tls.cert)"),
        (&[(c, &cert), (k, &junk)], "PRIVATE KEY", "text.pem, setting server.tls.key)"),
        (&[(c, &cert), (k, &locked)], "is encrypted", "locked.pem, setting server.tls.key)"),
        (
            &[(c, "/nowhere.pem"), (k, &key)],
            "No such file",
            "/nowhere.pem, setting server.tls.cert)",
        ),
        (&[(c, &cert), (k, &files.text())], "cannot be read", "setting server.tls.key)"),
        (&[(c, &cert), (k, &key), (a, &junk)], "no certificate", "setting server.tls.client_ca)"),
        (&[(s, &jks)], "keytool -importkeystore", "store.jks, setting server.tls.keystore)"),
        (&[(s, &cert)], "server.tls.cert", "setting server.tls.keystore)"),
        (&[(s, &junk)], "cannot be used", "setting server.tls.keystore)"),
        (&[(s, "/nowhere.p12")], "variables KEYSTORE", "setting server.tls.keystore)"),
    ];
    for (settings, text, setting) in rows {
        let ended =
            run_with_input(&["serve", "--listen", "127.0.0.1:0", "--state", "none"], "", settings);
        assert_eq!(ended.code, 2, "{settings:?}: {}", ended.err);
        for text in [text, setting] {
            assert!(ended.err.contains(text), "{text}: {settings:?}: {}", ended.err);
        }
    }
}

#[test]
fn a_hang_up_reads_the_certificate_again_and_does_not_end_it() {
    let (policies, files) = (Folder::new(&[]), Folder::new(&[]));
    let (old, new) = (Authority::new(&files, "old"), Authority::new(&files, "new"));
    let (cert, key) = old.sign("server");
    let server =
        start(&policies, &[("PDP_SERVER__TLS__CERT", &cert), ("PDP_SERVER__TLS__KEY", &key)]);
    assert_eq!(check(&server, &["--cacert", &old.pem()]), 0);
    fs::write(&key, "broken").expect("the folder is writable");
    server.signal("HUP");
    wait_for(|| server.log().contains("stays as it was"));
    assert_eq!(check(&server, &["--cacert", &old.pem()]), 0);
    new.sign("server");
    server.signal("HUP");
    wait_for(|| check(&server, &["--cacert", &new.pem()]) == 0);
    assert!(Path::new(&cert).exists());
}

#[test]
fn a_hang_up_without_tls_changes_nothing() {
    let policies = Folder::new(&[]);
    let server = start(&policies, &[]);
    server.signal("HUP");
    wait_for(|| server.log().contains("SIGHUP"));
    assert_eq!(server.get("/livez").status, 200);
}

#[track_caller]
fn wait_for(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(30), "it did not come about");
    }
}
