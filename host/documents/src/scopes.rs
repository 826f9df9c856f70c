//! Parts of a document that were observed at one version, by the ids that were handed out for them (PG-28).
//!
//! They serve the next submission. History has the offsets and hashes it needs in its own rows, so these may be deleted
//! one day; they are never changed.

/// A version of a document whose parts are to be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewScopeSnapshot {
    /// Of which document.
    pub target_file_id: String,
    /// Its version.
    pub version: i64,
    /// Its text's SHA-256.
    pub current_hash: String,
}

/// A version of a document whose parts were listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSnapshot {
    /// Its id.
    pub id: String,
    /// Of which document.
    pub target_file_id: String,
    /// Its version.
    pub version: i64,
    /// Its text's SHA-256.
    pub current_hash: String,
    /// When they were listed.
    pub created_at: String,
}

/// One part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Its id, one of its kind within the snapshot.
    pub scope_id: String,
    /// What it is.
    pub kind: String,
    /// What it is called.
    pub name: Option<String>,
    /// The names of what it is in, and its own.
    pub path: Option<String>,
    /// Its first code point.
    pub start: i64,
    /// The one after its last.
    pub end: i64,
    /// The SHA-256 of its text.
    pub sha256: String,
    /// What found it.
    pub parser: String,
    /// By which grammar, where there is one.
    pub grammar_version: Option<String>,
    /// Whether it could not be read without a fault.
    pub has_error: bool,
}
