//! Native evidence: a forge's own statement about a diff, and the diff itself, in one entity that is verified whole.
//!
//! [`Verifier`] takes the entity as it comes and hands the decoded diff to a [`Sink`](crate::Sink); what both say is
//! released by [`Verifier::finish`] alone, after the last byte was judged (D-017). `wire` is the table of the schema's
//! names, `manifest` what they must say. The response's head was judged before, by [`crate::http`].

#[cfg(test)]
pub(crate) mod fixture;
mod manifest;
#[cfg(test)]
mod tests;
mod verifier;
mod wire;

pub use manifest::{Input, Manifest};
pub use verifier::{Evidence, Verifier};

use crate::base64;

/// Bytes of the manifest's JSON at the most (D-061).
pub const MANIFEST_BYTES: usize = 32 * 1024;

/// Why an entity is not the evidence it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Fewer bytes came than `Content-Length` said (D-073).
    #[error("fewer bytes came than its head had said")]
    Short,
    /// More bytes came than `Content-Length` said (D-073).
    #[error("more bytes came than its head had said")]
    Long,
    /// `Content-Length` cannot be right for a diff of the manifest's size (D-035).
    #[error("its length does not agree with the size of the diff that it states")]
    Length,
    /// A top-level member that version 1 does not have (D-033).
    #[error("it has a member that version 1 does not have")]
    UnknownMember,
    /// A top-level member is missing (D-033).
    #[error("a member of version 1 is missing")]
    MissingMember,
    /// `schema` is another one (D-032).
    #[error("it is not of the schema forgejo.pr-diff-evidence.v1")]
    Schema,
    /// A member of the manifest is unknown, missing, or of another type (D-033, D-036a).
    #[error("its manifest has a member that version 1 does not have, lacks one, or has one of another type")]
    Shape,
    /// `contract` is another one (D-025).
    #[error("it states another contract than observed_input_range")]
    Contract,
    /// `atomic_latest_pr_snapshot` is not false (D-025).
    #[error("it claims to be an atomic snapshot, which version 1 never is")]
    Snapshot,
    /// The object format is neither `sha1` nor `sha256`.
    #[error("it names an object format other than sha1 and sha256")]
    ObjectFormat,
    /// An id is zero (D-020).
    #[error("an id in it is not a positive integer")]
    Id,
    /// It is about another pull request (D-021).
    #[error("it is about another pull request than was asked for")]
    Index,
    /// A generation input is of another repository (D-022).
    #[error("one of the diff's two inputs comes from another repository")]
    Repository,
    /// An input's provenance is another one (D-023, D-023a).
    #[error("one of the diff's two inputs is neither the stored merge base nor the pull request's hidden head")]
    Source,
    /// The head's ref is not `refs/pull/<index>/head` (D-023).
    #[error("the diff's head was not read from this pull request's hidden ref")]
    HeadRef,
    /// An object id is not full lower-case hex of the object format, or all zeros (D-024).
    #[error("an object id in it is not a full one of the repository's object format")]
    ObjectId,
    /// The profile is not a binary one.
    #[error("its diff was not made with binary parts")]
    Profile,
    /// The target tip's status and object id contradict each other (D-028).
    #[error("what it says about the target branch's tip contradicts itself")]
    TargetTip,
    /// The fork's record is not that of a fork which was not read (D-026).
    #[error("what it says about the fork is not that the fork was left unread")]
    Fork,
    /// A byte label is not canonical base64 (D-029).
    #[error("a branch or ref name in it is not canonical base64")]
    Label,
    /// A time is not RFC 3339 in UTC, or the generation precedes the capture.
    #[error("its times are not RFC 3339 in UTC, or not in their order")]
    Times,
    /// `content` is not in base64, or its hash not 64 lower-case hexadecimal digits.
    #[error("what it says about its content is not in the form of version 1")]
    Content,
    /// The data is not canonical base64 (D-036).
    #[error("its data is not canonical base64: {0}")]
    Base64(#[from] base64::Fault),
    /// The decoded count is not the stated one (D-017).
    #[error("the diff has not as many bytes as it states")]
    Count,
    /// The hash of the decoded bytes is not the stated one (D-017).
    #[error("the diff's SHA-256 is not the one it states")]
    Hash,
}

impl Fault {
    /// A stable `snake_case` code, one for each thing a caller can conclude:
    ///
    /// - `evidence_truncated`: the entity came cut, or with more than was announced: the way to the forge is suspect;
    /// - `evidence_malformed`: it is not an entity of version 1;
    /// - `evidence_foreign`: it is one, and of something else than was asked for;
    /// - `evidence_corrupt`: the diff is not the one that its own manifest states.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Short | Self::Long => "evidence_truncated",
            Self::Index | Self::Repository | Self::Source | Self::HeadRef => "evidence_foreign",
            Self::Length | Self::Base64(_) | Self::Count | Self::Hash => "evidence_corrupt",
            Self::UnknownMember
            | Self::MissingMember
            | Self::Schema
            | Self::Shape
            | Self::Contract
            | Self::Snapshot
            | Self::ObjectFormat
            | Self::Id
            | Self::ObjectId
            | Self::Profile
            | Self::TargetTip
            | Self::Fork
            | Self::Label
            | Self::Times
            | Self::Content => "evidence_malformed",
        }
    }
}
