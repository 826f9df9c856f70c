//! The origin against a real server on the loopback: what goes out, what comes back, and what never leaves.

mod reach;
mod tls;

use std::{
    fs, io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use tokio::sync::Notify;

use self::tls::authority;
use super::*;
use crate::{
    caller::Credential,
    loopback::{Loopback, Step, answer, raw},
};

const TOKEN: &str = "t0k3n-that-must-not-leak";

fn config(url: String) -> OriginConfig {
    OriginConfig {
        url,
        ca_file: None,
        connect_timeout: Duration::from_secs(20),
        read_timeout: Duration::from_secs(20),
        user_agent: "assay/0.0.0".to_owned(),
    }
}

fn origin(url: String) -> Origin {
    Origin::new(config(url)).expect("the address is sound")
}

fn caller() -> Caller {
    Caller::new(Credential::token(TOKEN.to_owned()))
}

async fn get(origin: &Origin, path: &[&[u8]]) -> Result<Answer, Fault> {
    origin.get(&caller(), path, &[]).await
}

/// Reads to the end in pieces of at most `max` bytes.
async fn body(answer: &mut Answer, max: u32) -> Result<Vec<u8>, Fault> {
    let mut whole = Vec::new();
    loop {
        let bytes = answer.read(max).await?;
        if bytes.is_empty() {
            return Ok(whole);
        }
        assert!(bytes.len() <= usize::try_from(max).expect("it fits"));
        whole.extend_from_slice(&bytes);
    }
}

/// D-005, G-050: the request as it goes out, to the byte, and nothing more in it.
#[tokio::test]
async fn sends_one_plain_request_with_the_callers_credential() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let origin = origin(server.url());
    let query = [("binary", "true"), ("a b", "c&d=é")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    origin.get(&caller(), &[&b"repos"[..], b"a b", b"latin1-\xe9", b"7.diff"], &query).await.expect("an answer");
    let head = server.heads().concat();
    assert!(
        head.starts_with("GET /api/v1/repos/a%20b/latin1-%E9/7.diff?binary=true&a%20b=c%26d%3D%C3%A9 HTTP/1.1\r\n")
    );
    let mut fields: Vec<_> = head.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            "accept-encoding: identity".to_owned(),
            "accept: */*".to_owned(),
            format!("authorization: Bearer {TOKEN}"),
            format!("host: 127.0.0.1:{}", server.port()),
            "user-agent: assay/0.0.0".to_owned(),
        ]
    );
}

/// O-010: one range, both ends included; where none is asked for there is no such field (as above).
#[tokio::test]
async fn sends_one_range() {
    let server = Loopback::start(|_| answer("206 Partial Content", "{}")).await;
    let origin = origin(server.url());
    for range in [(0, 0), (5, 4_095), (0, u64::MAX), (u64::MAX, u64::MAX)] {
        let target = origin.target(&[b"raw"], &[], Some(range)).expect("it is sound");
        assert_eq!(origin.send(&caller(), target).await.expect("an answer").status(), 206);
    }
    let heads = server.heads();
    let ranges: Vec<_> = heads
        .iter()
        .flat_map(|head| head.lines().filter(|line| line.to_ascii_lowercase().starts_with("range")))
        .collect();
    assert_eq!(
        ranges,
        [
            "range: bytes=0-0",
            "range: bytes=5-4095",
            "range: bytes=0-18446744073709551615",
            "range: bytes=18446744073709551615-18446744073709551615"
        ]
    );
    for range in [(1, 0), (u64::MAX, 0)] {
        let denied = origin.target(&[b"raw"], &[], Some(range)).expect_err("it ends before it starts");
        assert_eq!(denied, Fault::denied("a range ends where it starts or behind"));
    }
}

/// G-050: the other two kinds of caller.
#[tokio::test]
async fn sends_a_basic_pair_or_nothing() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let origin = origin(server.url());
    for credential in [Credential::basic("alice".to_owned(), "pä:ss".to_owned()), Credential::anonymous()] {
        origin.get(&Caller::new(credential), &[b"version"], &[]).await.expect("an answer");
    }
    let authorizations: Vec<_> = server
        .heads()
        .iter()
        .map(|head| head.lines().find_map(|line| line.strip_prefix("authorization: ")).map(str::to_owned))
        .collect();
    assert_eq!(authorizations, [Some("Basic YWxpY2U6cMOkOnNz".to_owned()), None]);
}

