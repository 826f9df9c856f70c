//! What every record has beside its edits: which members it may have, its format and its intent (P-033, P-052, PG-09).
//!
//! Target, guards, lineage and key are allowed here and read in `identity`, because they are asked before anything else.

use super::{Invalid, members::Members};
use crate::{Profile, json::Value};

/// The members that every submission may have. `format` is in every stored record, `correlation_id` in none (P-061).
const ENVELOPE: [&str; 9] = [
    "target_file_id",
    "expected_target_version",
    "expected_current_hash",
    "source",
    "parent_pdcp_log_id",
    "attempt",
    "client_request_id",
    "correlation_id",
    "format",
];

/// The members of a record that has these besides, and its intent.
pub(super) fn open<'a>(record: &'a Value, own: &[&str], profile: &Profile) -> Result<(Members<'a>, String), Invalid> {
    let known: Vec<&str> = ENVELOPE.into_iter().chain(["intent"]).chain(own.iter().copied()).collect();
    let members = Members::of(record, "the request", &known)?;
    let format = profile.protocol.name();
    // The stored record names its format, so another one that was submitted would be lost.
    if members.given("format").is_some_and(|given| given.as_str() != Some(format)) {
        return Err(members.wrong("format", format));
    }
    let intent = members.said("intent")?.to_owned();
    Ok((members, intent))
}
