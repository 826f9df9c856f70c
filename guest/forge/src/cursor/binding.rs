//! What a cursor binds: the values that all windows of a walk share, whichever kind of receipt states them.

use serde::{Deserialize, Serialize};

use super::{Fault, path_sha256};
use crate::{
    ObjectId, RepoPath, Slice, base64,
    evidence::{Input, Manifest},
    hex::hex,
    names::decode_hex,
    observed::{PullInputs, Receipt},
};

/// A value that all windows of a walk share (D-051, S-011).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Bound {
    /// The repository's numeric id.
    #[error("the repository's numeric id")]
    RepositoryId,
    /// The pull request's numeric id.
    #[error("the pull request's numeric id")]
    PullId,
    /// The pull request's number.
    #[error("the pull request's number")]
    Index,
    /// The repository's object format.
    #[error("the repository's object format")]
    ObjectFormat,
    /// The merge base's commit.
    #[error("the merge base's commit")]
    MergeBaseOid,
    /// The repository of the merge base.
    #[error("the repository of the merge base")]
    MergeBaseRepository,
    /// The source of the merge base.
    #[error("the source of the merge base")]
    MergeBaseSource,
    /// The head's commit.
    #[error("the head's commit")]
    HeadOid,
    /// The repository of the head.
    #[error("the repository of the head")]
    HeadRepository,
    /// The source of the head.
    #[error("the source of the head")]
    HeadSource,
    /// The ref of the head.
    #[error("the ref of the head")]
    HeadRef,
    /// The way the forge makes the diff (its generation profile).
    #[error("the way the forge makes the diff (its generation profile)")]
    Profile,
    /// The diff's byte count.
    #[error("the diff's byte count")]
    ContentBytes,
    /// The diff's SHA-256.
    #[error("the diff's SHA-256")]
    ContentSha256,
    /// The number of the file's sections.
    #[error("the number of the file's sections")]
    SectionCount,
    /// The byte count of the file's sections.
    #[error("the byte count of the file's sections")]
    SliceBytes,
    /// The SHA-256 of the file's sections.
    #[error("the SHA-256 of the file's sections")]
    SliceSha256,
    /// The number of files.
    #[error("the number of files")]
    Rows,
    /// How far the proof of the diff came (its level).
    #[error("how far the proof of the diff came (its level)")]
    Level,
}

/// What the receipt must say on every page (D-051, O-013).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    repository_id: u64,
    pull_id: u64,
    index: u64,
    object_format: String,
    merge_base: BoundInput,
    head: BoundInput,
    /// SHA-256 of how native evidence says it was made; the schema of an observed receipt.
    profile: String,
    /// The level of an observed receipt; native evidence has none.
    level: Option<String>,
    bytes: u64,
    sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundInput {
    oid: String,
    repository_id: u64,
    source: String,
    /// Base64 of the ref's bytes.
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// The walk is over one file's sections alone (S-011).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// SHA-256 of the path, so that a path of 4,096 quotes fits as well.
    path: String,
    sections: u64,
    bytes: u64,
    sha256: String,
}

impl From<&Manifest> for Binding {
    fn from(manifest: &Manifest) -> Self {
        Self {
            repository_id: manifest.repository_id(),
            pull_id: manifest.pull_id(),
            index: manifest.index().get(),
            object_format: manifest.object_format().as_str().to_owned(),
            merge_base: BoundInput::of(manifest.merge_base()),
            head: BoundInput::of(manifest.head()),
            profile: hex(&manifest.profile_sha256()),
            level: None,
            bytes: manifest.content_bytes(),
            sha256: hex(&manifest.content_sha256()),
        }
    }
}

impl From<&Receipt> for Binding {
    fn from(receipt: &Receipt) -> Self {
        let input = |oid: &str, source: &str, reference: Option<&str>| BoundInput {
            oid: oid.to_owned(),
            repository_id: receipt.repository().id,
            source: source.to_owned(),
            reference: reference.map(|name| base64::encode(name.as_bytes())),
        };
        let (merge_base, head) = (&receipt.inputs().merge_base, &receipt.inputs().head);
        Self {
            repository_id: receipt.repository().id,
            pull_id: receipt.pull_request().id,
            index: receipt.pull_request().index,
            object_format: receipt.repository().object_format.clone(),
            merge_base: input(&merge_base.oid, &merge_base.source, None),
            head: input(&head.oid, &head.source, Some(&head.reference)),
            profile: receipt.schema().to_owned(),
            level: Some(receipt.level().as_str().to_owned()),
            bytes: receipt.content().bytes,
            sha256: receipt.content().sha256.clone(),
        }
    }
}

impl Binding {
    /// Whether native evidence stated it.
    #[must_use]
    pub const fn is_native(&self) -> bool {
        self.level.is_none()
    }

    /// The numeric id of the repository.
    #[must_use]
    pub const fn repository_id(&self) -> u64 {
        self.repository_id
    }

    /// The two commits, where they are such: anyone can write a cursor (D-049).
    #[must_use]
    pub fn commits(&self) -> Option<(ObjectId, ObjectId)> {
        ObjectId::from_hex(&self.merge_base.oid).ok().zip(ObjectId::from_hex(&self.head.oid).ok())
    }

