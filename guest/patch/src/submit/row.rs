//! What is stored of a decision: the attempt's row, and for an accepted one the ledger's entries and the new text.

use super::{Locked, Parent, fingerprint::Prints, key};
use crate::{
    Profile, Reason, Sha256Hex, Stage,
    apply::{Applied, Change},
    json::{self, Text, Value},
    record::{Identity, Operation, Work},
    text::{Canonical, LineEndings},
};

/// What every attempt's row has (P-082, P-172).
#[derive(Clone, Debug)]
pub struct Row {
    /// The rules that it was decided by: protocol and runtime.
    pub profile: Profile,
    /// The record, or the evidence in its place.
    pub pdcp_content: String,
    /// Of that.
    pub pdcp_content_hash: Sha256Hex,
    /// What tells the request from others.
    pub request_fingerprint: Sha256Hex,
    /// The key, where it is the row's.
    pub client_request_id: Option<String>,
    /// Who made it; nothing where what was given is no text that can be stored (P-109).
    pub submission_source: Option<String>,
    /// The rejected attempt that it mends.
    pub parent_pdcp_log_id: Option<String>,
    /// Its number among the attempts at one thing.
    pub regeneration_attempt: Option<u64>,
    /// Who made it, where it is not the first (the fourth decided ambiguity).
    pub regeneration_source: Option<String>,
    /// The guard by version, where it is one (P-079).
    pub expected_target_version: Option<u64>,
    /// The guard by hash, where it is one.
    pub expected_current_hash: Option<Sha256Hex>,
    /// The target's, when it was decided.
    pub before_version: u64,
    /// The target's, when it was decided.
    pub before_hash: String,
}

/// A row that changes nothing.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// The attempt.
    pub row: Row,
    /// How far it came.
    pub stage: Stage,
    /// Why.
    pub reason: Reason,
    /// The same in words.
    pub detail: String,
    /// The change that failed, where it was one.
    pub failed_change_id: Option<String>,
    /// What is stored beside: bounded, and never changed (P-084, P-096).
    pub diagnostic: Value,
    /// What to look for near misses of, once the lock is gone (P-092).
    pub missed: Option<Missed>,
}

/// A text that is nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The text, canonical.
    pub text: String,
    /// Where it is not: the buffer that its change failed on.
    pub buffer: String,
}

/// A row that changes the target.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// The attempt.
    pub row: Row,
    /// One for each change.
    pub ledger: Vec<LedgerEntry>,
    /// What the target is then.
    pub state: NewState,
    /// What is odd about it (P-063).
    pub warnings: Vec<Value>,
}

/// One change that was made (P-060, P-148 to P-151).
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    /// The change's.
    pub change_id: String,
    /// The change's rationale, else the transaction's intent (P-150).
    pub intent: String,
    /// Where it was told.
    pub risk: Option<&'static str>,
    /// Its span, its counts and its hashes.
    pub derived: Value,
}

/// What an accepted transaction makes of its target.
#[derive(Clone, Debug)]
pub struct NewState {
    /// The text.
    pub text: Canonical,
    /// One more than before, also where nothing changed (the seventh decided ambiguity).
    pub version: u64,
    /// Of the text.
    pub current_hash: Sha256Hex,
    /// The endings of its lines.
    pub endings: Option<LineEndings>,
}

impl Row {
    pub(super) fn new(
        target: &Locked,
        profile: Profile,
        request: &Value,
        parent: &Parent,
        identity: &Identity,
        prints: &Prints,
    ) -> Self {
        let submission_source = match request.get("source") {
            None => Some(identity.source.as_str()),
            Some(given) => given.as_text().filter(|source| source.is_storable()).and_then(Text::as_str),
        };
        let submission_source = submission_source.map(str::to_owned);
        let is_repeated = identity.attempt.is_some_and(|attempt| attempt > 1);
        let parent_pdcp_log_id = match parent {
            Parent::Rejected(id) => Some(id.clone()),
            Parent::None | Parent::Unfit => None,
        };
        Self {
            profile,
            pdcp_content: prints.content.clone(),
            pdcp_content_hash: prints.content_hash.clone(),
            request_fingerprint: prints.fingerprint.clone(),
            client_request_id: key::new_key(request).map(str::to_owned),
            regeneration_source: submission_source.clone().filter(|_| is_repeated),
            submission_source,
            parent_pdcp_log_id,
            regeneration_attempt: identity.attempt,
            expected_target_version: identity.expected_target_version,
            expected_current_hash: identity.expected_current_hash.clone(),
            before_version: target.version,
            before_hash: target.current_hash.clone(),
        }
    }
}

impl Acceptance {
    pub(super) fn new(target: &Locked, row: Row, work: &Work, applied: Applied) -> Self {
        let entries = work.operations().zip(&applied.changes);
        let ledger = entries.map(|(operation, change)| LedgerEntry::new(work.intent(), operation, change)).collect();
        let warnings = applied.warnings.iter().map(|warning| {
            let change_id = warning.change_id.as_deref().map_or(Value::Null, Value::from);
            json::object([("code", warning.kind.name().into()), ("change_id", change_id)])
        });
        let warnings = warnings.collect();
        let current_hash = applied.text.sha256();
        let state =
            NewState { text: applied.text, version: target.version + 1, current_hash, endings: applied.endings };
        Self { row, ledger, state, warnings }
    }
}

impl LedgerEntry {
    fn new(intent: &str, operation: &Operation, change: &Change) -> Self {
        let scope = change.scope_id.as_deref().map(|scope| ("scope_id", scope.into()));
        let derived = [
            ("span_start", number(change.span.start)),
            ("span_end", number(change.span.end)),
            ("matched_chars", number(change.span.len())),
            ("replacement_chars", number(change.replacement_chars)),
            ("matched_sha256", change.matched_sha256.as_str().into()),
            ("replacement_sha256", change.replacement_sha256.as_str().into()),
        ];
        Self {
            change_id: change.change_id.clone(),
            intent: operation.rationale.as_deref().unwrap_or(intent).to_owned(),
            risk: operation.risk,
            derived: json::object(derived.into_iter().chain(scope)),
        }
    }
}

pub(super) fn number(count: usize) -> Value {
    Value::from(count as u64)
}
