//! What clients get to see of the tools: few enough, small enough, named as every client takes it, the same on both
//! transports.

use assay_host::engine::{Engine, Limits};
use assay_kit::{
    AwkwardRepository, ObjectFormat,
    content::prose,
    tree::{Tree, file},
};
use assay_mcp::{Catalogue, Choice, TOOLSETS};
use serde_json::{Value, json};

use crate::{
    program::{Stdio, assay},
    wire::{Gateway, Served},
};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

fn catalogue() -> Catalogue {
    Engine::without_origin(Limits::default()).expect("the embedded components load").catalogue().clone()
}

/// K-13, G-080: what is on by default costs a client little of its context.
#[test]
fn the_default_list_is_small() {
    let offered = catalogue().offered(&Choice::default()).expect("no name is wrong");
    let bytes = serde_json::to_vec(offered.tools()).expect("tools have string keys").len();
    assert!(offered.tools().len() <= 30, "{} tools", offered.tools().len());
    assert!(bytes < 30_000, "{bytes} bytes");
    for tool in [
        "list_repositories",
        "get_file",
        "list_issues",
        "get_issue",
        "list_issue_comments",
        "get_pull_request",
        "get_pull_request_diff",
        "create_issue",
        "create_pull_request",
        "merge_pull_request",
    ] {
        assert!(offered.get(tool).is_some(), "{tool}");
    }
}

/// G-080a, G-081, K-59, K-61, K-62, K-63: names and schemas as every client takes them; all four hints are said. (What a schema
/// may not have, the catalogue refuses when it is made.)
#[test]
fn every_client_can_take_the_list() {
    for tool in catalogue().tools() {
        let name = &tool.name;
        assert!(name.len() <= 40 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert!(tool.description.as_ref().is_some_and(|text| (80..2_000).contains(&text.chars().count())), "{name}");
        let hints = tool.annotations.as_ref().expect("it has some");
        assert!(hints.read_only_hint.is_some() && hints.destructive_hint.is_some(), "{name}");
        // What the editing tools show is the caller's own.
        let is_open = !name.starts_with("patchdiff_");
        assert!(hints.idempotent_hint.is_some() && hints.open_world_hint == Some(is_open), "{name}");
        assert_eq!(tool.input_schema.get("additionalProperties"), Some(&Value::Bool(false)), "{name}");
        let properties = tool.input_schema["properties"].as_object().expect("an object");
        assert!(!properties.contains_key("sponsor") && !properties.contains_key("caller"), "G-004: {name}");
        assert!(tool.output_schema.is_none(), "K-14: what is said once is not said twice: {name}");
    }
}

/// G-002, G-020, G-020a, G-020c, G-037: the remote is not a subset: both transports list the same, and answer the same.
#[test]
fn both_transports_are_one_surface() {
    let repository = AwkwardRepository::large(2_000, ObjectFormat::Sha1);
    let branch = repository.branches().first().expect("one topic").clone();
    let served = Served::over(&repository);
    let mut stdio = Stdio::start_as(&served.url(), &served.token);
    let gateway = Gateway::start(&served.url());
    let bearer = format!("Bearer {}", &*served.token);
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "get_pull_request", "arguments": served.pull(&branch)}})
    .to_string();
    for message in [LIST, &call] {
        let over_stdio: Value = serde_json::from_str(&stdio.exchange(message)).expect("JSON");
        let (status, over_http) = gateway.post(Some(&bearer), message);
        assert_eq!(status, 200);
        assert_eq!(over_stdio, serde_json::from_str::<Value>(&over_http).expect("JSON"));
        assert!(over_stdio["result"].is_object());
    }
}

