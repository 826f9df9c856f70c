//! Each reason at each of its stages.

use std::collections::HashSet;

use super::desk::{decide, json_at, rejected, request, target};
use crate::{
    Protocol,
    Protocol::{Tx1, Tx2, Tx3},
    Reason, Stage, Validity,
    submit::{Rejection, Unreachable, Verdict, unlinked},
};

/// The text, of version 3.
const TEXT: &str = "one two one\nthree\n";
/// A guard that holds.
const GUARD: &str = r#""expected_target_version":3,"intent":"mend","#;

const BEFORE: (Option<bool>, Option<bool>) = (None, None);
const SHAPE: (Option<bool>, Option<bool>) = (Some(false), None);
const APPLY: (Option<bool>, Option<bool>) = (Some(true), Some(false));
const WHOLE: (Option<bool>, Option<bool>) = (Some(true), Some(true));

/// What a rejection of this reason at this stage tells.
fn check(rejection: &Rejection, format: &str, stage: Stage, reason: Reason, retryable: bool, what: &str) {
    assert_eq!((rejection.stage, rejection.reason), (stage, reason), "{what}: {}", rejection.detail);
    let diagnostic = &rejection.diagnostic;
    for (member, value) in [
        ("/format", format!("{format:?}")),
        ("/retryable", retryable.to_string()),
        ("/requires_new_submission", "true".to_owned()),
        ("/validation_stage", format!("{:?}", stage.name())),
        ("/observed_version", "3".to_owned()),
        ("/observed_hash", format!("{:?}", target(TEXT).current_hash)),
    ] {
        assert_eq!(json_at(diagnostic, member), value, "{member} of {what}");
    }
    assert!(!rejection.detail.is_empty());
    assert_eq!(rejection.row.before_version, 3);
}

