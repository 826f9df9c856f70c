//! K-75: a forge with a certificate authority of its own.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::*;

/// A private authority called `called`, and a server with a certificate of its for `localhost`.
pub(super) fn authority(called: &str) -> (String, TlsAcceptor) {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.distinguished_name.push(DnType::CommonName, called);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(vec!["localhost".to_owned()])
        .and_then(|params| params.signed_by(&key, &issuer))
        .expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has them")
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(certificate.der().to_vec())],
            PrivateKeyDer::try_from(key.serialize_der()).expect("a key of a known kind"),
        )
        .expect("they belong together");
    (issuer.pem(), TlsAcceptor::from(Arc::new(server)))
}

/// K-75: a forge with an authority of its own works with that authority's file, and without it the fault says so.
#[tokio::test]
async fn a_private_authority_is_trusted_when_it_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (pem, acceptor) = authority("ours");
    let server = Loopback::start_tls(acceptor, |_| answer("200 OK", "{}")).await;
    let url = format!("https://localhost:{}", server.port());
    let file = |name: &str, pem: String| {
        let file = folder.path().join(name);
        fs::write(&file, pem).expect("written");
        file
    };
    let with = |file: &PathBuf| OriginConfig { ca_file: Some(file.clone()), ..config(url.clone()) };
    let ca_file = file("ca.pem", pem);
    let trusting = Origin::new(with(&ca_file)).expect("sound");
    let mut trusted = get(&trusting, &[b"user"]).await.expect("it is trusted");
    assert_eq!(body(&mut trusted, 99).await, Ok(b"{}".to_vec()));
    for other in ["theirs", "ours"] {
        let distrusting = Origin::new(with(&file("other.pem", authority(other).0))).expect("sound");
        let fault = get(&distrusting, &[b"user"]).await.expect_err("it is not trusted");
        assert!(matches!(&fault, Fault::Transport(text) if text.contains("--ca-file")), "{other}: {fault}");
    }
    assert_eq!(server.heads().len(), 1, "no request, and no credential, before the certificate is trusted");

    let by_address = format!("https://127.0.0.1:{}", server.port());
    let elsewhere = Origin::new(OriginConfig { ca_file: Some(ca_file), ..config(by_address) }).expect("sound");
    let fault = get(&elsewhere, &[b"user"]).await.expect_err("another name");
    assert_eq!(fault, Fault::Transport("the forge's certificate is for another host name".to_owned()));
}

/// K-75: TLS to a server that does not speak it, and clear text to one that does.
#[tokio::test]
async fn a_wrong_scheme_is_a_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let (pem, acceptor) = authority("ours");
    let ca_file = folder.path().join("ca.pem");
    fs::write(&ca_file, pem).expect("written");
    let plain = Loopback::start(|_| raw("HTTP/1.1 400 Bad Request\r\n\r\n")).await;
    let url = format!("https://localhost:{}", plain.port());
    let origin_of = |url| Origin::new(OriginConfig { ca_file: Some(ca_file.clone()), ..config(url) }).expect("sound");
    assert!(matches!(get(&origin_of(url), &[b"user"]).await, Err(Fault::Transport(_))));
    let tls = Loopback::start_tls(acceptor, |_| answer("200 OK", "{}")).await;
    assert!(matches!(get(&origin_of(tls.url()), &[b"user"]).await, Err(Fault::Transport(_))));
    assert!(tls.heads().is_empty());
}

/// K-75: a file that is none is told when the program starts.
#[test]
fn a_file_without_certificates_stops_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    for content in [None, Some(""), Some("no certificate"), Some("-----BEGIN CERTIFICATE-----\n!\n")] {
        if let Some(content) = content {
            fs::write(&file, content).expect("written");
        }
        let wrong = OriginConfig { ca_file: Some(file.clone()), ..config("https://forge.example".to_owned()) };
        let error = Origin::new(wrong).expect_err("no certificate");
        assert!(error.to_string().contains("ca.pem"), "{error}");
    }
    let error = Origin::new(config("https://u:s3cret@forge.example".to_owned())).expect_err("a password");
    assert!(!error.to_string().contains("s3cret"), "{error}");
}
