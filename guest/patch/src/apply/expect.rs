//! Whether a span holds what its operation says of it and of what is beside it (P-050, PG-18).

use std::ops::Range;

use super::{
    buffer::Buffer,
    failure::{Failing, Refusal},
};
use crate::{
    Reason,
    text::{Canonical, Span},
};

/// The bytes of a span that holds `expected`, with these texts directly before and behind it; the empty text is beside
/// everything.
pub(super) fn check(
    buffer: &Buffer,
    span: Span,
    expected: &str,
    [before, after]: [&str; 2],
) -> Result<Range<usize>, Box<Refusal>> {
    let Some(bytes) = buffer.bytes(span) else {
        let detail = format!("the span ends past the text, which has {} code points", buffer.code_points());
        let reason = Reason::SpanOutOfBounds;
        return Err(Box::new(Refusal { reason, detail, failing: Failing::default() }));
    };
    let text = buffer.as_str();
    let [expected, before, after] = [expected, before, after].map(Canonical::of);
    let holds = [
        ("expected_text", text[bytes.clone()] == *expected.as_str()),
        ("expected_before", text[..bytes.start].ends_with(before.as_str())),
        ("expected_after", text[bytes.end..].starts_with(after.as_str())),
    ];
    let Some((field, _)) = holds.into_iter().find(|(_, holds)| !holds) else { return Ok(bytes) };
    let detail = format!("another text is at the span than {field} says");
    let failing = Failing { at: Some(span.start), field: Some(field), ..Failing::default() };
    Err(Box::new(Refusal { reason: Reason::SpanExpectedTextMismatch, detail, failing }))
}
