//! How long an answer is: within one bound for all items, and once something is stored it is told in whatever room there is.

use serde_json::{Value, json};

use super::{TOOL, bundle, edit, item, keyed, statuses};
use crate::ground::{Ground, ROOM, Seen};

const ROOMS: [usize; 7] = [512, 1_200, 4_000, 8_000, 16_000, ROOM, 200_000];

fn many(ground: &Ground, text: &str) -> Vec<Seen> {
    (0..16).map(|_| ground.begin(text)).collect()
}

/// What is told in a room: that all of it is stored, and under which ids as far as those fit.
fn rows(answer: &Value, room: usize) -> Option<Vec<Value>> {
    assert!(answer.to_string().len() <= 32_768);
    assert!(room > 4_000 || answer["omitted"].is_array(), "{answer}");
    if room < 4_000 {
        assert_eq!(answer.get("items"), None);
        return None;
    }
    let items = answer["items"].as_array().unwrap();
    Some(items.iter().map(|item| item["pdcp_log_id"].clone()).collect())
}

/// PG-25, E-37, X-04: the changes of all items share one bound, fairly, and what is left out is counted.
#[test]
fn an_accepted_bundle_is_bounded() {
    let ground = Ground::new();
    let text: String = (0..100).map(|line| format!("<{line}>\n")).collect();
    let targets = many(&ground, &text);
    for (round, room) in ROOMS.into_iter().enumerate() {
        let edits: Vec<Value> =
            (0..100).map(|line| json!({"match": format!("<{line}>"), "replace": format!("<{line}>")})).collect();
        let items = targets.iter().map(|target| {
            let now = ground.now(target);
            item(&now, "patchdiff-tx/1", json!({"edits": edits}))
        });
        let request = keyed(&format!("k{round}"), items.collect());
        let answer = ground.within(TOOL, &request, room).unwrap();
        assert_eq!((&answer["status"], &answer["deduplicated"]), (&json!("accepted"), &json!(false)));
        assert_eq!(ground.now(&targets[15]).version, 2 + round as u64);
        if let Some(rows) = rows(&answer, room) {
            assert!(rows.iter().zip(&targets).all(|(row, target)| *row == ground.log(target)[0]["pdcp_log_id"]));
        }
        for told in answer["items"].as_array().into_iter().flatten() {
            let Some(evidence) = told.get("evidence") else { continue };
            let shown = evidence["changes"].as_array().unwrap().len() as u64;
            assert_eq!(
                (&evidence["total_changes"], evidence["omitted_changes"].as_u64()),
                (&json!(100), Some(100 - shown))
            );
            if let Some(warnings) = told.get("warnings") {
                assert_eq!((warnings.as_array().unwrap().len(), &told["omitted_warnings"]), (4, &json!(101 - 4)));
            }
        }
        if room >= ROOM {
            assert!(
                answer["items"][0]["evidence"]["changes"].as_array().is_some_and(|changes| changes.len() > 1),
                "{answer}"
            );
        }
        // What is told again is as long.
        assert_eq!(ground.within(TOOL, &request, room).unwrap()["deduplicated"], true);
    }
}

/// PG-25, E-37, P-082, X-04: of rejections the longest parts go first, the last item's before the first's; never which rows
/// there are, and never the reason.
#[test]
fn a_rejected_bundle_is_bounded() {
    let ground = Ground::new();
    let text = "\u{1}\"é\\".repeat(400);
    let targets = many(&ground, &text);
    let sought = format!("{}x", "\u{1}\"é\\".repeat(100));
    for room in ROOMS {
        let items = targets.iter().map(|target| edit(target, &sought, "y"));
        let answer = ground.within(TOOL, &bundle(items.collect()), room).unwrap();
        assert_eq!((&answer["status"], &answer["failure_reason"]), (&json!("rejected"), &json!("match_absent")));
        let Some(rows) = rows(&answer, room) else { continue };
        assert_eq!(statuses(&answer), ["rejected"; 16]);
        assert!(rows.iter().zip(&targets).all(|(row, target)| *row == ground.log(target)[0]["pdcp_log_id"]));
        let items = answer["items"].as_array().unwrap();
        assert!(items.iter().all(|item| item["failure_reason"] == "match_absent"));
        let omitted = answer["omitted"].as_array().map(Vec::as_slice).unwrap_or_default();
        for name in ["near_misses", "current_context", "diagnostic", "validity"] {
            let has: Vec<bool> = items.iter().map(|item| item.get(name).is_some()).collect();
            assert!(has.is_sorted_by(|one, other| one >= other), "{name}: {has:?}");
            assert_eq!(has.contains(&false), omitted.contains(&json!(name)), "{name}: {omitted:?}");
        }
    }
    assert!(targets.iter().all(|target| ground.log(target).len() == ROOMS.len()));
    // Where there is room, nothing is left out.
    let answer =
        ground.told("rejected", TOOL, &bundle(vec![edit(&targets[0], "nope", ""), edit(&targets[1], "a", "b")]));
    assert_eq!(answer.get("omitted"), None);
    assert!(answer["items"][1]["near_misses"].is_object());
}
