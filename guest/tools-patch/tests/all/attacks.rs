//! Requests that are made to do harm: to hide rows, to fill the memory, to take forever. Nothing here is timed; what were a
//! product of two large numbers would not end.

use serde_json::{Value, json};

use crate::ground::{Ground, ROOM, Seen};

/// Every row of a history tool, newest page first, and how many pages that took.
fn walk(ground: &Ground, tool: &str, target: &Seen, more: &Value, room: usize) -> Vec<Value> {
    let (mut rows, mut before) = (Vec::new(), Value::Null);
    loop {
        let mut arguments = json!({"target_file_id": target.id, "before_sequence": before});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let page = ground.within(tool, &arguments, room).unwrap();
        let entries = page["entries"].as_array().unwrap();
        assert!(!entries.is_empty() || rows.is_empty(), "a page of nothing");
        // The ledger's pages are the other way round.
        let is_ledger = tool == "get_manifest_ledger";
        let page_rows: Vec<Value> = if is_ledger { entries.iter().rev().cloned().collect() } else { entries.clone() };
        rows.extend(page_rows);
        assert_eq!(page["has_more"], !page["next_sequence"].is_null(), "{tool}");
        before = page["next_sequence"].clone();
        if before.is_null() {
            return rows;
        }
    }
}

/// P-171, P-172, P-173, P-174, P-150, P-063: a row that is longer than any page (for its warnings, its source, its intent, its
/// rationale or its payload) is shown without what is long of it, which is told by its length, and hides no other row.
#[test]
fn no_row_hides_another() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let long = "\u{1}".repeat(60_000);
    let submit = |more: Value| {
        let version = ground.now(&target).version;
        let mut request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": version,
            "edits": [{"match": "a", "replace": "a"}]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.call("submit_edits", &request)
    };
    let same: Vec<Value> = (0..2_000).map(|_| json!({"match": "a", "replace": "a"})).collect();
    for more in [
        json!({}),
        json!({"source": long}),
        json!({"intent": long}),
        json!({"edits": [{"match": "a", "replace": "a", "rationale": long}]}),
        json!({"edits": same}),
        json!({"edits": [{"match": "a", "replace": "a", "rationale": "r"}], "intent": "last"}),
        json!({"source": long, "edits": [{"match": "nowhere", "replace": ""}]}),
    ] {
        submit(more);
    }
    for room in [9_000, ROOM] {
        for more in [json!({}), json!({"include_content": true}), json!({"limit": 1})] {
            let rows = walk(&ground, "get_pdcp_log", &target, &more, room);
            let sequences: Vec<u64> = rows.iter().map(|row| row["log_sequence"].as_u64().unwrap()).collect();
            assert_eq!(sequences, [7, 6, 5, 4, 3, 2, 1], "{room} {more}");
            assert_eq!(
                (&rows[5]["submission_source"], &rows[6]["submission_source"]),
                (&Value::Null, &json!("model_response"))
            );
            assert_eq!(rows[5]["submission_source_omitted_bytes"], 60_000);
            let warned = &rows[2];
            assert_eq!(
                (warned["warnings"].as_array().map(Vec::len), &warned["omitted_warnings"]),
                (Some(64), &json!(2_001 - 64))
            );
            assert_eq!(rows[0]["failure_reason"], "match_absent");
            assert!(rows[0]["diagnostic"].is_object() && rows[0]["created_at"].is_string());
        }
        for more in [json!({"include_previous_cycles": true}), json!({"limit": 7}), json!({"limit": 200})] {
            let rows = walk(&ground, "get_manifest_ledger", &target, &more, room);
            let sequences: Vec<u64> = rows.iter().map(|row| row["ledger_sequence"].as_u64().unwrap()).collect();
            assert_eq!(sequences, (1..=2_005).rev().collect::<Vec<_>>(), "{room} {more}");
            let hidden: Vec<u64> = rows
                .iter()
                .filter(|row| row["intent"].is_null())
                .map(|row| row["ledger_sequence"].as_u64().unwrap())
                .collect();
            assert_eq!(hidden, [4, 3]);
            let omitted = rows.iter().filter(|row| row["intent_omitted_bytes"] == 60_000).count();
            assert_eq!(omitted, 2);
            assert_eq!(rows[0]["intent"], "r");
        }
    }
}

