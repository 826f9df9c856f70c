//! The receipt of an observed diff: what is stated, and at which level (O-002, O-003, O-009).
//!
//! It can be made from what an [`Observation`](super::Observation) gave at its end and in no other way, or read back by
//! the process that kept it, so that no level is claimed that was not reached.

use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Observed, PullInputs};
use crate::{
    Index, ObjectId,
    hex::hex,
    http::Transport,
    proof::{Level, Reached},
};

/// The receipt's schema: never native evidence's.
pub const SCHEMA: &str = "assay.pr-diff-observed.v1";
/// What it is: a diff read between looks at what it is made from.
const CONTRACT: &str = "bracketed_observation";

/// Exactly the members of the contract, in its order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    schema: String,
    contract: String,
    native_evidence: bool,
    atomic_latest_pr_snapshot: bool,
    level: Level,
    settled: bool,
    repository: RepositoryId,
    pull_request: PullRequestId,
    inputs: Inputs,
    observations: Observations,
    transport: Transport,
    parsed: Parsed,
    proof: ProofReceipt,
    not_established: Vec<String>,
    times: Times,
    content: Content,
}

/// Which repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepositoryId {
    /// Its numeric id.
    pub id: u64,
    /// Its owner and name as the forge stores them.
    pub full_name: String,
    /// `sha1` or `sha256`.
    pub object_format: String,
}

/// Which pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PullRequestId {
    /// Its numeric id.
    pub id: u64,
    /// Its number.
    pub index: u64,
}

/// What the diff is made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// The old side.
    pub merge_base: MergeBase,
    /// The new side.
    pub head: Input,
}

/// The old side's commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeBase {
    /// The commit.
    pub oid: String,
    /// `pull_json`.
    pub source: String,
}

