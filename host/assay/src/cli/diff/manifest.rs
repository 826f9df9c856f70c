//! A receipt as far as it is told in words: both kinds, told apart by their schema's name.
//!
//! What a manifest must be was judged before it came here; members that are not told are not looked at.

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::value::RawValue;

const NATIVE: &str = "forgejo.pr-diff-evidence.v1";
const OBSERVED: &str = "assay.pr-diff-observed.v1";

/// What one page says about the diff as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) content: Content,
    pub(crate) merge_base: String,
    pub(crate) head: String,
    pub(crate) kind: Kind,
}

/// Count and hash of the whole diff.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Content {
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// Which of the two receipts it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The forge's own evidence.
    Native,
    /// What was observed and, at best, proven.
    Observed(Observed),
}

/// What the second kind says beyond the first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Observed {
    pub(crate) level: String,
    pub(crate) settled: bool,
    pub(crate) proof: Proof,
    pub(crate) not_established: Vec<String>,
}

/// How far the proof came.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Proof {
    pub(crate) files_proven: u64,
    pub(crate) requests: u64,
    pub(crate) names: String,
    pub(crate) stopped: Option<String>,
}

#[derive(Deserialize)]
struct NativeShape {
    generation: Generation,
    content: Content,
}

#[derive(Deserialize)]
struct Generation {
    inputs: Inputs,
}

#[derive(Deserialize)]
struct ObservedShape {
    inputs: Inputs,
    content: Content,
    #[serde(flatten)]
    observed: Observed,
}

#[derive(Deserialize)]
struct Inputs {
    merge_base: Input,
    head: Input,
}

#[derive(Deserialize)]
struct Input {
    oid: String,
}

#[derive(Deserialize)]
struct Named {
    schema: Option<String>,
}

impl Manifest {
    /// Reads either kind. Only the second carries its schema's name itself: of the first it stands beside the manifest.
    pub(crate) fn parse(raw: &RawValue) -> anyhow::Result<Self> {
        let named: Named = serde_json::from_str(raw.get()).context("the receipt is no object")?;
        match named.schema.as_deref() {
            None | Some(NATIVE) => {
                let shape: NativeShape = serde_json::from_str(raw.get()).context("the receipt of native evidence")?;
                let Inputs { merge_base, head } = shape.generation.inputs;
                let kind = Kind::Native;
                Ok(Self { content: shape.content, merge_base: merge_base.oid, head: head.oid, kind })
            }
            Some(OBSERVED) => {
                let shape: ObservedShape = serde_json::from_str(raw.get()).context("the receipt of a proof")?;
                let Inputs { merge_base, head } = shape.inputs;
                let kind = Kind::Observed(shape.observed);
                Ok(Self { content: shape.content, merge_base: merge_base.oid, head: head.oid, kind })
            }
            Some(_) => bail!("the receipt is of a kind that this program does not know"),
        }
    }

    /// Whether two pages are about the same diff, from the same inputs, known equally well.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        let level = |manifest: &Self| match &manifest.kind {
            Kind::Native => None,
            Kind::Observed(observed) => Some(observed.level.clone()),
        };
        self.content == other.content
            && self.merge_base == other.merge_base
            && self.head == other.head
            && level(self) == level(other)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// As the contract shows them (D-033, O-009).
    pub(crate) fn native(bytes: u64, sha256: &str) -> serde_json::Value {
        serde_json::json!({
            "contract": "observed_input_range", "atomic_latest_pr_snapshot": false,
            "repository": {"id": 12, "object_format": "sha1"}, "pull_request": {"id": 34, "index": 7},
            "generation": {
                "profile": {"name": "pr-diff-binary.v1", "arguments": ["diff", "-p"], "binary": true, "git_version": "2.47.3"},
                "inputs": {
                    "merge_base": {"oid": "1".repeat(40), "source": "stored_merge_base", "repository_id": 12},
                    "head": {"oid": "2".repeat(40), "source": "hidden_pull_head", "repository_id": 12,
                             "ref": {"encoding": "base64", "data": "cmVmcy9wdWxsLzcvaGVhZA=="}}}},
            "observations": {},
            "times": {"captured_at": "2026-12-02T01:15:51Z", "generated_at": "2026-12-02T01:15:51Z"},
            "content": {"encoding": "base64", "bytes": bytes, "sha256": sha256}
        })
    }

    pub(crate) fn observed(level: &str, stopped: Option<&str>, bytes: u64, sha256: &str) -> serde_json::Value {
        serde_json::json!({
            "schema": "assay.pr-diff-observed.v1", "contract": "bracketed_observation", "native_evidence": false,
            "atomic_latest_pr_snapshot": false, "level": level, "settled": true,
            "repository": {"id": 1, "full_name": "alice/proj", "object_format": "sha1"}, "pull_request": {"id": 1, "index": 1},
            "inputs": {"merge_base": {"oid": "1".repeat(40), "source": "pull_json"},
                       "head": {"oid": "2".repeat(40), "source": "git_refs", "ref": "refs/pull/1/head"}},
            "observations": {}, "transport": {"framing": "chunked", "content_type": "text/plain; charset=utf-8"},
            "parsed": {"files": 26, "hunks": 20, "binary_files": 3},
            "proof": {"files_proven": 26, "requests": 28, "names": "bytes", "stopped": stopped},
            "not_established": ["merge_base_is_current", "latest_head", "server_side_generation_profile", "similarity_index"],
            "times": {"captured_at": "2026-12-02T01:15:51Z"},
            "content": {"encoding": "base64", "bytes": bytes, "sha256": sha256}
        })
    }

    pub(crate) fn parsed(value: &serde_json::Value) -> anyhow::Result<Manifest> {
        Manifest::parse(&serde_json::value::to_raw_value(value).expect("it is JSON"))
    }

    #[test]
    fn both_kinds_are_read() {
        let first = parsed(&native(3, "ab")).expect("it is one");
        assert_eq!((first.content.bytes, &first.kind, first.head.as_str()), (3, &Kind::Native, &*"2".repeat(40)));
        let second = parsed(&observed("transform", None, 3, "ab")).expect("it is one");
        assert!(
            matches!(&second.kind, Kind::Observed(seen) if seen.level == "transform" && seen.not_established.len() == 4)
        );
        assert!(!first.agrees_with(&second));
        let lower = parsed(&observed("bracketed", None, 3, "ab")).expect("it is one");
        assert!(!lower.agrees_with(&second) && lower.agrees_with(&lower));
        for wrong in
            [serde_json::json!({"schema": "assay.pr-diff-observed.v9"}), serde_json::json!([]), serde_json::json!({})]
        {
            assert!(parsed(&wrong).is_err(), "{wrong}");
        }
    }
}
