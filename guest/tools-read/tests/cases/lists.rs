//! Lists of a size, and with an operator's list of repositories, which no case file should hold.

use assay_kit::{Response, ScriptedAnswer, case::CaseSettings};
use assay_tools_read::{find, ports::Ports};
use serde_json::{Value, json};

use crate::{memory::Memory, script::Script};

pub(crate) fn answer(get: &str, json: &Value, headers: &[(&str, String)]) -> ScriptedAnswer {
    let mut response = Response::json(200, json);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    ScriptedAnswer::get(get, response)
}

pub(crate) fn call(tool: &str, arguments: &Value, script: Script) -> Result<Value, (String, String)> {
    let memory = Memory::with(&CaseSettings::default());
    let ports = Ports { origin: &script, lists: &script, objects: &memory, reading: &memory };
    let tool = find(tool).expect("a tool");
    match tool.call(ports, &arguments.to_string(), 48_000) {
        Ok(text) => {
            assert!(Value::from(text.as_str()).to_string().len() - 2 <= 48_000);
            Ok(serde_json::from_str(&text).expect("an answer is JSON"))
        }
        Err(refusal) => Err((refusal.code.into_owned(), refusal.message)),
    }
}

pub(crate) fn ids(rows: &Value, name: &str) -> Vec<u64> {
    rows.as_array().expect("rows").iter().map(|row| row[name].as_u64().expect("an id")).collect()
}

/// K-87, K-82, G-100: 61 issues and 174 repositories, over pages of the forge's own width, each once.
#[test]
fn every_row_comes_once() {
    let issue = |number: u64| {
        json!({"id": number + 1_000, "number": number, "title": "t", "body": "b".repeat(20_000), "pull_request": null,
               "html_url": format!("https://f.example/o/r/issues/{number}"), "repository": {"owner": "o", "name": "r"}})
    };
    let target = |page: u64| format!("/repos/o/r/issues?type=issues&state=open&page={page}&limit=30");
    let issues = (1..=3).map(|page| {
        let next = format!("<https://f.example/api/v1/repos/o/r/issues?page={}&state=open>; rel=\"next\"", page + 1);
        let link = if page < 3 { next } else { "<https://f.example/x?page=1>; rel=\"first\"".to_owned() };
        let rows: Vec<Value> = ((page - 1) * 30 + 1..=(page * 30).min(61)).map(issue).collect();
        answer(&target(page), &json!(rows), &[("x-total-count", "61".into()), ("link", link)])
    });
    walk("list_issues", json!({"owner": "o", "repo": "r"}), &issues.collect::<Vec<_>>(), ("issues", "number"), 61);

    // A forge whose greatest page has 20 rows, with a count alone, and without even that but with relations.
    for counted in [true, false] {
        let repositories = (1..=10).map(|page| {
            let rows: Vec<Value> = ((page - 1) * 20 + 1..=(page * 20).min(174)).map(|id| json!({"id": id})).collect();
            let next = format!("<https://other.example/?page={}>; rel=\"next\"", page + 1);
            let link = if page < 9 { next } else { "<https://other.example/?page=1>; rel=\"first\"".to_owned() };
            let evidence = if counted { ("x-total-count", "174".to_owned()) } else { ("link", link) };
            answer(&format!("/user/repos?page={page}&limit=50"), &json!(rows), &[evidence])
        });
        let answers: Vec<_> = repositories.collect();
        walk("list_repositories", json!({}), &answers, ("repositories", "id"), 174);
    }
}

fn walk(tool: &str, mut arguments: Value, answers: &[ScriptedAnswer], (rows, name): (&str, &str), most: u64) {
    let mut seen = Vec::new();
    for _ in 0..answers.len() {
        let page = call(tool, &arguments, Script::new(answers.to_vec())).expect("a page");
        seen.extend(ids(&page[rows], name));
        assert_eq!(page["has_more"], !page["next_page"].is_null());
        arguments["page"] = page["next_page"].clone();
        if page["next_page"].is_null() {
            break;
        }
    }
    assert!(arguments["page"].is_null(), "{tool} ends");
    assert_eq!(seen, (1..=most).collect::<Vec<_>>(), "{tool}");
}

