//! Submissions that no row tells of: there is no target whose history it could be in, or it cannot be locked.

use std::borrow::Cow;

use super::diagnostic;
use crate::{
    Protocol, Reason, Stage,
    json::{self, Value},
};

/// Why a target cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreachable {
    /// What names it is no UUID (P-076).
    Malformed,
    /// There is none of that id (P-077).
    Absent,
    /// The caller's own transaction has changed it and not committed (P-081, PG-21).
    Pending,
}

/// What is answered then. Nothing is stored (P-075, P-080).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlinked {
    /// As far as it came.
    pub stage: Stage,
    /// Why.
    pub reason: Reason,
    /// The same in words.
    pub detail: Cow<'static, str>,
    /// The least that a rejection tells, with no context.
    pub diagnostic: Value,
}

/// The answer to a submission whose target cannot be reached.
#[must_use]
pub fn unlinked(protocol: Protocol, why: Unreachable) -> Unlinked {
    let stage = Stage::PreconditionGuard;
    let (reason, detail) = match why {
        Unreachable::Malformed => (Reason::ContextInvalid, "target_file_id is a UUID, and has to be given"),
        Unreachable::Absent => (Reason::TargetNotFound, "there is no target of that id"),
        Unreachable::Pending => {
            (Reason::ContextInvalid, "the target has a change of this transaction that is not committed")
        }
    };
    let mut members = diagnostic::outcome(Some(protocol), stage, reason);
    members.push(("failure_context", diagnostic::unavailable_context()));
    Unlinked { stage, reason, detail: detail.into(), diagnostic: json::object(members) }
}
