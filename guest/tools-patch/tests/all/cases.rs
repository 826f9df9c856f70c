//! What users met elsewhere, row by row as the list of cases has them, from a request to the stored row and the saved bytes.

use std::fs;

use assay_patch::Sha256Hex;
use serde_json::{Value, json};

use crate::ground::{Ground, ROOM, Seen};

fn hash(text: &str) -> String {
    Sha256Hex::of(text).to_string()
}

/// An edit of a new target of this text, which is accepted; the text afterwards and the answer.
fn edited(ground: &Ground, text: &str, from: &str, to: &str) -> (String, Value) {
    let target = ground.begin(text);
    let answer = ground.edit(&target, json!([{"match": from, "replace": to}]));
    assert_eq!(answer["status"], "accepted", "{answer}");
    ground.replays(&target);
    (ground.text(&target), answer)
}

fn refused(ground: &Ground, text: &str, from: &str, to: &str) -> (Seen, Value) {
    let target = ground.begin(text);
    let answer = ground.edit(&target, json!([{"match": from, "replace": to}]));
    assert_eq!(answer["status"], "rejected", "{answer}");
    assert_eq!((ground.text(&target).as_str(), ground.now(&target).version), (text, 1));
    (target, answer)
}

/// E-02, E-03, E-09, E-10, E-42, P-020, P-024, P-027: tabs, typography and other tools' markers are what they are; one letter is
/// replaced where it is once, and nothing where it is not.
#[test]
fn e_02_e_03_e_09_e_10_e_42_texts_are_exact() {
    let ground = Ground::new();
    for (text, from, to, after) in [
        ("a:\n\tcc\nb\n", "b", "c", "a:\n\tcc\nc\n"),
        ("“a” —\u{a0}b \nname\n", "name", "n", "“a” —\u{a0}b \nn\n"),
        ("g = \"hi\"\ng = “hi”\n", "\"hi\"", "\"yo\"", "g = \"yo\"\ng = “hi”\n"),
        ("<<<<<<< SEARCH\n:start_line:\n=======\n", ":start_line:", ":x:", "<<<<<<< SEARCH\n:x:\n=======\n"),
        ("a\n<<<<<<< SEARCH\n", "<<<<<<< SEARCH", ">>>>>>> REPLACE", "a\n>>>>>>> REPLACE\n"),
        ("a\u{feff}b\u{2028}c\n", "\u{feff}b\u{2028}", "\u{2028}\u{feff}", "a\u{2028}\u{feff}c\n"),
    ] {
        let (now, answer) = edited(&ground, text, from, to);
        assert_eq!((now.as_bytes(), &answer["evidence"]["total_changes"]), (after.as_bytes(), &json!(1)), "{from:?}");
    }
    let (_, answer) = refused(&ground, "a\tb\n", " ", "");
    assert_eq!(answer["failure_reason"], "match_absent");
}

/// E-11, E-13, E-14, P-060: what replaces is taken as it is, offsets count code points, and hashes are of UTF-8.
#[test]
fn e_11_e_13_e_14_evidence_is_of_code_points_and_utf_8() {
    let ground = Ground::new();
    for to in [r#"["'(]"#, r"$1 \1 &amp; \n %s {0}", "**進行中**", "", "\u{2028}e\u{301}"] {
        let (text, answer) = edited(&ground, "🟢🔺📅 ALPHA", "ALPHA", to);
        assert_eq!(text, format!("🟢🔺📅 {to}"));
        let change = &answer["evidence"]["changes"][0];
        let expected = json!({"change_id": "chg_001", "span_start": 4, "span_end": 9, "matched_chars": 5,
            "replacement_chars": to.chars().count(), "matched_sha256": hash("ALPHA"), "replacement_sha256": hash(to)});
        assert_eq!(change, &expected);
        let stored: String = text.chars().skip(4).collect();
        assert_eq!(change["replacement_sha256"], hash(&stored), "what is stored is what was sent");
    }
}

