//! Diffs of tens of megabytes pass through the forge in little memory. A program of its own, as it looks at its peak.

use std::{fs, path::Path, process::Command};

use assay_local_forge::{Config, Source, start};
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const FILES: usize = 24;
const FILE_BYTES: usize = 4 << 20;
/// For buffers of both ends, the runtime and the allocator; the diff alone is four times as much.
const MAX_GROWTH_KIB: u64 = 24 << 10;

/// D-061 on the sending side: what is spooled, hashed, encoded and sent never lies in memory.
#[tokio::test]
async fn a_large_diff_is_streamed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("proj");
    fs::create_dir(&path).expect("it is new");
    git(&path, &["init", "--quiet", "--initial-branch=main"]);
    git(&path, &["config", "core.compression", "0"]);
    git(&path, &["commit", "--quiet", "--allow-empty", "-m", "Begin"]);
    git(&path, &["checkout", "--quiet", "-b", "large"]);
    for number in 0..FILES {
        let line = format!("line of file {number:03}\n");
        fs::write(path.join(format!("{number}.txt")), line.repeat(FILE_BYTES / line.len())).expect("it is writable");
    }
    git(&path, &["add", "--all"]);
    git(&path, &["commit", "--quiet", "-m", "Large"]);
    git(&path, &["checkout", "--quiet", "main"]);
    let forge = start(Config::serving(vec![Source::from_path(&path)])).await.expect("the forge starts");

    let before = peak_kib();
    for query in ["?binary=true", "?binary=true&evidence=v1"] {
        let address = forge.address();
        let mut stream = TcpStream::connect(address).await.expect("the forge listens");
        let target = format!("/api/v1/repos/local/proj/pulls/1.diff{query}");
        let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("the forge reads");
        if query.contains("evidence") { verify(stream).await } else { count(stream).await }
    }
    let growth = peak_kib() - before;
    assert!(growth < MAX_GROWTH_KIB, "the peak grew by {growth} KiB");
    forge.shutdown().await;
}

/// Reads a chunked diff to its end.
async fn count(mut stream: TcpStream) {
    let (mut total, mut last) = (0, Vec::new());
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = stream.read(&mut chunk).await.expect("the answer comes whole");
        if read == 0 {
            break;
        }
        total += read;
        last.extend_from_slice(&chunk[..read]);
        last.drain(..last.len().saturating_sub(5));
    }
    assert!(total > FILES * FILE_BYTES, "{total}");
    assert_eq!(last, b"0\r\n\r\n");
}

/// Reads the entity as a bounded reader would: head and manifest, then data through one buffer.
async fn verify(mut stream: TcpStream) {
    let mut start = Vec::new();
    // Labels have a `data` of their own; this one follows the end of the manifest.
    let marker = b"}},\"data\":\"";
    let data = loop {
        assert_ne!(stream.read_buf(&mut start).await.expect("the answer begins"), 0);
        if let Some(at) = start.windows(marker.len()).position(|w| w == marker) {
            break start.split_off(at + marker.len());
        }
    };
    let text = String::from_utf8(start).expect("head and manifest are text");
    let (head, prefix) = text.split_once("\r\n\r\n").expect("the head ends");
    let length: usize = field(head, "Content-Length: ", "\r");
    let bytes: usize = field(prefix, "\"bytes\":", ",");
    assert_eq!(length, prefix.len() + 4 * bytes.div_ceil(3) + 2);

    let mut left = length - prefix.len() - 2;
    let (mut hash, mut decoded, mut pending) = (Sha256::new(), 0, data);
    let mut chunk = vec![0; 48 << 10];
    while left > 0 {
        let usable = pending.len().min(left) / 4 * 4;
        let plain = STANDARD.decode(&pending[..usable]).expect("it is canonical");
        decoded += plain.len();
        hash.update(&plain);
        left -= usable;
        pending.drain(..usable);
        if left > 0 {
            let read = stream.read(&mut chunk).await.expect("the answer goes on");
            assert_ne!(read, 0, "the answer is as long as it said");
            pending.extend_from_slice(&chunk[..read]);
        }
    }
    stream.read_to_end(&mut pending).await.expect("the answer ends");
    assert_eq!(pending, b"\"}");
    assert_eq!(decoded, bytes);
    assert!(decoded > FILES * FILE_BYTES);
    let sha256: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(prefix.contains(&sha256));
}

fn field(text: &str, name: &str, end: &str) -> usize {
    let (_, rest) = text.split_once(name).expect("the field is there");
    rest.split(end).next().and_then(|number| number.parse().ok()).expect("it is a number")
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("there is a peak");
    line.trim().trim_end_matches(" kB").parse().expect("it is a number")
}

fn git(path: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .current_dir(path)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .envs([("GIT_AUTHOR_NAME", "T"), ("GIT_AUTHOR_EMAIL", "t@example.org")])
        .envs([("GIT_COMMITTER_NAME", "T"), ("GIT_COMMITTER_EMAIL", "t@example.org")])
        .args(arguments)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
}
