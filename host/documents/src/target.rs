//! A document as it stands, the states of it that were set apart, and what is given to make them.

/// What a document's row says beside its text (P-155, P-156, PG-30, X-09).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The document's id: a UUID in lower case.
    pub id: String,
    /// Whose it is; empty on stdio.
    pub owner: String,
    /// Its version.
    pub version: i64,
    /// The SHA-256 of its text.
    pub current_hash: String,
    /// The path within the workspace that it was imported from.
    pub workspace_path: Option<String>,
    /// Whether saving it may write to the workspace.
    pub workspace_tracked: bool,
    /// Which workspace that was.
    pub workspace_root_identity: Option<String>,
    /// Whether the upload began with a byte-order mark.
    pub has_bom: bool,
    /// What the upload's line endings were, as JSON; nothing where it is not known.
    pub source_line_endings: Option<String>,
    /// What the file on disk was when the two were last the same.
    pub synced: Option<Synced>,
    /// When it was created.
    pub created_at: String,
    /// When its row was last written.
    pub updated_at: String,
}

/// A document as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What its row says.
    pub head: Head,
    /// The bytes of its text in UTF-8.
    pub bytes: i64,
    /// How many attempts its history has.
    pub attempts: i64,
}

/// A document's whole row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// All but the text.
    pub head: Head,
    /// Which ending each line has, run by run, as its caller spells it; nothing where it is not known.
    pub line_endings: Option<String>,
    /// The text.
    pub content: String,
}

/// A state that document and file have had in common (P-156).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    /// The SHA-256 of the file's bytes.
    pub disk_sha256: String,
    /// The document's version then.
    pub version: i64,
}

/// A document to be created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTarget {
    /// Whose it is; empty on stdio.
    pub owner: String,
    /// Its first version.
    pub version: i64,
    /// The text's SHA-256.
    pub current_hash: String,
    /// See [`Head::workspace_path`].
    pub workspace_path: Option<String>,
    /// See [`Head::workspace_tracked`].
    pub workspace_tracked: bool,
    /// See [`Head::workspace_root_identity`].
    pub workspace_root_identity: Option<String>,
    /// See [`Head::has_bom`].
    pub has_bom: bool,
    /// See [`Head::source_line_endings`].
    pub source_line_endings: Option<String>,
    /// See [`Head::synced`].
    pub synced: Option<Synced>,
    /// See [`Target::line_endings`].
    pub line_endings: Option<String>,
    /// The text.
    pub content: String,
}

/// What came of creating one: the row, its first cycle and its first snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The document's id.
    pub target_file_id: String,
    /// The id of cycle 1.
    pub cycle_id: String,
    /// The id of the `initial_upload` snapshot.
    pub snapshot_id: String,
    /// When.
    pub created_at: String,
}

/// Why a snapshot is there (P-162).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotType {
    /// The document was created.
    InitialUpload,
    /// It was saved.
    SaveCheckpoint,
}

impl SnapshotType {
    /// Its stored spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InitialUpload => "initial_upload",
            Self::SaveCheckpoint => "save_checkpoint",
        }
    }
}

/// A state of a document that was set apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its id.
    pub id: String,
    /// Of which document.
    pub target_file_id: String,
    /// Why.
    pub snapshot_type: SnapshotType,
    /// The version it is.
    pub version: i64,
    /// The SHA-256 that the text had by the row it was taken from.
    pub content_hash: String,
    /// The cycle that was active.
    pub editing_cycle_id: String,
    /// See [`Target::line_endings`].
    pub line_endings: Option<String>,
    /// How it was published, as JSON.
    pub publication_json: Option<String>,
    /// When.
    pub created_at: String,
    /// The text.
    pub content: String,
}

/// What a save stores (P-156, P-162).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCheckpoint {
    /// How it was published, as JSON.
    pub publication_json: Option<String>,
    /// The state of the file that was written, where one was.
    pub synced: Option<Synced>,
}

/// What came of a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpointed {
    /// The `save_checkpoint` snapshot.
    pub snapshot_id: String,
    /// The cycle that ended with it.
    pub closed_cycle_id: String,
    /// The cycle that began.
    pub cycle_id: String,
}
