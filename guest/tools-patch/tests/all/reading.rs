//! Windows of a text: bounded, without a gap, and smaller where the room is.

use serde_json::{Value, json};

use crate::ground::{Ground, ROOM};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// Walks by whatever cursor, and gives every page.
fn walk(ground: &Ground, tool: &str, mut arguments: Value, from: &str, next: &str, room: usize) -> Vec<Value> {
    let mut pages = Vec::new();
    loop {
        let page = ground.within(tool, &arguments, room).unwrap();
        assert_eq!(page["status"], "ok", "{page}");
        let cursor = page[next].clone();
        pages.push(page);
        if cursor.is_null() {
            return pages;
        }
        arguments[from] = cursor;
        assert!(pages.len() < 20_000, "a walk goes on");
    }
}

/// P-166, P-167, P-168, PG-31: defaults, the limit, the end, and past it.
#[test]
fn a_text_is_read_by_windows() {
    let ground = Ground::new();
    let target = ground.begin(&"é→\u{1f9ea}\n".repeat(3_000));
    let read = |more: Value| {
        let mut arguments = json!({"target_file_id": target.id.to_uppercase()});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.call("read_target", &arguments)
    };
    let first = read(json!({}));
    assert_eq!(
        (&first["status"], &first["version"], &first["current_hash"]),
        (&json!("ok"), &json!(1), &json!(target.hash))
    );
    assert_eq!((&first["start"], &first["end"], &first["next_start"]), (&json!(0), &json!(4_000), &json!(4_000)));
    assert_eq!((&first["total_chars"], &first["truncated"]), (&json!(12_000), &json!(true)));
    assert_eq!(read(json!({"length": 1_000_000_000_000_u64}))["end"], 8_000);
    let end = read(json!({"start": 12_000}));
    assert_eq!((&end["text"], &end["truncated"], &end["next_start"]), (&json!(""), &json!(false), &Value::Null));
    assert_eq!(read(json!({"start": 12_001}))["status"], "invalid_argument");
    assert_eq!(read(json!({"start": null, "length": null})), first);
}

/// P-168, PG-32, K-01, K-02, K-55: the room shortens a window, and walks make the whole text.
#[test]
fn small_rooms_make_small_windows_and_no_gap() {
    let ground = Ground::new();
    let text = "a\t\"\\→\u{1f9ea}\u{1}\n\n\n".repeat(700) + &"x".repeat(9_000);
    let target = ground.begin(&text);
    for room in [700, 2_000, ROOM] {
        let arguments = json!({"target_file_id": target.id, "length": 8_000});
        for tool in ["read_target", "export_target"] {
            let pages = walk(&ground, tool, arguments.clone(), "start", "next_start", room);
            let whole: String = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
            assert!(whole == text, "{tool} in {room}");
        }
        let arguments = json!({"target_file_id": target.id, "max_lines": 1_000});
        let pages = walk(&ground, "read_lines", arguments, "start_line", "next_line", room);
        let lines: Vec<&Value> = pages.iter().flat_map(|page| page["lines"].as_array().unwrap()).collect();
        for (line, expected) in lines.iter().zip(text.split('\n')) {
            let shown = line["text"].as_str().unwrap();
            assert!(if line["cut_at"].is_null() { shown == expected } else { expected.starts_with(shown) });
        }
        assert_eq!(lines.len(), text.lines().count());
        let arguments = json!({"target_file_id": target.id, "text": "\n\n", "context_chars": 400});
        let pages =
            walk(&ground, "find_occurrences", arguments, "start_occurrence", "next_occurrence_index", room.max(9_000));
        let found: Vec<u64> = pages
            .iter()
            .flat_map(|page| page["occurrences"].as_array().unwrap())
            .map(|occurrence| occurrence["occurrence_index"].as_u64().unwrap())
            .collect();
        assert_eq!(found, (1..=1_400).collect::<Vec<u64>>());
    }
}

/// K-01, P-166: a thousand empty lines have no characters to leave out, and fit all the same.
#[test]
fn empty_lines_are_left_out_too() {
    let ground = Ground::new();
    let target = ground.begin(&"\n".repeat(5_000));
    let arguments = json!({"target_file_id": target.id, "max_lines": 1_000});
    for room in [1_000, ROOM] {
        let pages = walk(&ground, "read_lines", arguments.clone(), "start_line", "next_line", room);
        assert_eq!(pages.iter().map(|page| page["lines"].as_array().unwrap().len()).sum::<usize>(), 5_000);
    }
}

