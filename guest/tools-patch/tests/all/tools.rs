//! How the tools describe themselves: schemas that every client takes, and examples that run.

use std::collections::BTreeMap;

use assay_tools_patch::TOOLS;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ground::Ground;

#[derive(Deserialize)]
struct Example {
    title: String,
    arguments: Value,
}

/// P-018, P-056, K-59 to K-63, ambiguity 13: what clients refuse is in no schema.
#[test]
fn every_schema_is_one_that_clients_take() {
    assert_eq!(TOOLS.len(), 18);
    for tool in TOOLS {
        let spec = tool.spec();
        let name = tool.name;
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        assert!(
            (1..=48).contains(&name.len()) && name.bytes().all(good) && !name.starts_with(|c: char| c.is_ascii_digit())
        );
        let length = spec.description().chars().count();
        assert!((80..=2_000).contains(&length), "{name}: {length}");
        let schema: Value = serde_json::from_str(spec.input_schema.get()).unwrap();
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)), "{name}");
        for refused in ["anyOf", "oneOf", "allOf", "not", "enum"] {
            assert!(schema.get(refused).is_none(), "{name} has {refused}");
        }
        lint(name, &schema);
    }
}

fn lint(at: &str, schema: &Value) {
    let properties = schema["properties"].as_object();
    for required in schema["required"].as_array().into_iter().flatten() {
        let required = required.as_str().unwrap();
        assert!(properties.is_some_and(|known| known.contains_key(required)), "{at} requires {required}");
    }
    assert!(schema["type"].is_string(), "{at} has one type");
    assert!(schema["type"] != "array" || schema["items"].is_object(), "{at} says of what");
    assert!(schema["type"] != "object" || properties.is_some(), "{at} says with what");
    if schema["items"].is_object() {
        lint(&format!("{at}[]"), &schema["items"]);
    }
    for (name, property) in properties.into_iter().flatten() {
        assert!(property["description"].is_string(), "{at}.{name} is described");
        lint(&format!("{at}.{name}"), property);
    }
}

/// P-057, PG-13: thirteen examples, each short enough and each of them a call that succeeds.
#[test]
fn every_example_runs() {
    let examples = include_str!("../../examples.json");
    let examples: BTreeMap<String, Vec<Example>> = serde_json::from_str(examples).unwrap();
    assert_eq!(examples.values().map(Vec::len).sum::<usize>(), 13);
    for (tool, examples) in &examples {
        let all: Vec<Value> =
            examples.iter().map(|example| json!({"title": example.title, "arguments": example.arguments})).collect();
        assert!(json!(all).to_string().len() <= 8_192, "{tool}");
        for example in examples {
            let ground = Ground::new();
            let target = ground.begin("# Notes\n\nalpha beta\nbeta\n");
            let arguments = example.arguments.to_string();
            let arguments =
                arguments.replace("{{target_file_id}}", &target.id).replace("{{current_hash}}", &target.hash);
            let answer = ground.raw(tool, &arguments, 49_000).unwrap();
            let wanted = if tool.contains("submit") { "accepted" } else { "ok" };
            assert_eq!(answer["status"], wanted, "{tool}, {}: {answer}", example.title);
        }
    }
}
