//! Bytes and times as Go puts them into JSON.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// What Go prints for a time that was never set.
pub(crate) const NEVER: &str = "0001-01-01T00:00:00Z";

/// Stands for a byte that is no UTF-8 until the JSON is made, where Go writes an escape for each. No text of its own
/// should hold this character; one that does is shown as if it had such a byte.
pub(crate) const NO_TEXT: char = '\u{fdd0}';

/// Bytes as a forge's JSON shows them: U+FFFD, escaped, for each byte that is no UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| NO_TEXT));
    }
    text
}

/// Seconds since 1970 as RFC 3339. Commits may claim times that no calendar has.
pub(crate) fn utc(seconds: i64) -> String {
    let time = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    time.format(&Rfc3339).unwrap_or_else(|_| NEVER.to_owned())
}
