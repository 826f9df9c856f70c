//! What a stock forge says about a pull request, read strictly enough to state it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Error, Index, ObjectId, pull};

const BASE: &str = "d79b27265d2ee6fc7f47df91e0ff9543dc734e30";
const HEAD: &str = "d288433cafcf2b2a999c2a46a5d520efb230d4da";

fn seven() -> Index {
    Index::new(7).expect("positive")
}

fn sound() -> Value {
    json!({
        "id": 31, "number": 7, "state": "open", "merge_base": BASE, "updated_at": "2026-12-02T01:15:51Z",
        "base": {"sha": BASE, "repo_id": 12, "repo": {"id": 12, "full_name": "alice/proj", "object_format_name": "sha1"}},
        "head": {"sha": HEAD, "repo_id": -1, "repo": null},
    })
}

fn read(json: &Value) -> Result<PullInputs, Error> {
    PullInputs::read(json.to_string().as_bytes(), seven())
}

/// O-003: the merge base is an input, the tips are observations; a deleted fork changes nothing.
#[test]
fn inputs_and_observations() {
    let inputs = read(&sound()).expect("sound");
    assert_eq!((inputs.repository, inputs.pull, inputs.full_name.as_str()), (12, 31, "alice/proj"));
    assert_eq!(inputs.merge_base.to_string(), BASE);
    assert_eq!((inputs.head_branch.as_deref(), inputs.target_tip.as_deref()), (Some(HEAD), Some(BASE)));
    assert!(inputs.is_open && inputs.updated_at.is_some());
    let mut closed = sound();
    (closed["state"], closed["base"]["sha"], closed["head"]["sha"]) = (json!("closed"), json!(""), json!(null));
    let inputs = read(&closed).expect("sound");
    assert_eq!((inputs.is_open, inputs.target_tip, inputs.head_branch), (false, None, None));
}

/// O-003, O-012: what a receipt, a key of what is kept or a proof would rest on must be there.
#[test]
fn too_little_is_refused() {
    for (pointer, value, fault) in [
        ("/id", json!(null), Fault::Identity),
        ("/id", json!("31"), Fault::Identity),
        ("/base/repo_id", json!(13), Fault::Identity),
        ("/base/repo/id", json!(0), Fault::Identity),
        ("/base/repo", json!(null), Fault::Identity),
        ("/base/repo/full_name", json!(7), Fault::Identity),
        ("/base/repo/object_format_name", json!("sha256"), Fault::Identity),
        ("/merge_base", json!(""), Fault::MergeBase),
        ("/merge_base", json!(null), Fault::MergeBase),
        ("/merge_base", json!(&BASE[1..]), Fault::MergeBase),
        ("/merge_base", json!(BASE.to_uppercase()), Fault::MergeBase),
        ("/merge_base", json!("0".repeat(40)), Fault::MergeBase),
    ] {
        let mut json = sound();
        *json.pointer_mut(pointer).expect("it is there") = value.clone();
        assert_eq!(read(&json), Err(fault.into()), "{pointer} = {value}");
    }
    let mut other = sound();
    other["number"] = json!(8);
    assert_eq!(read(&other), Err(pull::Fault::Number.into()));
    assert_eq!(read(&json!([])), Err(pull::Fault::Malformed.into()));
}

/// O-003: the route matches prefixes; only the very ref counts, once, and it must name a commit.
#[test]
fn the_head_is_the_very_ref() {
    let entry = |name: &str, kind: &str, sha: &str| json!({"ref": name, "object": {"type": kind, "sha": sha}});
    let read = |refs: Value| head_of(refs.to_string().as_bytes(), seven());
    let own = entry("refs/pull/7/head", "commit", HEAD);
    let other = entry("refs/pull/7/head-start", "commit", BASE);
    assert_eq!(read(json!([other, own])), Ok(ObjectId::from_hex(HEAD).expect("an id")));
    for refs in [
        json!([]),
        json!([other]),
        json!([own, own]),
        json!([entry("refs/pull/7/head", "tag", HEAD)]),
        json!([entry("refs/pull/7/head", "commit", "main")]),
        json!([entry("refs/pull/70/head", "commit", HEAD)]),
        json!([7, null, {"ref": 7}]),
    ] {
        assert_eq!(read(refs.clone()), Err(Fault::Head.into()), "{refs}");
    }
    assert_eq!(read(json!({})), Err(pull::Fault::Malformed.into()));
}

/// O-006: equal looks are a bracket; a change of any bound value is none, one of an observation is.
#[test]
fn a_bracket_is_two_equal_looks() {
    let before = read(&sound()).expect("sound");
    let head = ObjectId::from_hex(HEAD).expect("an id");
    let same = |after: &PullInputs, head_after| bracket((&before, head), (after, head_after)).is_ok();
    let mut after = before.clone();
    (after.head_branch, after.updated_at) = (None, None);
    assert!(same(&after, head));
    assert!(!same(&before, before.merge_base));
    assert!(!same(&PullInputs { merge_base: head, ..before.clone() }, head));
    assert!(!same(&PullInputs { repository: 13, ..before.clone() }, head));
    assert!(!same(&PullInputs { pull: 32, ..before.clone() }, head));
}

proptest! {
    /// Hostile bytes never panic.
    #[test]
    fn takes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = PullInputs::read(&bytes[..], seven());
        let _ = head_of(&bytes[..], seven());
        prop_assert!(Receipt::kept(&bytes).is_none());
    }
}
