//! What was asked of a forge and how it was answered, as far as it may be told: the last few thousand requests.

use std::collections::VecDeque;

use http::{HeaderMap, Method, StatusCode, header::AUTHORIZATION};

/// Requests that are remembered; older ones are forgotten.
const MAX_LOGGED: usize = 4096;
/// Bytes of a target that are remembered.
const MAX_LOGGED_TARGET: usize = 2048;

/// A request that was answered, as far as it may be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Such as `GET`.
    pub method: String,
    /// Path and query as sent, at most 2,048 bytes.
    pub target: String,
    /// What was answered. A client that leaves before that leaves no trace.
    pub status: u16,
    /// Whether there was an `Authorization` header, good or not.
    pub had_credential: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) answered: VecDeque<LoggedRequest>,
    /// Methods and targets in the order in which they came.
    pub(crate) asked: VecDeque<String>,
}

impl Log {
    /// A request came. What is given back is its target as it may be kept.
    pub(crate) fn asked(&mut self, method: &Method, mut target: String) -> String {
        target.truncate(target.floor_char_boundary(MAX_LOGGED_TARGET));
        let below = target.strip_prefix("/api/v1").unwrap_or(&target);
        remember(&mut self.asked, format!("{method} {below}"));
        target
    }

    /// It was answered.
    pub(crate) fn answered(&mut self, method: &Method, target: String, headers: &HeaderMap, status: StatusCode) {
        let answered = LoggedRequest {
            method: method.to_string(),
            target,
            status: status.as_u16(),
            had_credential: headers.contains_key(AUTHORIZATION),
        };
        remember(&mut self.answered, answered);
    }
}

/// Adds to a log that forgets its oldest.
fn remember<T>(log: &mut VecDeque<T>, entry: T) {
    if log.len() == MAX_LOGGED {
        log.pop_front();
    }
    log.push_back(entry);
}
