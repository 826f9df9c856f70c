//! Recovery by key, and conflicts.

use super::desk::{Desk, ID, accepted, json_at, recovered, rejected, request, target};
use crate::{
    Protocol::{Tx1, Tx2, Tx3},
    Reason, Stage,
    json::{self, Value},
    submit::{Keyed, Locked, Parent, Submission, Verdict, judge, sought_key},
};

fn edit(guard: &str, key: &str, from: &str, to: &str) -> Value {
    let key = if key.is_empty() { String::new() } else { format!(r#","client_request_id":"{key}""#) };
    request(&format!(r#"{guard},"intent":"mend","edits":[{{"match":"{from}","replace":"{to}"}}]{key}"#))
}

fn by_version(version: u64) -> String {
    format!(r#""expected_target_version":{version}"#)
}

/// P-116, P-122, P-082, E-26, E-27: a request has its outcome once, whatever became of the text: other edits, edits that change
/// nothing, and the very text that it began with.
#[test]
fn an_outcome_is_recovered() {
    let mut desk = Desk::of("a b");
    let by_hash = format!(r#""expected_current_hash":"{}""#, desk.target.current_hash);
    let keyed = [
        edit(&by_version(3), "accepted", "a", "A"),
        edit(&by_version(4), "absent", "x", "y"),
        edit(&by_version(3), "stale", "x", "y"),
        edit(&by_version(4), "malformed", "", "y"),
        edit("\"attempt\":1", "unguarded", "b", "c"),
        edit(&by_version(4), "unstorable", "b", "\\ud800"),
    ];
    accepted(desk.submit(Tx1, &keyed[0]));
    for request in &keyed[1..] {
        rejected(desk.submit(Tx1, request));
    }
    let outcomes: Vec<_> = desk.rows.iter().map(|stored| (stored.id.clone(), stored.is_rejected)).collect();
    let again = |desk: &mut Desk| {
        let (version, rows) = (desk.target.version, desk.rows.len());
        for (request, (id, _)) in keyed.iter().zip(&outcomes) {
            assert_eq!(recovered(desk.submit(Tx1, request)), *id);
        }
        assert_eq!((desk.target.version, desk.rows.len()), (version, rows), "nothing is applied and nothing stored");
    };
    again(&mut desk);
    accepted(desk.submit(Tx1, &edit(&by_version(4), "", "b", "c")));
    again(&mut desk);
    accepted(desk.submit(Tx1, &edit(&by_version(5), "", "c", "c")));
    again(&mut desk);
    // Back to the first text: a guard by hash holds again, and the outcome is still the first one's.
    accepted(desk.submit(Tx1, &edit(&by_version(6), "", "A c", "a b")));
    again(&mut desk);
    let hashed = edit(&by_hash, "hashed", "a", "A");
    accepted(desk.submit(Tx1, &hashed));
    accepted(desk.submit(Tx1, &edit(&by_version(8), "", "A", "a")));
    assert_eq!(recovered(desk.submit(Tx1, &hashed)), desk.rows[9].id, "the hash is the guard's again");
    again(&mut desk);
    assert_eq!(desk.target.version, 9);
    // P-122: without a key the same guard by hash holds twice.
    accepted(desk.submit(Tx1, &edit(&by_hash, "", "a", "A")));
}

/// P-114, P-061, PG-15: what makes a request another one, and what does not.
#[test]
fn a_fingerprint_is_of_all_that_was_submitted() {
    let members = [
        (r#""intent""#, r#""mend""#),
        (r#""edits""#, r#"[{"match":"a","replace":"b"}]"#),
        (r#""expected_target_version""#, "3"),
        (r#""expected_current_hash""#, "null"),
        (r#""source""#, r#""me""#),
        (r#""attempt""#, "1"),
        (r#""parent_pdcp_log_id""#, "null"),
    ];
    let whole = |changed: Option<(&str, &str)>| {
        let member = |(key, value): &(&str, &str)| match changed {
            Some((other, changed)) if other == *key => format!("{key}:{changed}"),
            _ => format!("{key}:{value}"),
        };
        members.iter().map(member).collect::<Vec<_>>().join(",")
    };
    let print = |target: &Locked, protocol, members: &str| {
        let submission = Submission {
            observed: None,
            bundle: None,
            protocol,
            request: &request(members),
            keyed: None,
            parent: Parent::Unfit,
        };
        rejected(judge(target, &submission)).row.request_fingerprint
    };
    let mut here = target("x");
    let first = print(&here, Tx1, &whole(None));
    let same = [
        format!("{},\"client_request_id\":\"k\"", whole(None)),
        format!("{},\"client_request_id\":null", whole(None)),
        format!("{},\"correlation_id\":\"c\"", whole(None)),
        format!("{},\"correlation_id\":\"\\ud800\"", whole(None)),
        format!("{},\"correlation_id\":{{}}", whole(None)),
        format!("{},\"format\":\"patchdiff-tx/1\"", whole(None)),
        members.iter().rev().map(|(key, value)| format!("{key} : {value}")).collect::<Vec<_>>().join(" ,\n"),
    ];
    for members in same {
        assert_eq!(print(&here, Tx1, &members), first, "{members}");
    }
    let mut prints = vec![first];
    for changed in [
        (r#""intent""#, r#""Mend""#),
        (r#""edits""#, r#"[{"match":"a","replace":"c"}]"#),
        (r#""edits""#, r#"[{"match":"a","replace":"b","change_id":null}]"#),
        (r#""edits""#, r#"[{"match":"a","replace":"b\r\n"}]"#),
        (r#""edits""#, r#"[{"match":"a","replace":"b\n"}]"#),
        (r#""expected_target_version""#, "4"),
        (r#""expected_target_version""#, "3.0"),
        (r#""expected_target_version""#, "null"),
        (r#""expected_current_hash""#, r#""x""#),
        (r#""source""#, r#""you""#),
        (r#""attempt""#, "2"),
        (r#""parent_pdcp_log_id""#, r#""x""#),
    ] {
        prints.push(print(&here, Tx1, &whole(Some(changed))));
    }
    prints.push(print(&here, Tx2, &whole(None)));
    prints.push(print(&here, Tx3, &whole(None)));
    // What is left out and what is null are one in the identity, and two in the record.
    prints.push(print(&here, Tx1, &whole(None).replace(r#","parent_pdcp_log_id":null"#, "")));
    here.id = here.id.replace('3', "4");
    prints.push(print(&here, Tx1, &whole(None)));
    let count = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), count, "two requests have one fingerprint");
}

/// P-117, P-118, P-074: another request under a key is refused each time in a row of its own, which has no key; the row that
/// has it stays as it is.
#[test]
fn a_key_is_not_used_twice() {
    let mut desk = Desk::of("a b");
    let first = edit(&by_version(3), "k", "a", "A");
    accepted(desk.submit(Tx1, &first));
    let other = edit(&by_version(4), "k", "b", "B");
    for _ in 0..3 {
        let conflict = rejected(desk.submit(Tx1, &other));
        assert_eq!((conflict.stage, conflict.reason), (Stage::PreconditionGuard, Reason::ContextInvalid));
        assert_eq!(json_at(&conflict.diagnostic, "/code"), r#""request_key_conflict""#);
        assert_eq!(json_at(&conflict.diagnostic, "/existing_pdcp_log_id"), format!("{:?}", desk.rows[0].id));
        let preview = json_at(&conflict.diagnostic, "/submitted_client_request_id");
        assert_eq!(preview, r#"{"text":"k","truncated":false}"#);
        assert_eq!(json_at(&conflict.diagnostic, "/retryable"), "false");
        assert_eq!(conflict.row.client_request_id, None);
        assert_ne!(conflict.row.request_fingerprint, desk.rows[0].row.request_fingerprint);
        assert!(conflict.row.pdcp_content.contains(r#""match":"b""#), "its own record");
    }
    assert_eq!((desk.rows.len(), desk.target.text.as_str()), (4, "A b"));
    let prints: Vec<_> = desk.rows[1..].iter().map(|stored| &stored.row.request_fingerprint).collect();
    assert!(prints.iter().all(|print| *print == prints[0]), "of this attempt");
    assert_eq!(recovered(desk.submit(Tx1, &first)), desk.rows[0].id);
    // The conflicting request is one of its own: under a new key it is decided.
    accepted(desk.submit(Tx1, &edit(&by_version(4), "k2", "b", "B")));
}

/// P-113, P-121, P-074, P-039: what is no key by today's syntax is refused where it is new; the row has none, and what was
/// given is told.
#[test]
fn new_keys_have_a_syntax() {
    let long = "k".repeat(129);
    let longer = "k".repeat(300);
    let cut = "k".repeat(256);
    for (key, preview) in [
        (r#""""#, r#"{"text":"","truncated":false}"#),
        (r#""a b""#, r#"{"text":"a b","truncated":false}"#),
        (r#""a\n""#, r#"{"text":"a\n","truncated":false}"#),
        (r#""\u007f""#, r#"{"text":"\u007f","truncated":false}"#),
        (r#""\u00e9""#, r#"{"text":"\u00e9","truncated":false}"#),
        (&format!("{long:?}"), &format!(r#"{{"text":"{long}","truncated":false}}"#)),
        (&format!("{longer:?}"), &format!(r#"{{"text":"{cut}","truncated":true}}"#)),
        ("7", r#"{"text":"7","truncated":false}"#),
        ("false", r#"{"text":"false","truncated":false}"#),
        (r#"["k"]"#, r#"{"text":"[\"k\"]","truncated":false}"#),
    ] {
        let mut desk = Desk::of("a b");
        let request = request(&format!(
            r#"{},"intent":"mend","edits":[{{"match":"a","replace":"A"}}],"client_request_id":{key}"#,
            by_version(3)
        ));
        for _ in 0..2 {
            let refused = rejected(desk.submit(Tx1, &request));
            assert_eq!((refused.stage, refused.reason), (Stage::ProtocolValidation, Reason::ContextInvalid), "{key}");
            assert_eq!(json_at(&refused.diagnostic, "/code"), r#""invalid_client_request_id""#);
            assert_eq!(
                json_at(&refused.diagnostic, "/submitted_client_request_id"),
                preview.replace('\u{7f}', "\\u007f")
            );
            assert_eq!(refused.row.client_request_id, None);
        }
        assert_eq!(desk.rows.len(), 2, "it recovers nothing");
    }
    for key in ["!", "~", &"k".repeat(128), "a/b:c#d\\\\\\\"e"] {
        let mut desk = Desk::of("a b");
        let request = edit(&by_version(3), key, "a", "A");
        assert_eq!(accepted(desk.submit(Tx1, &request)).row.client_request_id.as_deref(), sought_key(&request));
        assert_eq!(recovered(desk.submit(Tx1, &request)), desk.rows[0].id);
    }
}

/// P-121, P-108, P-178: a key of history is looked up as it stands, and recovers or conflicts whatever its syntax; what no
/// database stores is not looked up.
#[test]
fn keys_of_history_are_found() {
    for (given, key) in [
        (r#""k""#, Some("k")),
        (r#"" K \n""#, Some(" K \n")),
        (r#""\u00e9\r\n""#, Some("é\r\n")),
        (r#""""#, Some("")),
        (r#""a\u0000""#, None),
        (r#""\ud800""#, None),
        ("null", None),
        ("7", None),
    ] {
        assert_eq!(sought_key(&request(&format!(r#""client_request_id":{given}"#))), key, "{given}");
    }
    assert_eq!(sought_key(&Value::Null), None);

    let long = "é".repeat(300);
    for key in ["a b", "é", "k\n", &long] {
        let mut desk = Desk::of("a b");
        let quoted = Value::from(key).ascii();
        let request = edit(&by_version(3), &quoted[1..quoted.len() - 1], "a", "A");
        let mut old = accepted(judge(
            &desk.target,
            &Submission {
                observed: None,
                bundle: None,
                protocol: Tx1,
                request: &edit(&by_version(3), "", "a", "A"),
                keyed: None,
                parent: Parent::None,
            },
        ))
        .row;
        old.client_request_id = Some(key.to_owned());
        desk.store(old, false);
        assert_eq!(recovered(desk.submit(Tx1, &request)), desk.rows[0].id);
        let conflict = rejected(desk.submit(Tx1, &edit(&by_version(3), &quoted[1..quoted.len() - 1], "b", "B")));
        assert_eq!(json_at(&conflict.diagnostic, "/code"), r#""request_key_conflict""#);
        let is_long = key.chars().count() > 256;
        assert_eq!(json_at(&conflict.diagnostic, "/submitted_client_request_id/truncated"), is_long.to_string());
        let shown: String = key.chars().take(256).collect();
        let preview = json_at(&conflict.diagnostic, "/submitted_client_request_id/text");
        assert_eq!(json::read(&preview), Ok(Value::from(shown)));
    }
}

/// P-116: nothing but the whole fingerprint recovers.
#[test]
fn half_a_fingerprint_recovers_nothing() {
    let (target, request) = (target("a b"), edit(&by_version(3), "k", "a", "A"));
    let decide = |print: &str| {
        let keyed = Some(Keyed { pdcp_log_id: ID.to_owned(), request_fingerprint: print.to_owned() });
        judge(
            &target,
            &Submission { observed: None, bundle: None, protocol: Tx1, request: &request, keyed, parent: Parent::None },
        )
    };
    let print = rejected(decide("")).row.request_fingerprint.to_string();
    assert!(matches!(decide(&print), Verdict::Recovered(_)));
    for other in [&print[..63], &print.to_uppercase(), &format!("{print} ")] {
        rejected(decide(other));
    }
}