/// K-77: below a forge's own path.
#[tokio::test]
async fn keeps_the_forges_own_path() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    for form in ["/git", "/git/", "/git/api/v1", "/git/api/v1/"] {
        get(&origin(server.url() + form), &[b"user"]).await.expect("an answer");
    }
    let heads = server.heads();
    assert_eq!(heads.len(), 4);
    assert!(heads.iter().all(|head| head.starts_with("GET /git/api/v1/user HTTP/1.1\r\n")), "{heads:?}");
}

/// G-051, G-052, D-076, K-73, K-74: whatever a redirect names is not contacted, be it another origin or the same one.
#[tokio::test]
async fn follows_no_redirect() {
    let foreign = Loopback::start(|_| answer("200 OK", "{\"id\":1}")).await;
    for status in [300, 301, 302, 303, 305, 307, 308] {
        for location in [foreign.url() + "/api/v1/user", "//127.0.0.1:1/x".to_owned(), "/api/v1/elsewhere".to_owned()] {
            let head = format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
            let server = Loopback::start(move |_| raw(&head)).await;
            let fault = get(&origin(server.url()), &[b"user"]).await.expect_err("it moved");
            assert_eq!(fault, Fault::Moved(status));
            assert_eq!(server.heads().len(), 1);
        }
    }
    assert_eq!(foreign.connections(), 0);
    let server = Loopback::start(|_| raw("HTTP/1.1 304 Not Modified\r\n\r\n")).await;
    assert_eq!(get(&origin(server.url()), &[b"user"]).await.expect("no redirect").status(), 304);
}

/// G-057: what one request is refused for is that request's alone: the one transport goes on, on its connection.
#[tokio::test]
async fn a_refused_redirect_leaves_the_transport_in_use() {
    let server = Loopback::start(|head| {
        if head.contains("/gone") {
            answer("302 Found\r\nLocation: /api/v1/user", "")
        } else {
            answer("200 OK", "{\"id\":1}")
        }
    })
    .await;
    let origin = origin(server.url());
    for _ in 0..3 {
        assert_eq!(get(&origin, &[b"gone"]).await.expect_err("it moved"), Fault::Moved(302));
        let mut user = get(&origin, &[b"user"]).await.expect("an answer");
        assert_eq!(body(&mut user, 64).await, Ok(b"{\"id\":1}".to_vec()));
    }
    assert_eq!((server.heads().len(), server.connections()), (6, 1));
}

/// D-073, D-074, D-075: a component sees every field that it must judge, repeats and framing included.
#[tokio::test]
async fn shows_repeated_fields_and_the_framing() {
    let server = Loopback::start(|head| {
        raw(if head.contains("/length") {
            "HTTP/1.1 200 OK\r\nVia: 1.1 a\r\nContent-Length: 2\r\nVia: 1.1 b\r\nContent-Length: 2\r\nX-Raw: é\r\n\r\n{}"
        } else {
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
        })
    })
    .await;
    let origin = origin(server.url());
    let mut length = get(&origin, &[b"length"]).await.expect("an answer");
    let fields = length.headers();
    let values = |name: &str| -> Vec<_> {
        fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value.escape_ascii().to_string()).collect()
    };
    assert_eq!(values("via"), ["1.1 a", "1.1 b"]);
    assert_eq!(values("content-length"), ["2", "2"]);
    assert_eq!(values("x-raw"), ["\\xc3\\xa9"]);
    assert_eq!(body(&mut length, 1).await, Ok(b"{}".to_vec()));
    let mut chunked = get(&origin, &[b"chunked"]).await.expect("an answer");
    let fields = chunked.headers();
    assert!(fields.contains(&("transfer-encoding".to_owned(), b"chunked".to_vec())));
    assert!(fields.contains(&("content-encoding".to_owned(), b"gzip".to_vec())), "nothing is decompressed here");
    assert_eq!(body(&mut chunked, 1).await, Ok(b"{}".to_vec()));
}

