//! Bundles: what the verdicts on their items make of them, and what tells one from another.

use super::desk::{Desk, ID, accepted, decide, recovered, rejected, request, target};
use crate::{
    Protocol::{Tx1, Tx2, Tx3},
    Reason, Sha256Hex, Stage,
    json::Value,
    submit::{Joint, Keyed, Parent, Submission, Verdict, bundle_print, judge, no_bundle, together},
};

const OTHER: &str = "4f0d5c9a-6f3b-4b62-9d0e-7a1c2e4b5d60";

fn edit(from: &str) -> Value {
    request(&format!(
        r#""expected_target_version":3,"intent":"i","client_request_id":"k","edits":[{{"match":"{from}","replace":"b"}}]"#
    ))
}

fn verdict(bundle: Option<&Sha256Hex>, from: &str, keyed: Option<&Keyed>) -> Verdict {
    let keyed = keyed.cloned();
    let submission =
        Submission { protocol: Tx1, request: &edit(from), keyed, parent: Parent::None, observed: None, bundle };
    judge(&target("a"), &submission)
}

fn keyed_as(print: &str) -> Keyed {
    Keyed { pdcp_log_id: "old".to_owned(), request_fingerprint: print.to_owned() }
}

/// X-04, P-022: all are stored, or nothing but what failed.
#[test]
fn one_that_fails_keeps_the_others_back() {
    let good = || verdict(None, "a", None);
    let bad = || verdict(None, "x", None);
    assert!(matches!(together(vec![good(), good()]), Joint::Accepted(all) if all.len() == 2));
    let Joint::Rejected(rejections) = together(vec![good(), bad(), bad()]) else { panic!("it is rejected") };
    let reasons: Vec<_> = rejections.iter().map(|one| one.as_ref().map(|one| one.reason)).collect();
    assert_eq!(reasons, [None, Some(Reason::MatchAbsent), Some(Reason::MatchAbsent)]);
    assert!(matches!(together(Vec::new()), Joint::Accepted(all) if all.is_empty()));
}

/// P-117, P-118: where a key is another's, that alone is stored of the bundle, without the key.
#[test]
fn a_conflict_is_nothing_else() {
    let other = keyed_as(&"0".repeat(64));
    let verdicts = vec![verdict(None, "x", None), verdict(None, "a", Some(&other)), verdict(None, "a", None)];
    let Joint::Rejected(rejections) = together(verdicts) else { panic!("it is rejected") };
    assert!(rejections[0].is_none() && rejections[2].is_none());
    let conflict = rejections[1].as_ref().unwrap();
    assert_eq!((conflict.stage, conflict.reason), (Stage::PreconditionGuard, Reason::ContextInvalid));
    assert_eq!(conflict.row.client_request_id, None);
    // A stale guard is as early, and no conflict.
    let stale = request(r#""expected_target_version":2,"intent":"i","edits":[{"match":"a","replace":"b"}]"#);
    let verdicts = vec![decide(&target("a"), Tx1, &stale), verdict(None, "x", None)];
    let Joint::Rejected(rejections) = together(verdicts) else { panic!("it is rejected") };
    assert!(rejections.iter().all(Option::is_some));
}

/// P-116: one that was decided before has the outcome of all, whatever would become of the others today.
#[test]
fn one_that_is_known_speaks_for_all() {
    let bundle = Sha256Hex::of("a bundle");
    let first = rejected(verdict(Some(&bundle), "x", None));
    let known = keyed_as(first.row.request_fingerprint.as_str());
    let other = keyed_as(&"0".repeat(64));
    for beside in [None, Some(&other)] {
        let verdicts = vec![verdict(Some(&bundle), "a", beside), verdict(Some(&bundle), "x", Some(&known))];
        let Joint::Recovered(ids) = together(verdicts) else { panic!("it is known") };
        assert_eq!(ids, [None, Some("old".to_owned())]);
    }
}

/// P-114, P-116, P-117, P-107: the same submission alone, or in another bundle, is another request; its record is the same.
#[test]
fn an_item_is_of_one_bundle() {
    let prints = [Sha256Hex::of("one"), Sha256Hex::of("other")];
    let rows: Vec<_> =
        [None, Some(&prints[0]), Some(&prints[1])].map(|bundle| accepted(verdict(bundle, "a", None)).row).into();
    assert!(rows.iter().all(|row| row.pdcp_content == rows[0].pdcp_content));
    for (at, bundle) in [None, Some(&prints[0]), Some(&prints[1])].into_iter().enumerate() {
        for (of, row) in rows.iter().enumerate() {
            let known = keyed_as(row.request_fingerprint.as_str());
            let again = verdict(bundle, "a", Some(&known));
            if at == of { drop(recovered(again)) } else { drop(rejected(again)) }
        }
    }
    let print = |bundle| rejected(verdict(bundle, r"\ud800", None)).row.request_fingerprint;
    assert_ne!(print(Some(&prints[0])), print(None));
    assert_ne!(print(Some(&prints[0])), print(Some(&prints[1])));
    assert_eq!(print(Some(&prints[0])), print(Some(&prints[0])));
    // Without a bundle it is as it was.
    let mut desk = Desk::of("a");
    assert_eq!(accepted(desk.submit(Tx1, &edit("a"))).row.request_fingerprint, rows[0].request_fingerprint);
}

/// X-04, P-117: any item more, less or other makes another bundle; their order does not.
#[test]
fn a_bundle_is_its_items() {
    let (one, other, third) = (edit("a"), edit("c"), edit(r"\ud800"));
    let print = |items: &[(&str, crate::Protocol, &Value)]| bundle_print(items.iter().copied());
    let whole = print(&[(ID, Tx1, &one), (OTHER, Tx2, &other)]);
    assert_eq!(whole, print(&[(OTHER, Tx2, &other), (ID, Tx1, &one)]));
    let different = [
        print(&[]),
        print(&[(ID, Tx1, &one)]),
        print(&[(OTHER, Tx2, &other)]),
        print(&[(ID, Tx1, &other), (OTHER, Tx2, &one)]),
        print(&[(ID, Tx1, &one), (OTHER, Tx3, &other)]),
        print(&[(ID, Tx1, &one), (OTHER, Tx2, &third)]),
    ];
    for (at, print) in different.iter().enumerate() {
        assert!(*print != whole && !different[..at].contains(print), "{at}");
    }
}

/// P-066, P-075, P-080: what is no bundle has no row, and says how far it came.
#[test]
fn what_is_none_has_no_context() {
    let none = no_bundle("items is missing");
    assert_eq!((none.stage, none.reason), (Stage::ProtocolValidation, Reason::ManifestInvalid));
    let told = none.diagnostic.ascii();
    assert!(
        told.contains(r#""failure_context":{"source":"unavailable"}"#) && told.contains(r#""format":null"#),
        "{told}"
    );
}
