//! What a request or a stored row says is to be done, read into one form that one applier takes (P-028).
//!
//! A record is read by the rules of a profile: the current one where it is submitted, the one it was written under where it is
//! replayed. Whether it applies is left to `apply`, guards and request keys to those who hold the rows.

mod batch;
mod edits;
mod envelope;
mod identity;
mod members;
mod operations;
mod replacement;
mod selectors;
mod work;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use batch::{Batch, Group, ObservedScope, named, scopes_value};
pub use identity::{Identity, MAX_ATTEMPT, MAX_VERSION, identity, is_request_key};
pub(crate) use replacement::check_size;
pub use replacement::{MAX_CODE_POINTS, MAX_UTF8_BYTES};
pub use selectors::Selectors;
pub use work::Work;

use crate::{Profile, Protocol, Reason, json::Value, text::Span};

/// What is to be done, in order, all of it or nothing (P-021, P-022).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What it is for.
    pub intent: String,
    /// At least one.
    pub operations: Vec<Operation>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Unique in its transaction (P-042, P-043).
    pub change_id: String,
    /// Why, where it differs from the transaction's intent.
    pub rationale: Option<String>,
    /// `low`, `medium` or `high`.
    pub risk: Option<&'static str>,
    /// What it does.
    pub action: Action,
}

/// What an operation does. Texts are as they were given; the applier makes them canonical (P-029).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Replaces one occurrence of a text (P-041).
    Match {
        /// Not empty.
        text: String,
        /// Empty to delete.
        replace: String,
        /// Which occurrence.
        selectors: Selectors,
    },
    /// Replaces what is between two places (P-050).
    Span {
        /// In the text as the operations before have left it.
        span: Span,
        /// What must be there.
        expected: String,
        /// What is put there.
        replace: String,
        /// What must be directly before it.
        before: Option<String>,
        /// What must be directly behind it.
        after: Option<String>,
    },
    /// Replaces the whole text (P-052).
    ReplaceAll {
        /// The new text.
        replace: String,
    },
}

/// Why a record is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Invalid {
    /// What it counts as.
    pub reason: Reason,
    /// What is wrong where, and what would be right. It repeats nothing of the record but names of members.
    pub detail: String,
    /// The change it is about.
    pub change_id: Option<String>,
}

impl Invalid {
    pub(crate) fn new(reason: Reason, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { reason, detail: detail.into().into_owned(), change_id: None }
    }

    /// Something of the edits that is not of their format.
    pub(crate) fn manifest(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Reason::ManifestInvalid, detail)
    }

    pub(crate) fn of(self, change_id: &str) -> Self {
        Self { change_id: Some(change_id.to_owned()), ..self }
    }
}

impl Transaction {
    /// Reads a record of a single target by a profile's rules.
    ///
    /// # Errors
    /// [`Invalid`] with the first thing that is wrong, in a fixed order.
    pub fn read(record: &Value, profile: &Profile) -> Result<Self, Invalid> {
        match profile.protocol {
            Protocol::Tx1 => edits::read(record, profile),
            Protocol::Tx2 => operations::read(record, profile),
            Protocol::Tx3 => replacement::read(record, profile),
            Protocol::ObservedBatch1 => Err(Invalid::manifest("a batch has no operations of its own")),
        }
    }

    /// The profile that a submission of this protocol is recorded under (P-051, P-128).
    #[must_use]
    pub fn profile_of(record: &Value, protocol: Protocol) -> Profile {
        Profile::current(protocol, protocol == Protocol::Tx2 && operations::have_context(record))
    }
}
