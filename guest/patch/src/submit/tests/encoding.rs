//! Texts that no database stores: refused, kept as evidence, and found again.

use super::desk::{Desk, ID, accepted, at, decide, json_at, recovered, rejected, request, target};
use crate::{
    Protocol::{self, Tx1, Tx2, Tx3},
    Reason, Sha256Hex, Stage,
    json::{self, Value},
    submit::{Keyed, Parent, Rejection, Submission, judge},
};

/// Requests, each with one text at a place, which the row tells by its JSON pointer.
const PLACES: [(Protocol, &str, &str); 19] = [
    (Tx1, r#""intent":X,"edits":[]"#, "/intent"),
    (Tx1, r#""intent":"x","edits":[{"match":X,"replace":""}]"#, "/edits/0/match"),
    (Tx1, r#""intent":"x","edits":[{"match":"a","replace":X}]"#, "/edits/0/replace"),
    (Tx1, r#""intent":"x","edits":[{},{"match":"a","replace":"","anchor_before":X}]"#, "/edits/1/anchor_before"),
    (Tx1, r#""edits":[{"match":"a","replace":"","anchor_after":X}]"#, "/edits/0/anchor_after"),
    (Tx1, r#""edits":[{"match":"a","replace":"","change_id":X}]"#, "/edits/0/change_id"),
    (Tx1, r#""edits":[{"match":"a","replace":"","rationale":X}]"#, "/edits/0/rationale"),
    (Tx1, r#""edits":[{"match":"a","replace":"","risk":X}]"#, "/edits/0/risk"),
    (Tx1, r#""edits":[{"match":"a","replace":"","unknown":X}]"#, "/edits/0/unknown"),
    (Tx1, r#""edits":X"#, "/edits"),
    (Tx1, r#""client_request_id":X"#, "/client_request_id"),
    (Tx1, r#""source":X"#, "/source"),
    (Tx1, r#""parent_pdcp_log_id":X"#, "/parent_pdcp_log_id"),
    (Tx1, r#""expected_target_version":X"#, "/expected_target_version"),
    (Tx1, r#""expected_current_hash":X"#, "/expected_current_hash"),
    (Tx1, r#""attempt":[X]"#, "/attempt/0"),
    (Tx2, r#""operations":[{"op":"span","start":0,"end":0,"expected_before":X}]"#, "/operations/0/expected_before"),
    (Tx3, r#""replacement":X,"expected_target_version":3"#, "/replacement"),
    (Tx3, r#""unknown":{"deep":[[{"x":X}]]}"#, "/unknown/deep/0/0/x"),
];
/// What no database stores, and how it is shown.
const TEXTS: [(&str, &str); 5] = [
    (r#""\u0000""#, r"\u0000"),
    (r#""a\u0000b""#, r"a\u0000b"),
    (r#""\ud800""#, r"\ud800"),
    (r#""\udc00\ud800x""#, r"\udc00\ud800x"),
    (r#""\u00e9\udfff\u0000""#, r"é\udfff\u0000"),
];

/// P-101, P-103, P-104, P-109: nothing of the row but its evidence has the text, and that has all.
fn check_safe(rejection: &Rejection, given: &Value) {
    let row = &rejection.row;
    assert!(row.pdcp_content.is_ascii() && !row.pdcp_content.contains('\0'));
    assert_eq!(json::recover(&row.pdcp_content).as_ref(), Ok(given), "the evidence is all that was given");
    assert_eq!(row.pdcp_content_hash, Sha256Hex::of(&row.pdcp_content));
    let columns = [&row.client_request_id, &row.submission_source, &row.parent_pdcp_log_id, &row.regeneration_source];
    for text in columns.into_iter().flatten().chain([&rejection.detail]).chain(&rejection.failed_change_id) {
        assert!(!text.contains('\0'));
    }
    assert!(json::unstorable(&rejection.diagnostic).is_empty());
    assert!(rejection.missed.is_none());
}

/// P-100, P-101, P-103, P-104, P-105, P-107, P-108, P-109, PG-26: wherever such a text is.
#[test]
fn unstorable_texts_are_kept_as_evidence() {
    for (protocol, members, place) in PLACES {
        for (text, shown) in TEXTS {
            let given = request(&members.replace('X', text));
            let rejection = rejected(decide(&target("a"), protocol, &given));
            assert_eq!((rejection.stage, rejection.reason), (Stage::ProtocolValidation, Reason::TargetEncodingInvalid));
            check_safe(&rejection, &given);
            let told = json_at(&rejection.diagnostic, "/invalid_input");
            let expected = json::object([
                ("count", 1_u64.into()),
                (
                    "places",
                    vec![json::object([
                        ("path", place.into()),
                        ("part", "value".into()),
                        ("preview", shown.into()),
                        ("truncated", false.into()),
                    ])]
                    .into(),
                ),
            ]);
            assert_eq!(told, expected.ascii());
            assert_eq!(json_at(&rejection.diagnostic, "/retryable"), "false");
            assert_eq!(rejection.row.client_request_id, None, "none was given, or one that is none");
            let hashed = format!(
                "patchdiff-invalid-input/1\0{}{{\"protocol_version\":\"{}\",\"target_file_id\":\"{ID}\"}}",
                rejection.row.pdcp_content_hash,
                protocol.name()
            );
            assert_eq!(rejection.row.request_fingerprint, Sha256Hex::of(hashed));
            let source = (place != "/source").then_some("model_response");
            assert_eq!(rejection.row.submission_source.as_deref(), source, "{place}");
        }
    }
}

/// P-100, P-104: in the keys of members too.
#[test]
fn unstorable_keys_of_members_are_refused() {
    for (members, path, preview) in [
        (r#""more\u0000":1"#, r"/more\u0000", r"more\u0000"),
        (r#""edits":[{"\ud800":1}]"#, r"/edits/0/\ud800", r"\ud800"),
    ] {
        let given = request(members);
        let rejection = rejected(decide(&target("a"), Tx1, &given));
        assert_eq!(rejection.reason, Reason::TargetEncodingInvalid);
        check_safe(&rejection, &given);
        let place = at(&rejection.diagnostic, "/invalid_input/places/0").unwrap();
        assert_eq!(place.get("path"), Some(&path.into()));
        assert_eq!(place.get("part"), Some(&"key".into()));
        assert_eq!(place.get("preview"), Some(&preview.into()));
    }
}

/// P-104, P-084: however many and long they are, little of them is told.
#[test]
fn what_is_told_is_bounded() {
    let long = format!("{}\\ud800", "x".repeat(100_000));
    let edits: Vec<_> = vec![format!(r#"{{"match":"{long}","{long}":"\u0000"}}"#); 20];
    let given =
        request(&format!(r#""attempt":"{long}","expected_target_version":"{long}","edits":[{}]"#, edits.join(",")));
    let rejection = rejected(decide(&target("a"), Tx1, &given));
    check_safe(&rejection, &given);
    let size = rejection.diagnostic.ascii().len();
    assert!(size < 16_384, "{size} bytes");
    assert_eq!(json_at(&rejection.diagnostic, "/invalid_input/count"), "62");
    assert_eq!(json_at(&rejection.diagnostic, "/invalid_input/places/0/truncated"), "true");
    assert_eq!(json_at(&rejection.diagnostic, "/raw_attempt/truncated"), "true");
}

/// P-106: what is storable is as it was, however odd.
#[test]
fn odd_texts_are_storable() {
    let given = request(
        r#""expected_target_version":3,"intent":"\u0001\u007f\ufffe\ufeff\ud83d\ude00","replacement":"\u2028\r""#,
    );
    let acceptance = accepted(decide(&target("a"), Tx3, &given));
    let expected = format!(
        "{{\"expected_target_version\":3,\"format\":\"patchdiff-tx/3\",\"intent\":\"\\u0001\u{7f}\u{fffe}\u{feff}\u{1f600}\",\
         \"replacement\":\"\u{2028}\\r\",\"target_file_id\":\"{ID}\"}}"
    );
    assert_eq!(acceptance.row.pdcp_content, expected);
    assert_eq!(acceptance.state.text.as_str(), "\u{2028}\n");
}

/// P-107, P-102, P-108: a key that is one recovers the refusal and keeps others out; without it each attempt is a row.
#[test]
fn a_refusal_is_recovered_by_its_key() {
    let mut desk = Desk::of("a");
    let with = |key: &str, text: &str| {
        request(&format!(r#""expected_target_version":3,"client_request_id":{key},"intent":"{text}","edits":[]"#))
    };
    let first = with("\"k\"", "\\ud800");
    let refused = rejected(desk.submit(Tx1, &first));
    assert_eq!(refused.row.client_request_id.as_deref(), Some("k"));
    check_safe(&refused, &first);
    accepted(desk.submit(Tx3, &request(r#""expected_target_version":3,"intent":"x","replacement":"b""#)));
    assert_eq!(recovered(desk.submit(Tx1, &first)), desk.rows[0].id);

    for other in ["\\udc00", "\\u0000", "plain"] {
        let given = with("\"k\"", other);
        let conflict = rejected(desk.submit(Tx1, &given));
        assert_eq!((conflict.stage, conflict.reason), (Stage::PreconditionGuard, Reason::ContextInvalid));
        assert_eq!((conflict.row.client_request_id.as_deref(), conflict.failed_change_id.as_deref()), (None, None));
        if other == "plain" {
            assert!(at(&conflict.diagnostic, "/invalid_input").is_none());
            assert!(json::recover(&conflict.row.pdcp_content).is_err());
        } else {
            check_safe(&conflict, &given);
            assert_eq!(json_at(&conflict.diagnostic, "/invalid_input/count"), "1", "the row says what its content is");
        }
    }
    // A key that cannot be stored recovers nothing, and is in the evidence alone.
    for key in [r#""k\u0000""#, r#""\ud800""#] {
        let given = with(key, "x");
        let rows = desk.rows.len();
        for _ in 0..2 {
            let refused = rejected(desk.submit(Tx1, &given));
            check_safe(&refused, &given);
            assert_eq!(refused.row.client_request_id, None);
        }
        assert_eq!(desk.rows.len(), rows + 2);
    }
}

/// P-061, P-107: a correlation id is in no evidence, and makes nothing unstorable.
#[test]
fn a_correlation_id_is_nobodys() {
    let mut desk = Desk::of("a");
    let with = |correlation: &str| {
        let members = r#""expected_target_version":3,"client_request_id":"k","intent":"\ud800","edits":[]"#;
        request(&format!(r#"{members},"correlation_id":{correlation}"#))
    };
    let refused = rejected(desk.submit(Tx1, &with("\"c1\"")));
    assert!(!refused.row.pdcp_content.contains("correlation"));
    assert_eq!(recovered(desk.submit(Tx1, &with("\"\\ud800\""))), desk.rows[0].id);
    let plain = r#""expected_target_version":3,"intent":"x","replacement":"b","correlation_id":"\u0000""#;
    let acceptance = accepted(desk.submit(Tx3, &request(plain)));
    assert!(!acceptance.row.pdcp_content.contains("correlation"));
}

/// P-110: a request with NUL that was decided before such texts were refused recovers its outcome. What that decision was is
/// the row's; nothing is admitted, and another request is not taken for it.
#[test]
fn outcomes_of_before_are_recovered() {
    let content = format!(
        r#"{{"edits":[{{"match":"a","replace":"\u0000"}}],"expected_target_version":3,"format":"patchdiff-tx/1","intent":"x","target_file_id":"{ID}"}}"#
    );
    let identity = format!(
        r#"{{"expected_current_hash":null,"expected_target_version":3,"parent_pdcp_log_id":null,"pdcp_content_hash":"{}","protocol_version":"patchdiff-tx/1","target_file_id":"{ID}"}}"#,
        Sha256Hex::of(content)
    );
    let keyed = || Some(Keyed { pdcp_log_id: "old".into(), request_fingerprint: Sha256Hex::of(&identity).to_string() });
    let decide = |replace: &str, keyed| {
        let given = request(&format!(
            r#""expected_target_version":3,"client_request_id":"k","intent":"x","edits":[{{"match":"a","replace":{replace}}}]"#
        ));
        judge(
            &target("a"),
            &Submission { observed: None, bundle: None, protocol: Tx1, request: &given, keyed, parent: Parent::None },
        )
    };
    assert_eq!(recovered(decide(r#""\u0000""#, keyed())), "old");
    for other in [r#""\u0000 ""#, r#""\ud800""#, r#""""#] {
        assert_eq!(json_at(&rejected(decide(other, keyed())).diagnostic, "/code"), r#""request_key_conflict""#);
    }
    let fresh = rejected(decide(r#""\u0000""#, None));
    assert_eq!(fresh.reason, Reason::TargetEncodingInvalid);
    assert_ne!(fresh.row.request_fingerprint, Sha256Hex::of(&identity), "a new refusal has the new fingerprint");
}
