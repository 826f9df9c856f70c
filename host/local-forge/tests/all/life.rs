//! How requests and the forge end: no git process outlives what it works for.

use std::{fs, path::Path, time::Duration};

use assay_local_forge::{Config, LocalForge, State, start};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::ground::{Repo, ask, get, send, serving};

/// Far more than any socket holds, so that git has to wait for the reader.
const LARGE: usize = 48 << 20;
const PATIENCE: Duration = Duration::from_secs(60);

fn large() -> Repo {
    let repo = Repo::small();
    repo.git(["config", "core.compression", "0"]);
    repo.git(["checkout", "--quiet", "-b", "a-large"]);
    repo.write("large.txt", "sixteen letters\n".repeat(LARGE / 16));
    repo.commit("Large");
    repo.git(["checkout", "--quiet", "main"]);
    repo
}

/// Asks for the large diff and reads its beginning.
async fn begin(forge: &LocalForge) -> TcpStream {
    let mut stream = send(forge.address(), "GET", "/api/v1/repos/alice/proj/pulls/1.diff?binary=true", &[]).await;
    let mut start = [0; 4096];
    stream.read_exact(&mut start).await.expect("the answer begins");
    assert!(start.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert!(timeout(Duration::ZERO, forge.quiet()).await.is_err(), "git waits for the reader");
    stream
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_git_with_it() {
    let repo = large();
    let forge = serving([repo.source()]).await;
    let stream = begin(&forge).await;
    drop(stream);
    timeout(PATIENCE, forge.quiet()).await.expect("git is killed");
    assert_eq!(get(&forge, "/api/v1/version").await.status, 200);
}

#[tokio::test]
async fn a_shutdown_leaves_no_process_no_port_and_no_folder() {
    let repo = large();
    let state = tempfile::tempdir().expect("a temporary folder");
    let config = Config { state: State::Folder(state.path().into()), ..Config::serving(vec![repo.source()]) };
    let forge = start(config).await.expect("the forge starts");
    let mut stream = begin(&forge).await;
    assert_ne!(gits(state.path()), Vec::<String>::new(), "a git is seen while it runs");
    let address = forge.address();
    timeout(PATIENCE, forge.shutdown()).await.expect("it ends");
    assert_eq!(gits(state.path()), Vec::<String>::new());
    assert!(TcpStream::connect(address).await.is_err());
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "a diff that was cut does not look whole");
}

#[tokio::test]
async fn a_connection_is_kept_for_more_requests() {
    let repo = Repo::small();
    let forge = serving([repo.source()]).await;
    let address = forge.address();
    let mut stream = TcpStream::connect(address).await.expect("the forge listens");
    for _ in 0..3 {
        let request = format!("GET /api/v1/version HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("the forge reads");
        let mut said = Vec::new();
        while !said.ends_with(b"}\n") {
            let read = stream.read_buf(&mut said).await.expect("the forge answers");
            assert_ne!(read, 0, "the connection stays open");
        }
        assert!(said.starts_with(b"HTTP/1.1 200 OK\r\n"));
    }
    // An idle connection does not hold a shutdown up.
    timeout(PATIENCE, forge.shutdown()).await.expect("it ends");
}

#[tokio::test]
async fn odd_requests_are_answered_and_harm_nothing() {
    let repo = Repo::small();
    let forge = serving([repo.source()]).await;
    for (method, target, status) in [
        ("GET", "/", 404),
        ("GET", "/api/v1/repos/alice/proj/pulls/%zz", 400),
        ("GET", "/api/v1/repos/%2e%2e/%2e%2e/pulls/1", 404),
        ("GET", "/api/v1/repos/alice/proj/pulls/0", 404),
        ("GET", "/api/v1/repos/alice/proj/pulls/-1.diff", 404),
        ("GET", "/api/v1/repos/alice/proj/pulls/99999999999999999999.diff", 404),
        ("GET", "/api/v1/repos/alice/proj/pulls/1%00.diff", 404),
        ("GET", "/api/v1/repos/alice/proj/git/refs/--upload-pack=x", 404),
        ("DELETE", "/api/v1/repos/alice/proj", 405),
        ("POST", "/api/v1/repos/alice/proj/branches", 405),
        ("HEAD", "/api/v1/version", 405),
        ("DELETE", "/api/v1/nope", 404),
    ] {
        let reply = ask(forge.address(), method, target, &[]).await;
        assert_eq!(reply.status, status, "{method} {target}");
        if status == 405 {
            assert_eq!((reply.body.len(), reply.header("Allow")), (0, Some("GET")), "{method} {target}");
        }
    }
    let long = format!("/api/v1/{}", "é".repeat(3000).replace('é', "%C3%A9"));
    assert_eq!(get(&forge, &long).await.status, 404);
    assert!(forge.requests().iter().all(|request| request.target.len() <= 2048));
}

#[tokio::test]
async fn a_source_that_goes_away_is_a_fault_of_the_forge_until_it_is_back() {
    let repo = Repo::small();
    let forge = serving([repo.source()]).await;
    let (path, aside) = (repo.path().join(".git"), repo.path().join("aside"));
    fs::rename(&path, &aside).expect("it is ours");
    let reply = get(&forge, "/api/v1/repos/alice/proj/pulls/1").await;
    assert_eq!((reply.status, &reply.json()["message"]), (500, &"".into()));
    fs::rename(&aside, &path).expect("it is ours");
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/pulls/1").await.status, 200);
}

/// Command lines of processes that name this folder.
fn gits(folder: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("this is Linux").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.starts_with("git ") && line.contains(&folder.display().to_string())).collect()
}
