//! Certificates for one run: an authority, a service and a client that it vouches for.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};

/// The files of the service, in a folder that goes when this is dropped, and the client's PEM.
#[derive(Debug)]
pub struct Certificates {
    folder: PathBuf,
    /// The authority, as PEM.
    pub authority: Vec<u8>,
    /// The client's certificate, as PEM.
    pub client: Vec<u8>,
    /// The client's key, as PEM.
    pub client_key: Vec<u8>,
}

impl Certificates {
    /// Makes them anew, for services on loopback addresses.
    pub fn make() -> io::Result<Self> {
        let tag = crate::scenario::rng::random();
        let folder = std::env::temp_dir().join(format!("soak-{}-{tag:08x}", std::process::id()));
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let mut made =
            Self { folder, authority: Vec::new(), client: Vec::new(), client_key: Vec::new() };
        made.fill().map_err(io::Error::other)?;
        Ok(made)
    }

    /// The path of one of the service's files: `authority.pem`, `server.pem`, `server.key`.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn fill(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.distinguished_name.push(DnType::CommonName, "soak authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

        let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let mut server = CertificateParams::new(names)?;
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let server_key = KeyPair::generate()?;
        let server = server.signed_by(&server_key, &authority)?;

        let mut client = CertificateParams::new(Vec::new())?;
        client.distinguished_name.push(DnType::CommonName, "soak client");
        client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let client_key = KeyPair::generate()?;
        let client = client.signed_by(&client_key, &authority)?;

        self.authority = authority.pem().into_bytes();
        self.client = client.pem().into_bytes();
        self.client_key = client_key.serialize_pem().into_bytes();
        write(&self.folder.join("authority.pem"), &self.authority)?;
        write(&self.folder.join("server.pem"), server.pem().as_bytes())?;
        write(&self.folder.join("server.key"), server_key.serialize_pem().as_bytes())?;
        Ok(())
    }
}

fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    use io::Write;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text)
}

impl Drop for Certificates {
    fn drop(&mut self) {
        // The keys are of no use after the run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::tls::Trust;

    #[test]
    fn they_are_of_one_kind_and_go_when_dropped() {
        let made = Certificates::make().expect("certificates");
        let mut trust = Trust::default();
        trust.trust_only(&made.authority).expect("an authority");
        trust.identify(&made.client, &made.client_key).expect("an identity");
        let other = Certificates::make().expect("certificates");
        assert!(trust.identify(&made.client, &other.client_key).is_err(), "another's key");
        let path = made.path("server.key");
        assert!(Path::new(&path).is_file());
        drop(made);
        assert!(!Path::new(&path).exists());
    }
}