/// E-17, P-018, E-25, P-022: the same edit twice: once it applies, once it is absent, both in one transaction are none; the blank
/// line at the end stays.
#[test]
fn e_17_e_25_the_same_edit_twice() {
    let ground = Ground::new();
    let target = ground.begin("alpha\nbeta\n\n");
    let twice = json!([{"match": "alpha", "replace": "x"}, {"match": "alpha", "replace": "x"}]);
    let answer = ground.edit(&target, twice);
    assert_eq!(
        (&answer["failure_reason"], &answer["failed_change_id"]),
        (&json!("sequential_match_invalid"), &json!("chg_002"))
    );
    assert_eq!(ground.text(&target), "alpha\nbeta\n\n");
    let one = json!([{"match": "alpha", "replace": "x"}]);
    assert_eq!(ground.edit(&target, one.clone())["status"], "accepted");
    let answer = ground.edit(&target, one);
    assert_eq!((&answer["failure_reason"], &answer["failed_change_id"]), (&json!("match_absent"), &json!("chg_001")));
    assert_eq!(ground.text(&target), "x\nbeta\n\n");
    let (_, both) = refused(&ground, "a\n", "absent", "");
    assert_eq!(both["failed_change_id"], "chg_001");
}

/// E-34, P-090, X-05: the line that differs is near, and how it differs is told by code points.
#[test]
fn e_34_what_differs_is_told() {
    let ground = Ground::new();
    let (target, answer) = refused(&ground, "begin\ny := 2\nend\n", "y := 99\n", "");
    let first = &answer["near_misses"]["misses"][0];
    assert_eq!((&first["text"], &first["distance"]), (&json!("y := 2\n"), &json!(2)), "{answer}");
    let diff = json!([{"op": "equal", "chars": 5}, {"op": "replace", "chars": 1}, {"op": "delete", "chars": 1}, {"op": "equal", "chars": 1}]);
    assert_eq!(first["diff"], diff);
    assert_eq!((&first["start"], &first["end"]), (&json!(6), &json!(13)));
    let all = &answer["near_misses"];
    assert_eq!((&all["scanned_chars"], &all["total_chars"], &all["complete"]), (&json!(17), &json!(17), &json!(true)));
    assert!(ground.log(&target)[0].get("near_misses").is_none());
}

/// E-33, E-35, E-41, P-026, P-089, P-091: what is in several places is told with all of their number and five of them, is in the
/// row too, and is chosen by number alone.
#[test]
fn e_33_e_35_e_41_several_places() {
    let ground = Ground::new();
    for (text, from, count, first) in [
        ("a\na\na", "a\na", 2, (0, 3)),
        ("}\n}\n}\n", "}", 3, (0, 1)),
        ("x\nx\n", "x", 2, (0, 1)),
        ("ééééééé", "é", 7, (0, 1)),
    ] {
        let (target, answer) = refused(&ground, text, from, "y");
        let diagnostic = &answer["diagnostic"];
        assert_eq!(
            (&answer["failure_reason"], &diagnostic["occurrence_count"]),
            (&json!("match_ambiguous"), &json!(count))
        );
        let candidates = diagnostic["exact_candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), count.min(5));
        assert_eq!((&candidates[0]["start"], &candidates[0]["end"]), (&json!(first.0), &json!(first.1)));
        assert_eq!(&ground.log(&target)[0]["diagnostic"], diagnostic);
        let found = ground.told("ok", "find_occurrences", &json!({"target_file_id": target.id, "text": from}));
        assert_eq!(found["occurrence_count"], count);
        let last = &found["occurrences"][count - 1];
        let answer = ground.edit(&target, json!([{"match": from, "replace": "y", "occurrence_index": count}]));
        assert_eq!(answer["evidence"]["changes"][0]["span_start"], last["start"]);
    }
}

/// E-37, E-38, PG-25: an edit of the largest text, far within it, has a short answer, and so has one that is refused there.
#[test]
fn e_37_e_38_the_largest_text() {
    let ground = Ground::new();
    // As many code points as there can be, and as many bytes.
    for filler in ["a".repeat(999_990), format!("{}a", "é".repeat(524_280))] {
        let text = format!("{filler}<needle>\n");
        let target = ground.begin(&text);
        let at = filler.chars().count();
        let window = ground.told("ok", "read_target", &json!({"target_file_id": target.id, "start": at, "length": 8}));
        assert_eq!(window["text"], "<needle>");
        for (from, status) in [("<nowhere>", "rejected"), ("<needle>", "accepted")] {
            let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1,
                "edits": [{"match": from, "replace": "N"}]});
            let answer = ground.told(status, "submit_edits", &request);
            assert!(answer.to_string().len() <= 32_768);
        }
        assert!(ground.text(&target) == format!("{filler}N\n"));
        ground.replays(&target);
    }
}

