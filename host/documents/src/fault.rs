//! What can go wrong with a database, in words for the person who runs it.
//!
//! Neither a password nor what stands in a document gets into a fault: of a message from PostgreSQL its detail is left
//! out, which quotes values.

/// Why the infrastructure failed. It is never the outcome of a submission (P-112).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The configured place can hold no database.
    #[error("no database can be there: {0}")]
    Location(String),
    /// Nothing of ours is there, and nothing is to be made.
    #[error(
        "there is no database of documents there yet: it is made when a text is first edited, or by `assay patch migrate`"
    )]
    Absent,
    /// The server or the file cannot be reached.
    #[error("the database cannot be reached: {0}; try again when it is there")]
    Unavailable(String),
    /// The server does not let this user in, or not do this.
    #[error("the database refuses this user: {0}; give the user the right to it, or use another")]
    Refused(String),
    /// Somebody else held a lock for too long. Trying again later can succeed.
    #[error("another writer held the lock, or every connection was in use, for too long; try again")]
    Locked,
    /// Transactions waited for each other, and this one was ended. Trying again can succeed.
    #[error("two transactions waited for each other, and this one was ended; try again")]
    Deadlock,
    /// There is no room left.
    #[error("the database's disk is full; make room on it, then try again")]
    Full,
    /// Nothing can be written.
    #[error("the database is read-only; let this program write to it, or have it use one that it may write to")]
    ReadOnly,
    /// The file is something else.
    #[error("the file is not a SQLite database; put the right one there, or name another")]
    NotADatabase,
    /// What was read contradicts itself or the schema.
    #[error("the database is damaged: {0}; bring it back from a backup")]
    Damaged(String),
    /// An older program's database.
    #[error(
        "the database has schema {} and this program needs {head}; `assay patch migrate` brings it forward",
        found.as_deref().unwrap_or("none")
    )]
    OlderSchema {
        /// Its last revision.
        found: Option<String>,
        /// The one this program needs.
        head: &'static str,
    },
    /// A newer program's database.
    #[error("the database has schema {found}, which is newer than this program's {head}; use a newer program")]
    NewerSchema {
        /// Its last revision.
        found: String,
        /// The one this program needs.
        head: &'static str,
    },
    /// A database whose schema is nobody's we know.
    #[error("the database's schema is not this program's: {0}")]
    ForeignSchema(String),
    /// A step would lose or contradict what is stored (P-153, P-154).
    #[error("the step {revision} refuses, and nothing was changed: {why}")]
    MigrationRefused {
        /// The step.
        revision: &'static str,
        /// What is in its way.
        why: &'static str,
    },
    /// The server lacks what is needed.
    #[error("the server cannot be used: {0}")]
    Server(String),
    /// A row contradicts a rule of the schema. The caller made a mistake.
    #[error("the schema refuses this: {0}")]
    Constraint(String),
    /// A state was to be stored whose version is not the successor of the stored one. The caller did not lock.
    #[error("version {version} does not follow what is stored")]
    VersionStep {
        /// The version that was to be stored.
        version: i64,
    },
    /// A text with NUL, which PostgreSQL cannot hold.
    #[error("a text for {0} has NUL in it")]
    Unstorable(String),
    /// An earlier call on this transaction failed or was abandoned; nothing of it is kept.
    #[error("the transaction has ended before, and nothing of it is kept")]
    Aborted,
    /// The connection broke while the transaction was being committed.
    #[error("whether the transaction was kept is not known: {0}")]
    CommitUnknown(String),
    /// Anything else.
    #[error("the database failed ({code}): {message}")]
    Failed {
        /// The database's own code.
        code: String,
        /// What it said.
        message: String,
    },
}
