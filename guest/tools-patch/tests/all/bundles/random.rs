//! Random bundles: all of one or nothing, and every history replays.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{TOOL, item, state, statuses};
use crate::ground::{Ground, Seen};

/// What is done to one target.
#[derive(Clone, Debug)]
enum Doing {
    /// A letter that is there becomes another.
    Edit(char),
    Insert,
    Replace(String),
    /// There is none of it.
    Absent,
    Stale,
    Malformed,
}

#[derive(Clone, Debug)]
struct Asked {
    /// In this order, by their numbers.
    items: Vec<(usize, Doing)>,
    key: Option<&'static str>,
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        4 => prop::char::range('a', 'e').prop_map(Doing::Edit),
        3 => Just(Doing::Insert),
        3 => "[a-eé\u{1F600}\n]{0,12}".prop_map(Doing::Replace),
        1 => Just(Doing::Absent),
        1 => Just(Doing::Stale),
        1 => Just(Doing::Malformed),
    ]
}

fn asked() -> impl Strategy<Value = Asked> {
    let order = Just(vec![0_usize, 1, 2]).prop_shuffle();
    let key = select(vec![None, None, Some("k"), Some("l")]);
    (order, vec(doing(), 1..=3), key)
        .prop_map(|(order, doing, key)| Asked { items: order.into_iter().zip(doing).collect(), key })
}

/// The item, and the text that it makes where it applies.
fn submitted(now: &Seen, text: &str, doing: &Doing) -> (Value, Option<String>) {
    let edit = |text: &str, replace: &str| json!({"edits": [{"match": text, "replace": replace}]});
    match doing {
        Doing::Edit(letter) => {
            let sought = letter.to_string();
            let made = (text.matches(*letter).count() == 1).then(|| text.replace(*letter, "é\n"));
            (item(now, "patchdiff-tx/1", edit(&sought, "é\n")), made)
        }
        Doing::Insert => {
            let end = text.chars().count();
            let span = json!({"op": "span", "start": end, "end": end, "expected_text": "", "replace": "+"});
            (item(now, "patchdiff-tx/2", json!({"operations": [span]})), Some(format!("{text}+")))
        }
        Doing::Replace(new) => (item(now, "patchdiff-tx/3", json!({"replacement": new})), Some(new.clone())),
        Doing::Absent => (item(now, "patchdiff-tx/1", edit("nowhere", "")), None),
        Doing::Stale => {
            let mut item = item(now, "patchdiff-tx/3", json!({"replacement": ""}));
            item["expected_target_version"] = json!(now.version + 1);
            (item, None)
        }
        Doing::Malformed => (item(now, "patchdiff-tx/2", json!({"operations": [{"op": "move"}]})), None),
    }
}

/// A request as it is told from others: the order of its items means nothing.
fn unordered(mut request: Value) -> Value {
    let items = request["items"].as_array_mut().unwrap();
    items.sort_by_key(|item| item["target_file_id"].as_str().unwrap().to_owned());
    request
}

fn rows(state: &[(String, u64, Vec<Value>)]) -> usize {
    state.iter().map(|(_, _, log)| log.len()).sum()
}

fn holds(ground: &Ground, bundles: Vec<Asked>) {
    let targets: Vec<Seen> = ["abc\n", "cde", ""].iter().map(|text| ground.begin(text)).collect();
    // What was stored under some key, and how it ended.
    let mut known: Vec<(Value, Value)> = Vec::new();
    for Asked { items, key } in bundles {
        let before = state(ground, &targets);
        let (mut expected, mut applies) = (before.clone(), true);
        let submitted = items.iter().map(|(at, doing)| {
            let (text, version, log) = &before[*at];
            let (item, made) = submitted(&ground.now(&targets[*at]), text, doing);
            // A key that the target has is another bundle's, or this is known.
            let is_taken = key.is_some_and(|key| log.iter().any(|row| row["client_request_id"] == key));
            applies &= made.is_some() && !is_taken;
            expected[*at] = (made.unwrap_or_default(), version + 1, Vec::new());
            item
        });
        let mut request = json!({"intent": "i", "items": submitted.collect::<Vec<_>>()});
        if let Some(key) = key {
            request["client_request_id"] = json!(key);
        }
        let answer = ground.call(TOOL, &request);
        let after = state(ground, &targets);
        let (request, status) = (unordered(request), answer["status"].clone());
        let earlier = known.iter().find(|(earlier, _)| *earlier == request);
        assert_eq!(answer["deduplicated"], earlier.is_some(), "{answer}");
        if let Some((_, earlier)) = earlier {
            assert_eq!((&status, &after), (earlier, &before));
            continue;
        }
        assert_eq!(status, if applies { "accepted" } else { "rejected" }, "{answer}");
        assert!(statuses(&answer).iter().all(|status| applies == (*status == "accepted")), "{answer}");
        let expected = if applies { expected } else { before.clone() };
        for (after, expected) in after.iter().zip(&expected) {
            assert_eq!((&after.0, after.1), (&expected.0, expected.1));
        }
        // As many rows as the answer tells of, and the same again is no news.
        let told: Vec<&Value> = answer["items"].as_array().unwrap().iter().collect();
        assert_eq!(rows(&after), rows(&before) + told.iter().filter(|item| !item["pdcp_log_id"].is_null()).count());
        let is_conflict = told.iter().any(|item| item["diagnostic"]["code"] == "request_key_conflict");
        if key.is_some() && !is_conflict {
            let again = ground.call(TOOL, &request);
            assert_eq!((&again["deduplicated"], &again["status"]), (&json!(true), &status));
            assert_eq!(state(ground, &targets), after);
            known.push((request, status));
        }
    }
    for target in &targets {
        ground.replays(target);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// X-04, P-022, P-116, P-117, P-124, P-135: whatever bundles come, each target that one names is one version further, or
    /// none is; texts are what a plain model says, and every history replays to the stored bytes.
    #[test]
    fn all_or_nothing(bundles in vec(asked(), 1..8)) {
        holds(&Ground::new(), bundles);
    }
}