/// D-073, D-077: a body that ends before its time is a fault, told in words of ours, and stays one.
#[tokio::test]
async fn a_cut_body_is_a_fault() {
    const SECRET: &str = "what-the-forge-sent";
    for (bytes, what) in [
        (
            format!("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{SECRET}"),
            "the connection ended before the answer did",
        ),
        (
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{SECRET}\r\n"),
            "the connection ended before the answer did",
        ),
        (
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{SECRET}\r\nzz\r\n"),
            "the answer's framing is malformed",
        ),
    ] {
        let server = Loopback::start(move |_| raw(&bytes)).await;
        let mut answer = get(&origin(server.url()), &[b"user"]).await.expect("a head came");
        let fault = Fault::Transport(what.to_owned());
        assert_eq!(body(&mut answer, 5).await, Err(fault.clone()));
        assert_eq!(answer.read(5).await, Err(fault), "asked again");
    }
}

/// D-073, D-077: what is no answer is a fault as well, without a byte of it.
#[tokio::test]
async fn what_is_no_answer_is_a_fault() {
    for (bytes, what) in [
        ("", "the connection ended before an answer came"),
        ("HTTP/1.1 200 OK\r\nX: what-the-forge", "the connection ended before an answer came"),
        ("what-the-forge-sent\r\n\r\n", "what came is no well-formed HTTP answer"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "what came is no well-formed HTTP answer",
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n12345", "what came is no well-formed HTTP answer"),
        ("HTTP/1.1 200 OK\r\n what-the-forge-sent\r\n\r\n", "what came is no well-formed HTTP answer"),
    ] {
        let server = Loopback::start(move |_| raw(bytes)).await;
        let fault = get(&origin(server.url()), &[b"user"]).await.expect_err(bytes);
        assert_eq!(fault, Fault::Transport(what.to_owned()), "{bytes:?}");
    }
}

/// A steady body may take longer as a whole than the time that each piece of it has.
#[tokio::test]
async fn a_slow_steady_body_is_fine() {
    let patience = Duration::from_millis(400);
    let done = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&done);
    let server = Loopback::start(move |_| {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let end = b"0\r\n\r\n".to_vec();
        vec![Step::Send(head), Step::Repeat(b"2\r\nok\r\n".to_vec(), Arc::clone(&until)), Step::Send(end)]
    })
    .await;
    let origin = Origin::new(OriginConfig { read_timeout: patience, ..config(server.url()) }).expect("sound");
    let mut answer = get(&origin, &[b"user"]).await.expect("an answer");
    let start = Instant::now();
    while start.elapsed() < patience * 2 {
        assert!(!answer.read(2).await.expect("it is steady").is_empty());
    }
    done.store(true, Ordering::SeqCst);
    body(&mut answer, 1024).await.expect("it ends well");
}

/// No byte for too long: before the head, and in the body.
#[tokio::test]
async fn silence_is_a_time_out() {
    let closed = Arc::new(Notify::new());
    let tell = Arc::clone(&closed);
    let server = Loopback::start(move |head| {
        let mut steps = vec![Step::Closed(Arc::clone(&tell))];
        if head.contains("/body") {
            steps.insert(0, Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_vec()));
        }
        steps
    })
    .await;
    let short = Duration::from_millis(100);
    let origin = Origin::new(OriginConfig { read_timeout: short, connect_timeout: short, ..config(server.url()) })
        .expect("sound");
    assert_eq!(get(&origin, &[b"head"]).await.expect_err("silence"), Fault::TimedOut);
    closed.notified().await;
    let mut answer = get(&origin, &[b"body"]).await.expect("a head came");
    assert_eq!(body(&mut answer, 99).await, Err(Fault::TimedOut));
    drop(answer);
    closed.notified().await;
}