/// The operator's options: sets, names, what is left out, and reading alone, which wins.
#[test]
fn an_operator_chooses() {
    let tools = |options: &[&str]| {
        let output = assay().arg("tools").args(options).output().expect("the program runs");
        let lines = String::from_utf8(output.stdout).expect("UTF-8");
        let names: Vec<String> =
            lines.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
        (output.status.code(), names, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, all, _) = tools(&["--toolsets", "all"]);
    assert_eq!(code, Some(0));
    let (_, default, _) = tools(&[]);
    assert!(default.iter().all(|name| all.contains(name)));
    let (_, reading, _) = tools(&["--read-only", "--toolsets", "all"]);
    assert!(!reading.is_empty() && reading.iter().all(|name| all.contains(name)));
    let (_, one, _) = tools(&["--tools", "get_file,get_issue", "--exclude-tools", "get_issue"]);
    assert_eq!(one, ["get_file"]);
    let (_, none, _) = tools(&["--read-only", "--tools", "create_issue,get_issue"]);
    assert_eq!(none, ["get_issue"], "reading alone wins over a name");
    for set in TOOLSETS {
        // A set is known, with tools in it or none yet; an offer of nothing is none.
        let (code, names, error) = tools(&["--toolsets", set]);
        assert_eq!(code, Some(if names.is_empty() { 2 } else { 0 }), "{set}: {error}");
        assert!(!names.is_empty() || error.contains("no tool is left"), "{set}: {error}");
    }
    for wrong in
        [["--toolsets", "nope"], ["--tools", "nope"], ["--exclude-tools", "nope"], ["--read-only=maybe", "--json"]]
    {
        let (code, names, error) = tools(&wrong);
        assert_eq!((code, names.len()), (Some(2), 0), "{wrong:?}");
        assert!(error.contains("nope") || error.contains("maybe"), "{error}");
    }
}

/// K-65: what a schema calls optional can be left out: with what is required alone, no tool speaks of its arguments.
#[test]
fn optional_arguments_are_optional() {
    let repository = AwkwardRepository::large(2_000, ObjectFormat::Sha1);
    let served = Served::over(&repository);
    let mut program = Stdio::start_as(&served.url(), &served.token);
    for tool in catalogue().tools() {
        let properties = tool.input_schema["properties"].as_object().expect("an object");
        let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let plain = |name: &str| match properties[name]["type"].as_str() {
            Some("integer") => json!(1),
            Some("array") => json!([]),
            _ => properties[name]["enum"].get(0).cloned().unwrap_or_else(|| json!("x")),
        };
        let names = required.iter().filter_map(Value::as_str);
        let mut arguments: Value =
            names.map(|name| (name.to_owned(), plain(name))).collect::<serde_json::Map<_, _>>().into();
        // One of two that may each be absent, which a plain schema cannot say and the description does.
        match &*tool.name {
            "create_review" => arguments["body"] = json!("x"),
            "update_file" => arguments["text"] = json!("x"),
            _ => {}
        }
        let said = program.call(&tool.name, &arguments);
        assert!(!said.contains("invalid_argument"), "{}: {said}", tool.name);
    }
}

/// K-03: an index has no line of a hunk in it, and takes less than 500 bytes a file, its receipt included.
#[test]
fn an_index_is_small() {
    let base = Tree::from([(b"README".to_vec(), file("21 files\n"))]);
    let mut change = base.clone();
    for number in 0..21 {
        change.insert(format!("src/part{number:02}.txt").into_bytes(), file(prose(number, 18_000)));
    }
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("topic".to_owned(), change)]);
    let served = Served::over(&repository);
    let mut program = Stdio::start_as(&served.url(), &served.token);
    let said = program.call("list_pull_request_files", &served.pull("topic"));
    assert!(!said.contains("@@") && said.contains("part20.txt"), "{said}");
    assert!(said.len() < 21 * 500, "{} bytes for 21 files", said.len());
}

/// K-93, O-G4: another site's page, and another name for this machine, are turned away before anything is read.
#[test]
fn browsers_are_no_clients() {
    let repository = AwkwardRepository::large(2_000, ObjectFormat::Sha1);
    let served = Served::over(&repository);
    let gateway = Gateway::start(&served.url());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = reqwest::Client::new();
        for (header, value, status) in [
            ("host", "evil.example", 403),
            ("origin", "https://evil.example", 403),
            ("origin", "null", 403),
            ("origin", "http://localhost:9", 200),
        ] {
            let request = client.post(&gateway.url).header("content-type", "application/json").body(LIST);
            let request = request.bearer_auth(&*served.token).header(header, value);
            assert_eq!(request.send().await.expect("an answer").status().as_u16(), status, "{header}: {value}");
            let anonymous = client.post(&gateway.url).header(header, value).body("{not json");
            assert_eq!(anonymous.send().await.expect("an answer").status().as_u16(), 401);
        }
    });
}