/// G-085: rows outside the operator's list are dropped and counted; where it is not known which are, none is shown.
#[test]
fn hidden_repositories_are_dropped_and_counted() {
    let rows: Vec<Value> = (1..=50).map(|id| json!({"id": id, "full_name": format!("o/secret{id}")})).collect();
    let answers = [
        answer("/user/repos?page=1&limit=50", &json!(rows), &[]),
        answer("/repos/search?q=x&page=1&limit=50", &json!({"data": rows}), &[]),
    ];
    let hidden: Vec<u64> = (1..=50).filter(|id| *id != 7).collect();
    for (tool, arguments) in
        [("list_repositories", json!({})), ("search_repositories", json!({"query": "x", "limit": 50}))]
    {
        let script = || Script::new(answers.to_vec());
        let page = call(tool, &arguments, script().hiding(Some(&hidden))).expect("a page");
        assert_eq!(ids(&page["repositories"], "id"), [7]);
        assert_eq!((&page["hidden"], &page["returned"]), (&json!(49), &json!(1)));
        // What is kept back does not end the walk.
        assert_eq!((&page["has_more"], &page["next_page"]), (&json!(true), &json!(2)));
        assert!(!page.to_string().contains("secret8"));
        let (code, message) = call(tool, &arguments, script().hiding(None)).expect_err("not known");
        assert!(code == "timed_out" && !message.contains("secret"), "{message}");
    }
}

/// K-05, K-06: what is long gives way or refuses; no row is lost and no text is cut.
#[test]
fn long_rows_fit_or_refuse() {
    let rows: Vec<Value> = (1..=50).map(|id| json!({"id": id, "description": "\"→".repeat(1_000)})).collect();
    let repositories = [answer("/user/repos?page=1&limit=50", &json!(rows), &[])];
    let page = call("list_repositories", &json!({}), Script::new(repositories.to_vec())).expect("a page");
    assert_eq!(ids(&page["repositories"], "id"), (1..=50).collect::<Vec<_>>());
    let shown = page["repositories"].as_array().expect("rows").iter().filter(|row| !row["description"].is_null());
    assert!(shown.clone().all(|row| row["description"] == "\"→".repeat(1_000)));
    assert_eq!(page["descriptions_left_out"], 50 - shown.count());

    let issue = |body: String| json!({"id": 1, "number": 9, "body": body});
    let comments = |count: usize, bytes: usize| {
        let rows: Vec<Value> = (1..=count).map(|id| json!({"id": id, "body": "c".repeat(bytes)})).collect();
        let answers = [
            answer("/repos/o/r/issues/9", &issue(String::new()), &[]),
            answer("/repos/o/r/issues/9/comments", &json!(rows), &[("x-total-count", count.to_string())]),
        ];
        let target = json!({"owner": "o", "repo": "r", "index": 9});
        call("list_issue_comments", &target, Script::new(answers.to_vec()))
    };
    let answered = comments(20, 2_000).expect("they fit");
    assert_eq!(answered["returned"], 20);
    for (count, bytes) in [(400, 2_048), (1, 70_000), (100_000, 0), (2, 40_000)] {
        let (code, message) = comments(count, bytes).expect_err("they do not");
        assert_eq!(code, "answer_too_large");
        assert!(message.contains(&format!("{count} comments with {} bytes", count * bytes)), "{message}");
    }
    for bytes in [48_000, 70_000] {
        let answers = vec![answer("/repos/o/r/issues/9", &issue("x".repeat(bytes)), &[])];
        let target = json!({"owner": "o", "repo": "r", "index": 9});
        let (code, message) = call("get_issue", &target, Script::new(answers)).expect_err("too long");
        assert!(code == "answer_too_large" && message.contains(&format!("{bytes} bytes")), "{message}");
    }
}

/// G-147: these tools read alone, and stand with the caller's other reads.
#[test]
fn tools_about_issues_only_read() {
    for name in ["list_issues", "get_issue", "list_issue_comments"] {
        let spec = find(name).expect("a tool").spec();
        assert_eq!(spec.toolset, "issues");
        assert!(
            spec.annotations.read_only_hint && spec.annotations.idempotent_hint && spec.annotations.open_world_hint
        );
        // G-146a.
        assert!(spec.description().contains("authorises nothing"), "{name}");
    }
}
