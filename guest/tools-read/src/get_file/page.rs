//! The answer: the whole file where it is text that fits, else one window with everything that a client checks it by.

use assay_envelope::{Refusal, escaped_len, fit_file};
use assay_forge::{
    WINDOW_BYTES, base64,
    cursor::{Over, PlaceCursor},
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Request, read::Found};

/// Exactly the members of the contract's small form (F-001).
#[derive(Serialize)]
struct Small<'a> {
    path: &'a str,
    sha: String,
    size: u64,
    text: &'a str,
}

/// Exactly the members of the contract's chunk form.
#[derive(Serialize)]
struct Chunk<'a> {
    path: &'a str,
    sha: &'a str,
    size: u64,
    requested_ref: Option<&'a str>,
    ref_resolved: &'a str,
    data: String,
    encoding: &'static str,
    text: Option<&'a str>,
    byte_offset: u64,
    chunk_bytes: usize,
    chunk_sha256: String,
    eof: bool,
    next_byte_offset: Option<u64>,
    next_cursor: Option<String>,
    whole_blob_verified: bool,
}

/// Writes the small form if it can, else fits a window into `room` (F-034, F-047).
pub(super) fn render(request: &Request, found: &Found, room: usize) -> Result<String, Refusal> {
    small(request, found).filter(|answer| escaped_len(answer) <= room).map_or_else(|| chunk(request, found, room), Ok)
}

fn small(request: &Request, found: &Found) -> Option<String> {
    let is_whole = found.whole_blob_verified && found.bytes.len() as u64 == found.size;
    let text = std::str::from_utf8(&found.bytes).ok().filter(|_| is_whole)?;
    let small = Small { path: request.path(), sha: found.blob.to_string(), size: found.size, text };
    Some(serde_json::to_string(&small).expect("strings and numbers"))
}

fn chunk(request: &Request, found: &Found, room: usize) -> Result<String, Refusal> {
    // F-032: a part is no longer than this, and neither is a window of what came whole.
    let candidate = found.bytes.get(..found.bytes.len().min(WINDOW_BYTES)).expect("not past the end");
    let is_last = found.offset + candidate.len() as u64 == found.size;
    let (blob, commit) = (found.blob.to_string(), found.commit.to_string());
    fit_file(candidate, is_last, room, |window| {
        let next = found.offset + window.bytes.len() as u64;
        let next = (next < found.size).then_some(next);
        let chunk = Chunk {
            path: request.path(),
            sha: &blob,
            size: found.size,
            requested_ref: request.requested_ref(),
            ref_resolved: &commit,
            data: base64::encode(window.bytes),
            encoding: "base64",
            text: window.text,
            byte_offset: found.offset,
            chunk_bytes: window.bytes.len(),
            chunk_sha256: Sha256::digest(window.bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            eof: next.is_none(),
            next_byte_offset: next,
            next_cursor: next.map(|offset| continue_at(request, found, offset)),
            whole_blob_verified: found.whole_blob_verified,
        };
        serde_json::to_string(&chunk).expect("strings and numbers")
    })
    .map_err(|_| {
        Refusal::new(
            "answer_too_large",
            "The path and the cursor leave no room for one byte of the file within the answer's bound, and nothing is ever \
             cut off them. Use a shorter request id.",
        )
    })
}

fn continue_at(request: &Request, found: &Found, offset: u64) -> String {
    let mut place = request.at.place();
    place.reference = request.requested_ref();
    let ids = (found.commit, found.blob);
    PlaceCursor::new(Over::File, &place, Some(&found.path), ids, false, found.size, offset).encode()
}

impl Request {
    /// As it was given.
    fn path(&self) -> &str {
        self.at.path.as_ref().map_or("", |path| path.as_str())
    }
}
