//! Random bundles: all of one or nothing, and every history replays.

use std::collections::BTreeMap;

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// X-04, P-022, P-116, P-117, P-124, P-135: whatever bundles come, each target that one names is one version further, or
    /// none is; texts are what a plain model says, and every history replays to the stored bytes.
    #[test]
    fn all_or_nothing(bundles in vec(asked(), 1..8)) {
        let ground = Ground::new();
        let targets: Vec<Seen> = ["abc\n", "cde", ""].iter().map(|text| ground.begin(text)).collect();
        let mut known: BTreeMap<&str, Value> = BTreeMap::new();
        for Asked { items, key } in bundles {
            let before = state(&ground, &targets);
            let mut expected: Vec<(String, u64)> = before.iter().map(|(text, version, _)| (text.clone(), *version)).collect();
            let mut made = Vec::new();
            let items: Vec<Value> = items.iter().map(|(at, doing)| {
                let now = ground.now(&targets[*at]);
                let (item, text) = submitted(&now, &before[*at].0, doing);
                made.push((*at, text));
                item
            }).collect();
            let mut request = json!({"intent": "i", "items": items});
            if let Some(key) = key {
                request["client_request_id"] = json!(key);
            }
            let answer = ground.call(TOOL, &request);
            prop_assert_eq!(&answer["deduplicated"], &json!(false));
            // A key that some target has is another bundle's: each of these is about other versions or another text.
            let taken = |at: usize| key.is_some_and(|key| before[at].2.iter().any(|row| row["client_request_id"] == key));
            let applies = made.iter().all(|(at, text)| text.is_some() && !taken(*at));
            if known.values().any(|earlier| *earlier == request) {
                continue;
            }
            prop_assert_eq!(&answer["status"], if applies { "accepted" } else { "rejected" }, "{}", &answer);
            if applies {
                for (at, text) in made {
                    expected[at] = (text.unwrap_or_default(), before[at].1 + 1);
                }
                prop_assert!(statuses(&answer).iter().all(|status| *status == "accepted"));
            } else {
                prop_assert!(!statuses(&answer).contains(&"accepted"));
            }
            let after = state(&ground, &targets);
            let now: Vec<(String, u64)> = after.iter().map(|(text, version, _)| (text.clone(), *version)).collect();
            prop_assert_eq!(now, expected);
            // As many rows as the answer tells of, and the same again is no news.
            let told = answer["items"].as_array().unwrap().iter().filter(|item| !item["pdcp_log_id"].is_null()).count();
            let count = |state: &[(String, u64, Vec<Value>)]| state.iter().map(|(_, _, log)| log.len()).sum::<usize>();
            prop_assert_eq!(count(&after), count(&before) + told);
            let is_conflict = answer["items"].as_array().unwrap().iter().any(|item| item["diagnostic"]["code"] == "request_key_conflict");
            if let Some(key) = key.filter(|_| !is_conflict) {
                let again = ground.call(TOOL, &request);
                prop_assert_eq!((&again["deduplicated"], &again["status"]), (&json!(true), &answer["status"]));
                prop_assert_eq!(state(&ground, &targets), after);
                known.insert(key, request);
            }
        }
        for target in &targets {
            ground.replays(target);
        }
    }
}
