//! The answer: one window with everything that a client checks it by.

use assay_envelope::{Refusal, Window, fit};
use assay_forge::{
    Captured, Verified, base64,
    cursor::Cursor,
    evidence::Evidence,
};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::{Request, selection::Selected};
use crate::target::PullTarget;

/// Exactly the members of the contract's output, in its order.
#[derive(Serialize)]
struct Page<'a> {
    requested: Requested<'a>,
    manifest: &'a RawValue,
    byte_offset: u64,
    chunk_bytes: usize,
    data: String,
    encoding: &'static str,
    text: Option<&'a str>,
    chunk_sha256: String,
    whole_diff_verified: bool,
    eof: bool,
    next_byte_offset: Option<u64>,
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<SliceReceipt<'a>>,
}

#[derive(Clone, Copy, Serialize)]
struct Requested<'a> {
    #[serde(flatten)]
    target: &'a PullTarget,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<&'a str>,
}

/// S-009, S-010.
#[derive(Clone, Serialize)]
struct SliceReceipt<'a> {
    file_path: &'a str,
    section_count: u64,
    byte_count: u64,
    sha256: String,
}

/// Fits the window into `room` and writes the page (D-040a, D-064 to D-067).
pub(super) fn render(
    request: &Request,
    evidence: &Verified<Evidence<Selected>>,
    room: usize,
) -> Result<String, Refusal> {
    let manifest = &evidence.manifest;
    let raw: &RawValue = serde_json::from_str(manifest.raw()).expect("a verified manifest is JSON");
    let captured = evidence.output.captured();
    let file_path = request.file_path.as_deref();
    let slice = evidence.output.bound().zip(file_path).map(|(slice, file_path)| SliceReceipt {
        file_path,
        section_count: slice.section_count,
        byte_count: slice.captured.count,
        sha256: hex(&slice.captured.sha256),
    });
    fit(&captured.window, room, |window| {
        let next = next_offset(captured, window);
        let page = Page {
            requested: Requested { target: &request.target, file_path },
            manifest: raw,
            byte_offset: captured.offset,
            chunk_bytes: window.bytes.len(),
            data: base64::encode(window.bytes),
            encoding: "base64",
            text: window.text,
            chunk_sha256: hex(&Sha256::digest(window.bytes)),
            whole_diff_verified: true,
            eof: next.is_none(),
            next_byte_offset: next,
            next_cursor: next.map(|offset| continue_at(request, evidence, offset)),
            slice: slice.clone(),
        };
        serde_json::to_string(&page).expect("a page has string keys only")
    })
    .map_err(|too_small| {
        Refusal::new(
            "answer_too_large",
            format!(
                "{too_small}: the verified manifest and the cursor leave no room for one byte of the diff within the \
                 answer's bound. Use a shorter request id, or a shorter `file_path`."
            ),
        )
    })
}

/// Where the next window starts, nothing at the end (D-041, D-042).
fn next_offset(captured: &Captured, window: Window<'_>) -> Option<u64> {
    let next = captured.offset + window.bytes.len() as u64;
    (next < captured.count).then_some(next)
}

fn continue_at(request: &Request, evidence: &Evidence<Selected>, offset: u64) -> String {
    let PullTarget { owner, repo, index } = &request.target;
    let slice = evidence.output.bound();
    Cursor::new(owner, repo, *index, request.path.as_ref(), &evidence.manifest, slice, offset).encode()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