/// P-098, PG-25: what the evidence of a preview or a submission leaves out is counted, in changes and in bytes of their JSON, and
/// named; and what fits is whole.
#[test]
fn what_evidence_leaves_out_is_counted() {
    let ground = Ground::new();
    let target = ground.begin(&"\u{1}\u{2}".repeat(1_000));
    let request = |count: usize| {
        let operations: Vec<Value> = (0..count)
            .map(|at| json!({"op": "span", "start": at, "end": at, "expected_text": "", "replace": ""}))
            .collect();
        json!({"target_file_id": target.id, "intent": "i", "operations": operations})
    };
    let whole = ground.within("preview", &request(30), 1 << 20).unwrap();
    let all = whole["evidence"]["changes"].as_array().unwrap().clone();
    assert_eq!(
        (&whole["evidence"]["omitted_bytes"], &whole["evidence"]["omitted_fields"], all.len()),
        (&json!(0), &json!([]), 30)
    );
    for room in [3_500, 6_000, 9_000] {
        let part = ground.within("preview", &request(30), room).unwrap();
        let evidence = &part["evidence"];
        let shown = evidence["changes"].as_array().unwrap();
        assert!(shown.len() < 30 && shown[..] == all[..shown.len()], "whole entries, from the first");
        let left: usize = all[shown.len()..].iter().map(|change| change.to_string().len()).sum();
        assert_eq!(
            (&evidence["total_changes"], &evidence["omitted_changes"], &evidence["omitted_bytes"]),
            (&json!(30), &json!(30 - shown.len()), &json!(left))
        );
    }
    // A text that has no room beside no change is left out after them, and named.
    let replaced = json!({"target_file_id": target.id, "replacement": "\u{3}".repeat(2_000)});
    let narrow = ground.within("preview", &replaced, 1_200).unwrap();
    assert_eq!(
        (&narrow["status"], &narrow["evidence"]["omitted_fields"], narrow.get("first_difference")),
        (&json!("ok"), &json!(["first_difference"]), None),
        "{narrow}"
    );
    let wide = ground.within("preview", &replaced, ROOM).unwrap();
    assert_eq!(wide["evidence"]["omitted_fields"], json!([]));
    assert!(wide["first_difference"]["before"].is_string());
}

/// P-169, P-170, PG-32: a million occurrences that overlap are counted, and shown from any of them on.
#[test]
fn a_million_occurrences_are_counted() {
    let ground = Ground::new();
    let target = ground.begin(&"a".repeat(1_000_000));
    for (text, count) in [
        ("a".to_owned(), 1_000_000),
        ("aa".to_owned(), 999_999),
        ("a".repeat(500_000), 500_001),
        ("a".repeat(1_000_000), 1),
    ] {
        for (start, shown) in [(1, 200.min(count)), (count, 1), (count + 1, 0), (u64::MAX, 0)] {
            let arguments =
                json!({"target_file_id": target.id, "text": text, "start_occurrence": start, "context_chars": 0});
            let found = ground.told("ok", "find_occurrences", &arguments);
            assert_eq!(
                (&found["occurrence_count"], &found["returned_count"]),
                (&json!(count), &json!(shown)),
                "{start}"
            );
        }
    }
    let absent = json!({"target_file_id": target.id, "text": format!("{}b", "a".repeat(999_999))});
    assert_eq!(ground.told("ok", "find_occurrences", &absent)["occurrence_count"], 0);
    let answer = ground.edit(&target, json!([{"match": "a", "replace": "b", "anchor_before": "a".repeat(400_000)}]));
    assert_eq!(
        (&answer["failure_reason"], &answer["diagnostic"]["occurrence_count"]),
        (&json!("match_ambiguous"), &json!(1_000_000))
    );
}

