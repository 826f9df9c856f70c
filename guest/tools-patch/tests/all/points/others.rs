//! Every other tool that writes, ended at every point: all of its rows are there, or none.

use serde_json::{Value, json};

use super::{
    super::bundles::{bundle, edit},
    ENDS, ended, is_kept, points, says,
};
use crate::ground::{Ground, seen};

/// Makes calls end everywhere, each on a target of its own. How many rows it adds is what it adds when it is left alone.
fn all_or_nothing(ground: &Ground, tool: &str, arguments: impl Fn(&Ground) -> Value) {
    let whole = arguments(ground);
    let before = ground.place.rows();
    let points = points(ground, tool, &whole);
    let added: Vec<i64> = ground.place.rows().iter().zip(&before).map(|(now, before)| now - before).collect();
    for (at, point) in points.iter().enumerate() {
        for end in ENDS {
            let whole = arguments(ground);
            let before = ground.place.rows();
            let said = ended(ground, at, end, tool, &whole);
            let kept = is_kept(&points, at);
            says(said, kept);
            let expected: Vec<i64> =
                before.iter().zip(&added).map(|(before, added)| before + if kept { *added } else { 0 }).collect();
            assert_eq!(ground.place.rows(), expected, "{tool} {point:?} {end:?}");
            if let Some(id) = whole["target_file_id"].as_str() {
                let id = json!({"target_file_id": id});
                let target = seen(&ground.told("ok", "read_target", &id));
                ground.replays(&target);
            }
        }
    }
}

/// P-022, P-082, P-112, X-03: each of the other formats of a submission.
#[test]
fn a_submission_of_any_format() {
    let ground = Ground::new();
    let whole = |ground: &Ground, more: Value| {
        let target = ground.begin("one\n\ntwo\n");
        let mut whole = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1});
        whole.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        whole
    };
    let span = json!({"operations": [{"op": "span", "start": 0, "end": 3, "expected_text": "one", "replace": "1"}]});
    all_or_nothing(&ground, "submit_operations", |ground| whole(ground, span.clone()));
    all_or_nothing(&ground, "submit_replacement", |ground| whole(ground, json!({"replacement": "new\n"})));
    all_or_nothing(&ground, "restore_target", |ground| {
        let target = ground.begin("one\n");
        ground.edit(&target, json!([{"match": "one", "replace": "two"}]));
        json!({"target_file_id": target.id, "to_version": 1, "expected_target_version": 2})
    });
    all_or_nothing(&ground, "submit_observed_batch", |ground| {
        let target = ground.begin("one\n\ntwo\n");
        let listed = ground.told("ok", "list_scopes", &json!({"target_file_id": target.id, "kinds": ["paragraph"]}));
        let (id, hash) = (&listed["scopes"][1]["scope_id"], &listed["scopes"][1]["sha256"]);
        let operations = json!([{"op": "match", "match": "t", "replace": "T"}]);
        json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1,
            "snapshot_id": listed["snapshot_id"],
            "groups": [{"scope_id": id, "expected_scope_sha256": hash, "operations": operations}]})
    });
}

/// P-022, P-112, X-04: a bundle is applied to all of its targets or to none.
#[test]
fn a_bundle() {
    let ground = Ground::new();
    all_or_nothing(&ground, "submit_bundle", |ground| {
        let targets = [ground.begin("a\n"), ground.begin("b\n")];
        bundle(targets.iter().map(|target| edit(target, "\n", "!\n")).collect())
    });
}

/// P-112, P-162, P-006, PG-28: an import, a listing and a checkpoint without a file.
#[test]
fn an_import_a_listing_and_a_checkpoint() {
    let ground = Ground::new();
    ground.write("file.txt", "a\r\nb\n");
    all_or_nothing(&ground, "initialize_target", |_| json!({"content": "a\r\nb\n"}));
    all_or_nothing(
        &ground,
        "list_scopes",
        |ground| json!({"target_file_id": ground.begin("one\n\ntwo\n").id, "kinds": ["paragraph"]}),
    );
    all_or_nothing(
        &ground,
        "save",
        |ground| json!({"target_file_id": ground.begin("one\n").id, "expected_target_version": 1}),
    );
}
