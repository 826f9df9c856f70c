//! What was attempted on a document, what was accepted of it, and how pages of both are asked for.

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It changed the document, or left it as it was with a new version.
    Accepted,
    /// It changed nothing but the history.
    Rejected,
}

impl Status {
    /// Its stored spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

/// What the row of an attempt says beside its id, its place and its payload (P-172, P-152, P-063, P-079, P-082).
///
/// The names are those of the columns. JSON is text here and comes back to the byte.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the contract's own column names, listed with their meaning there")]
pub struct AttemptFacts {
    pub target_file_id: String,
    pub status: Status,
    pub validation_stage: String,
    pub failure_reason: Option<String>,
    pub failure_detail: Option<String>,
    pub failed_change_id: Option<String>,
    pub expected_target_version: Option<i64>,
    pub expected_current_hash: Option<String>,
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
    pub before_version: Option<i64>,
    pub after_version: Option<i64>,
    pub pdcp_content_hash: String,
    pub protocol_version: String,
    pub runtime_version: Option<String>,
    pub submission_source: Option<String>,
    pub parent_pdcp_log_id: Option<String>,
    pub regeneration_attempt: Option<i64>,
    pub regeneration_source: Option<String>,
    pub client_request_id: Option<String>,
    pub request_fingerprint: Option<String>,
    pub warnings_json: Option<String>,
    pub diagnostic_json: Option<String>,
}

/// An attempt to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttempt {
    /// What its row says.
    pub facts: AttemptFacts,
    /// Its payload (P-059, P-103).
    pub pdcp_content: String,
}

/// A stored attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The `pdcp_log_id`.
    pub id: String,
    /// Its place in history.
    pub log_sequence: i64,
    /// When it was stored.
    pub created_at: String,
    /// What its row says.
    pub facts: AttemptFacts,
    /// Its payload, where that was asked for.
    pub pdcp_content: Option<String>,
}

/// What came of storing an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The `pdcp_log_id`.
    pub id: String,
    /// Its place in history.
    pub log_sequence: i64,
    /// When.
    pub created_at: String,
}

/// A document's state after an accepted attempt. The version must be the stored one's successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewState {
    /// The text.
    pub content: String,
    /// Its version.
    pub version: i64,
    /// Its SHA-256.
    pub current_hash: String,
    /// See [`Target::line_endings`](crate::Target::line_endings).
    pub line_endings: Option<String>,
}

/// One accepted change (P-149 to P-151).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryFacts {
    /// The change's id within its transaction.
    pub change_id: String,
    /// What it was for.
    pub intent: String,
    /// What it was made on.
    pub input_state: Option<String>,
    /// What it made.
    pub output_state: Option<String>,
    /// Where.
    pub affected_region: Option<String>,
    /// What a user sees of it.
    pub user_visible_change: Option<String>,
    /// How risky it was said to be.
    pub risk: Option<String>,
    /// What the runtime computed about it, as JSON (P-060).
    pub derived_json: Option<String>,
}

/// A change in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its place in the ledger.
    pub ledger_sequence: i64,
    /// Of which document.
    pub target_file_id: String,
    /// The attempt that it is part of.
    pub pdcp_log_id: String,
    /// The cycle that was active.
    pub editing_cycle_id: String,
    /// `typed` (P-148).
    pub origin: String,
    /// When it was stored.
    pub created_at: String,
    /// What it says.
    pub facts: EntryFacts,
}

/// Which attempts, newest first (P-171).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptFilter {
    /// Only below this place (P-177).
    pub before_sequence: Option<i64>,
    /// Only of this status.
    pub status: Option<Status>,
    /// Only with a payload of this SHA-256.
    pub content_hash: Option<String>,
    /// Only with this key, in whatever spelling it was stored (P-178).
    pub client_request_id: Option<String>,
    /// How many are wanted; one more is returned where there is one (P-173).
    pub limit: u32,
    /// Whether payloads are read.
    pub with_content: bool,
}

/// Which ledger entries, newest first (P-174).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Only of the active cycle.
    pub active_cycle_only: bool,
    /// Only below this place.
    pub before_sequence: Option<i64>,
    /// How many are wanted; one more is returned where there is one.
    pub limit: u32,
}
