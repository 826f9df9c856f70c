//! What a request may not make of little: products of its members, and items that are none.

use super::desk::{accepted, decide, json_at, rejected, request, target};
use crate::{
    Profile,
    Protocol::{self, ObservedBatch1, Tx1, Tx2, Tx3},
    Reason, Stage,
    json::Value,
    record::Work,
    submit::Verdict,
};

/// So many insertions of nothing, each with its rationale where one is given, for one intent.
fn insertions(count: usize, intent: usize, rationale: Option<usize>) -> Value {
    let said = rationale.map(|length| format!(r#","rationale":"{}""#, "r".repeat(length))).unwrap_or_default();
    let one = format!(r#"{{"op":"span","start":0,"end":0,"expected_text":"","replace":""{said}}}"#);
    let list = vec![one; count].join(",");
    request(&format!(r#""expected_target_version":3,"intent":"{}","operations":[{list}]"#, "i".repeat(intent)))
}

/// P-150, P-054: each entry of the ledger has the intent, so that a long one and many changes are bounded together: up to four
/// times the largest text, whoever says it. A record of history is read all the same.
#[test]
fn intents_and_changes_are_bounded_together() {
    const MOST: usize = 4 * 1_048_576;
    for (count, intent, rationale, fits) in [
        (64, MOST / 64, None, true),
        (64, MOST / 64 + 1, None, false),
        (1, MOST, None, true),
        (1, MOST + 1, None, false),
        (4_096, 1_024, None, true),
        (4_097, 1_024, None, false),
        // A rationale is in the entry's place of the intent.
        (64, MOST / 64 + 1, Some(10), true),
        (64, 1, Some(MOST / 64), true),
        (64, 1, Some(MOST / 64 + 1), false),
    ] {
        let given = insertions(count, intent, rationale);
        let what = format!("{count} {intent} {rationale:?}");
        match decide(&target("a"), Tx2, &given) {
            Verdict::Accepted(acceptance) => {
                assert!(fits, "{what}");
                assert_eq!(acceptance.ledger.iter().map(|entry| entry.intent.len()).sum::<usize>() <= MOST, fits);
            }
            Verdict::Rejected(rejection) => {
                assert!(!fits, "{what}: {}", rejection.detail);
                assert_eq!((rejection.stage, rejection.reason), (Stage::ProtocolValidation, Reason::SizeLimitExceeded));
                assert_eq!(json_at(&rejection.diagnostic, "/retryable"), "false");
                assert!(rejection.detail.len() < 300, "{}", rejection.detail);
                assert!(rejection.row.pdcp_content.len() > intent, "the row has all that was given");
            }
            Verdict::Recovered(id) => panic!("{id}"),
        }
        assert!(Work::read_record(&given, &Profile::current(Tx2, false)).is_ok(), "{what}: history is not asked");
    }
}

/// P-066, P-048: an item of a list of changes that is no object is no block of its format; whatever is wrong within one is the
/// manifest's. The first item that is wrong decides.
#[test]
fn an_item_that_is_no_object_is_no_block() {
    let guard = r#""expected_target_version":3,"intent":"x""#;
    let decided = |protocol, given: &Value| {
        // Whether a batch's scopes are known is asked after it is read.
        if protocol == ObservedBatch1 {
            let invalid = Work::read(given, &[], &Profile::current(protocol, false)).expect_err("it is none");
            return (invalid.reason, invalid.detail, invalid.change_id);
        }
        let rejection = rejected(decide(&target("a"), protocol, given));
        assert_eq!(rejection.stage, Stage::ProtocolValidation);
        assert_eq!(json_at(&rejection.diagnostic, "/retryable"), "false");
        (rejection.reason, rejection.detail.clone(), rejection.failed_change_id.clone())
    };
    let edit = r#"{"match":"a","replace":"b"}"#;
    let operation = r#"{"op":"match","match":"a","replace":"b"}"#;
    for item in ["null", "true", "0", "-1.5", r#""x""#, "[]", "[{}]"] {
        for (protocol, list, first) in
            [(Tx1, "edits", edit), (Tx2, "operations", operation), (ObservedBatch1, "groups", "")]
        {
            let items = if first.is_empty() { vec![item] } else { vec![first, item] };
            let at = items.len() - 1;
            let snapshot = if protocol == ObservedBatch1 { r#","snapshot_id":"s""# } else { "" };
            let given = request(&format!(r#"{guard}{snapshot},"{list}":[{}]"#, items.join(",")));
            let expected = (Reason::BlockMalformed, format!("{list}[{at}] is an object"), None);
            assert_eq!(decided(protocol, &given), expected, "{item}");
        }
    }
    for (protocol, members, reason) in [
        // Before it another is wrong.
        (Tx1, r#""edits":[{"match":""},7]"#, Reason::ManifestInvalid),
        (Tx1, r#""edits":[7,{"match":""}]"#, Reason::BlockMalformed),
        (Tx2, r#""operations":[{},7]"#, Reason::ManifestInvalid),
        // What is not in a list is none of a list's items.
        (Tx1, r#""edits":7"#, Reason::ManifestInvalid),
        (Tx1, r#""edits":{"0":7}"#, Reason::ManifestInvalid),
        (Tx3, r#""replacement":{}"#, Reason::ManifestInvalid),
    ] {
        let given = request(&format!("{guard},{members}"));
        assert_eq!(decided(protocol, &given).0, reason, "{members}");
    }
}

/// P-040, P-066: no format goes without a guard: left out or null, both of them; and one of the two is enough for each, which is
/// asked before anything of the edits is read.
#[test]
fn no_format_goes_without_a_guard() {
    let hash = target("a").current_hash;
    for protocol in Protocol::ALL {
        for guards in [
            "",
            r#""expected_target_version":null,"#,
            r#""expected_current_hash":null,"#,
            r#""expected_target_version":null,"expected_current_hash":null,"#,
        ] {
            let refused = rejected(decide(&target("a"), protocol, &request(&format!(r#"{guards}"intent":7"#))));
            assert_eq!(
                (refused.stage, refused.reason),
                (Stage::ProtocolValidation, Reason::ContextMissing),
                "{guards}"
            );
            assert_eq!(json_at(&refused.diagnostic, "/format"), format!("{:?}", protocol.name()));
        }
        for guards in [r#""expected_target_version":3"#.to_owned(), format!(r#""expected_current_hash":"{hash}""#)] {
            let refused = rejected(decide(&target("a"), protocol, &request(&format!(r#"{guards},"intent":7"#))));
            assert_eq!(refused.reason, Reason::ManifestInvalid, "{guards}");
        }
    }
}

/// P-058, PG-14: what is stored is what was sent and the name of its format, whatever it is made of: the same bytes more for one
/// edit and for five. The two requests are this product's own.
#[test]
fn a_record_is_its_request_and_a_format() {
    let edit = |number: usize| format!(r#"{{"match":"line {number}","replace":"LINE {number}"}}"#);
    let text: String = (1..=5).map(|number| format!("line {number}\n")).collect();
    let counts = [1, 5].map(|count| {
        let edits = (1..=count).map(edit).collect::<Vec<_>>().join(",");
        let given = request(&format!(r#""expected_target_version":3,"intent":"Capitals","edits":[{edits}]"#));
        let wire = given.canonical().expect("it can be stored").len();
        let stored = accepted(decide(&target(&text), Tx1, &given)).row.pdcp_content;
        assert!(stored.contains(r#""format":"patchdiff-tx/1","#));
        (wire, stored.len())
    });
    assert_eq!(counts, [(153, 179), (305, 331)], "bytes sent and stored");
    assert_eq!(r#""format":"patchdiff-tx/1","#.len(), 26);
}