/// P-030, P-065, P-066, P-067, P-071, P-072, P-073, P-048, P-040, PG-19, PG-20 and ambiguity 1: the stage, what it says of
/// the request, and whether a fresh proposal can mend it; a reason alone does not tell its stage.
#[test]
fn each_reason_has_its_stages() {
    use Reason::*;
    use Stage::{
        PreconditionGuard as Guard, ProtocolValidation as Protocol_, TransactionApplicability as Applicability,
    };

    let one = r#"{"match":"two","replace":"2"}"#;
    let edit = |edit: &str| format!(r#"{GUARD}"edits":[{edit}]"#);
    let operation = |operation: &str| format!(r#"{GUARD}"operations":[{operation}]"#);
    let guarded = |guard: &str| format!(r#"{guard},"intent":"mend","edits":[{one}]"#);
    let large = "x".repeat(1_000_001);
    let other = "0".repeat(64);
    let rows = [
        (Tx1, guarded(r#""expected_target_version":2"#), Guard, TargetVersionMismatch, true, BEFORE),
        (Tx2, r#""expected_target_version":4"#.to_owned(), Guard, TargetVersionMismatch, true, BEFORE),
        (Tx1, guarded(&format!(r#""expected_current_hash":"{other}""#)), Guard, TargetHashMismatch, true, BEFORE),
        (Tx1, format!(r#"{GUARD}"source":"x""#), Protocol_, ManifestMissing, false, SHAPE),
        (Tx1, format!(r#"{GUARD}"edits":null"#), Protocol_, ManifestMissing, false, SHAPE),
        (Tx2, format!(r#"{GUARD}"source":"x""#), Protocol_, ManifestMissing, false, SHAPE),
        (Tx3, format!(r#"{GUARD}"source":"x""#), Protocol_, ManifestMissing, false, SHAPE),
        (Tx1, format!(r#"{GUARD}"edits":[]"#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, format!(r#"{GUARD}"edits":[{one}],"more":1"#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, format!(r#"{GUARD}"format":"patchdiff-tx/2","edits":[{one}]"#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, edit(r#"{"match":"two","replace":"2","region_hint":"x"}"#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, edit(r#"{"match":"","replace":"2"}"#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, edit(r#"{"match":"two"}"#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, edit("7"), Protocol_, BlockMalformed, false, SHAPE),
        (
            Tx1,
            edit(&format!("{one},{}", r#"{"change_id":"chg_001","match":"t","replace":""}"#)),
            Protocol_,
            ManifestInvalid,
            false,
            SHAPE,
        ),
        (Tx2, operation(one), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx2, operation("[]"), Protocol_, BlockMalformed, false, SHAPE),
        (Tx1, edit(r#"{},"x""#), Protocol_, ManifestInvalid, false, SHAPE),
        (Tx1, edit(&format!(r#"{one},"x""#)), Protocol_, BlockMalformed, false, SHAPE),
        (
            Tx2,
            operation(r#"{"op":"span","start":2,"end":1,"expected_text":"","replace":""}"#),
            Protocol_,
            ManifestInvalid,
            false,
            SHAPE,
        ),
        (Tx3, format!(r#"{GUARD}"replacement":7"#), Protocol_, ManifestInvalid, false, SHAPE),
        (
            Tx1,
            format!(r#""expected_target_version":3,"intent":" ","edits":[{one}]"#),
            Protocol_,
            ManifestInvalid,
            false,
            SHAPE,
        ),
        (Tx1, format!(r#""intent":"mend","edits":[{one}]"#), Protocol_, ContextMissing, false, SHAPE),
        (
            Tx3,
            guarded(r#""expected_target_version":null,"expected_current_hash":null"#),
            Protocol_,
            ContextMissing,
            false,
            SHAPE,
        ),
        (Tx1, guarded(r#""expected_target_version":3.0"#), Protocol_, ContextInvalid, false, SHAPE),
        (
            Tx1,
            guarded(&format!(r#""expected_current_hash":"{}""#, "A".repeat(64))),
            Protocol_,
            ContextInvalid,
            false,
            SHAPE,
        ),
        (Tx1, guarded(r#""expected_target_version":3,"attempt":0"#), Protocol_, ContextInvalid, false, SHAPE),
        (Tx1, guarded(r#""expected_target_version":3,"source":null"#), Protocol_, ContextInvalid, false, SHAPE),
        (
            Tx1,
            guarded(r#""expected_target_version":3,"client_request_id":"a b""#),
            Protocol_,
            ContextInvalid,
            false,
            SHAPE,
        ),
        (
            Tx1,
            guarded(r#""expected_target_version":3,"parent_pdcp_log_id":"x""#),
            Protocol_,
            ContextInvalid,
            false,
            SHAPE,
        ),
        (
            Tx1,
            edit(r#"{"match":"one","replace":"","occurrence_index":0}"#),
            Protocol_,
            DisambiguationInvalid,
            true,
            SHAPE,
        ),
        (
            Tx2,
            operation(r#"{"op":"match","match":"one","replace":"","anchor_after":""}"#),
            Protocol_,
            DisambiguationInvalid,
            true,
            SHAPE,
        ),
        (Tx1, edit(r#"{"match":"two","replace":"\ud800"}"#), Protocol_, TargetEncodingInvalid, false, SHAPE),
        (Tx3, format!(r#"{GUARD}"replacement":"\u0000""#), Protocol_, TargetEncodingInvalid, false, SHAPE),
        (Tx3, format!(r#"{GUARD}"replacement":"{large}""#), Protocol_, SizeLimitExceeded, false, SHAPE),
        (Tx1, edit(r#"{"match":"Two","replace":"2"}"#), Applicability, MatchAbsent, true, APPLY),
        (Tx1, edit(r#"{"match":"one","replace":"1"}"#), Applicability, MatchAmbiguous, true, APPLY),
        (
            Tx1,
            edit(r#"{"match":"one","replace":"1","occurrence_index":3}"#),
            Applicability,
            DisambiguationInvalid,
            true,
            APPLY,
        ),
        (
            Tx1,
            edit(r#"{"match":"two","replace":"2","anchor_before":"one"}"#),
            Applicability,
            DisambiguationInvalid,
            true,
            APPLY,
        ),
        (Tx1, edit(&format!("{one},{one}")), Applicability, SequentialMatchInvalid, true, APPLY),
        (
            Tx2,
            operation(r#"{"op":"span","start":18,"end":19,"expected_text":"","replace":""}"#),
            Applicability,
            SpanOutOfBounds,
            true,
            APPLY,
        ),
        (
            Tx2,
            operation(r#"{"op":"span","start":0,"end":3,"expected_text":"two","replace":""}"#),
            Applicability,
            SpanExpectedTextMismatch,
            true,
            APPLY,
        ),
        (
            Tx2,
            operation(r#"{"op":"span","start":0,"end":3,"expected_text":"one","replace":"","expected_after":"x"}"#),
            Applicability,
            SpanExpectedTextMismatch,
            true,
            APPLY,
        ),
        (
            Tx1,
            edit(&format!(r#"{{"match":"two","replace":"{large}"}}"#)),
            Applicability,
            SizeLimitExceeded,
            false,
            APPLY,
        ),
    ];
    let mut seen = HashSet::new();
    for (protocol, members, stage, reason, retryable, (protocol_valid, transaction_valid)) in &rows {
        let what = &members[..members.len().min(200)];
        let rejection = rejected(decide(&target(TEXT), *protocol, &request(members)));
        check(&rejection, protocol.name(), *stage, *reason, *retryable, what);
        let validity = Validity { protocol_valid: *protocol_valid, transaction_valid: *transaction_valid };
        assert_eq!(rejection.stage.validity(), validity, "{what}");
        assert_eq!(rejection.row.profile.protocol, *protocol);
        seen.insert(*reason);
    }
    // Elsewhere: those of the commit, of no target, of replay, of the disk and of scopes.
    let elsewhere = [TargetNotFound, TargetDiverged, ReplayProtocolInvalid];
    let elsewhere = elsewhere.into_iter().chain([WorkspaceDrift, WorkspaceBindingMismatch, WorkspacePathUnsupported]);
    seen.extend(elsewhere.chain([ScopeUnknown, ScopeStale]));
    assert_eq!(seen.len(), Reason::ALL.len(), "a reason is not in the table");
}

/// P-068, P-086: what became another target since it was locked is not written over, and the row says what was decided on.
#[test]
fn a_commit_looks_at_the_guards_again() {
    let (target, members) = (target(TEXT), format!(r#"{GUARD}"edits":[{{"match":"two","replace":"2"}}]"#));
    let accept = || super::desk::accepted(decide(&target, Tx1, &request(&members)));
    let hash = target.current_hash.as_str();
    let state = accept().state;
    assert!(matches!(accept().at_commit(&target, 3, hash), Verdict::Accepted(same) if same.state.text == state.text));
    for (version, hash) in [(4, hash), (2, hash), (3, state.current_hash.as_str())] {
        let rejection = rejected(accept().at_commit(&target, version, hash));
        check(&rejection, "patchdiff-tx/1", Stage::CommitGuard, Reason::TargetDiverged, true, "diverged");
        let validity = rejection.stage.validity();
        assert_eq!((validity.protocol_valid, validity.transaction_valid), WHOLE);
        assert_eq!(json_at(&rejection.diagnostic, "/failure_context/source"), r#""canonical_target""#);
        assert_eq!(json_at(&rejection.diagnostic, "/failure_context/text"), format!("{:?}", TEXT));
    }
}

/// P-075, P-076, P-077, P-080, P-081, PG-21: without a target that can be locked there is no row, and no context.
#[test]
fn what_has_no_target_has_no_row() {
    for (why, reason) in [
        (Unreachable::Malformed, Reason::ContextInvalid),
        (Unreachable::Absent, Reason::TargetNotFound),
        (Unreachable::Pending, Reason::ContextInvalid),
    ] {
        for protocol in Protocol::ALL {
            let answer = unlinked(protocol, why);
            assert_eq!((answer.stage, answer.reason), (Stage::PreconditionGuard, reason));
            let validity = answer.stage.validity();
            assert_eq!((validity.protocol_valid, validity.transaction_valid), BEFORE);
            let expected = format!(
                r#"{{"failure_context":{{"source":"unavailable"}},"format":"{}","requires_new_submission":true,"retryable":false,"validation_stage":"PRECONDITION_GUARD"}}"#,
                protocol.name()
            );
            assert_eq!(answer.diagnostic.ascii(), expected);
        }
    }
}
