//! What the manifest states, judged: identities, provenance, object ids, times, the form of what it says about content.
//!
//! Its text was strict JSON before it came here. That the diff is the stated one is seen by the verifier.

use sha2::{Digest as _, Sha256};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Fault, wire};
use crate::{Index, ObjectFormat, ObjectId, base64, json, names::decode_hex};

/// A judged manifest. Only one of a [`Verified`](crate::Verified) entity says something about a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    raw: String,
    repository_id: u64,
    object_format: ObjectFormat,
    pull_id: u64,
    index: Index,
    merge_base: Input,
    head: Input,
    profile_sha256: [u8; 32],
    content_bytes: u64,
    content_sha256: [u8; 32],
}

/// One of the two commits that the diff was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    oid: ObjectId,
    source: &'static str,
    repository_id: u64,
    reference: Option<Vec<u8>>,
}

impl Input {
    /// The commit.
    #[must_use]
    pub const fn oid(&self) -> ObjectId {
        self.oid
    }

    /// Where the forge had it from: `stored_merge_base` or `hidden_pull_head`.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// The numeric id of the repository it is in.
    #[must_use]
    pub const fn repository_id(&self) -> u64 {
        self.repository_id
    }

    /// The ref it was read from, in bytes: the head has one, the merge base has none.
    #[must_use]
    pub fn reference(&self) -> Option<&[u8]> {
        self.reference.as_deref()
    }
}

impl Manifest {
    /// Judges the manifest of an answer about pull request `expected` (D-020 to D-029).
    pub(super) fn judge(raw: String, expected: Index) -> Result<Self, Fault> {
        let stated = wire::parse(&raw).ok_or(Fault::Shape)?;
        if stated.contract != wire::CONTRACT {
            return Err(Fault::Contract);
        }
        if stated.atomic_latest_pr_snapshot {
            return Err(Fault::Snapshot);
        }
        let object_format = object_format(&stated.repository.object_format)?;
        let repository_id = id(stated.repository.id)?;
        let pull_id = id(stated.pull_request.id)?;
        let index = Index::new(id(stated.pull_request.index)?).ok().filter(|index| *index == expected);
        let index = index.ok_or(Fault::Index)?;
        let (merge_base, head) = inputs(&stated.generation.inputs, repository_id, object_format, index)?;
        let profile_sha256 = profile(&stated.generation.profile)?;
        judge_target_tip(&stated.observations.target_tip, object_format)?;
        judge_fork(&stated.observations.original_fork)?;
        judge_times(&stated.times)?;
        let content_sha256 = content(&stated.content)?;
        let content_bytes = stated.content.bytes;
        Ok(Self {
            raw,
            repository_id,
            object_format,
            pull_id,
            index,
            merge_base,
            head,
            profile_sha256,
            content_bytes,
            content_sha256,
        })
    }

    /// The manifest's JSON exactly as it came, for showing it unchanged.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The repository's numeric id, 1 to 2^53-1.
    #[must_use]
    pub const fn repository_id(&self) -> u64 {
        self.repository_id
    }

    /// How the repository names its objects.
    #[must_use]
    pub const fn object_format(&self) -> ObjectFormat {
        self.object_format
    }

    /// The pull request's numeric id on the forge, 1 to 2^53-1.
    #[must_use]
    pub const fn pull_id(&self) -> u64 {
        self.pull_id
    }

    /// The pull request's number in its repository: the one asked for.
    #[must_use]
    pub const fn index(&self) -> Index {
        self.index
    }

    /// The diff's base.
    #[must_use]
    pub const fn merge_base(&self) -> &Input {
        &self.merge_base
    }

    /// The diff's head.
    #[must_use]
    pub const fn head(&self) -> &Input {
        &self.head
    }

    /// SHA-256 of the generation profile as compact JSON, its members in the schema's order. What a profile means is the
    /// forge's business: that it stays the same is what counts (D-051).
    #[must_use]
    pub const fn profile_sha256(&self) -> [u8; 32] {
        self.profile_sha256
    }

    /// Bytes of the raw diff (D-034).
    #[must_use]
    pub const fn content_bytes(&self) -> u64 {
        self.content_bytes
    }