/// P-143, P-142, PG-28: the scopes of a text of nothing but line ends, quotes, headings, items or steps are listed, observed sixteen
/// at once, and edited together.
#[test]
fn pathological_texts_have_scopes() {
    let ground = Ground::new();
    let stairs: String = (0..1_300).map(|depth| format!("{}x\n", " ".repeat(depth))).collect();
    for text in [
        "\n".repeat(999_000),
        ">".repeat(1_000_000),
        "#\n".repeat(499_000),
        "- ".repeat(499_000),
        format!("{}\n", "- ".repeat(2_000)).repeat(200),
        format!("{}\n", "> ".repeat(40)).repeat(12_000),
        "```\n# x\n".repeat(120_000),
        "[a]: b\n".repeat(140_000),
        stairs,
    ] {
        let target = ground.begin(&text);
        let listed = ground.told(
            "ok",
            "list_scopes",
            &json!({"target_file_id": target.id, "kinds": ["line"], "max_results": 200}),
        );
        let count = text.matches('\n').count() + usize::from(!text.ends_with('\n'));
        assert_eq!(listed["total_scopes"], count);
        // All kinds, and the last page of them.
        let all = ground.told("ok", "list_scopes", &json!({"target_file_id": target.id}));
        let last = all["total_scopes"].as_u64().unwrap() - 1;
        let page = ground.told("ok", "list_scopes", &json!({"target_file_id": target.id, "start": last}));
        assert_eq!((page["scopes"].as_array().map(Vec::len), &page["next_start"]), (Some(1), &Value::Null));
        let short = |scope: &&Value| scope["end"].as_u64().unwrap() - scope["start"].as_u64().unwrap() < 2_000;
        let scopes = listed["scopes"].as_array().unwrap();
        let ids: Vec<&Value> = scopes.iter().filter(short).map(|scope| &scope["scope_id"]).take(16).collect();
        if ids.is_empty() {
            continue;
        }
        let observed = ground.call("observe_scopes", &json!({"snapshot_id": listed["snapshot_id"], "scope_ids": ids}));
        assert_eq!(observed["status"], "ok", "{observed}");
        let groups: Vec<Value> = observed["scopes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|scope| {
                let insert = json!([{"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "!"}]);
                json!({"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": insert})
            })
            .collect();
        let batch = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1,
            "snapshot_id": observed["snapshot_id"], "groups": groups});
        assert_eq!(ground.told("accepted", "submit_observed_batch", &batch)["version"], 2);
        ground.replays(&target);
    }
}

/// P-053, P-054, P-150, PG-12, PG-20: edits that make more than is kept, by text or by ledger, are refused with a row that cannot be
/// mended, and the largest that is kept is taken.
#[test]
fn what_grows_beyond_its_bound_is_refused() {
    let ground = Ground::new();
    let target = ground.begin(&"x".repeat(999_999));
    let insert = |text: &str| json!({"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": text});
    let submit = |operations: Value, intent: &str| {
        let request = json!({"target_file_id": target.id, "intent": intent, "operations": operations,
            "expected_target_version": ground.now(&target).version});
        ground.call("submit_operations", &request)
    };
    let answer = submit(json!([insert("ab")]), "i");
    assert_eq!(
        (&answer["failure_reason"], &answer["diagnostic"]["retryable"]),
        (&json!("size_limit_exceeded"), &json!(false))
    );
    assert_eq!(answer["diagnostic"]["validation_stage"], "TRANSACTION_APPLICABILITY");
    // In between it may be larger: what is kept is bounded.
    let back = json!({"op": "span", "start": 0, "end": 2, "expected_text": "ab", "replace": "a"});
    assert_eq!(submit(json!([insert("ab"), back]), "i")["status"], "accepted");
    let many: Vec<Value> = (0..5_000).map(|_| insert("")).collect();
    let answer = submit(json!(many), &"i".repeat(1_000));
    assert_eq!(
        (&answer["failure_reason"], &answer["validity"]["protocol_valid"]),
        (&json!("size_limit_exceeded"), &json!(false))
    );
    assert_eq!(answer["diagnostic"]["retryable"], false);
    assert_eq!(submit(json!(many), "short")["status"], "accepted");
    assert_eq!(ground.replays(&target)["replayed_transactions"], 2);
}

