//! How much the answers of the observed tools tell: all of it, or what the next call needs (P-012, P-013, P-014).
//!
//! An answer is cut where it leaves for a client and nowhere else: tools, history and the identity of requests know nothing
//! of it. Which members are kept is what the published schemas say, so that the two cannot differ (PG-06).

use std::sync::LazyLock;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The results in full, by tool. What [`SUPPLEMENTARY`] marks is for people and records, and is left out of the other shape.
static DETAILED: LazyLock<JsonObject> =
    LazyLock::new(|| serde_json::from_str(include_str!("response/detailed.json")).expect("it is tested"));

static COMPACT: LazyLock<JsonObject> =
    LazyLock::new(|| DETAILED.iter().map(|(tool, schema)| (tool.clone(), compact(schema))).collect());

/// The comment of a member that is not needed to go on.
const SUPPLEMENTARY: &str = "supplementary";

/// What a client is told of a success. Failures are complete in either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// Everything.
    #[default]
    Detailed,
    /// Of what the observed tools answer, what the next call needs.
    Compact,
}

impl ResponseMode {
    /// The answer as it leaves.
    #[must_use]
    pub fn shown(self, tool: &str, answer: String) -> String {
        match (self, COMPACT.get(tool)) {
            (Self::Compact, Some(schema)) => cut(schema, &answer).unwrap_or(answer),
            _ => answer,
        }
    }
}

/// What a success of each observed tool is in either mode, as JSON Schemas (PG-06). All other results are the same in both.
#[must_use]
pub fn result_schemas() -> JsonObject {
    let both = |(tool, schema): (&String, &Value)| {
        let compact = COMPACT.get(tool).cloned();
        (tool.clone(), json!({"detailed": schema, "compact": compact}))
    };
    DETAILED.iter().map(both).collect()
}

/// The schema without what is supplementary.
fn compact(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Value::Object(members) = &mut schema else { return schema };
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.retain(|_, property| property.get("$comment").is_none_or(|comment| comment != SUPPLEMENTARY));
        let kept: Vec<String> = properties.keys().cloned().collect();
        properties.values_mut().for_each(|property| *property = compact(property));
        if let Some(Value::Array(required)) = members.get_mut("required") {
            required.retain(|name| kept.iter().any(|kept| name == kept));
        }
    }
    if let Some(items) = members.get_mut("items") {
        *items = compact(items);
    }
    schema
}

/// A success with the members of its schema; nothing where it is no success.
fn cut(schema: &Value, answer: &str) -> Option<String> {
    let mut answer: Value = serde_json::from_str(answer).ok()?;
    if answer.get("status")? != schema.get("properties")?.get("status")?.get("const")? {
        return None;
    }
    keep(schema, &mut answer);
    Some(answer.to_string())
}

fn keep(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            members.retain(|name, _| properties.contains_key(name));
            for (name, value) in members {
                if let Some(property) = properties.get(name) {
                    keep(property, value);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            items.iter_mut().for_each(|item| keep(schema, item));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: &str = "patchdiff_submit_observed_batch";

    fn batch() -> Value {
        let change = json!({
            "change_id": "chg_001", "span_start": 0, "span_end": 1, "matched_chars": 1, "replacement_chars": 1,
            "matched_sha256": "m", "replacement_sha256": "m"
        });
        json!({
            "status": "accepted", "target_file_id": "t", "pdcp_log_id": "l", "deduplicated": false, "before_version": 1,
            "before_hash": "b", "version": 2, "current_version": 2, "current_hash": "c", "after_version": 2, "after_hash": "c",
            "validity": {"protocol_valid": true, "transaction_valid": true, "task_correct": "not_evaluated", "semantic": "not_evaluated"},
            "warnings": [{"code": "no_op_change", "change_id": "chg_001"}],
            "evidence": {"changes": [change], "total_changes": 1, "omitted_changes": 0, "omitted_bytes": 0, "omitted_fields": []}
        })
    }

    fn shown(mode: ResponseMode, tool: &str, answer: &Value) -> Value {
        serde_json::from_str(&mode.shown(tool, answer.to_string())).expect("it is JSON")
    }

    /// P-012, P-013, PG-06: exactly these members are kept of a batch that was accepted.
    #[test]
    fn compact_keeps_what_the_next_call_needs() {
        let kept = shown(ResponseMode::Compact, BATCH, &batch());
        let names: Vec<&String> = kept.as_object().expect("an object").keys().collect();
        let expected = [
            "current_hash",
            "deduplicated",
            "pdcp_log_id",
            "status",
            "target_file_id",
            "validity",
            "version",
            "warnings",
        ];
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(sorted, expected);
        for name in names {
            assert_eq!(kept[name], batch()[name], "{name}");
        }
        let quiet = json!({"status": "accepted", "evidence": {}});
        assert_eq!(shown(ResponseMode::Compact, BATCH, &quiet), json!({"status": "accepted"}));
    }

    /// P-013, P-014: failures, other tools, other modes and what is not understood are as they were, to the byte.
    #[test]
    fn everything_else_is_whole() {
        let mut rejected = batch();
        rejected["status"] = json!("rejected");
        let answers =
            [rejected.to_string(), json!({"status": "invalid_argument", "x": 1}).to_string(), "[]".into(), "{".into()];
        for answer in answers {
            assert_eq!(ResponseMode::Compact.shown(BATCH, answer.clone()), answer);
        }
        let accepted = batch().to_string();
        assert_eq!(ResponseMode::Compact.shown("patchdiff_submit_edits", accepted.clone()), accepted);
        assert_eq!(ResponseMode::default().shown(BATCH, accepted.clone()), accepted);
    }

    /// PG-06: both shapes are schemas that close their objects, and one is part of the other.
    #[test]
    fn both_shapes_are_schemas() {
        let schemas = result_schemas();
        assert_eq!(schemas.len(), 3);
        for (tool, both) in &schemas {
            for mode in ["detailed", "compact"] {
                assert!(jsonschema::meta::is_valid(&both[mode]), "{tool} {mode}");
                assert_eq!(both[mode]["additionalProperties"], false, "{tool} {mode}");
            }
            assert!(both["detailed"].to_string().contains(SUPPLEMENTARY), "{tool}");
            assert!(!both["compact"].to_string().contains(SUPPLEMENTARY), "{tool}");
        }
        let rule = |mode: &str| jsonschema::validator_for(&schemas[BATCH][mode]).expect("a sound schema");
        assert!(rule("detailed").is_valid(&batch()) && !rule("compact").is_valid(&batch()));
        assert!(rule("compact").is_valid(&shown(ResponseMode::Compact, BATCH, &batch())));
    }
}
