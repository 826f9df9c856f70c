//! Memory is bounded by the window and not by the diff (D-061, D-062, S-016).

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use assay_kit::Outcome;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    program::Stdio,
    stage::{ROOM, Stage},
};

/// One line of the diff, whole base64 quads long.
const LINE: &[u8] = b"+0123456789abcdef0123456789abcdef0123456789abcdef0123456789abc\n";
const LINES: usize = 6_400_000;
const HEAD: &str = "diff --git a/big b/big\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/big\n";

/// D-061, D-062: 400 MB through a guest that may have 4 MiB, and through a process that grows by less than 32 MiB.
#[test]
fn four_hundred_megabytes_pass_through() {
    let forge = serve();
    let arguments = json!({"owner": "o", "repo": "r", "index": 7});

    let stage = Stage::with(&forge, |parts| parts.limits.memory = 4 << 20);
    let Outcome::Ok(text) = stage.call("get_pull_request_diff", &arguments.to_string(), ROOM) else {
        panic!("a guest with 4 MiB cannot verify it")
    };
    let page: Value = serde_json::from_str(&text).expect("an answer is JSON");
    assert!(page["manifest"]["content"]["bytes"].as_u64().expect("a count") > 400_000_000);
    assert_eq!(page["whole_diff_verified"], true);

    let mut program = Stdio::start(&forge);
    program.call("get_pull_request", &arguments);
    let before = program.peak_kib();
    let page = program.call("get_pull_request_diff", &arguments);
    assert!(page.contains("whole_diff_verified"), "{page}");
    let mut slice = arguments;
    slice["file_path"] = "big".into();
    assert!(program.call("get_pull_request_diff", &slice).contains("section_count"));
    let grown = program.peak_kib() - before;
    assert!(grown < 32 * 1024, "the process grew by {grown} KiB");
}

/// A forge with one enormous diff, which it makes while it sends it. What else it is asked it does not know.
fn serve() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("the loopback has a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    url
}

fn answer(mut stream: TcpStream) -> Option<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        request.extend(byte);
    }
    if !String::from_utf8_lossy(&request).contains(".diff?") {
        let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}";
        return stream.write_all(missing).ok();
    }
    let head = head();
    let block = LINE.repeat(1_000);
    let mut hash = Sha256::new_with_prefix(&head);
    (0..LINES / 1_000).for_each(|_| hash.update(&block));
    let bytes = head.len() + LINES * LINE.len();
    let sha256: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    let evidence = assay_kit::Evidence::new("", 7, assay_kit::ObjectFormat::Sha1)
        .set("/manifest/content/bytes", bytes.into())
        .set("/manifest/content/sha256", sha256.into())
        .body();
    let prefix = evidence.strip_suffix(b"\"}").expect("the data is the last member, and empty");
    let length = prefix.len() + bytes / 3 * 4 + 2;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=utf-8\r\nCache-Control: private, no-store\r\n\
         Accept-Ranges: none\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    stream.write_all(prefix).ok()?;
    stream.write_all(STANDARD.encode(&head).as_bytes()).ok()?;
    let block = STANDARD.encode(&block);
    for _ in 0..LINES / 1_000 {
        stream.write_all(block.as_bytes()).ok()?;
    }
    stream.write_all(b"\"}").ok()
}

/// The section's head, made a whole number of base64 quads long by its heading.
fn head() -> Vec<u8> {
    let hunk = format!("{HEAD}@@ -0,0 +1,{LINES} @@");
    let padding = (3 - (hunk.len() + 1) % 3) % 3;
    let heading = ["", " hhh", " h"].get(padding).copied().unwrap_or_default();
    format!("{hunk}{heading}\n").into_bytes()
}
