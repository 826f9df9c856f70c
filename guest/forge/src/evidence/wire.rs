//! The one table of the evidence's names and constants: a rename of the schema is an edit of this file alone (D-033).
//!
//! The structs say which members there are and of which JSON type; what the values must be is the manifest's business.
//! Every member is required, a nullable one too, and no other is accepted.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// Members of the entity.
pub(super) const SCHEMA_MEMBER: &str = "schema";
pub(super) const MANIFEST_MEMBER: &str = "manifest";
pub(super) const DATA_MEMBER: &str = "data";

/// Values that version 1 fixes.
pub(super) const SCHEMA: &str = "forgejo.pr-diff-evidence.v1";
pub(super) const CONTRACT: &str = "observed_input_range";
pub(super) const STORED_MERGE_BASE: &str = "stored_merge_base";
pub(super) const HIDDEN_PULL_HEAD: &str = "hidden_pull_head";
pub(super) const NOT_READ: &str = "not_read";
pub(super) const PRESENT: &str = "present";
pub(super) const MISSING: &str = "missing";
pub(super) const BASE64: &str = "base64";

/// Objects and arrays that enclose each other, the entity included: down to `head.ref`.
pub(super) const DEPTH: usize = 6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) contract: String,
    pub(super) atomic_latest_pr_snapshot: bool,
    #[serde(deserialize_with = "object")]
    pub(super) repository: Repository,
    #[serde(deserialize_with = "object")]
    pub(super) pull_request: PullRequest,
    #[serde(deserialize_with = "object")]
    pub(super) generation: Generation,
    #[serde(deserialize_with = "object")]
    pub(super) observations: Observations,
    #[serde(deserialize_with = "object")]
    pub(super) times: Times,
    #[serde(deserialize_with = "object")]
    pub(super) content: Content,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repository {
    pub(super) id: u64,
    pub(super) object_format: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PullRequest {
    pub(super) id: u64,
    pub(super) index: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Generation {
    #[serde(deserialize_with = "object")]
    pub(super) profile: Profile,
    #[serde(deserialize_with = "object")]
    pub(super) inputs: Inputs,
}

/// Serialized in this order, it is the profile's canonical text.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
    pub(super) binary: bool,
    pub(super) git_version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Inputs {
    #[serde(deserialize_with = "object")]
    pub(super) merge_base: MergeBase,
    #[serde(deserialize_with = "object")]
    pub(super) head: Head,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeBase {
    pub(super) oid: String,
    pub(super) source: String,
    pub(super) repository_id: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) oid: String,
    pub(super) source: String,
    pub(super) repository_id: u64,
    #[serde(rename = "ref", deserialize_with = "object")]
    pub(super) reference: Label,
}

/// Bytes that need not be text: a branch's or a ref's name (D-029).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Label {
    pub(super) encoding: String,
    pub(super) data: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Observations {
    #[serde(deserialize_with = "object")]
    pub(super) target_tip: TargetTip,
    #[serde(deserialize_with = "object")]
    pub(super) original_fork: OriginalFork,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetTip {
    pub(super) status: String,
    #[serde(deserialize_with = "present")]
    pub(super) oid: Option<String>,
    pub(super) repository_id: u64,
    #[serde(rename = "ref", deserialize_with = "object")]
    pub(super) reference: Label,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OriginalFork {
    #[serde(deserialize_with = "present")]
    pub(super) repository_id: Option<u64>,
    #[serde(deserialize_with = "object")]
    pub(super) branch: Label,
    pub(super) resolution: String,
    pub(super) generation_input: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Times {
    pub(super) captured_at: String,
    pub(super) generated_at: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    pub(super) encoding: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// The manifest's members, if there are exactly these.
pub(super) fn parse(raw: &str) -> Option<Manifest> {
    let mut text = serde_json::Deserializer::from_str(raw);
    let manifest = object(&mut text).ok()?;
    text.end().ok()?;
    Some(manifest)
}

/// Only an object: a derived struct would be read from an array of its members' values as well.
fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Members<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(members))
        }
    }

    deserializer.deserialize_map(Members(std::marker::PhantomData))
}

/// A value that may be null, of a member that may not be missing.
fn present<'de, D: Deserializer<'de>, T: de::Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
