//! The answer: one window with everything that a client checks it by.

use assay_envelope::{Refusal, Unfit, fit, fit_text};
use assay_forge::{Captured, base64, cursor::Cursor};
use assay_origin::PullTarget;
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::Request;
use crate::{
    diff::{Found, Judged},
    ports::Encoding,
};

/// Exactly the members of the contract's output, in its order.
#[derive(Serialize)]
struct Page<'a> {
    requested: Requested<'a>,
    manifest: &'a RawValue,
    byte_offset: u64,
    chunk_bytes: usize,
    /// Left out where the window is shown as text alone (O-017).
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
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

/// Fits the window into `room` and writes the page (D-040a, D-064 to D-067, O-017).
pub(super) fn render(request: &Request, judged: &Judged, encoding: Encoding, room: usize) -> Result<String, Refusal> {
    let (captured, slice) = match &judged.found {
        Found::Diff(captured) => (captured, None),
        Found::File(slice) => (&slice.captured, Some(slice)),
        Found::Files(..) => unreachable!("rows were not asked for"),
    };
    let slice = slice.zip(request.file_path.as_deref()).map(|(slice, file_path)| SliceReceipt {
        file_path,
        section_count: slice.section_count,
        byte_count: slice.captured.count,
        sha256: hex(&slice.captured.sha256),
    });
    let manifest: &RawValue = serde_json::from_str(&judged.manifest).expect("a judged manifest is JSON");
    let page = |bytes: &[u8], data: Option<String>, text: Option<&str>| {
        let next = next_offset(captured, bytes.len());
        let page = Page {
            requested: Requested { target: &request.target, file_path: request.file_path.as_deref() },
            manifest,
            byte_offset: captured.offset,
            chunk_bytes: bytes.len(),
            encoding: if data.is_some() { "base64" } else { "text" },
            data,
            text,
            chunk_sha256: hex(&Sha256::digest(bytes)),
            whole_diff_verified: judged.whole_diff_verified,
            eof: next.is_none(),
            next_byte_offset: next,
            next_cursor: next.map(|offset| continue_at(request, judged, offset)),
            slice: slice.clone(),
        };
        serde_json::to_string(&page).expect("a page has string keys only")
    };
    let too_small = || request.paging.too_small("one byte of the diff");
    let as_base64 = || {
        fit(&captured.window, room, |window| page(window.bytes, Some(base64::encode(window.bytes)), window.text))
            .map_err(|_| too_small())
    };
    if encoding == Encoding::Base64 {
        return as_base64();
    }
    let is_last = next_offset(captured, captured.window.len()).is_none();
    match fit_text(&captured.window, is_last, room, |text| page(text.as_bytes(), None, Some(text))) {
        Ok(answer) => Ok(answer),
        Err(Unfit::TooSmall) => Err(too_small()),
        Err(Unfit::NotText) if encoding == Encoding::Auto => as_base64(),
        Err(Unfit::NotText) => Err(Refusal::new(
            "not_text",
            format!(
                "The diff's bytes from {} on are not UTF-8, and text was asked for. Repeat this call with `encoding` = \
                 \"base64\" (or \"auto\") to read them as they are.",
                captured.offset
            ),
        )),
    }
}

/// Where the next window starts, nothing at the end (D-041, D-042).
fn next_offset(captured: &Captured, shown: usize) -> Option<u64> {
    let next = captured.offset.saturating_add(shown as u64);
    (next < captured.count).then_some(next)
}

fn continue_at(request: &Request, judged: &Judged, offset: u64) -> String {
    let call = request.ask().call();
    Cursor::new(&call, judged.binding.clone(), judged.found.extent(), offset).encode()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
