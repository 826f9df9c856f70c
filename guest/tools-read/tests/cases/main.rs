//! Every case of every tool, natively: the tools over a scripted origin.

mod endless;
mod lists;
mod memory;
mod places;
mod script;
mod small_rows;

use std::path::Path;

use assay_forge::listing::MOST_PAGE;
use assay_kit::{
    CallResult, Outcome, Runner, ScriptedAnswer,
    case::CaseSettings,
    case_run::run_dir,
    schema::{assert_kept, assert_plain},
};
use assay_tools_read::{TOOLS, Tool, find, ports::Ports};
use serde_json::{Value, json};

use crate::{memory::Memory, script::Script};

#[test]
fn every_tool_keeps_its_cases() {
    for tool in TOOLS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(tool.name).join("cases");
        run_dir(&folder, &mut Native::default());
    }
}

/// The list is what `tool.json` files say, and they say enough.
#[test]
fn every_tool_describes_itself() {
    for tool in TOOLS {
        let spec = tool.spec();
        assert!(!spec.title.is_empty() && spec.title.len() <= 60, "{}", tool.name);
        let description = spec.description();
        assert!(description.len() > 80 && description.chars().count() < 2_000, "{}", tool.name);
        assert!(spec.annotations.read_only_hint && !spec.annotations.destructive_hint, "{} only reads", tool.name);
    }
    assert!(TOOLS.is_sorted_by_key(|tool| tool.name));
}

/// D-012, D-013: every bound that a schema publishes is the one that is kept, to the byte, and a refusal names the argument.
#[test]
fn the_schema_is_what_is_kept() {
    for tool in TOOLS {
        let schema = schema(tool);
        let sound = json!({"owner": "o", "repo": "r", "index": 1, "query": "q", "path": "p"});
        let required = schema["required"].as_array().expect("a list of names").iter();
        let required = required.map(|name| name.as_str().expect("a name"));
        let arguments: Value = required.map(|name| (name.to_owned(), sound[name].clone())).collect();
        let mut refusal = |arguments: &Value| match Native::default()
            .call(tool.name, &arguments.to_string(), 48_000, Vec::new())
            .outcome
        {
            Outcome::Refused { code, message } => (code, message),
            other => panic!("nothing answers here: {other:?}"),
        };
        // Every integer has its greatest in the schema, `page` too: beyond it no forge can count.
        assert_kept(&schema, &|_| arguments.clone(), MOST_PAGE, &mut refusal);
    }
}

/// G-080a.
#[test]
fn every_schema_is_plain() {
    for tool in TOOLS {
        assert_plain(tool.name, &schema(tool));
    }
}

fn schema(tool: &Tool) -> Value {
    serde_json::from_str(tool.spec().input_schema.get()).expect("a schema is JSON")
}

/// One process: what it remembers, the calls of a case share.
#[derive(Default)]
struct Native(Memory);

impl Runner for Native {
    fn begin(&mut self, settings: &CaseSettings) {
        self.0 = Memory::with(settings);
    }

    fn call(&mut self, tool: &str, arguments: &str, room: u32, forge: Vec<ScriptedAnswer>) -> CallResult {
        let script = Script::new(forge);
        let tool = find(tool).expect("cases stand in their tool's folder");
        let ports = Ports { origin: &script, lists: &script, objects: &self.0, reading: &self.0 };
        let outcome = match tool.call(ports, arguments, usize::try_from(room).expect("small")) {
            Ok(text) => Outcome::Ok(text),
            Err(refusal) => Outcome::Refused { code: refusal.code.into_owned(), message: refusal.message },
        };
        CallResult { outcome, requests: script.seen() }
    }
}