/// E-05, E-06, E-07, E-15, E-18, X-02, P-029, P-157: files of every kind of line end, with a mark at the beginning and one within:
/// the text and its hash know of no other line end than LF, whatever the request spells; the file has its own again.
#[test]
fn e_05_e_06_e_07_e_15_line_ends_are_the_files() {
    let ground = Ground::new();
    for (before, from, to, after) in [
        ("a\r\nb\nc", "c", "C", "a\r\nb\nC"),
        ("a\r\nb\r\n", "a\n", "x\n", "x\r\nb\r\n"),
        ("a\r\nb\r\n", "a\r\n", "x\r\n", "x\r\nb\r\n"),
        ("a\r\nb\r\n", "a\rb", "x\ny", "x\r\ny\r\n"),
        ("\u{feff}hello\n", "hello", "hi", "\u{feff}hi\n"),
        ("\u{feff}a\u{feff}b\r\n", "\u{feff}b", "c", "\u{feff}ac\r\n"),
        ("a\u{feff}\rb\r", "a", "\u{feff}", "\u{feff}\u{feff}\rb\r"),
        ("a\r\u{2028}\r\nb\u{85}\n", "b", "c", "a\r\u{2028}\r\nc\u{85}\n"),
        ("hello\r\nworld", "world", "world\ntail", "hello\r\nworld\r\ntail"),
        ("a\r\r\n\n\rb", "b", "B", "a\r\r\n\n\rB"),
    ] {
        let path = ground.write("file.txt", before);
        let target = ground.import("file.txt");
        let text = ground.text(&target);
        assert!(!text.contains('\r') && target.hash == hash(&text));
        let answer = ground.edit(&target, json!([{"match": from, "replace": to}]));
        assert_eq!(answer["status"], "accepted", "{before:?}: {answer}");
        assert_eq!(fs::read(&path).unwrap(), before.as_bytes(), "P-007: the disk is untouched");
        let arguments = json!({"target_file_id": target.id, "sync_workspace": true, "expected_target_version": 2});
        ground.told("ok", "save", &arguments);
        assert_eq!(String::from_utf8(fs::read(&path).unwrap()).unwrap(), after, "{before:?}");
        ground.replays(&target);
        // The same file by another way is the same text.
        let again = ground.import("file.txt");
        let exported =
            ground.told("ok", "export_target", &json!({"target_file_id": again.id, "format": "original_eol"}));
        assert_eq!(exported["text"], after);
    }
}

/// E-22, E-26, E-30, E-31, P-116: a stale guard changes nothing, a key is applied once, edits come in any order, and nothing is a
/// change too.
#[test]
fn e_22_e_26_e_30_e_31_guards_and_keys() {
    let ground = Ground::new();
    let lines: String = (1..=100).map(|line| format!("line {line}.\n")).collect();
    let target = ground.begin(&lines);
    let request = |version: u64, key: &str, edits: Value| json!({"target_file_id": target.id, "intent": "i", "expected_target_version": version, "client_request_id": key, "edits": edits});
    let insert = request(
        1,
        "k1",
        json!([{"match": "line 90.", "replace": "ninety"}, {"match": "line 10.", "replace": "ten\nmore"}]),
    );
    let first = ground.told("accepted", "submit_edits", &insert);
    let again = ground.told("accepted", "submit_edits", &insert);
    assert_eq!((&first["deduplicated"], &again["deduplicated"]), (&json!(false), &json!(true)));
    assert_eq!(again["pdcp_log_id"], first["pdcp_log_id"]);
    let expected = lines.replace("line 90.", "ninety").replace("line 10.", "ten\nmore");
    assert_eq!(ground.text(&target), expected);
    let stale = ground.told("rejected", "submit_edits", &request(1, "k2", json!([{"match": "ten", "replace": "X"}])));
    assert_eq!((&stale["failure_reason"], ground.text(&target)), (&json!("target_version_mismatch"), expected.clone()));
    let same = ground.told("accepted", "submit_edits", &request(2, "k3", json!([{"match": "ten", "replace": "ten"}])));
    let codes: Vec<&Value> = same["warnings"].as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, ["no_op_change", "no_op_transaction"]);
    assert_eq!((ground.text(&target), ground.now(&target).version), (expected, 3));
    assert!(ground.within("read_target", &json!({"target_file_id": target.id}), ROOM).is_ok());
}
