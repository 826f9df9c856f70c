//! What holds of every request, however it was made.

use proptest::{collection::vec, prelude::*, sample::select};

use super::desk::{ID, target};
use crate::{
    Protocol, Stage,
    json::{self, Text, Value},
    replay::{Accepted, Initial, Replay, Stored},
    submit::{Keyed, Parent, Row, Submission, Verdict, judge},
};

const TEXT: &str = "a aa é\nb 🟢 a\n";

/// Values as they are for each member, and some that are not.
fn member() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(&[
        ("target_file_id", r#""3F0D5C9A-6F3B-4B62-9D0E-7A1C2E4B5D60""#),
        ("intent", r#""mend""#),
        ("intent", r#"" ""#),
        ("intent", r#""\ud800""#),
        ("edits", r#"[{"match":"b","replace":"B\r\n"},{"match":"B\n","replace":""}]"#),
        ("edits", r#"[{"match":"a","replace":"x","occurrence_index":2},{"match":"x","replace":"\ud83d\ude00"}]"#),
        ("edits", r#"[{"match":"\u00e9\r","replace":"e","anchor_before":"aa ","anchor_after":"b"}]"#),
        ("edits", r#"[{"match":"a","replace":"x"}]"#),
        ("edits", r#"[{"match":"\u0000","replace":"x"}]"#),
        ("operations", r#"[{"op":"span","start":0,"end":0,"expected_text":"","replace":"é"}]"#),
        (
            "operations",
            r#"[{"op":"span","start":5,"end":6,"expected_text":"\u00e9","replace":"","expected_before":" "}]"#,
        ),
        ("operations", r#"[{"op":"match","match":"aa","replace":"b"},{"op":"span","start":99,"end":99}]"#),
        (
            "operations",
            r#"[{"op":"span","start":18446744073709551615,"end":18446744073709551615,"expected_text":"","replace":""}]"#,
        ),
        ("replacement", r#""""#),
        ("replacement", r#""a\rb\r\n""#),
        ("replacement", "7"),
        ("expected_target_version", "3"),
        ("expected_target_version", "3"),
        ("expected_target_version", "2"),
        ("expected_target_version", "1e400000"),
        ("expected_current_hash", "null"),
        ("expected_current_hash", r#""x\ud800""#),
        ("source", r#""me""#),
        ("source", "{}"),
        ("attempt", "2"),
        ("attempt", "99999999999999999999"),
        ("parent_pdcp_log_id", r#""p""#),
        ("client_request_id", r#""k""#),
        ("client_request_id", r#""k k\u0000""#),
        ("correlation_id", r#""c\u0000""#),
        ("format", r#""patchdiff-tx/2""#),
        ("change_id", r#""c""#),
        ("unknown", "[[[]]]"),
    ])
}

/// A request that may be accepted by the tool, and then some members of it otherwise.
fn request() -> impl Strategy<Value = (usize, Value)> {
    let edits = [
        r#""edits":[{"match":"b ","replace":"B\r\n"},{"match":"B\n","replace":"a","anchor_after":"🟢"}]"#,
        r#""operations":[{"op":"match","match":"b","replace":""},{"op":"span","start":0,"end":1,"expected_text":"a","replace":""}]"#,
        r#""replacement":"a\rb""#,
        r#""groups":[]"#,
    ];
    let stranger = prop_oneof![9 => Just(None), 1 => "[a-z\u{0}]{1,3}".prop_map(Some)];
    let others = prop_oneof![Just(0..=0_usize), Just(0..=3), Just(0..=9)].prop_flat_map(|size| vec(member(), size));
    (0..edits.len(), others, stranger).prop_map(move |(tool, others, stranger)| {
        let edits = edits[tool];
        let whole = json::read(&format!(r#"{{"intent":"mend","expected_target_version":3,{edits}}}"#)).unwrap();
        let whole = whole.as_object().unwrap().clone();
        let others = others.into_iter().filter_map(|(key, value)| Some((Text::from(key), json::read(value).ok()?)));
        let stranger = stranger.map(|key| (Text::from(key), Value::Null));
        (tool, Value::Object(whole.into_iter().chain(others).chain(stranger).collect()))
    })
}

/// P-104, P-109, P-079: everything of a row fits into its column.
fn check_row(row: &Row) -> Result<(), TestCaseError> {
    prop_assert!(!row.pdcp_content.contains('\0'));
    prop_assert!(json::read(&row.pdcp_content).is_ok());
    prop_assert_eq!(&row.pdcp_content_hash, &crate::Sha256Hex::of(&row.pdcp_content));
    prop_assert!(row.expected_target_version.is_none_or(|version| i64::try_from(version).is_ok()));
    prop_assert!(row.regeneration_attempt.is_none_or(|attempt| i32::try_from(attempt).is_ok()));
    prop_assert!(row.client_request_id.as_ref().is_none_or(|key| key.bytes().all(|byte| byte.is_ascii_graphic())));
    let texts = [&row.submission_source, &row.regeneration_source, &row.parent_pdcp_log_id];
    prop_assert!(texts.into_iter().flatten().all(|text| !text.contains('\0')));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// P-082, P-084, P-104, P-116, P-133, P-134: a decision is a function; its row can be stored; what is stored beside a
    /// rejection is bounded; what is accepted replays; and the request recovers its own row.
    #[test]
    fn every_request_has_an_outcome((tool, request) in request(), parent in 0..3_usize) {
        let target = target(TEXT);
        let parent = [Parent::None, Parent::Unfit, Parent::Rejected("p".into())][parent].clone();
        let protocol = Protocol::ALL[tool];
        let decide = |keyed| judge(&target, &Submission { observed: None, bundle: None, protocol, request: &request, keyed, parent: parent.clone() });
        let verdict = decide(None);
        prop_assert_eq!(format!("{verdict:?}"), format!("{:?}", decide(None)));
        let row = match &verdict {
            Verdict::Recovered(_) => return Err(TestCaseError::fail("there is no row to recover")),
            Verdict::Rejected(rejection) => {
                prop_assert!(json::unstorable(&rejection.diagnostic).is_empty());
                prop_assert!(rejection.diagnostic.ascii().len() < 16_384);
                prop_assert!(!matches!(rejection.stage, Stage::Accepted | Stage::CommitGuard));
                &rejection.row
            }
            Verdict::Accepted(acceptance) => {
                let (row, state) = (&acceptance.row, &acceptance.state);
                let mut replay = Replay::from(ID, &Initial {
                    target_file_id: ID,
                    content: TEXT,
                    content_hash: &target.current_hash,
                    version: 3,
                }).unwrap();
                replay.step(&Accepted {
                    pdcp_log_id: "l",
                    target_file_id: ID,
                    protocol_version: row.profile.protocol.name(),
                    runtime_version: Some(row.profile.runtime),
                    pdcp_content: &row.pdcp_content,
                    pdcp_content_hash: row.pdcp_content_hash.as_str(),
                    before_version: row.before_version,
                    after_version: state.version,
                    before_hash: &row.before_hash,
                    after_hash: state.current_hash.as_str(),
                }).unwrap();
                let stored = Stored {
                    content: state.text.as_str(),
                    current_hash: state.current_hash.as_str(),
                    version: state.version,
                };
                prop_assert!(replay.compare(&stored).all());
                row
            }
        };
        check_row(row)?;
        let keyed = |print: &str| Some(Keyed { pdcp_log_id: "l".into(), request_fingerprint: print.to_owned() });
        let recovered = decide(keyed(row.request_fingerprint.as_str()));
        prop_assert!(matches!(recovered, Verdict::Recovered(id) if id == "l"));
        match decide(keyed("")) {
            Verdict::Rejected(conflict) => {
                prop_assert!(json::unstorable(&conflict.diagnostic).is_empty());
                prop_assert_eq!(conflict.row.client_request_id, None);
                prop_assert_eq!(&conflict.row.request_fingerprint, &row.request_fingerprint);
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}
