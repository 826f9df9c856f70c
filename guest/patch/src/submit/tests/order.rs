//! What is told where several things are wrong.

use super::desk::{Desk, ID, decide, json_at, recovered, rejected, request, target};
use crate::{
    Protocol::{self, Tx1, Tx2, Tx3},
    Reason::{self, *},
    Stage,
    submit::{Keyed, Parent, Submission, judge},
};

const EDIT: &str = r#""intent":"mend","edits":[{"match":"two","replace":"2"}]"#;

/// P-070, P-065, P-066, P-054, ambiguity 2 and ambiguity 3: encoding, guards, their presence, their shape, the
/// key, the parent, the edits, their size, their application; each is told before all that follow it.
#[test]
fn the_first_thing_wrong_is_told() {
    let stale = r#""expected_target_version":2"#;
    let holds = r#""expected_target_version":3"#;
    let other = format!(r#""expected_current_hash":"{}""#, "0".repeat(64));
    let hash = format!(r#""expected_current_hash":"{}""#, target("one two one").current_hash);
    let key = r#""client_request_id":"a b""#;
    let parent = r#""parent_pdcp_log_id":"nobody""#;
    let bad = r#""edits":[{"match":7}]"#;
    let large = format!(r#""intent":"mend","replacement":"{}""#, "x".repeat(1_000_001));
    let rows: [(Protocol, String, Reason); 27] = [
        // Encoding before all else.
        (Tx1, format!(r#"{stale},"intent":"\ud800","edits":[]"#), TargetEncodingInvalid),
        (Tx1, format!(r#"{stale},{bad},{key},"more":"\u0000""#), TargetEncodingInvalid),
        (Tx1, r#""intent":"\ud800""#.to_owned(), TargetEncodingInvalid),
        (Tx1, r#""client_request_id":"\ud800""#.to_owned(), TargetEncodingInvalid),
        // A guard that does not hold before everything of the shape.
        (Tx1, format!("{stale},{bad}"), TargetVersionMismatch),
        (Tx1, format!("{stale},{other},{EDIT}"), TargetVersionMismatch),
        (Tx1, format!("{holds},{other},{bad}"), TargetHashMismatch),
        (Tx1, format!("{stale},{EDIT},{key}"), TargetVersionMismatch),
        (Tx1, format!("{stale},{EDIT},{parent}"), TargetVersionMismatch),
        (Tx3, format!("{stale},{large}"), TargetVersionMismatch),
        (Tx1, format!(r#""expected_target_version":"3",{other},{EDIT}"#), TargetHashMismatch),
        (Tx1, format!(r#"{stale},"expected_current_hash":"","#) + EDIT, TargetVersionMismatch),
        // No guard before the shape.
        (Tx1, bad.to_owned(), ContextMissing),
        (Tx1, format!("{EDIT},{key}"), ContextMissing),
        (Tx1, format!(r#"{EDIT},"attempt":0"#), ContextMissing),
        (Tx1, format!("{EDIT},{parent}"), ContextMissing),
        (Tx3, large.clone(), ContextMissing),
        // What is beside the edits before them.
        (Tx1, format!(r#""expected_target_version":"3",{hash},{bad}"#), ContextInvalid),
        (Tx1, format!(r#"{holds},"attempt":"1",{bad}"#), ContextInvalid),
        (Tx1, format!("{holds},{bad},{key}"), ContextInvalid),
        (Tx1, format!("{holds},{bad},{parent}"), ContextInvalid),
        (Tx3, format!("{holds},{large},{parent}"), ContextInvalid),
        // The shape before the size, all shapes before any application.
        (Tx3, format!(r#"{holds},{large},"more":1"#), ManifestInvalid),
        (Tx3, format!("{holds},{large}"), SizeLimitExceeded),
        (
            Tx1,
            format!(r#"{holds},"intent":"x","edits":[{{"match":"absent","replace":""}},{{"match":7}}]"#),
            ManifestInvalid,
        ),
        (
            Tx2,
            format!(r#"{holds},"intent":"x","operations":[{{"op":"match","match":"absent","replace":""}},{{}}]"#),
            ManifestInvalid,
        ),
        (
            Tx1,
            format!(
                r#"{holds},"intent":"x","edits":[{{"match":"absent","replace":""}},{{"match":"one","replace":""}}]"#
            ),
            MatchAbsent,
        ),
    ];
    for (protocol, members, reason) in rows {
        let what = &members[..members.len().min(200)];
        let rejection = rejected(decide(&target("one two one"), protocol, &request(&members)));
        assert_eq!(rejection.reason, reason, "{what}: {}", rejection.detail);
        let is_early = matches!(reason, TargetVersionMismatch | TargetHashMismatch);
        assert_eq!(rejection.stage == Stage::PreconditionGuard, is_early, "{what}");
        // P-074: the code of a key that is none is told where the key is what is wrong.
        let code = json_at(&rejection.diagnostic, "/code");
        let is_key = reason == ContextInvalid && what.contains(key);
        assert_eq!(code, if is_key { r#""invalid_client_request_id""# } else { "" }, "{what}");
    }
}

/// P-116, P-117, P-102, P-054: a key that is known decides before guards, encoding and shape.
#[test]
fn a_known_key_comes_first() {
    let mut desk = Desk::of("one two one");
    let first = request(&format!(r#""expected_target_version":3,"client_request_id":"k",{EDIT}"#));
    super::desk::accepted(desk.submit(Tx1, &first));
    assert_eq!(recovered(desk.submit(Tx1, &first)), desk.rows[0].id, "the guard is stale by now");
    let large = format!(r#""expected_target_version":4,"intent":"x","replacement":"{}""#, "x".repeat(1_000_001));
    for (protocol, members) in [
        (Tx1, format!(r#""expected_target_version":2,{EDIT}"#)),
        (Tx1, EDIT.to_owned()),
        (Tx1, r#""edits":7"#.to_owned()),
        (Tx1, r#""expected_target_version":4,"intent":"\ud800""#.to_owned()),
        (Tx1, r#""expected_target_version":4,"intent":"\u0000","parent_pdcp_log_id":"x""#.to_owned()),
        (Tx3, large),
    ] {
        let conflict = rejected(desk.submit(protocol, &request(&format!(r#"{members},"client_request_id":"k""#))));
        assert_eq!((conflict.stage, conflict.reason), (Stage::PreconditionGuard, ContextInvalid));
        assert_eq!(json_at(&conflict.diagnostic, "/code"), r#""request_key_conflict""#);
    }
    assert_eq!(desk.rows.len(), 7);
}

/// P-080: what is no object is refused and makes nothing stop.
#[test]
fn a_request_that_is_none_is_refused() {
    for request in ["null", "7", "[]", r#""x""#, r#""\ud800""#, "{}"] {
        let request = crate::json::read(request).unwrap();
        for protocol in Protocol::ALL {
            for keyed in [None, Some(Keyed { pdcp_log_id: ID.to_owned(), request_fingerprint: String::new() })] {
                let submission = Submission {
                    observed: None,
                    bundle: None,
                    protocol,
                    request: &request,
                    keyed,
                    parent: Parent::None,
                };
                rejected(judge(&target(""), &submission));
            }
        }
    }
}