/// Who no longer wants an answer lets go of its connection; who read it whole leaves it for the next request.
#[tokio::test]
async fn a_dropped_answer_closes_and_a_read_one_keeps_its_connection() {
    let closed = Arc::new(Notify::new());
    let tell = Arc::clone(&closed);
    let server = Loopback::start(move |head| {
        if head.contains("/endless") {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nx".to_vec();
            vec![Step::Send(head), Step::Closed(Arc::clone(&tell))]
        } else {
            answer("200 OK", "{}")
        }
    })
    .await;
    let origin = origin(server.url());
    for _ in 0..3 {
        let mut answer = get(&origin, &[b"user"]).await.expect("an answer");
        body(&mut answer, 99).await.expect("whole");
    }
    assert_eq!((server.heads().len(), server.connections()), (3, 1), "one connection serves them all");
    let mut endless = get(&origin, &[b"endless"]).await.expect("an answer");
    assert_eq!(endless.read(9).await.expect("a byte"), b"x"[..]);
    drop(endless);
    closed.notified().await;
}

/// A kept connection that ends under a request does not fail a read, which is sent once more and not again; one that had a
/// connection of its own is not, and neither is a write (G-160).
#[tokio::test]
async fn a_read_outlives_a_kept_connection() {
    let server = Loopback::start(|head| match head {
        _ if head.contains("/never") => raw(""),
        _ if head.contains("/half") => raw("HTTP/1.1 200 OK\r\nContent-Le"),
        _ => answer("200 OK", "{}"),
    })
    .await;
    let origin = origin(server.url());
    let whole = async || {
        let mut answer = get(&origin, &[b"user"]).await.expect("an answer");
        body(&mut answer, 99).await.expect("whole");
    };
    for path in [b"never", &b"half"[..]] {
        let before = server.heads().len();
        get(&origin, &[path]).await.expect_err("nobody answers");
        assert_eq!(server.heads().len(), before + 1);
        whole().await;
        let before = (server.heads().len(), server.connections());
        let ended = Fault::Transport("the connection ended before an answer came".to_owned());
        assert_eq!(get(&origin, &[path]).await.expect_err("nobody answers"), ended);
        assert_eq!((server.heads().len(), server.connections()), (before.0 + 2, before.1 + 1));
    }
    whole().await;
    let before = server.heads().len();
    let target = origin.target(&[b"never"], &[], None).expect("sound");
    let forge = origin.forge().expect("there is one");
    let written = forge.write(&caller(), Method::POST, &target, b"{}".to_vec()).await;
    assert!(matches!(written, Err(WriteFault::Uncertain(_))));
    assert_eq!(server.heads().len(), before + 1);
}

/// The forge closes after every answer without saying so, as one that restarts does: no read notices.
#[tokio::test]
async fn a_forge_that_closes_as_it_likes_is_read() {
    let server = Loopback::start(|_| raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")).await;
    let origin = origin(server.url());
    for _ in 0..200 {
        let mut answer = get(&origin, &[b"user"]).await.expect("an answer");
        assert_eq!(body(&mut answer, 99).await, Ok(b"{}".to_vec()));
    }
}

/// Segments that could leave their place, and requests without a forge, cost no connection.
#[tokio::test]
async fn what_is_denied_is_not_sent() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let origin = origin(server.url());
    for path in [vec![], vec![""], vec![".."], vec!["repos", "%2e%2e"], vec!["a/b"], vec!["a%2Fb"], vec!["a\0"]] {
        assert!(matches!(origin.get(&caller(), &path, &[]).await, Err(Fault::Denied(_))), "{path:?}");
    }
    let long = [b"x".repeat(4_000), b"\xff".repeat(4_000), b"y".repeat(4_000)];
    assert!(matches!(origin.get(&caller(), &long, &[]).await, Err(Fault::Denied(_))));
    let odd = Caller::new(Credential::token("line\nbreak: injected".to_owned()));
    assert!(matches!(origin.get(&odd, &[b"user"], &[]).await, Err(Fault::Denied(_))));
    assert_eq!(server.connections(), 0);
    assert!(matches!(get(&Origin::nowhere(), &[b"user"]).await, Err(Fault::Denied(_))));
}

/// Nobody listens: one sentence, no address in it.
#[tokio::test]
async fn a_refused_connection_says_so() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("bound").port();
    let fault = get(&origin(format!("http://127.0.0.1:{unused}")), &[b"user"]).await.expect_err("nobody is there");
    let text = "the connection was refused: nothing listens at the forge's address";
    assert_eq!(fault, Fault::Transport(text.to_owned()));
}