/// The new side's commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The commit.
    pub oid: String,
    /// `git_refs`.
    pub source: String,
    /// The ref it was read from.
    #[serde(rename = "ref")]
    pub reference: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Observations {
    head_branch: Tip,
    target_tip: Tip,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tip {
    sha: Option<String>,
    generation_input: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parsed {
    files: u64,
    hunks: u64,
    binary_files: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofReceipt {
    files_proven: u64,
    requests: u64,
    names: String,
    stopped: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    captured_at: Option<String>,
}

/// The whole diff's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// `base64`: how `data` carries them.
    pub encoding: String,
    /// How many.
    pub bytes: u64,
    /// Their SHA-256 in lower-case hex.
    pub sha256: String,
}

/// What the reader of a diff knows beside what the diff itself shows.
#[derive(Clone, Debug)]
pub struct Known {
    /// The pull request's JSON.
    pub pull: PullInputs,
    /// The commit of `refs/pull/N/head`.
    pub head: ObjectId,
    /// How the diff came.
    pub transport: Transport,
    /// Whether the inputs stood still for as long as a forge takes to work them out (O-014).
    pub settled: bool,
    /// Requests that were sent beside the diff's.
    pub requests: u64,
    /// Whether trees had to be read as listings, which show names that are UTF-8 alone (O-010).
    pub names_are_utf8_only: bool,
    /// Why nothing was proven although it could have been: the operator's choice.
    pub proof_is_off: bool,
    /// When the forge answered with the diff.
    pub captured_at: Option<OffsetDateTime>,
}

impl Receipt {
    /// States what was observed. `bracketed` is what the same two commits before and after the diff establish (O-006).
    #[must_use]
    pub fn new(known: &Known, observed: &Observed, bracketed: Option<Reached>) -> Self {
        let conclusion = &observed.conclusion;
        let reached = conclusion.reached();
        let level = bracketed.map_or(reached.level(), |bracketed| bracketed.level().max(reached.level()));
        let stopped = if known.proof_is_off { Some("off") } else { conclusion.stopped().map(|stopped| stopped.code()) };
        let tip = |sha: &Option<String>| Tip { sha: sha.clone(), generation_input: false };
        Self {
            schema: SCHEMA.to_owned(),
            contract: CONTRACT.to_owned(),
            native_evidence: false,
            atomic_latest_pr_snapshot: false,
            level,
            settled: known.settled,
            repository: RepositoryId {
                id: known.pull.repository,
                full_name: known.pull.full_name.clone(),
                object_format: known.pull.object_format().as_str().to_owned(),
            },
            pull_request: PullRequestId { id: known.pull.pull, index: known.pull.index.get() },
            inputs: Inputs {
                merge_base: MergeBase { oid: known.pull.merge_base.to_string(), source: "pull_json".to_owned() },
                head: Input {
                    oid: known.head.to_string(),
                    source: "git_refs".to_owned(),
                    reference: head_ref(known.pull.index),
                },
            },
            observations: Observations {
                head_branch: tip(&known.pull.head_branch),
                target_tip: tip(&known.pull.target_tip),
            },
            transport: known.transport.clone(),
            parsed: Parsed {
                files: observed.totals.files,
                hunks: observed.totals.hunks,
                binary_files: observed.totals.binary_files,
            },
            proof: ProofReceipt {
                files_proven: conclusion.files_proven(),
                requests: known.requests,
                names: if known.names_are_utf8_only { "utf8_only" } else { "bytes" }.to_owned(),
                stopped: stopped.map(str::to_owned),
            },
            not_established: not_established(level).iter().map(|what| (*what).to_owned()).collect(),
            times: Times { captured_at: known.captured_at.and_then(|time| time.format(&Rfc3339).ok()) },
            content: Content {
                encoding: "base64".to_owned(),
                bytes: observed.captured.count,
                sha256: hex(&observed.captured.sha256),
            },
        }
    }

    /// Reads back what [`Self::to_json`] gave to be kept with a proven diff.
    #[must_use]
    pub fn kept(json: &[u8]) -> Option<Self> {
        let receipt: Self = serde_json::from_slice(json).ok()?;
        (receipt.schema == SCHEMA && receipt.is_proven()).then_some(receipt)
    }

    /// The same receipt with what this answer of the forge shows of the branches (D-030, D-031), for this pull request:
    /// another one of the same two commits has the same diff (O-012).
    #[must_use]
    pub fn observing(mut self, pull: &PullInputs) -> Self {
        self.pull_request = PullRequestId { id: pull.pull, index: pull.index.get() };
        self.inputs.head.reference = head_ref(pull.index);
        self.observations.head_branch.sha.clone_from(&pull.head_branch);
        self.observations.target_tip.sha.clone_from(&pull.target_tip);
        self.repository.full_name.clone_from(&pull.full_name);
        self
    }

    /// Its JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers")
    }

    /// O-009: whether the diff was proven to turn the one tree into the other.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.level == Level::Transform
    }

    /// How far the proof came.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Why it came no further.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.proof.stopped.as_deref()
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    /// Which repository.
    #[must_use]
    pub const fn repository(&self) -> &RepositoryId {
        &self.repository
    }

    /// Which pull request.
    #[must_use]
    pub const fn pull_request(&self) -> PullRequestId {
        self.pull_request
    }

    /// What the diff is made from.
    #[must_use]
    pub const fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The whole diff's bytes.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// How many files the diff has.
    #[must_use]
    pub const fn files(&self) -> u64 {
        self.parsed.files
    }
}

fn head_ref(index: Index) -> String {
    format!("refs/pull/{index}/head")
}

/// What the receipt does not say at a level (O-009): the lower, the more.
const fn not_established(level: Level) -> &'static [&'static str] {
    const ALL: &[&str] = &[
        "merge_base_is_current",
        "latest_head",
        "server_side_generation_profile",
        "similarity_index",
        "file_contents",
        "changed_paths",
        "inputs_of_this_diff",
    ];
    let open = match level {
        Level::Transform => 4,
        Level::TreeSet => 5,
        Level::Bracketed => 6,
        Level::Parsed | Level::Framed => 7,
    };
    ALL.split_at(open).0
}
