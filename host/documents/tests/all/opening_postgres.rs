//! What can be wrong with a server, and how it is reached.

use std::{net::TcpListener, sync::Arc, time::Duration};

use assay_documents::{Documents, Fault, Options, open, open_with};
use assay_kit::postgres::{Database, PASSWORD, Server, Setup};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::ground::{Counted, Place, created, step};

async fn refused(url: &str) -> Fault {
    let options = Options { patience: Duration::from_secs(2), ..Options::default() };
    open_with(url, options).await.map(drop).expect_err("it is refused")
}

/// No fault and no debugging text may have any of these in it.
fn holds_no_secret(told: &str) {
    for secret in [PASSWORD, "wörd", "w%C3%B6rd", "s3cret"] {
        assert!(!told.contains(secret), "{told}");
    }
}

/// X-01, P-112: a database that cannot be used is told as what it is, without its password.
#[tokio::test]
async fn a_database_that_cannot_be_used_is_told() {
    let database = Server::shared().database().await;
    let free = TcpListener::bind(("127.0.0.1", 0)).expect("the loopback has a port");
    let nobody = format!("postgres://u:s3cret@localhost:{}/a", free.local_addr().expect("bound").port());
    // Someone takes the connection and never says a word.
    let silent = refused(&nobody).await;
    drop(free);
    let gone = refused(&nobody).await;
    let wrong = refused(&database.url_with("s3cret wörd")).await;
    let absent = refused(&format!("{}_absent", database.url_with(PASSWORD))).await;
    let nowhere = refused("postgres://u:s3cret@host.invalid/a").await;
    for (fault, unavailable) in [(silent, true), (gone, true), (wrong, false), (absent, false), (nowhere, true)] {
        let as_it_is =
            if unavailable { matches!(fault, Fault::Unavailable(_)) } else { matches!(fault, Fault::Refused(_)) };
        assert!(as_it_is, "{fault:?}");
        holds_no_secret(&format!("{fault} {fault:?}"));
    }
    let store = open(&database.url_with(PASSWORD)).await.expect("the password is right");
    holds_no_secret(&format!("{store:?}"));
}

/// a database that could not hold every text is refused.
#[tokio::test]
async fn another_encoding_is_refused() {
    let options = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    let database = Server::shared().database_with(options).await;
    let fault = refused(&database.url()).await;
    assert!(matches!(&fault, Fault::Server(why) if why.contains("SQL_ASCII")), "{fault:?}");
}

/// P-112: a server where nothing can be written can be read.
#[tokio::test]
async fn a_read_only_server_can_be_read() {
    let place = Place::postgres().await;
    let id = created(&place.open().await, "x").await;
    let url = format!("{}?options=-c%20default_transaction_read_only=on", place.location());
    let store = open(&url).await.expect("it is there");
    let mut view = store.view().await.expect("begun");
    assert_eq!(view.head("", &id).await.expect("read").map(|head| head.version), Some(1));
    // Our own transactions say that they write; a hot standby says no to that.
    place
        .run("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        .await
        .expect("granted");
    let store = open(&place.location().replace("assay@", "reader@")).await.expect("it may look");
    let mut view = store.view().await.expect("begun");
    assert_eq!(view.head("", &id).await.expect("read").map(|head| head.version), Some(1));
    let fault = step(&store, &id, 1).await.expect_err("it may not write");
    assert!(matches!(fault, Fault::Refused(_)), "{fault:?}");
}

/// P-112, P-010: a connection that breaks is a fault of the infrastructure, a broken commit leaves open what was kept,
/// and what comes after it has a connection that works.
#[tokio::test]
async fn a_broken_connection_is_told() {
    let place = Place::postgres().await;
    let store = place.open().await;
    let id = created(&store, "x").await;
    let kill = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()";

    let mut transaction = store.begin().await.expect("begun");
    transaction.lock("", &id).await.expect("read").expect("there");
    place.number(kill).await;
    let fault = transaction.head("", &id).await.expect_err("it is gone");
    assert!(matches!(fault, Fault::Unavailable(_)), "{fault:?}");
    assert_eq!(transaction.commit().await, Err(Fault::Aborted));

    let mut transaction = store.begin().await.expect("begun");
    transaction.lock("", &id).await.expect("read").expect("there");
    place.number(kill).await;
    let fault = transaction.commit().await.expect_err("it is gone");
    assert!(matches!(fault, Fault::CommitUnknown(_)), "{fault:?}");
    assert_eq!(step(&store, &id, 1).await, Ok(2));
}

/// TLS where `sslmode` asks for it, with a server that proves who it is and with no other.
#[tokio::test]
async fn tls_is_verified() {
    let authority = |name: &str| {
        let mut params = CertificateParams::new(Vec::<String>::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("signed")
    };
    let (ours, another) = (authority("ours"), authority("another"));
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, &ours).expect("signed");
    let server = Server::start(&Setup {
        files: vec![
            ("server.crt".to_owned(), certificate.pem().into_bytes()),
            ("server.key".to_owned(), key.serialize_pem().into_bytes()),
        ],
        settings: [("ssl", "on"), ("ssl_cert_file", "../server.crt"), ("ssl_key_file", "../server.key")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
    });
    let database: Database = server.database().await;
    let folder = tempfile::tempdir().expect("room");
    let root = |name: &str, pem: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).expect("room");
        path.to_str().expect("plain").to_owned()
    };
    let (trusted, untrusted) = (root("ours.pem", ours.pem()), root("another.pem", another.pem()));
    let base = database.url_with(PASSWORD);

    for (mode, ssl) in [("require", true), ("verify-full", true), ("prefer", true), ("disable", false)] {
        let url = format!("{base}?sslmode={mode}&sslrootcert={trusted}&application_name={mode}");
        let ground = Arc::new(Counted::default());
        let store: Arc<dyn Documents> = open_with(&url, Options { ground, ..Options::default() })
            .await
            .unwrap_or_else(|fault| panic!("{mode}: {fault}"));
        let view = store.view().await.expect("begun");
        let statement =
            "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $1";
        let encrypted: bool = database.client().await.query_one(statement, &[&mode]).await.expect("a row").get(0);
        assert_eq!(encrypted, ssl, "{mode}");
        drop(view);
    }
    for wrong in [
        format!("{base}?sslmode=require&sslrootcert={untrusted}"),
        format!("{base}?sslmode=require"),
        format!("{}?sslmode=require&sslrootcert={trusted}", base.replace("localhost", "127.0.0.1")),
    ] {
        let fault = refused(&wrong).await;
        assert!(matches!(fault, Fault::Unavailable(_)), "{fault:?}");
        holds_no_secret(&format!("{fault} {fault:?}"));
    }
    let empty = root("empty.pem", String::new());
    for file in [empty, format!("{trusted}.absent")] {
        let fault = refused(&format!("{base}?sslmode=require&sslrootcert={file}")).await;
        assert!(matches!(fault, Fault::Location(_)), "{fault:?}");
    }
    let plain = Server::shared().database().await.url_with(PASSWORD);
    let fault = refused(&format!("{plain}?sslmode=require&sslrootcert={trusted}")).await;
    assert!(matches!(fault, Fault::Unavailable(_)), "a server without TLS: {fault:?}");
}