/// P-018, P-080, P-112, PG-15: arguments that are nested too deeply, have a key twice or a number too large are none, and have no
/// row; what is nested as deeply as can be is kept as it was.
#[test]
fn arguments_without_bound_are_none() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let request = |edits: &str| {
        format!(r#"{{"target_file_id":"{}","intent":"i","expected_target_version":1,"edits":{edits}}}"#, target.id)
    };
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    for refused in [
        request(&nested(128)),
        request(&objects(128)),
        request(&nested(200_000)),
        request("[1e400]"),
        request(r#"[{"match":"a","match":"a","replace":"b"}]"#),
        request(r#"[{"match":"a","\u006datch":"a","replace":"b"}]"#),
        request("[]").replace("\"intent\"", "\"target_file_id\""),
        request("[]") + "x",
        "[".repeat(1 << 20),
    ] {
        let refusal = ground.raw("submit_edits", &refused, ROOM).unwrap_err();
        assert_eq!(refusal.code, "invalid_argument", "{}", &refused[..refused.len().min(99)]);
        assert!(refusal.message.len() < 400);
    }
    assert!(ground.log(&target).is_empty());
    let deepest = ground.raw("submit_edits", &request(&nested(127)), ROOM).unwrap();
    assert_eq!(deepest["failure_reason"], "block_malformed");
    let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
    assert!(page["entries"][0]["pdcp_content"].as_str().unwrap().contains(&nested(127)));
    // And in it a text that no database stores: the evidence is nested deeper yet.
    let inner = nested(126).replace("[]", r#"["\ud800"]"#);
    let unstorable = ground.raw("submit_edits", &request(&inner), ROOM).unwrap();
    assert_eq!(unstorable["failure_reason"], "target_encoding_invalid");
    let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
    assert!(page["entries"][0]["pdcp_content"].as_str().unwrap().contains(&inner));
}

/// PG-12, P-053, P-155, X-02: the limits of an import are those of a text, as it is kept, and have one reason: a file that is twice
/// as long for its line ends is taken and saved to the byte, one code point more is not, be the file read or only measured.
#[test]
fn an_import_has_the_limits_of_a_text() {
    let ground = Ground::new();
    let import = |bytes: &str| {
        let path = ground.write("file.txt", bytes);
        (path, ground.call("initialize_target", &json!({"from_workspace": true, "path": "file.txt"})))
    };
    for taken in
        ["a".repeat(1_000_000), "é".repeat(524_288), format!("\u{feff}{}", "\r\n".repeat(1_000_000)), String::new()]
    {
        let (path, answer) = import(&taken);
        assert_eq!(
            (&answer["status"], &answer["source_line_endings"]["source_utf8_bytes"]),
            (&json!("ok"), &json!(taken.len()))
        );
        let save =
            json!({"target_file_id": answer["target_file_id"], "sync_workspace": true, "expected_target_version": 1});
        assert_eq!(ground.told("ok", "save", &save)["publication"]["bytes"], taken.len());
        assert!(std::fs::read(&path).unwrap() == taken.as_bytes());
    }
    for refused in ["a".repeat(1_000_001), "é".repeat(524_289), "\r\n".repeat(1_000_001), "a".repeat(3_000_000)] {
        let answer = import(&refused).1;
        assert_eq!(
            (&answer["status"], &answer["failure_reason"]),
            (&json!("rejected"), &json!("size_limit_exceeded")),
            "{answer}"
        );
        let answer = ground.call("initialize_target", &json!({"content": refused}));
        assert_eq!(answer["failure_reason"], "size_limit_exceeded");
    }
}
