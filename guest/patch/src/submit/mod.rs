//! What becomes of a submission, decided in one fixed order: recovery by key, encoding, guards, shape, application (C2, C4).
//!
//! The caller holds the target's lock and has looked up what the request names; what it must store, and what it must
//! answer, is decided here. Nothing is stored here, so a decision can be tested without a database.

mod attempt;
mod bundle;
mod diagnostic;
mod fingerprint;
mod key;
mod row;
mod shape;
mod unlinked;

#[cfg(test)]
mod tests;

pub use bundle::{Joint, bundle_print, no_bundle, together};
pub use diagnostic::{Member, context_value, of_failure, unavailable_context};
pub use key::sought_key;
pub use row::{Acceptance, LedgerEntry, Missed, NewState, Rejection, Row};
pub use unlinked::{Unlinked, Unreachable, unlinked};

use std::borrow::Cow;

use crate::{
    Protocol, Reason, Sha256Hex, Stage,
    apply::Extras,
    json::Value,
    record::{Identity, Invalid, ObservedScope, check_size},
    text::{Canonical, LineEndings},
};
use attempt::Attempt;

/// The target, as it is under its lock.
#[derive(Clone, Debug)]
pub struct Locked {
    /// Its UUID, in lower case with hyphens.
    pub id: String,
    /// How many transactions it has seen, at most [`MAX_VERSION`](crate::record::MAX_VERSION).
    pub version: u64,
    /// Of its text, as it is stored.
    pub current_hash: String,
    /// Its text.
    pub text: Canonical,
    /// The endings that its lines have in the file it came from, where it did.
    pub endings: Option<LineEndings>,
}

/// The attempt that is stored under the request's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// Its id.
    pub pdcp_log_id: String,
    /// What tells it from others.
    pub request_fingerprint: String,
}

/// What the request's parent is (P-078).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// None is named.
    None,
    /// A rejected attempt of the same target: its id, in its one spelling (P-120).
    Rejected(String),
    /// Something else, or nothing.
    Unfit,
}

/// What a request is decided on.
#[derive(Clone, Debug)]
pub struct Submission<'a> {
    /// The format, by the tool that was called.
    pub protocol: Protocol,
    /// All that was given, an object. A `correlation_id` in it is passed over (P-061).
    pub request: &'a Value,
    /// What is stored under [its key](sought_key).
    pub keyed: Option<Keyed>,
    /// What its parent is.
    pub parent: Parent,
    /// What a batch's snapshot is; nothing for other formats, and where there is none of that id.
    pub observed: Option<Observed>,
    /// What tells [the bundle](bundle_print) that it is an item of, where it is one.
    pub bundle: Option<&'a Sha256Hex>,
}

/// A snapshot that a batch names, and those of its scopes that are in it (PG-28).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Of which target.
    pub target_file_id: String,
    /// The version that was observed.
    pub version: u64,
    /// Its text's hash.
    pub current_hash: String,
    /// The scopes that the batch names.
    pub scopes: Vec<ObservedScope>,
}

/// What becomes of it.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It was decided before: the attempt that has the outcome (P-116).
    Recovered(String),
    /// A row is appended, and nothing else changes.
    Rejected(Box<Rejection>),
    /// A row is appended, and the target changes, unless it is [another by then](Acceptance::at_commit).
    Accepted(Box<Acceptance>),
}

/// Decides, under the target's lock, in the order of the second and third decided ambiguity.
#[must_use]
pub fn judge(target: &Locked, submission: &Submission<'_>) -> Verdict {
    let Submission { request, keyed, parent, observed, .. } = submission;
    let request = &*without_correlation(request);
    let attempt = Attempt::of(target, &Submission { request, ..submission.clone() });

    if let Some(keyed) = keyed {
        if attempt.is_that_of(keyed) {
            return Verdict::Recovered(keyed.pdcp_log_id.clone());
        }
        return attempt.at_other_key(keyed);
    }
    if attempt.is_unstorable() {
        return attempt.at_encoding();
    }
    if let Some(mismatch) = mismatch(target, attempt.identity()) {
        return attempt.at(Stage::PreconditionGuard, &mismatch);
    }
    if let Err(invalid) = shape::context(request, attempt.identity()) {
        return attempt.at(Stage::ProtocolValidation, &invalid);
    }
    if key::is_malformed(request) {
        return attempt.at_malformed_key();
    }
    let observed = observed.as_ref().filter(|observed| observed.target_file_id == target.id);
    let work = match shape::work(request, attempt.profile(), parent, observed) {
        Ok(work) => work,
        Err(invalid) => return attempt.at(Stage::ProtocolValidation, &invalid),
    };
    let extras = Extras { endings: target.endings.clone(), warnings: true };
    if let Some(stale) = observed.and_then(|observed| stale(target, observed)) {
        return attempt.at(Stage::TransactionApplicability, &stale);
    }
    let applied = match work.apply(&target.text, attempt.profile(), extras) {
        Ok(applied) => applied,
        Err(failure) => return attempt.at_application(*failure),
    };
    // What is kept is bounded, whichever format made it.
    if let Err(invalid) = check_size(applied.text.as_str()) {
        return attempt.at_size(&invalid, &applied);
    }
    Verdict::Accepted(Box::new(attempt.accepted(&work, applied)))
}

/// A snapshot of another version is none of this text (PG-19).
fn stale(target: &Locked, observed: &Observed) -> Option<Invalid> {
    let is_current = observed.version == target.version && observed.current_hash == target.current_hash;
    let detail = "the scopes are those of another version of the target: list and observe them again";
    (!is_current).then(|| Invalid::new(Reason::ScopeStale, detail))
}

/// A correlation id is about a call and not about a request: it is not stored, not hashed, and not asked for its shape.
fn without_correlation(request: &Value) -> Cow<'_, Value> {
    const CORRELATION: &str = "correlation_id";
    if request.get(CORRELATION).is_none() {
        return Cow::Borrowed(request);
    }
    let mut request = request.clone();
    if let Value::Object(members) = &mut request {
        members.remove(CORRELATION.as_bytes());
    }
    Cow::Owned(request)
}

/// What the guards say of the target, where they say something that can be compared (P-070).
fn mismatch(target: &Locked, identity: &Identity) -> Option<Invalid> {
    let version = target.version;
    if identity.expected_target_version.is_some_and(|expected| expected != version) {
        let detail = format!("the target has version {version}: read it again");
        return Some(Invalid::new(Reason::TargetVersionMismatch, detail));
    }
    let is_other = |expected: &Sha256Hex| expected.as_str() != target.current_hash;
    if identity.expected_current_hash.as_ref().is_some_and(is_other) {
        let detail = format!("the target has another text, and version {version}: read it again");
        return Some(Invalid::new(Reason::TargetHashMismatch, detail));
    }
    None
}