/// P-169, P-170, PG-32, E-33: overlapping occurrences, contexts, and pages of them.
#[test]
fn occurrences_are_found_and_paged() {
    let ground = Ground::new();
    let target = ground.begin("a\na\na");
    let found = ground.told("ok", "find_occurrences", &json!({"target_file_id": target.id, "text": "a\r\na"}));
    assert_eq!((&found["occurrence_count"], &found["returned_count"]), (&json!(2), &json!(2)), "{found}");
    let second = json!({"occurrence_index": 2, "start": 2, "end": 5, "before": "a\n", "after": ""});
    assert_eq!(found["occurrences"][1], second);
    let arguments = json!({"target_file_id": target.id, "text": "a", "max_results": 2, "context_chars": 0});
    let page = ground.call("find_occurrences", &arguments);
    assert_eq!(
        (&page["occurrence_count"], &page["truncated"], &page["next_occurrence_index"]),
        (&json!(3), &json!(true), &json!(3))
    );
    let past =
        ground.call("find_occurrences", &json!({"target_file_id": target.id, "text": "a", "start_occurrence": 9}));
    assert_eq!(
        (&past["occurrence_count"], &past["occurrences"], &past["truncated"]),
        (&json!(3), &json!([]), &json!(false))
    );
    let many = ground.begin(&"a".repeat(10_000));
    let page = ground.call(
        "find_occurrences",
        &json!({"target_file_id": many.id, "text": "aa", "max_results": 5_000, "context_chars": 0}),
    );
    assert_eq!((&page["occurrence_count"], &page["returned_count"]), (&json!(9_999), &json!(200)));
}

/// P-111, P-166, P-169, P-171, P-174: what is no argument is told, and nothing is stored.
#[test]
fn arguments_that_are_none_are_told() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let all = ["read_target", "read_lines", "find_occurrences", "export_target", "get_pdcp_log", "get_manifest_ledger"];
    let invalid = |tool: &str, more: &str| {
        let arguments = format!(r#"{{"target_file_id":"{}"{more}}}"#, target.id);
        let answer = ground.raw(tool, &arguments, ROOM).unwrap();
        assert_eq!(answer["status"], "invalid_argument", "{tool} {more}: {answer}");
        assert!(answer["detail"].is_string());
        answer
    };
    for tool in all {
        let more = if tool == "find_occurrences" { r#","text":"a","nope":1"# } else { r#","nope":1"# };
        invalid(tool, more);
        let answer = ground.call(tool, &json!({"target_file_id": "nope", "text": "a"}));
        assert_eq!(answer["status"], "invalid_argument", "{tool}");
    }
    for (tool, more) in [
        ("read_target", r#","start":-1"#),
        ("read_target", r#","start":1.5"#),
        ("read_target", r#","start":"1""#),
        ("read_target", r#","start":true"#),
        ("read_target", r#","length":0"#),
        ("read_lines", r#","start_line":0"#),
        ("read_lines", r#","start_line":9"#),
        ("read_lines", r#","max_lines":0"#),
        ("find_occurrences", ""),
        ("find_occurrences", r#","text":"""#),
        ("find_occurrences", r#","text":"\ud800""#),
        ("find_occurrences", r#","text":"\u0000""#),
        ("find_occurrences", r#","text":"a","context_chars":false"#),
        ("find_occurrences", r#","text":"a","start_occurrence":0"#),
        ("find_occurrences", r#","text":"a","max_results":0"#),
        ("export_target", r#","format":"dos""#),
    ] {
        invalid(tool, more);
    }
    for (tool, more) in [
        ("get_pdcp_log", r#","limit":0"#),
        ("get_pdcp_log", r#","limit":true"#),
        ("get_pdcp_log", r#","before_sequence":0"#),
        ("get_pdcp_log", r#","status":"open""#),
        ("get_pdcp_log", r#","content_hash":"\ud800""#),
        ("get_pdcp_log", r#","client_request_id":7"#),
        ("get_pdcp_log", r#","include_content":"yes""#),
        ("get_manifest_ledger", r#","include_previous_cycles":1"#),
        ("get_manifest_ledger", r#","limit":"1""#),
    ] {
        let answer = invalid(tool, more);
        // P-175.
        assert_eq!(
            (&answer["entries"], &answer["has_more"], &answer["next_sequence"]),
            (&json!([]), &json!(false), &Value::Null)
        );
    }
    assert!(ground.log(&target).is_empty());
    for broken in ["", "[]", "7", "{", r#"{"a":1,}"#] {
        assert_eq!(ground.raw("read_target", broken, ROOM).unwrap_err().code, "invalid_argument");
    }
}

/// P-166, P-175, X-09: what is not there, and what is another's, is not found in the tool's own shape.
#[test]
fn what_is_not_there_is_not_found() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let check = |id: &str| {
        for tool in ["read_target", "read_lines", "find_occurrences", "export_target", "list_scopes", "replay_target"] {
            let mut arguments = json!({"target_file_id": id});
            if tool == "find_occurrences" {
                arguments["text"] = json!("a");
            }
            ground.told("not_found", tool, &arguments);
        }
        for tool in ["get_pdcp_log", "get_manifest_ledger"] {
            let answer = ground.told("not_found", tool, &json!({"target_file_id": id}));
            assert_eq!(
                (&answer["entries"], &answer["has_more"], &answer["next_sequence"]),
                (&json!([]), &json!(false), &Value::Null)
            );
        }
        ground.told("not_found", "save", &json!({"target_file_id": id, "expected_target_version": 1}));
        ground.told("not_found", "restore_target", &json!({"target_file_id": id, "to_version": 1}));
        ground.told("not_found", "preview", &json!({"target_file_id": id, "replacement": ""}));
    };
    check(NOBODY);
    ground.become_owner("another");
    check(&target.id);
}
