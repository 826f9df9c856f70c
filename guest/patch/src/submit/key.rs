//! The request's key: which one is looked up, and which one may be a new one (P-039, P-108, P-113, P-121).

use crate::{
    json::{Text, Value},
    record::is_request_key,
};

/// The member that has it.
const KEY: &str = "client_request_id";

/// The key to look up under the target's lock: every text that a database stores, as it stands. Keys of history need not
/// have the syntax of new ones (P-121), and what cannot be stored was never one (P-108).
#[must_use]
pub fn sought_key(request: &Value) -> Option<&str> {
    submitted(request)?.as_text().filter(|key| key.is_storable()).and_then(Text::as_str)
}

/// What was given as one.
pub(super) fn submitted(request: &Value) -> Option<&Value> {
    request.get(KEY).filter(|key| !key.is_null())
}

/// The key of a new row, where one was given that can be.
pub(super) fn new_key(request: &Value) -> Option<&str> {
    submitted(request)?.as_str().filter(|key| is_request_key(key))
}

/// Whether one was given that cannot be.
pub(super) fn is_malformed(request: &Value) -> bool {
    submitted(request).is_some() && new_key(request).is_none()
}