/// G-038, K-70: at the finest level nothing of the credential is logged, by us or by what we use.
#[tokio::test]
async fn the_credential_is_not_logged() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no holder panics").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let logging = tracing::subscriber::set_default(subscriber);
    let server = Loopback::start(|_| answer("401 Unauthorized", "{}")).await;
    let mut refused = get(&origin(server.url()), &[b"user"]).await.expect("an answer");
    body(&mut refused, 99).await.expect("whole");
    tracing::trace!("the end, of {:?}", caller());
    drop(logging);
    let text = String::from_utf8_lossy(&log.0.lock().expect("no holder panics")).into_owned();
    assert!(server.heads().concat().contains(TOKEN), "it was sent");
    assert!(text.contains("the end"), "it was logged");
    assert!(!text.contains(TOKEN.get(..8).expect("it is longer")), "{text}");
}

/// The usual variables name proxies, `NO_PROXY` takes hosts out, and this machine is asked directly in any case.
///
/// The environment belongs to the process, so the test runs itself once more with one of its own.
#[test]
fn proxies_are_those_of_the_usual_variables() {
    const NAME: &str = "origin::tests::proxies_are_those_of_the_usual_variables";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if std::env::var_os("ASSAY_TEST_PROXIED").is_some() {
        runtime.block_on(ask_around());
        return;
    }
    runtime.block_on(async {
        let proxy = Loopback::start(|head| {
            raw(if head.starts_with("CONNECT ") {
                "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
            } else {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
            })
        })
        .await;
        let program = std::env::current_exe().expect("a test is a program");
        for variables in [&["HTTP_PROXY", "HTTPS_PROXY"][..], &["http_proxy", "https_proxy"], &["ALL_PROXY"]] {
            let mut child = std::process::Command::new(&program);
            child
                .args([NAME, "--exact", "--nocapture"])
                .env("ASSAY_TEST_PROXIED", "1")
                .env("NO_PROXY", "direct.invalid");
            for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "no_proxy"]
            {
                child.env_remove(name);
            }
            child.envs(variables.iter().map(|name| (name, proxy.url())));
            let ended = tokio::task::spawn_blocking(move || child.output()).await.expect("no panic").expect("it runs");
            assert!(ended.status.success(), "{variables:?}: {}", String::from_utf8_lossy(&ended.stderr));
        }
        let heads = proxy.heads();
        let lines: Vec<_> = heads.iter().filter_map(|head| head.lines().next()).collect();
        let once = ["GET http://forge.invalid/api/v1/user HTTP/1.1", "CONNECT forge.invalid:443 HTTP/1.1"];
        assert_eq!(lines, once.repeat(3));
        let tunnels = heads.iter().filter(|head| head.starts_with("CONNECT"));
        assert!(tunnels.clone().all(|head| !head.contains(TOKEN)), "the credential goes to the forge alone");
    });
}

async fn ask_around() {
    let folder = tempfile::tempdir().expect("a folder");
    let ca_file = folder.path().join("ca.pem");
    fs::write(&ca_file, authority("ours").0).expect("written");
    let mut proxied = get(&origin("http://forge.invalid".to_owned()), &[b"user"]).await.expect("the proxy answers");
    assert_eq!(body(&mut proxied, 9).await, Ok(b"{}".to_vec()));
    let secure = OriginConfig { ca_file: Some(ca_file), ..config("https://forge.invalid".to_owned()) };
    let refused = get(&Origin::new(secure).expect("sound"), &[b"user"]).await.expect_err("the proxy refuses");
    assert_eq!(
        refused,
        Fault::Transport("no connection could be made to the forge, or to the proxy before it".to_owned())
    );
    let direct = get(&origin("http://direct.invalid".to_owned()), &[b"user"]).await.expect_err("no such host");
    assert_eq!(direct, Fault::Transport("the forge's host name, or the proxy's, could not be resolved".to_owned()));
    let here = Loopback::start(|_| answer("204 No Content", "")).await;
    assert_eq!(get(&origin(here.url()), &[b"user"]).await.expect("directly").status(), 204);
}
