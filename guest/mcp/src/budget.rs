//! How much of a response is left for a tool's text.
//!
//! A response is bounded as it is sent: envelope, the request's own id, and the text inside a JSON string (D-064,
//! F-047, G-084). The room is what the very same response, with an empty text, leaves of the bound; it is exact, so that
//! a tool can fill it, and a text that is longer all the same is refused and never clipped.

use assay_envelope::{RESULT_BYTES, Refusal, escaped_len};
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, MetaObject, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Deserialize;

use crate::guard::error_json;

/// With less than this no tool could say anything, so the call is not made.
const LEAST_ROOM: usize = 512;

/// Characters of an error message that had to be shortened.
const SHORTENED: usize = 200;

/// The response to one call of a tool, but for its text.
pub(crate) struct Frame {
    modern: bool,
    meta: Option<MetaObject>,
    room: usize,
}

/// The request's id alone takes the room of its response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IdTooLong;

impl Frame {
    /// Measures the response to the request `id`, which takes at most `result_bytes`. `modern` is the era of 2026-07-28: its results carry a type and, in
    /// `meta`, what the server is.
    pub(crate) fn new(
        id: &RequestId,
        modern: bool,
        meta: Option<MetaObject>,
        result_bytes: usize,
    ) -> Result<Self, IdTooLong> {
        let mut frame = Self { modern, meta, room: 0 };
        // An answer, not a refusal: it is the longer of the two by `false` against `true`.
        let mut empty = ServerResult::CallToolResult(frame.answer(String::new()));
        if !modern {
            empty.strip_result_type_for_legacy_peer();
        }
        let empty = serde_json::to_vec(&ServerJsonRpcMessage::response(empty, id.clone())).map_err(|_| IdTooLong)?;
        let bound = result_bytes.min(RESULT_BYTES);
        frame.room = bound.checked_sub(empty.len()).filter(|room| *room >= LEAST_ROOM).ok_or(IdTooLong)?;
        Ok(frame)
    }

    /// Bytes that a text may take inside its JSON string.
    pub(crate) fn room(&self) -> u32 {
        u32::try_from(self.room).expect("at most RESULT_BYTES")
    }

    pub(crate) fn fits(&self, text: &str) -> bool {
        escaped_len(text) <= self.room
    }

    /// What a tool answered, as one text block (G-037).
    pub(crate) fn answer(&self, text: String) -> CallToolResult {
        self.framed(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    /// Why it did not, as one text block of a result that is an error (G-036). A refusal carries no data, so it is
    /// shortened where it must be.
    pub(crate) fn refusal(&self, refusal: &Refusal) -> CallToolResult {
        let mut text = refusal.to_string();
        while !self.fits(&text) {
            let over = escaped_len(&text).saturating_sub(self.room);
            // One byte takes at most six, and a character of more than one byte takes what it has.
            text.truncate(text.floor_char_boundary(text.len().saturating_sub(over.div_ceil(6))));
        }
        self.framed(CallToolResult::error(vec![ContentBlock::text(text)]))
    }

    fn framed(&self, mut result: CallToolResult) -> CallToolResult {
        result.meta.clone_from(&self.meta);
        if !self.modern {
            result.result_type = None;
        }
        result
    }
}

/// The response itself, or what takes its place where it is too long: an error with a shorter message where it was an
/// error, else -32603. The last thing that happens to every response but a tool list, which is the operator's and has no
/// shorter form.
pub(crate) fn bounded(response: Vec<u8>, id: Option<&RequestId>) -> Vec<u8> {
    #[derive(Deserialize)]
    struct Failed {
        error: Fault,
    }
    #[derive(Deserialize)]
    struct Fault {
        code: i32,
        message: String,
    }
    if response.len() <= RESULT_BYTES {
        return response;
    }
    match serde_json::from_slice(&response) {
        Ok(Failed { error: Fault { code, message } }) => {
            error_json(code, &message.chars().take(SHORTENED).collect::<String>(), id)
        }
        Err(_) => error_json(ErrorCode::INTERNAL_ERROR.0, INTERNAL_ERROR, id),
    }
}

/// All that is said of a fault (G-014).
pub(crate) const INTERNAL_ERROR: &str = "Internal error";

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(id: &str) -> Result<Frame, IdTooLong> {
        Frame::new(&RequestId::String(id.into()), true, None, RESULT_BYTES)
    }

    #[test]
    fn an_absurd_id_leaves_no_room() {
        let room = frame("").expect("ample").room();
        let longest = usize::try_from(room).expect("small") - LEAST_ROOM;
        assert_eq!(frame(&"x".repeat(longest)).map(|frame| frame.room()), Ok(512));
        assert_eq!(frame(&"x".repeat(longest + 1)).map(|frame| frame.room()), Err(IdTooLong));
        assert_eq!(frame(&"\"".repeat(longest)).map(|frame| frame.room()), Err(IdTooLong));
    }

    /// G-084: an operator's smaller bound makes the room smaller by just as much, and none makes it larger.
    #[test]
    fn a_smaller_bound_makes_a_smaller_room() {
        let room = |bound| Frame::new(&RequestId::Number(7), true, None, bound).map(|frame| frame.room());
        let whole = room(RESULT_BYTES).expect("there is room");
        assert_eq!(room(RESULT_BYTES - 17_000), Ok(whole - 17_000));
        assert_eq!(room(usize::MAX), Ok(whole));
        assert_eq!(room(100), Err(IdTooLong));
    }

    /// A component's refusal is bounded by its room, whatever its code is and however its message escapes.
    #[test]
    fn a_refusal_is_shortened_to_its_room() {
        let refusal = Refusal::new("c\u{1}".repeat(9_000), "\"é".repeat(3_000));
        for filler in [0, 20_000, 40_000, 48_000] {
            let frame = frame(&"x".repeat(filler)).expect("some room");
            let result = frame.refusal(&refusal);
            let text = result.content.first().and_then(ContentBlock::as_text).expect("one text block");
            assert!(frame.fits(&text.text) && text.text.starts_with("c\u{1}"));
            assert_eq!(result.is_error, Some(true));
        }
        let short = frame("").expect("ample").refusal(&Refusal::new("not_found", "There is no such thing."));
        let text = short.content.first().and_then(ContentBlock::as_text).expect("one text block");
        assert_eq!(text.text, "not_found: There is no such thing.");
    }

    #[test]
    fn what_is_too_long_is_replaced_and_never_clipped() {
        let id = RequestId::Number(7);
        let fits = vec![b'x'; RESULT_BYTES];
        assert_eq!(bounded(fits.clone(), Some(&id)), fits);
        let result = format!(r#"{{"jsonrpc":"2.0","id":7,"result":"{}"}}"#, "x".repeat(RESULT_BYTES));
        assert_eq!(
            String::from_utf8_lossy(&bounded(result.into_bytes(), Some(&id))),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Internal error"}}"#
        );
        let error = error_json(-32601, &"é".repeat(RESULT_BYTES), Some(&id));
        assert_eq!(bounded(error, Some(&id)), error_json(-32601, &"é".repeat(SHORTENED), Some(&id)));
    }
}
