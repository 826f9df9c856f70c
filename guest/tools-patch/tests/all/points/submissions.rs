//! A submission that ends at every point: it was made once or not at all, and its key says which.

use serde_json::{Value, json};

use super::{ENDS, ended, is_kept, points, says};
use crate::ground::{Ground, Seen};

const BEFORE: &str = "x\ny\n";

fn request(target: &Seen, text: &str) -> Value {
    json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "edits": [{"match": text, "replace": "z\nz"}]})
}

/// P-010, P-022, P-082, P-112, P-116: an accepted one. Text and history are the old ones or the new ones, they agree, and
/// the same request again comes to one application.
#[test]
fn an_edit_is_made_once_or_not_at_all() {
    let ground = Ground::new();
    let points = points(&ground, "submit_edits", &request(&ground.begin(BEFORE), "x"));
    assert!(points.len() >= 12, "{points:?}");
    for (at, point) in points.iter().enumerate() {
        for end in ENDS {
            let target = ground.begin(BEFORE);
            let request = request(&target, "x");
            let said = ended(&ground, at, end, "submit_edits", &request);
            let kept = is_kept(&points, at);
            says(said, kept);
            let (text, version) = if kept { ("z\nz\ny\n", 2) } else { (BEFORE, 1) };
            let now = ground.now(&target);
            assert_eq!((ground.text(&target).as_str(), now.version), (text, version), "{point:?} {end:?}");
            assert_eq!(ground.log(&target).len(), usize::from(kept));
            ground.replays(&target);

            let again = ground.told("accepted", "submit_edits", &request);
            assert_eq!((&again["deduplicated"], &again["version"]), (&json!(kept), &json!(2)), "{point:?} {end:?}");
            assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), ("z\nz\ny\n", 1));
            let ledger = ground.call("get_manifest_ledger", &json!({"target_file_id": target.id}));
            assert_eq!(ledger["entries"].as_array().expect("an array").len(), 1);
            ground.replays(&target);
        }
    }
}

/// P-082, P-112, P-116, P-118: a rejected one. It is in the history once or not at all, and the text is what it was.
#[test]
fn a_rejection_is_stored_once_or_not_at_all() {
    let ground = Ground::new();
    let points = points(&ground, "submit_edits", &request(&ground.begin(BEFORE), "nope"));
    for (at, point) in points.iter().enumerate() {
        for end in ENDS {
            let target = ground.begin(BEFORE);
            let request = request(&target, "nope");
            let said = ended(&ground, at, end, "submit_edits", &request);
            let kept = is_kept(&points, at);
            says(said, kept);
            assert_eq!(ground.log(&target).len(), usize::from(kept), "{point:?} {end:?}");
            let again = ground.told("rejected", "submit_edits", &request);
            assert_eq!((&again["deduplicated"], &again["failure_reason"]), (&json!(kept), &json!("match_absent")));
            assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), (BEFORE, 1));
            ground.replays(&target);
        }
    }
}

/// P-116: a request that was answered already. Whatever becomes of it, nothing changes.
#[test]
fn a_recovery_changes_nothing() {
    let ground = Ground::new();
    let target = ground.begin(BEFORE);
    let request = request(&target, "x");
    let first = ground.told("accepted", "submit_edits", &request);
    let points = points(&ground, "submit_edits", &request);
    let rows = ground.place.rows();
    for at in 0..points.len() {
        for end in ENDS {
            says(ended(&ground, at, end, "submit_edits", &request), false);
            assert_eq!(ground.place.rows(), rows, "{at} {end:?}");
        }
    }
    assert_eq!(ground.told("accepted", "submit_edits", &request)["pdcp_log_id"], first["pdcp_log_id"]);
    ground.replays(&target);
}
