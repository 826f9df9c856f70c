//! What the tests stand on: repositories made by git in temporary folders, and a client that hides nothing of HTTP.

use std::{
    ffi::OsStr,
    fs,
    net::SocketAddr,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use assay_local_forge::{Config, LocalForge, Source, start};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A repository with a work tree, on `main`.
pub(crate) struct Repo {
    folder: TempDir,
}

impl Repo {
    /// Without a commit. `format` is `sha1` or `sha256`.
    pub(crate) fn empty(format: &str) -> Self {
        let repo = Self { folder: TempDir::new().expect("a temporary folder") };
        fs::create_dir(repo.path()).expect("it is new");
        repo.git(["init", "--quiet", "--initial-branch=main", &format!("--object-format={format}")]);
        repo
    }

    /// With one commit on `main` and one more on `feature`.
    pub(crate) fn small() -> Self {
        let repo = Self::empty("sha1");
        repo.write("a.txt", "one\ntwo\n");
        repo.commit("Begin");
        repo.git(["checkout", "--quiet", "-b", "feature"]);
        repo.write("a.txt", "one\n2\n");
        repo.commit("Count in digits\n\nBecause <they> & we can.");
        repo.git(["checkout", "--quiet", "main"]);
        repo
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("proj")
    }

    pub(crate) fn source(&self) -> Source {
        Source { owner: "alice".into(), ..Source::from_path(self.path()) }
    }

    /// Runs git in the work tree, as its owner would; it must succeed.
    pub(crate) fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        String::from_utf8_lossy(&git_at(&self.path(), arguments, &[])).trim_end().to_owned()
    }

    pub(crate) fn write(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        let path = self.path().join(OsStr::from_bytes(name.as_ref()));
        fs::create_dir_all(path.parent().expect("it lies in the work tree")).expect("it is writable");
        fs::write(path, content).expect("the work tree is writable");
    }

    pub(crate) fn link(&self, name: &str, target: &str) {
        let path = self.path().join(name);
        let _ = fs::remove_file(&path);
        symlink(target, path).expect("the work tree is writable");
    }

    /// Commits all that is there, and gives the commit's id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(["add", "--all"]);
        self.commit_index(message)
    }

    /// Commits what the index holds.
    pub(crate) fn commit_index(&self, message: &str) -> String {
        self.git(["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// The diff that git itself makes of two commits, in the profile of the evidence.
    pub(crate) fn diff(&self, from: &str, to: &str) -> Vec<u8> {
        let arguments = ["-c", "core.quotePath=false", "diff", "-p", "--binary", "--histogram", "--no-ext-diff"];
        git_at(&self.path(), arguments.into_iter().chain([from, to, "--"]), &[])
    }
}

/// Runs git in `folder` with `input`; it must succeed.
pub(crate) fn git_at<S: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs([
            ("HOME", "/nonexistent"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Rec"),
            ("GIT_AUTHOR_EMAIL", "rec@example.org"),
            ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
            ("GIT_COMMITTER_NAME", "Rec"),
            ("GIT_COMMITTER_EMAIL", "rec@example.org"),
            ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
        ])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("git is installed");
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || std::io::Write::write_all(&mut stdin, input));
        child.wait_with_output().expect("git ends")
    });
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {complaint}");
    output.stdout
}

/// A forge that serves these and nothing else, with native evidence.
pub(crate) async fn serving(sources: impl IntoIterator<Item = Source>) -> LocalForge {
    start(Config::serving(sources.into_iter().collect())).await.expect("the forge starts")
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Such as `HTTP/1.1 200 OK`.
    pub(crate) status_line: String,
    pub(crate) status: u16,
    /// As sent, in order.
    pub(crate) headers: Vec<(String, String)>,
    /// Without its chunks.
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice");
        value
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// GET without a credential.
pub(crate) async fn get(forge: &LocalForge, target: &str) -> Reply {
    ask(forge.address(), "GET", target, &[]).await
}

/// GET with a token.
pub(crate) async fn get_as(forge: &LocalForge, token: &str, target: &str) -> Reply {
    ask(forge.address(), "GET", target, &[("Authorization", &format!("token {token}"))]).await
}

/// A write with a token (without one when that is empty) and a JSON body.
pub(crate) async fn write_as(forge: &LocalForge, token: &str, method: &str, target: &str, body: &Value) -> Reply {
    let credential = format!("token {token}");
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend((!token.is_empty()).then_some(("Authorization", &*credential)));
    ask_with(forge.address(), method, target, &headers, body.to_string().as_bytes()).await
}

/// One request on one connection; its framing must be clean.
pub(crate) async fn ask(address: SocketAddr, method: &str, target: &str, headers: &[(&str, &str)]) -> Reply {
    ask_with(address, method, target, headers, b"").await
}

/// The same with a body, if there is one.
pub(crate) async fn ask_with(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    let length = body.len().to_string();
    let mut headers = headers.to_vec();
    headers.extend((!body.is_empty()).then_some(("Content-Length", &*length)));
    let mut stream = send(address, method, target, &headers).await;
    stream.write_all(body).await.expect("the forge reads");
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).await.expect("the answer comes whole");
    parse(&raw, method)
}

/// Sends a request and leaves the answer to the caller.
pub(crate) async fn send(address: SocketAddr, method: &str, target: &str, headers: &[(&str, &str)]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("the forge listens");
    let mut request = format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).await.expect("the forge reads");
    stream
}

fn parse(raw: &[u8], method: &str) -> Reply {
    let at = raw.windows(4).position(|w| w == b"\r\n\r\n").expect("the head ends");
    let head = String::from_utf8_lossy(&raw[..at]).into_owned();
    let mut lines = head.split("\r\n");
    let status_line = lines.next().expect("there is a status line").to_owned();
    let status = status_line.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("there is a status");
    let headers = lines.map(|line| line.split_once(": ").expect("a header has a colon"));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut reply = Reply { status_line, status, headers, body: Vec::new() };
    let body = &raw[at + 4..];
    reply.body = match (reply.header("Transfer-Encoding"), reply.header("Content-Length")) {
        _ if method == "HEAD" => body.to_vec(),
        // Neither has a body whatever its headers say.
        (None, None) if matches!(status, 204 | 304) => body.to_vec(),
        (Some("chunked"), None) => unchunk(body),
        (None, Some(length)) => {
            assert_eq!(length.parse(), Ok(body.len()), "the length holds");
            body.to_vec()
        }
        other => panic!("the framing is unclear: {other:?}"),
    };
    reply
}

fn unchunk(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let at = body.windows(2).position(|w| w == b"\r\n").expect("a chunk has a size");
        let size = std::str::from_utf8(&body[..at]).ok().and_then(|s| usize::from_str_radix(s, 16).ok());
        let size = size.expect("a chunk's size is a number");
        whole.extend_from_slice(&body[at + 2..at + 2 + size]);
        assert_eq!(&body[at + 2 + size..at + 4 + size], b"\r\n");
        body = &body[at + 4 + size..];
        if size == 0 {
            assert!(body.is_empty(), "nothing follows the last chunk");
            return whole;
        }
    }
}
