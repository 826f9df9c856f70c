//! What a request is about, and what tells it from another: target, guards, lineage and key (P-033 to P-040, P-113).

use super::Invalid;
use crate::{Reason, Sha256Hex, json::Value};

/// The greatest version there can be (P-034).
pub const MAX_VERSION: u64 = i64::MAX as u64;
/// The greatest number of an attempt (P-038).
pub const MAX_ATTEMPT: u64 = i32::MAX as u64;

/// What the members of a request say, as far as they are well formed. What is not is in `flaw`, and is nothing in its
/// column (P-079).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The guard by version.
    pub expected_target_version: Option<u64>,
    /// The guard by hash.
    pub expected_current_hash: Option<Sha256Hex>,
    /// Who made it.
    pub source: String,
    /// The rejected attempt that this one mends, as it was given.
    pub parent: Option<String>,
    /// Its number among the attempts at one thing.
    pub attempt: Option<u64>,
    /// What is wrong first.
    pub flaw: Option<Invalid>,
}

/// Reads the members beside the edits. It never fails: what is wrong is kept for its turn.
#[must_use]
pub fn identity(request: &Value) -> Identity {
    let mut flaw = None;
    let mut wrong = |name: &str, right: &str| {
        flaw.get_or_insert_with(|| Invalid::new(Reason::ContextInvalid, format!("{name} is {right}")));
    };
    let given = |key: &str| request.get(key).filter(|value| !value.is_null());
    let number = |key: &str, least, most| {
        given(key).map(|value| value.as_u64().filter(|number| (least..=most).contains(number)))
    };
    let version = number("expected_target_version", 0, MAX_VERSION);
    if version == Some(None) {
        wrong("expected_target_version", "an integer from 0 to 9223372036854775807, or null");
    }
    let hash = given("expected_current_hash").map(|value| value.as_str().and_then(Sha256Hex::from_hex));
    if hash == Some(None) {
        wrong("expected_current_hash", "64 hexadecimal digits in lower case, or null");
    }
    let attempt = number("attempt", 1, MAX_ATTEMPT);
    if attempt == Some(None) {
        wrong("attempt", "an integer from 1 to 2147483647, or null");
    }
    let parent = given("parent_pdcp_log_id").map(|value| value.as_str().map(str::to_owned));
    if parent == Some(None) {
        wrong("parent_pdcp_log_id", "a string, or null");
    }
    let source = request.get("source").map(|value| value.as_str().map(str::to_owned));
    if source == Some(None) {
        wrong("source", "a string");
    }
    Identity {
        expected_target_version: version.flatten(),
        expected_current_hash: hash.flatten(),
        source: source.flatten().unwrap_or_else(|| "model_response".to_owned()),
        parent: parent.flatten(),
        attempt: attempt.flatten(),
        flaw,
    }
}

/// Whether a new request key is one: 1 to 128 printable ASCII characters without a space (P-039, P-113).
#[must_use]
pub fn is_request_key(key: &str) -> bool {
    (1..=128).contains(&key.len()) && key.bytes().all(|byte| (0x21..=0x7e).contains(&byte))
}