    /// SHA-256 of the raw diff, without any git header (D-034, D-045).
    #[must_use]
    pub const fn content_sha256(&self) -> [u8; 32] {
        self.content_sha256
    }
}

/// D-022, D-023, D-023a.
fn inputs(
    stated: &wire::Inputs,
    repository_id: u64,
    format: ObjectFormat,
    index: Index,
) -> Result<(Input, Input), Fault> {
    let (base, head) = (&stated.merge_base, &stated.head);
    if base.source != wire::STORED_MERGE_BASE || head.source != wire::HIDDEN_PULL_HEAD {
        return Err(Fault::Source);
    }
    if base.repository_id != repository_id || head.repository_id != repository_id {
        return Err(Fault::Repository);
    }
    let reference = label(&head.reference)?;
    if reference != format!("refs/pull/{index}/head").as_bytes() {
        return Err(Fault::HeadRef);
    }
    let merge_base =
        Input { oid: oid(&base.oid, format)?, source: wire::STORED_MERGE_BASE, repository_id, reference: None };
    let head = Input {
        oid: oid(&head.oid, format)?,
        source: wire::HIDDEN_PULL_HEAD,
        repository_id,
        reference: Some(reference),
    };
    Ok((merge_base, head))
}

fn profile(stated: &wire::Profile) -> Result<[u8; 32], Fault> {
    if !stated.binary {
        return Err(Fault::Profile);
    }
    let canonical = serde_json::to_vec(stated).expect("strings and a boolean");
    Ok(Sha256::digest(canonical).into())
}

/// D-028. The tip is an observation: nothing but its form is judged.
fn judge_target_tip(stated: &wire::TargetTip, format: ObjectFormat) -> Result<(), Fault> {
    id(stated.repository_id)?;
    label(&stated.reference)?;
    match (stated.status.as_str(), &stated.oid) {
        (wire::PRESENT, Some(hex)) => oid(hex, format).map(|_| ()),
        (wire::MISSING, None) => Ok(()),
        _ => Err(Fault::TargetTip),
    }
}

/// D-026, D-027.
fn judge_fork(stated: &wire::OriginalFork) -> Result<(), Fault> {
    stated.repository_id.map_or(Ok(0), id)?;
    label(&stated.branch)?;
    if stated.resolution == wire::NOT_READ && !stated.generation_input { Ok(()) } else { Err(Fault::Fork) }
}

fn judge_times(stated: &wire::Times) -> Result<(), Fault> {
    let captured = utc(&stated.captured_at)?;
    let generated = utc(&stated.generated_at)?;
    if captured <= generated { Ok(()) } else { Err(Fault::Times) }
}

fn content(stated: &wire::Content) -> Result<[u8; 32], Fault> {
    decode_hex(&stated.sha256).filter(|_| stated.encoding == wire::BASE64).ok_or(Fault::Content)
}

fn object_format(name: &str) -> Result<ObjectFormat, Fault> {
    [ObjectFormat::Sha1, ObjectFormat::Sha256]
        .into_iter()
        .find(|format| format.as_str() == name)
        .ok_or(Fault::ObjectFormat)
}

/// D-020, D-036a.
fn id(number: u64) -> Result<u64, Fault> {
    if (1..=json::MOST_INTEGER).contains(&number) { Ok(number) } else { Err(Fault::Id) }
}

/// D-024. Git's null id names no object.
fn oid(hex: &str, format: ObjectFormat) -> Result<ObjectId, Fault> {
    ObjectId::from_hex(hex).ok().filter(|oid| oid.format() == format && !oid.is_zero()).ok_or(Fault::ObjectId)
}

/// D-029.
fn label(stated: &wire::Label) -> Result<Vec<u8>, Fault> {
    base64::decode_canonical(&stated.data).filter(|_| stated.encoding == wire::BASE64).ok_or(Fault::Label)
}

fn utc(text: &str) -> Result<OffsetDateTime, Fault> {
    OffsetDateTime::parse(text, &Rfc3339).ok().filter(|moment| moment.offset().is_utc()).ok_or(Fault::Times)
}
