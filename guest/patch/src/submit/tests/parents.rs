//! Lineage: which attempt a request mends.

use super::desk::{Desk, ID, accepted, json_at, rejected, request, target};
use crate::{
    Protocol::{self, Tx1},
    Reason, Sha256Hex, Stage,
    submit::{Parent, Submission, judge},
};

fn child(parent: &str, more: &str) -> String {
    format!(
        r#""expected_target_version":3,"intent":"mend","edits":[{{"match":"a","replace":"a"}}],"parent_pdcp_log_id":{parent}{more}"#
    )
}

/// P-078, P-123, P-120, P-065: only a rejected attempt of the same target is a parent; otherwise the row has none, the record
/// has what was said, and the attempt is refused.
#[test]
fn a_parent_is_a_rejected_attempt() {
    let mut desk = Desk::of("a");
    accepted(desk.submit(Tx1, &request(&child("null", "")))).row.parent_pdcp_log_id.ok_or(()).unwrap_err();
    let absent = r#""expected_target_version":4,"intent":"mend","edits":[{"match":"x","replace":""}]"#;
    rejected(desk.submit(Tx1, &request(absent)));
    let [accepted_id, rejected_id] = [desk.rows[0].id.clone(), desk.rows[1].id.clone()];
    let elsewhere = "ffffffff-0000-4000-8000-00000000abcd";
    for unfit in [&*accepted_id, elsewhere, "", "x", &format!("{rejected_id}\n"), &"é".repeat(1_000)] {
        let given = request(&child(&format!("{:?}", unfit), "").replace(":3", ":4"));
        let refused = rejected(desk.submit(Tx1, &given));
        assert_eq!((refused.stage, refused.reason), (Stage::ProtocolValidation, Reason::ContextInvalid), "{unfit}");
        assert_eq!(refused.row.parent_pdcp_log_id, None);
        assert_eq!(
            crate::json::read(&refused.row.pdcp_content).unwrap().get("parent_pdcp_log_id"),
            Some(&unfit.into())
        );
        assert_eq!(json_at(&refused.diagnostic, "/code"), "");
    }
    for wrong in ["5", "true", "[]"] {
        let refused = rejected(desk.submit(Tx1, &request(&child(wrong, "").replace(":3", ":4"))));
        assert_eq!((refused.reason, refused.row.parent_pdcp_log_id), (Reason::ContextInvalid, None), "{wrong}");
    }
    for spelled in [rejected_id.clone(), rejected_id.to_uppercase()] {
        let given = request(&child(&format!("{spelled:?}"), "").replace(":3", &format!(":{}", desk.target.version)));
        let acceptance = accepted(desk.submit(Tx1, &given));
        assert_eq!(acceptance.row.parent_pdcp_log_id.as_ref(), Some(&rejected_id), "in its one spelling");
        let spelled = format!(r#""parent_pdcp_log_id":"{spelled}""#);
        assert!(acceptance.row.pdcp_content.contains(&spelled), "the record is as it was submitted");
    }
    // A rejected attempt that names a fit parent has it, whatever it is refused for.
    let stale = request(&child(&format!("{rejected_id:?}"), ""));
    assert_eq!(rejected(desk.submit(Tx1, &stale)).row.parent_pdcp_log_id, Some(rejected_id));
}

/// P-120, P-114: a parent that holds is hashed in its one spelling, every other as it was given.
#[test]
fn a_parent_is_part_of_the_identity() {
    let target = target("a");
    let given = "ABCDEF00-0000-4000-8000-00000000ABCD";
    for (parent, hashed) in [
        (Parent::Rejected(given.to_lowercase()), given.to_lowercase()),
        (Parent::Unfit, given.to_owned()),
        (Parent::None, given.to_owned()),
    ] {
        let request = request(&child(&format!("{given:?}"), r#","attempt":0"#));
        let row = rejected(judge(
            &target,
            &Submission { observed: None, bundle: None, protocol: Tx1, request: &request, keyed: None, parent },
        ))
        .row;
        let identity = format!(
            r#"{{"expected_current_hash":null,"expected_target_version":3,"parent_pdcp_log_id":"{hashed}","pdcp_content_hash":"{}","protocol_version":"patchdiff-tx/1","target_file_id":"{ID}"}}"#,
            row.pdcp_content_hash
        );
        assert_eq!(row.request_fingerprint, Sha256Hex::of(identity));
    }
}

/// P-078: a parent that is named and was not looked up is not passed over.
#[test]
fn a_parent_is_not_passed_over() {
    for protocol in [Protocol::Tx1, Protocol::Tx2, Protocol::Tx3] {
        let given = request(&child("\"x\"", ""));
        let submission =
            Submission { observed: None, bundle: None, protocol, request: &given, keyed: None, parent: Parent::None };
        let refused = rejected(judge(&target("a"), &submission));
        assert_eq!(refused.reason, Reason::ContextInvalid);
        assert!(refused.detail.starts_with("parent_pdcp_log_id"));
    }
}

/// P-123, P-036, P-038, ambiguity 4: who made it, and who made it again.
#[test]
fn attempts_have_a_number_and_a_source() {
    for (more, source, attempt, again) in [
        ("", Some("model_response"), None, None),
        (r#","attempt":null"#, Some("model_response"), None, None),
        (r#","attempt":1"#, Some("model_response"), Some(1), None),
        (r#","attempt":2"#, Some("model_response"), Some(2), Some("model_response")),
        (r#","attempt":2147483647,"source":"me""#, Some("me"), Some(2_147_483_647), Some("me")),
        (r#","source":"""#, Some(""), None, None),
        (r#","attempt":2147483648,"source":"me""#, Some("me"), None, None),
        (r#","attempt":0"#, Some("model_response"), None, None),
        (r#","attempt":-1"#, Some("model_response"), None, None),
        (r#","attempt":2.0"#, Some("model_response"), None, None),
        (r#","attempt":2,"source":null"#, None, Some(2), None),
        (r#","attempt":2,"source":7"#, None, Some(2), None),
        (r#","attempt":2,"source":"\u0000""#, None, Some(2), None),
        (r#","attempt":2,"source":"\ud800""#, None, Some(2), None),
    ] {
        let mut desk = Desk::of("a");
        desk.submit(Tx1, &request(&child("null", more)));
        let row = &desk.rows[0].row;
        assert_eq!(row.submission_source.as_deref(), source, "{more}");
        assert_eq!(row.regeneration_attempt, attempt, "{more}");
        assert_eq!(row.regeneration_source.as_deref(), again, "{more}");
    }
}
