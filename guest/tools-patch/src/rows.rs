//! The rows of `wit/documents.wit` and `wit/workspace.wit` for native tests; a component has the generated ones.

#![allow(missing_docs, reason = "the names and their meaning are those of the WIT")]

/// The database could not do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub unknown: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    pub disk_sha256: String,
    pub version: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub workspace_path: Option<String>,
    pub workspace_root_identity: Option<String>,
    pub has_bom: bool,
    pub source_line_endings: Option<String>,
    pub synced: Option<Synced>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub version: u64,
    pub current_hash: String,
    pub line_endings: Option<String>,
    pub content: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub id: String,
    pub origin: Origin,
    pub state: State,
    pub created_at: String,
    pub updated_at: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    pub target_file_id: String,
    pub cycle_id: String,
    pub snapshot_id: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFacts {
    pub target_file_id: String,
    pub accepted: bool,
    pub validation_stage: String,
    pub failure_reason: Option<String>,
    pub failure_detail: Option<String>,
    pub failed_change_id: Option<String>,
    pub expected_target_version: Option<u64>,
    pub expected_current_hash: Option<String>,
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
    pub before_version: Option<u64>,
    pub after_version: Option<u64>,
    pub pdcp_content_hash: String,
    pub protocol_version: String,
    pub runtime_version: Option<String>,
    pub submission_source: Option<String>,
    pub parent_pdcp_log_id: Option<String>,
    pub regeneration_attempt: Option<u64>,
    pub regeneration_source: Option<String>,
    pub client_request_id: Option<String>,
    pub request_fingerprint: Option<String>,
    pub warnings_json: Option<String>,
    pub diagnostic_json: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub id: String,
    pub log_sequence: u64,
    pub created_at: String,
    pub facts: AttemptFacts,
    pub pdcp_content: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFilter {
    pub before_sequence: Option<u64>,
    pub accepted: Option<bool>,
    pub content_hash: Option<String>,
    pub client_request_id: Option<String>,
    pub limit: u32,
    pub with_content: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    pub id: String,
    pub log_sequence: u64,
    pub created_at: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFacts {
    pub change_id: String,
    pub intent: String,
    pub risk: Option<String>,
    pub derived_json: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub ledger_sequence: u64,
    pub pdcp_log_id: String,
    pub editing_cycle_id: String,
    pub origin: String,
    pub created_at: String,
    pub facts: EntryFacts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFilter {
    pub active_cycle_only: bool,
    pub before_sequence: Option<u64>,
    pub limit: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub id: String,
    pub version: u64,
    pub content_hash: String,
    pub created_at: String,
    pub content: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpointed {
    pub snapshot_id: String,
    pub closed_cycle_id: String,
    pub cycle_id: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSnapshot {
    pub id: String,
    pub target_file_id: String,
    pub version: u64,
    pub current_hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    pub scope_id: String,
    pub kind: String,
    pub name: Option<String>,
    pub path: Option<String>,
    pub start: u64,
    pub end: u64,
    pub sha256: String,
    pub parser: String,
    pub grammar_version: Option<String>,
    pub has_error: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: String,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub content: Vec<u8>,
    pub sha256: String,
    pub mode: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    pub sha256: String,
    pub bytes: u64,
    pub mode: u32,
}

/// What is at the destination after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    Untouched,
    Installed,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub refusal: Refusal,
    pub step: String,
    pub destination: Destination,
}
