//! Lists whose rows are small whatever the forge sends, and lists of long texts that go on by bytes.

use assay_kit::ScriptedAnswer;
use serde_json::{Value, json};

use crate::{
    lists::{answer, call, ids},
    script::Script,
};

/// K-06: five pull requests with 20 KB each of text, and what else a forge sends, take two kilobytes and a half.
#[test]
fn rows_are_small() {
    let long = "\"→\n".repeat(4_000);
    let branch = |name: &str| json!({"ref": name, "sha": "ab".repeat(20), "repo": {"full_name": "o/r", "description": long, "owner": {"bio": long}}});
    let pull = |number: u64| {
        json!({"number": number, "title": "Make it so", "body": long, "state": "open", "merged": false, "draft": false,
               "user": {"id": 1, "login": "alice", "description": long}, "head": branch("feature"), "base": branch("main"),
               "labels": [{"name": "bug", "description": long}], "comments": 3, "created_at": "2026-12-02T01:14:52Z",
               "updated_at": "2026-12-02T01:14:52Z"})
    };
    let commit = |number: u64| {
        json!({"sha": format!("{number:040}"), "commit": {"message": format!("Subject\n\n{long}"), "verification": long,
               "author": {"name": "Alice", "date": "2026-12-02T01:14:52Z"}}, "files": [{"filename": long}],
               "parents": [{"sha": "ab".repeat(20)}]})
    };
    let branches = |number: u64| json!({"name": format!("b{number}"), "commit": {"id": "ab".repeat(20), "message": long}, "protected": false});
    let release = |number: u64| json!({"id": number, "tag_name": format!("v{number}"), "name": "One", "body": long, "assets": [], "author": {"bio": long}});
    let of = |row: &dyn Fn(u64) -> Value| json!((1..=5).map(row).collect::<Vec<_>>());
    for (tool, route, rows, most) in [
        ("list_pull_requests", "pulls?state=open&page=1&limit=5", of(&pull), 2_500),
        ("list_commits", "commits?stat=false&files=false&verification=false&page=1&limit=5", of(&commit), 1_300),
        ("list_branches", "branches?page=1&limit=5", of(&branches), 600),
        ("list_releases", "releases?page=1&limit=5", of(&release), 1_200),
    ] {
        let answers = vec![answer(&format!("/repos/o/r/{route}"), &rows, &[])];
        let page = call(tool, &json!({"owner": "o", "repo": "r", "limit": 5}), Script::new(answers)).expect("a page");
        assert_eq!(page["returned"], 5);
        let bytes = page.to_string().len();
        assert!(bytes < most, "{tool}: {bytes} bytes");
    }
}

/// K-05, K-87: 400 reviews of 2 KB, and as many comments of one of them, come once each, in their order and whole.
#[test]
fn long_texts_go_on_by_bytes() {
    let review = |id: u64| json!({"id": id, "state": "COMMENT", "body": format!("{id}{}", "\"→".repeat(500))});
    let pages = (1..=8).map(|page| {
        let rows: Vec<Value> = ((page - 1) * 50 + 1..=page * 50).map(review).collect();
        answer(
            &format!("/repos/o/r/pulls/7/reviews?page={page}&limit=50"),
            &json!(rows),
            &[("x-total-count", "400".into())],
        )
    });
    let answers =
        walk(json!({"owner": "o", "repo": "r", "index": 7, "limit": 50}), &pages.collect::<Vec<_>>(), "reviews");
    assert!(answers < 50, "{answers} answers");

    let shuffled: Vec<Value> = (1..=400).map(|at| review(at * 7 % 401)).collect();
    let all = [answer("/repos/o/r/pulls/7/reviews/3/comments", &json!(shuffled), &[])];
    let target = json!({"owner": "o", "repo": "r", "index": 7, "review_id": 3, "limit": 50});
    assert!(walk(target, &all, "comments") < 50);
}

/// Follows a list to its end and gives the number of answers that took.
fn walk(mut arguments: Value, forge: &[ScriptedAnswer], rows: &str) -> usize {
    let mut seen = Vec::new();
    for answers in 1.. {
        let page = call("list_reviews", &arguments, Script::new(forge.to_vec())).expect("a page");
        let shown = page[rows].as_array().expect("rows");
        assert!(!shown.is_empty(), "every answer goes on");
        assert!(shown.iter().all(|row| row["body"] == format!("{}{}", row["id"], "\"→".repeat(500))));
        seen.extend(ids(&page[rows], "id"));
        if page["has_more"] == false {
            assert!(page["next_page"].is_null() && page["next_after_id"].is_null());
            assert_eq!(seen, (1..=400).collect::<Vec<_>>());
            return answers;
        }
        arguments["page"] = page["next_page"].clone();
        arguments["after_id"] = page["next_after_id"].clone();
    }
    unreachable!("a list ends")
}

/// One text that no answer can hold is shown as far as it fits, and the list goes on behind it.
#[test]
fn a_text_beyond_any_answer_is_marked() {
    let long = "語\n".repeat(100_000);
    let rows = json!([{"id": 1, "body": "short"}, {"id": 2, "body": long}, {"id": 3, "body": "last"}]);
    let forge = [answer("/repos/o/r/pulls/7/reviews?page=1&limit=20", &rows, &[("x-total-count", "3".into())])];
    let mut arguments = json!({"owner": "o", "repo": "r", "index": 7});
    let mut page = |after: u64| {
        arguments["after_id"] = if after == 0 { Value::Null } else { after.into() };
        call("list_reviews", &arguments, Script::new(forge.to_vec())).expect("a page")
    };
    assert_eq!(ids(&page(0)["reviews"], "id"), [1]);
    let second = page(1);
    let row = &second["reviews"][0];
    let shown = row["body"].as_str().expect("a text");
    assert!(long.starts_with(shown) && shown.len() > 30_000, "{} bytes", shown.len());
    assert_eq!((&row["body_truncated"], &row["body_bytes"]), (&json!(true), &json!(400_000)));
    assert_eq!((&second["has_more"], &second["next_after_id"]), (&json!(true), &json!(2)));
    let third = page(2);
    assert_eq!((ids(&third["reviews"], "id"), &third["has_more"]), (vec![3], &json!(false)));
}