    /// Whether the forge still names the same inputs: known before a byte of the diff is read or released (O-012).
    ///
    /// # Errors
    /// [`Fault::Moved`] naming the first that changed.
    pub fn check_inputs(&self, pull: &PullInputs, head: ObjectId) -> Result<(), Fault> {
        moved([
            (Bound::RepositoryId, self.repository_id == pull.repository),
            (Bound::PullId, self.pull_id == pull.pull),
            (Bound::MergeBaseOid, self.merge_base.oid == pull.merge_base.to_string()),
            (Bound::HeadOid, self.head.oid == head.to_string()),
        ])
    }

    /// SHA-256 of the diff, where it is one.
    #[must_use]
    pub fn content_sha256(&self) -> Option<[u8; 32]> {
        decode_hex(&self.sha256)
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn check(&self, fresh: &Self) -> Result<(), Fault> {
        moved([
            (Bound::RepositoryId, self.repository_id == fresh.repository_id),
            (Bound::PullId, self.pull_id == fresh.pull_id),
            (Bound::Index, self.index == fresh.index),
            (Bound::ObjectFormat, self.object_format == fresh.object_format),
            (Bound::MergeBaseOid, self.merge_base.oid == fresh.merge_base.oid),
            (Bound::MergeBaseRepository, self.merge_base.repository_id == fresh.merge_base.repository_id),
            (Bound::MergeBaseSource, self.merge_base.source == fresh.merge_base.source),
            (Bound::MergeBaseSource, self.merge_base.reference == fresh.merge_base.reference),
            (Bound::HeadOid, self.head.oid == fresh.head.oid),
            (Bound::HeadRepository, self.head.repository_id == fresh.head.repository_id),
            (Bound::HeadSource, self.head.source == fresh.head.source),
            (Bound::HeadRef, self.head.reference == fresh.head.reference),
            (Bound::Profile, self.profile == fresh.profile),
            (Bound::Level, self.level == fresh.level),
            (Bound::ContentBytes, self.bytes == fresh.bytes),
            (Bound::ContentSha256, self.sha256 == fresh.sha256),
        ])
    }
}

impl BoundInput {
    fn of(input: &Input) -> Self {
        Self {
            oid: input.oid().to_string(),
            repository_id: input.repository_id(),
            source: input.source().to_owned(),
            reference: input.reference().map(base64::encode),
        }
    }
}

impl File {
    pub(super) fn of(path: &RepoPath, slice: &Slice) -> Self {
        Self {
            path: path_sha256(path),
            sections: slice.section_count,
            bytes: slice.captured.count,
            sha256: hex(&slice.captured.sha256),
        }
    }

    pub(super) fn is_of(&self, path: &RepoPath) -> bool {
        self.path == path_sha256(path)
    }

    pub(super) fn check(&self, slice: &Slice) -> Result<(), Fault> {
        moved([
            (Bound::SectionCount, self.sections == slice.section_count),
            (Bound::SliceBytes, self.bytes == slice.captured.count),
            (Bound::SliceSha256, self.sha256 == hex(&slice.captured.sha256)),
        ])
    }
}

fn moved<const N: usize>(same: [(Bound, bool); N]) -> Result<(), Fault> {
    first_difference(same).map_or(Ok(()), |bound| Err(Fault::Moved(bound)))
}

pub(super) fn first_difference<T, const N: usize>(same: [(T, bool); N]) -> Option<T> {
    same.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::fixture::{DIFF, Fixture, verify};

    /// Makes a binding that of another answer.
    type Change = fn(&mut Binding);

    /// D-053: the values that one sound entity cannot change without another one are each compared all the same.
    #[test]
    fn each_bound_value_is_compared() {
        let fresh = Binding::from(&verify(&Fixture::new(DIFF).entity()).expect("sound").manifest);
        let changes: [(Change, Bound); 17] = [
            (|b| b.repository_id += 1, Bound::RepositoryId),
            (|b| b.pull_id += 1, Bound::PullId),
            (|b| b.index += 1, Bound::Index),
            (|b| b.object_format.push('x'), Bound::ObjectFormat),
            (|b| b.merge_base.oid.push('0'), Bound::MergeBaseOid),
            (|b| b.merge_base.repository_id += 1, Bound::MergeBaseRepository),
            (|b| b.merge_base.source.push('x'), Bound::MergeBaseSource),
            (|b| b.merge_base.reference = Some(String::new()), Bound::MergeBaseSource),
            (|b| b.head.oid.push('0'), Bound::HeadOid),
            (|b| b.head.repository_id += 1, Bound::HeadRepository),
            (|b| b.head.source.push('x'), Bound::HeadSource),
            (|b| b.head.reference = Some("cmVm".into()), Bound::HeadRef),
            (|b| b.head.reference = None, Bound::HeadRef),
            (|b| b.profile.push('x'), Bound::Profile),
            (|b| b.level = Some("parsed".into()), Bound::Level),
            (|b| b.bytes += 1, Bound::ContentBytes),
            (|b| b.sha256.push('x'), Bound::ContentSha256),
        ];
        for (change, bound) in changes {
            let mut bound_before = fresh.clone();
            change(&mut bound_before);
            // Through its text, as a forged one would come (D-049).
            let text = serde_json::to_string(&bound_before).expect("strings and numbers");
            let read: Binding = serde_json::from_str(&text).expect("as it was written");
            assert_eq!(read.check(&fresh), Err(Fault::Moved(bound)));
        }
    }
}
