//! Every case of every tool, natively: the tools over a scripted origin.

mod once;
mod script;

use std::path::Path;

use assay_kit::{
    CallResult, Outcome, Runner, ScriptedAnswer,
    case::CaseSettings,
    case_run::run_dir,
    schema::{assert_kept, assert_plain},
};
use assay_tools_write::{TOOLS, Tool, find, ports::Ports};
use serde_json::{Value, json};

use crate::script::Script;

#[test]
fn every_tool_keeps_its_cases() {
    for tool in TOOLS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(tool.name).join("cases");
        run_dir(&folder, &mut Native);
    }
}

/// The list is what `tool.json` files say; what may take something away is marked so.
#[test]
fn every_tool_describes_itself() {
    for tool in TOOLS {
        let spec = tool.spec();
        assert!(!spec.title.is_empty() && spec.title.len() <= 60, "{}", tool.name);
        let description = spec.description();
        assert!(description.len() > 80 && description.chars().count() < 1_000, "{}", tool.name);
        assert!(!spec.annotations.read_only_hint, "{} writes", tool.name);
        let destroys = ["merge_pull_request", "update_file"].contains(&tool.name);
        assert_eq!(spec.annotations.destructive_hint, destroys, "{}", tool.name);
        // A second merge finds it merged, a second update a guard that fails; a second creation makes a second thing.
        assert_eq!(spec.annotations.idempotent_hint, destroys, "{}", tool.name);
    }
    assert!(TOOLS.is_sorted_by_key(|tool| tool.name));
}

fn schema(tool: &Tool) -> Value {
    serde_json::from_str(tool.spec().input_schema.get()).expect("a schema is JSON")
}

/// G-080a.
#[test]
fn every_schema_is_plain() {
    for tool in TOOLS {
        assert_plain(tool.name, &schema(tool));
    }
}

/// D-012, D-013, K-65: every bound that a schema publishes is the one that is kept, and what it calls optional may be absent.
#[test]
fn the_schema_is_what_is_kept() {
    for tool in TOOLS {
        let mut refusal = |arguments: &Value| match call(tool.name, &arguments.to_string(), Vec::new()).outcome {
            Outcome::Refused { code, message } => (code, message),
            other => panic!("nothing answers here: {other:?}"),
        };
        assert_kept(&schema(tool), &|at| sound(tool.name, at), u64::MAX, &mut refusal);
    }
}

/// Arguments that are taken, in which the member at `at` may be put.
pub(crate) fn sound(tool: &str, at: &str) -> Value {
    let mut arguments = json!({"owner": "o", "repo": "r"});
    let more = match tool {
        "create_comment" => json!({"index": 7, "body": "b"}),
        "create_issue" => json!({"title": "t"}),
        "create_pull_request" => json!({"title": "t", "head": "feature", "base": "main"}),
        "merge_pull_request" => json!({"index": 7}),
        "create_review" => {
            // What the schema does not say: a comment has a line on one side.
            let mut comment = json!({"path": "a.txt", "body": "b"});
            if at != "/comments/0/old_line" {
                comment["line"] = json!(2);
            }
            json!({"index": 7, "event": "comment", "body": "b", "comments": [comment]})
        }
        "update_file" => {
            let mut more = json!({"path": "a.txt", "branch": "main", "message": "m", "text": "t"});
            if at == "/content_base64" {
                more.as_object_mut().expect("an object").remove("text");
            }
            more
        }
        other => panic!("{other} needs arguments here"),
    };
    for (name, value) in more.as_object().expect("an object") {
        arguments[name] = value.clone();
    }
    arguments
}

pub(crate) fn call(tool: &str, arguments: &str, forge: Vec<ScriptedAnswer>) -> CallResult {
    Native.call(tool, arguments, 48_000, forge)
}

/// Nothing is remembered from call to call.
struct Native;

impl Runner for Native {
    fn begin(&mut self, _: &CaseSettings) {}

    fn call(&mut self, tool: &str, arguments: &str, room: u32, forge: Vec<ScriptedAnswer>) -> CallResult {
        let script = Script::new(forge);
        let tool = find(tool).expect("cases stand in their tool's folder");
        let ports = Ports { origin: &script, write: &script };
        let outcome = match tool.call(ports, arguments, usize::try_from(room).expect("small")) {
            Ok(text) => Outcome::Ok(text),
            Err(refusal) => Outcome::Refused { code: refusal.code.into_owned(), message: refusal.message },
        };
        CallResult { outcome, requests: script.seen() }
    }
}
