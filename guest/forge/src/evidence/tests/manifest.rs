//! What the manifest says. Numbers 26 to 40.

use super::{
    super::{
        Fault, Verifier,
        fixture::{DIFF, Fixture},
    },
    *,
};
use crate::{Capture, Index, base64, json};

/// D-036b number 26, D-025, D-032.
#[test]
fn n26_schema_and_contract() {
    for other in ["forgejo.pr-diff-evidence.v2", "forgejo.pr-diff-evidence.v1 ", "", "assay.pr-diff-observed.v1"] {
        let mut changed = fixture();
        changed.schema = format!(r#""{other}""#);
        refuses(&changed, Fault::Schema);
    }
    let mut spelled = fixture();
    spelled.schema = r#""forgejo\u002epr-diff-evidence.v1""#.to_owned();
    accepts(&spelled);
    refuses_manifest("observed_input_range", "bracketed_observation", Fault::Contract);
}

/// D-036b number 27, D-025, D-047.
#[test]
fn n27_atomic_snapshot() {
    let snapshot = r#""atomic_latest_pr_snapshot":"#;
    refuses_manifest(&format!("{snapshot}false"), &format!("{snapshot}true"), Fault::Snapshot);
}

/// D-036b number 28, D-020.
#[test]
fn n28_ids() {
    for id in [r#""id":12,"#, r#""id":34,"#] {
        refuses_manifest(id, r#""id":0,"#, Fault::Id);
        refuses_manifest(id, r#""id":-1,"#, json::Fault::Number);
    }
    refuses_manifest(r#""index":7"#, r#""index":0"#, Fault::Id);
    accepts(&fixture().with(r#""id":34,"#, r#""id":9007199254740991,"#));
}

/// D-036b number 29, D-021.
#[test]
fn n29_another_index() {
    refuses_manifest(r#""index":7"#, r#""index":8"#, Fault::Index);
    let entity = fixture().entity();
    let eight = Index::new(8).expect("within bounds");
    let mut verifier = Verifier::new(eight, entity.len() as u64, Capture::new(0));
    assert_eq!(verifier.feed(&entity), Err(Fault::Index.into()));
}

/// D-036b number 30, D-022.
#[test]
fn n30_inputs_of_another_repository() {
    for source in ["stored_merge_base", "hidden_pull_head"] {
        for id in [13, 0] {
            let from = format!(r#""source":"{source}","repository_id":12"#);
            refuses_manifest(&from, &format!(r#""source":"{source}","repository_id":{id}"#), Fault::Repository);
        }
    }
    refuses_manifest(r#"{"id":12,"#, r#"{"id":13,"#, Fault::Repository);
}

/// D-036b number 31, D-023, D-023a.
#[test]
fn n31_head_ref() {
    let own = base64::encode(b"refs/pull/7/head");
    for other in
        ["refs/pull/8/head", "refs/heads/main", "refs/pull/7/head\n", "refs/pull/07/head", "refs/pull/7/merge", ""]
    {
        refuses_manifest(&own, &base64::encode(other.as_bytes()), Fault::HeadRef);
    }
}

/// D-036b number 32, D-024.
#[test]
fn n32_object_ids() {
    for byte in ["1f", "2e", "3d"] {
        let own = byte.repeat(20);
        for other in [
            byte.repeat(19),
            format!("{own}0"),
            own.to_uppercase(),
            "0".repeat(40),
            "g".repeat(40),
            String::new(),
            format!("{}z", &own[1..]),
        ] {
            refuses_manifest(&own, &other, Fault::ObjectId);
        }
    }
}

/// D-036b number 33, D-024: one format a manifest.
#[test]
fn n33_mixed_object_formats() {
    for byte in ["1f", "2e", "3d"] {
        refuses_manifest(&byte.repeat(20), &byte.repeat(32), Fault::ObjectId);
        let mixed = Fixture::sha256_repository(DIFF).with(&byte.repeat(32), &byte.repeat(20));
        refuses(&mixed, Fault::ObjectId);
    }
    refuses_manifest(r#""object_format":"sha1""#, r#""object_format":"sha256""#, Fault::ObjectId);
    for other in ["SHA1", "md5", "", "sha-1"] {
        let to = format!(r#""object_format":"{other}""#);
        refuses_manifest(r#""object_format":"sha1""#, &to, Fault::ObjectFormat);
    }
}

/// D-036b number 34, D-023, D-023a: a visible branch never stands in for an input.
#[test]
fn n34_sources() {
    for source in ["stored_merge_base", "hidden_pull_head"] {
        for other in ["visible_branch", "computed_merge_base", "", "Stored_merge_base"] {
            refuses_manifest(&format!(r#""source":"{source}""#), &format!(r#""source":"{other}""#), Fault::Source);
        }
    }
    let swapped = fixture()
        .with("stored_merge_base", "x")
        .with("hidden_pull_head", "stored_merge_base")
        .with(r#""x""#, r#""hidden_pull_head""#);
    refuses(&swapped, Fault::Source);
}

/// D-036b number 35: the profile's name is opaque, but a diff without binary parts is none.
#[test]
fn n35_profile() {
    refuses_manifest(r#""binary":true"#, r#""binary":false"#, Fault::Profile);
    accepts(&fixture().with("pr-diff-binary.v1", "another.v9").with(r#"["diff","-p","--binary","--histogram"]"#, "[]"));
}

/// D-036b number 36, D-026.
#[test]
fn n36_fork_was_not_read() {
    refuses_manifest(r#""generation_input":false"#, r#""generation_input":true"#, Fault::Fork);
    for other in ["read", "", "NOT_READ"] {
        refuses_manifest("not_read", other, Fault::Fork);
    }
}

/// D-036b number 37, D-027: a deleted fork has no id; none has 0.
#[test]
fn n37_fork_id() {
    accepts(&fixture().with(r#""repository_id":99"#, r#""repository_id":null"#));
    refuses_manifest(r#""repository_id":99"#, r#""repository_id":0"#, Fault::Id);
    refuses_manifest(r#""repository_id":99"#, r#""repository_id":-1"#, json::Fault::Number);
    refuses_manifest(r#""repository_id":99"#, r#""repository_id":"99""#, Fault::Shape);
}

/// D-036b number 38, D-028.
#[test]
fn n38_target_tip() {
    let present = format!(r#""status":"present","oid":"{}""#, "3d".repeat(20));
    accepts(&fixture().with(&present, r#""status":"missing","oid":null"#));
    for wrong in [
        r#""status":"present","oid":null"#.to_owned(),
        r#""status":"unknown","oid":null"#.to_owned(),
        present.replace("present", "missing"),
        present.replace("present", "unread"),
    ] {
        refuses_manifest(&present, &wrong, Fault::TargetTip);
    }
}

/// D-036b number 39.
#[test]
fn n39_times() {
    let own = "2026-12-02T01:15:51.2Z";
    for other in [
        "",
        "now",
        "2026-12-02",
        "2026-12-02 01:15:51",
        "2026-12-02T01:15:51",
        "2026-12-02T02:15:52+01:00",
        "2026-13-02T01:15:51Z",
        "2026-12-02T25:15:51Z",
        "1796174151",
        "2026-12-02T01:15:51.1Z",
        "2026-12-02T01:15:50Z",
    ] {
        refuses_manifest(own, other, Fault::Times);
    }
    accepts(&fixture().with(own, "2026-12-02T01:15:51.123456789Z"));
}

/// D-036b number 40.
#[test]
fn n40_content_encoding() {
    for other in ["identity", "base64url", "", "BASE64"] {
        let to = format!(r#""content":{{"encoding":"{other}""#);
        refuses_manifest(r#""content":{"encoding":"base64""#, &to, Fault::Content);
    }
}
