//! Every case of every tool, natively: the tools over a scripted origin.

mod lists;
mod memory;
mod places;
mod script;
mod small_rows;

use std::path::Path;

use assay_forge::listing::MOST_PAGE;
use assay_kit::{CallResult, Outcome, Runner, ScriptedAnswer, case::CaseSettings, case_run::run_dir};
use assay_tools_read::{TOOLS, find, ports::Ports};
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
        let schema: Value = serde_json::from_str(tool.spec().input_schema.get()).expect("a schema is JSON");
        let sound = json!({"owner": "o", "repo": "r", "index": 1, "query": "q", "path": "p"});
        let required = schema["required"].as_array().expect("a list of names").iter();
        let required = required.map(|name| name.as_str().expect("a name"));
        let mut arguments: Value = required.map(|name| (name.to_owned(), sound[name].clone())).collect();
        for (name, property) in schema["properties"].as_object().expect("an object of properties") {
            let mut probe = |value: Value| {
                let before = arguments[name].take();
                arguments[name] = value;
                let outcome = Native::default().call(tool.name, &arguments.to_string(), 48_000, Vec::new()).outcome;
                match before {
                    Value::Null => drop(arguments.as_object_mut().expect("an object").remove(name)),
                    before => arguments[name] = before,
                }
                let Outcome::Refused { code, message } = outcome else { panic!("nothing answers here: {outcome:?}") };
                assert!(code != "invalid_argument" || message.contains(&format!("`{name}`")), "{name}: {message}");
                code == "invalid_argument"
            };
            let bound = |bound: &str| property[bound].as_u64();
            if let Some(words) = property["enum"].as_array() {
                assert!(words.iter().all(|word| !probe(word.clone())), "{name}: each word");
                assert!(probe("other".into()) && probe("".into()) && probe(7.into()), "{name}: anything else");
            } else if property["type"] == "string" {
                let most = usize::try_from(bound("maxLength").expect("a string has a bound")).expect("small");
                assert!(!probe("x".repeat(most).into()), "{name} of {most} bytes");
                assert!(probe("x".repeat(most + 1).into()), "{name} of {} bytes", most + 1);
                assert_eq!(probe("".into()), bound("minLength") == Some(1), "an empty {name}");
                assert!(probe(7.into()), "{name} as a number");
            } else {
                let least = bound("minimum").expect("a bound");
                assert!(!probe(least.into()) && probe((least - 1).into()), "{name} from its least value on");
                // The contract gives `page` no upper bound; there the greatest is the one that a forge can count with.
                let most = bound("maximum").unwrap_or(MOST_PAGE);
                assert!(!probe(most.into()) && probe((most + 1).into()), "{name} up to its greatest value");
            }
        }
    }
}

/// G-080a: model interfaces drop a whole list of tools for one schema with more than plain words in it.
#[test]
fn every_schema_is_plain() {
    fn check(tool: &str, schema: &Value) {
        let Value::Object(members) = schema else { return };
        assert!(!members.contains_key("$ref"), "{tool}");
        assert!(members.get("type").is_none_or(|kind| !kind.is_array()), "{tool}: a list of types");
        assert!(members.get("type") != Some(&json!("array")) || members.contains_key("items"), "{tool}: items");
        let pattern = members.get("pattern").and_then(Value::as_str).unwrap_or_default();
        assert!(!pattern.contains("(?"), "{tool}: {pattern}");
        members.values().for_each(|member| check(tool, member));
    }
    for tool in TOOLS {
        let schema: Value = serde_json::from_str(tool.spec().input_schema.get()).expect("a schema is JSON");
        for word in ["anyOf", "oneOf", "allOf"] {
            assert!(schema.get(word).is_none(), "{}: {word} at the root", tool.name);
        }
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        let required = schema["required"].as_array().expect("a list of names");
        assert!(
            required.iter().all(|name| schema["properties"].get(name.as_str().unwrap()).is_some()),
            "{}",
            tool.name
        );
        check(tool.name, &schema);
    }
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
