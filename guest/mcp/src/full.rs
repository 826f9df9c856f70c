//! The editing tools' input schemas in full, for people and programs that are no model's interface.
//!
//! `tools/list` has what every model's interface takes: one type a member, and no `anyOf` at the root, which some of them
//! answer by dropping the whole list (the thirteenth decided ambiguity). Here stands what it says in words: that one of two
//! guards must be given, and that a member which may be left out may as well be null (P-034 to P-047).

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::{Catalogue, EDITING_TOOLS};

/// The tools that change nothing without a guard, and where their schema has what it guards (P-040, P-146, X-04).
const GUARDED: [(&str, &str); 7] = [
    ("patchdiff_restore_target", ""),
    ("patchdiff_save", ""),
    ("patchdiff_submit_bundle", "/properties/items/items"),
    ("patchdiff_submit_edits", ""),
    ("patchdiff_submit_observed_batch", ""),
    ("patchdiff_submit_operations", ""),
    ("patchdiff_submit_replacement", ""),
];

/// The members that say which text is meant.
const GUARDS: [&str; 2] = ["expected_target_version", "expected_current_hash"];

/// The schema of each editing tool among these, by its name (P-018, P-040).
#[must_use]
pub fn full_schemas(catalogue: &Catalogue) -> JsonObject {
    let editing = catalogue.tools().iter().filter(|tool| tool.name.starts_with(EDITING_TOOLS));
    let schemas = editing.map(|tool| {
        let mut schema = Value::Object(tool.input_schema.as_ref().clone());
        let guarded = GUARDED.iter().find(|(name, _)| *name == tool.name);
        let rule = guarded.and_then(|(_, at)| Some((at, guard_rule(schema.pointer(at)?))));
        say_null(&mut schema);
        if let Some((at, rule)) = rule
            && let Some(Value::Object(members)) = schema.pointer_mut(at)
        {
            members.insert("anyOf".to_owned(), rule);
        }
        (tool.name.to_string(), schema)
    });
    schemas.collect()
}

/// One of the guards is there, and is not null.
fn guard_rule(schema: &Value) -> Value {
    let given = GUARDS.map(|guard| {
        let kind = schema["properties"][guard]["type"].clone();
        json!({"properties": {guard: {"type": kind}}, "required": [guard]})
    });
    json!(given)
}

/// Objects of several kinds, by the member that says of which, and what all kinds may leave out: another kind's member is
/// none of theirs, not even as null.
const KINDS: [(&str, &[&str]); 2] = [
    ("op", &["change_id", "rationale", "risk"]),
    ("format", &["expected_target_version", "expected_current_hash", "parent_pdcp_log_id", "attempt"]),
];

/// What need not be there may be null, unless it has a value of its own then.
fn say_null(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    let required: Vec<Value> = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let of_all = KINDS.iter().find(|(kind, _)| required.iter().any(|own| own == kind)).map(|(_, of_all)| *of_all);
    for (name, property) in members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        say_null(property);
        let is_of_one_kind = of_all.is_some_and(|of_all| !of_all.contains(&name.as_str()));
        if required.iter().any(|own| own == name) || property.get("default").is_some() || is_of_one_kind {
            continue;
        }
        let Value::Object(property) = property else { continue };
        if let Some(kind) = property.get_mut("type").filter(|kind| kind.is_string()) {
            *kind = json!([kind.take(), "null"]);
        }
        if let Some(Value::Array(choices)) = property.get_mut("enum") {
            choices.push(Value::Null);
        }
    }
    if let Some(items) = members.get_mut("items") {
        say_null(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolSpec;

    fn schema_of(name: &str) -> Option<Value> {
        let spec = |name: &str| ToolSpec {
            name: name.to_owned(),
            title: "Title".to_owned(),
            toolset: "patch".to_owned(),
            description: "Description.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "source": {"type": "string", "default": "model_response"},
                    "expected_target_version": {"type": "integer", "minimum": 0},
                    "expected_current_hash": {"type": "string"},
                    "edits": {"type": "array", "items": {
                        "type": "object", "properties": {"risk": {"type": "string", "enum": ["low"]}}, "required": []
                    }}
                },
                "required": ["id", "edits"],
                "additionalProperties": false
            })
            .to_string(),
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        };
        let catalogue =
            Catalogue::new(vec![spec("patchdiff_submit_edits"), spec("patchdiff_preview"), spec("get_file")]);
        full_schemas(&catalogue.expect("three sound tools")).get(name).cloned()
    }

    /// P-034, P-040, P-045, ambiguity 13: the rule stands at the root, and null counts as absent everywhere but in the guard.
    #[test]
    fn the_guard_is_a_rule() {
        let schema = schema_of("patchdiff_submit_edits").expect("an editing tool");
        let rule = jsonschema::validator_for(&schema).expect("a sound schema");
        let (version, hash) = ("expected_target_version", "expected_current_hash");
        for (call, holds) in [
            (json!({"id": "i", "edits": [], version: 1}), true),
            (json!({"id": "i", "edits": [{"risk": null}], version: null, hash: "h"}), true),
            (json!({"id": "i", "edits": [{"risk": "low"}], version: 1, hash: null}), true),
            (json!({"id": "i", "edits": []}), false),
            (json!({"id": "i", "edits": [], version: null}), false),
            (json!({"id": "i", "edits": [], version: null, hash: null}), false),
            (json!({"id": "i", "edits": [], version: 1, hash: 7}), false),
            (json!({"id": "i", "edits": [{"risk": "no"}], version: 1}), false),
            (json!({"id": null, "edits": [], version: 1}), false),
            (json!({"id": "i", "edits": [], version: 1, "source": null}), false),
        ] {
            assert_eq!(rule.is_valid(&call), holds, "{call}");
        }
        let preview = schema_of("patchdiff_preview").expect("an editing tool");
        assert_eq!(preview.get("anyOf"), None);
        assert_eq!(preview["properties"][version]["type"], json!(["integer", "null"]));
        assert_eq!(schema_of("get_file"), None);
    }
}
