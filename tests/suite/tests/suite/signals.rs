//! How the program ends when it is told to, and what it leaves behind.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use assay_kit::{AwkwardRepository, ObjectFormat};

use crate::program::assay;

fn signal(child: &Child, name: &str) {
    let told = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill is there");
    assert!(told.success());
}

/// A connection that never finishes its request does not keep a server that is told to stop, told twice at the latest.
#[test]
fn a_stuck_connection_does_not_keep_the_server() {
    let mut child = assay()
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("FORGEJO_URL", "http://127.0.0.1:9")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where");
    let address = line.trim().trim_start_matches("listening on http://").trim_end_matches("/mcp").to_owned();
    let mut stuck = TcpStream::connect(&address).expect("it listens");
    stuck.write_all(b"POST /mcp HTTP/1.1\r\nHo").expect("it takes them");
    // Another request is answered, so the stuck one has been accepted.
    let mut other = TcpStream::connect(&address).expect("it listens");
    other.write_all(b"GET /mcp/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("taken");
    let mut answer = String::new();
    other.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    signal(&child, "-TERM");
    // The first signal closes the listener; the second is sent once that is seen.
    while TcpStream::connect(&address).is_ok() {}
    signal(&child, "-TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    drop(stuck);
}

/// A local forge's copies, private ones too, go with the program that was ended by a signal.
#[test]
fn a_signal_leaves_no_copies() {
    let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
    for name in ["-TERM", "-INT", "-HUP"] {
        let temporary = tempfile::tempdir().expect("there is room");
        let mut child = assay()
            .args(["stdio", "--local"])
            .arg(repository.path())
            .env("TMPDIR", temporary.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut input = child.stdin.take().expect("piped");
        writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).expect("it reads");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it answers");
        assert!(left(temporary.path()) > 0, "the copy is there while it runs");
        signal(&child, name);
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{name}");
        assert_eq!(left(temporary.path()), 0, "{name}");
        drop(input);
    }
}

fn left(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("it can be listed").count()
}

/// K-66: output that nobody can take is an error with its exit code, not a panic.
#[test]
fn output_that_cannot_be_written_is_no_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = assay()
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("FORGEJO_URL", "http://127.0.0.1:9")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{text}");
    assert!(text.contains("standard output") && !text.contains("panicked"), "{text}");
}
