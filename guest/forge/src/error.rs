//! The one public error: what was wrong with what a forge or a caller sent.
//!
//! Each kind has a stable code for machines and a sentence for people. The sentences hold no byte that the forge sent,
//! so that a refusal can be shown as it is (D-077).

use crate::{
    account, cursor, diff, evidence, file, http, issue, json, listing, names::InvalidName, object, observed, pull,
};

/// Why something is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A name, number or path is outside its bounds.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The answer's status or headers are not what the route promises.
    #[error(transparent)]
    Http(#[from] http::Fault),
    /// The same, of an answer about something else than a pull request.
    #[error(transparent)]
    About(#[from] http::AboutFault),
    /// A list is none, or does not say whether it goes on.
    #[error(transparent)]
    Listing(#[from] listing::Fault),
    /// The entity is not strict JSON.
    #[error(
        "the forge's evidence is not strict JSON: {0}; nothing of it is shown: call again, and tell the forge's operator \
         if it stays so"
    )]
    Json(#[from] json::Fault),
    /// The entity is JSON, and not the evidence it claims to be.
    #[error(
        "the forge's evidence did not verify: {0}; nothing of it is shown: call again, and tell the forge's operator if \
         it stays so"
    )]
    Evidence(#[from] evidence::Fault),
    /// The cursor is damaged, is for something else, or no longer fits what the forge serves.
    #[error(transparent)]
    Cursor(#[from] cursor::Fault),
    /// The forge's JSON about an account is none.
    #[error(transparent)]
    Account(#[from] account::Fault),
    /// The forge's JSON about an issue is not about it, or no JSON.
    #[error(transparent)]
    Issue(#[from] issue::Fault),
    /// The forge's JSON about a pull request is not about it, or no JSON.
    #[error(transparent)]
    Pull(#[from] pull::Fault),
    /// The diff verified as a whole, but is not in git's grammar.
    #[error(
        "the whole diff verified, but {0}, so no file's section can be told apart with certainty: read it without \
         `file_path`"
    )]
    Diff(#[from] diff::Fault),
    /// A plain diff is not in git's grammar to its last byte (O-005).
    #[error(
        "the forge's plain diff is not whole: {0}. A forge that fails half-way ends a diff like this under a good \
         status; nothing of it is shown: call again, and tell the forge's operator if it stays so"
    )]
    Truncated(diff::Fault),
    /// What a stock forge says about the pull request is not enough for a receipt.
    #[error(transparent)]
    Observed(#[from] observed::Fault),
    /// The forge's answer with a git object is none.
    #[error(
        "the forge's answer with a git object is not sound: {0}; nothing of it is shown: call again, and tell the forge's \
         operator if it stays so"
    )]
    Object(#[from] object::Fault),
    /// What the forge says about a file, a directory or a ref is not enough to show it.
    #[error(transparent)]
    File(#[from] file::Fault),
    /// No section of the verified diff has this path (S-006).
    #[error(
        "the diff has no section for `{path}`: paths are compared exactly, on both sides of a rename; `list_pull_request_files` tells which files it has"
    )]
    NoSuchPath {
        /// The path asked for, as it was given.
        path: String,
    },
}

impl Error {
    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Name(_) => "invalid_argument",
            Self::Http(fault) => fault.code(),
            Self::About(about) => about.fault.code(),
            Self::Listing(fault) => fault.code(),
            Self::Json(_) => "evidence_malformed",
            Self::Evidence(fault) => fault.code(),
            Self::Cursor(fault) => fault.code(),
            Self::Account(_) => "answer_malformed",
            Self::Issue(fault) => fault.code(),
            Self::Pull(fault) => fault.code(),
            Self::Diff(_) => "diff_unreadable",
            Self::Truncated(_) => "diff_truncated",
            Self::Observed(fault) => fault.code(),
            Self::File(fault) => fault.code(),
            Self::Object(_) => "object_malformed",
            Self::NoSuchPath { .. } => "file_not_in_diff",
        }
    }
}
