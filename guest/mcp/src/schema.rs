//! Which input schemas a client can take.
//!
//! Model providers drop a whole tool list for one schema they cannot read, so a schema is checked when the catalogue is
//! built and not when somebody's list has gone missing (G-080a). What the schema forbids beyond this is enforced by the
//! tool itself.

use rmcp::model::JsonObject;
use serde_json::Value;

/// What is wrong with an input schema. Places are JSON pointers into it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {
    /// Not the text of one JSON object.
    #[error("is not one JSON object")]
    NotAnObject,
    /// The root's `type` is not `"object"`.
    #[error("does not say `\"type\": \"object\"` at its root")]
    RootType,
    /// Composition at the root, which Anthropic's interface refuses.
    #[error("has `{0}` at its root")]
    RootComposition(&'static str),
    /// `"type": [...]`.
    #[error("has a list of types at `{0}`")]
    TypeList(String),
    /// An array whose elements are not described.
    #[error("has an array without `items` at `{0}`")]
    Items(String),
    /// A required member that the same object does not describe.
    #[error("requires `{1}` at `{0}`, which its properties do not have")]
    Required(String, String),
    /// A reference that leaves the schema.
    #[error("refers outside itself at `{0}`")]
    Reference(String),
    /// A pattern that not every engine reads.
    #[error("has a look-around in the pattern at `{0}`")]
    LookAround(String),
    /// The validator cannot read it.
    #[error("cannot be validated against: {0}")]
    Invalid(String),
    /// A keyword whose value is of the wrong kind.
    #[error("has a malformed `{1}` at `{0}`")]
    Malformed(String, &'static str),
}

/// Reads `text` and checks the schema in it.
pub(crate) fn read(text: &str) -> Result<JsonObject, SchemaFault> {
    let schema: JsonObject = serde_json::from_str(text).map_err(|_| SchemaFault::NotAnObject)?;
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(match schema.get("type") {
            Some(Value::Array(_)) => SchemaFault::TypeList(String::new()),
            _ => SchemaFault::RootType,
        });
    }
    if let Some(keyword) = COMPOSITION.into_iter().find(|keyword| schema.contains_key(*keyword)) {
        return Err(SchemaFault::RootComposition(keyword));
    }
    check(&schema, "")?;
    Ok(schema)
}

const COMPOSITION: [&str; 3] = ["anyOf", "oneOf", "allOf"];
/// Keywords whose value is one schema.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of schemas.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Checks one schema and, by keyword, the schemas in it; other members are data. The reader bounds the depth.
fn check(schema: &JsonObject, at: &str) -> Result<(), SchemaFault> {
    let here = || at.to_owned();
    match schema.get("type") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(_)) => return Err(SchemaFault::TypeList(here())),
        Some(_) => return Err(SchemaFault::Malformed(here(), "type")),
    }
    if schema.get("type").and_then(Value::as_str) == Some("array") && !schema.contains_key("items") {
        return Err(SchemaFault::Items(here()));
    }
    let outside =
        |keyword| schema.get(keyword).is_some_and(|to: &Value| !to.as_str().is_some_and(|to| to.starts_with('#')));
    if outside("$ref") || outside("$dynamicRef") {
        return Err(SchemaFault::Reference(here()));
    }
    if let Some(pattern) = schema.get("pattern") {
        let pattern = pattern.as_str().ok_or_else(|| SchemaFault::Malformed(here(), "pattern"))?;
        if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)) {
            return Err(SchemaFault::LookAround(here()));
        }
    }
    check_required(schema, at)?;
    for keyword in ONE {
        match schema.get(keyword) {
            None | Some(Value::Bool(_)) => {}
            Some(Value::Object(inner)) => check(inner, &format!("{at}/{keyword}"))?,
            Some(_) => return Err(SchemaFault::Malformed(here(), keyword)),
        }
    }
    for keyword in LISTS {
        let Some(value) = schema.get(keyword) else { continue };
        let list = value.as_array().ok_or_else(|| SchemaFault::Malformed(here(), keyword))?;
        for (index, inner) in list.iter().enumerate() {
            check_value(inner, &format!("{at}/{keyword}/{index}"), keyword)?;
        }
    }
    for keyword in NAMED {
        let Some(value) = schema.get(keyword) else { continue };
        let named = value.as_object().ok_or_else(|| SchemaFault::Malformed(here(), keyword))?;
        for (name, inner) in named {
            check_value(inner, &format!("{at}/{keyword}/{name}"), keyword)?;
        }
    }
    Ok(())
}

fn check_value(schema: &Value, at: &str, keyword: &'static str) -> Result<(), SchemaFault> {
    match schema {
        Value::Bool(_) => Ok(()),
        Value::Object(schema) => check(schema, at),
        _ => Err(SchemaFault::Malformed(at.to_owned(), keyword)),
    }
}

fn check_required(schema: &JsonObject, at: &str) -> Result<(), SchemaFault> {
    let malformed = || SchemaFault::Malformed(at.to_owned(), "required");
    let Some(required) = schema.get("required") else { return Ok(()) };
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in required.as_array().ok_or_else(malformed)? {
        let name = name.as_str().ok_or_else(malformed)?;
        if !properties.is_some_and(|properties| properties.contains_key(name)) {
            return Err(SchemaFault::Required(at.to_owned(), name.to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_clients_can_read() {
        let text = r##"{
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
            "properties": {
                "owner": {"type": "string", "minLength": 1, "pattern": "^[^/]+$"},
                "paths": {"type": "array", "items": {"type": "string"}},
                "type": {"enum": [["a"], "array"]},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "linked": {"$ref": "#/$defs/x"}
            },
            "$defs": {"x": {"type": "object"}},
            "required": ["owner"], "default": {"type": ["string", "null"], "required": ["nothing"]}
        }"##;
        assert_eq!(read(text).map(|schema| schema.len()), Ok(7));
    }

    /// G-080a: every shape that makes a client drop the list is refused, at any depth.
    #[test]
    fn refuses_what_clients_drop() {
        let at = |place: &str| place.to_owned();
        let refused = [
            ("", SchemaFault::NotAnObject),
            ("[]", SchemaFault::NotAnObject),
            ("true", SchemaFault::NotAnObject),
            ("{}", SchemaFault::RootType),
            (r#"{"type":"string"}"#, SchemaFault::RootType),
            (r#"{"type":["object"]}"#, SchemaFault::TypeList(at(""))),
            (r#"{"type":"object","anyOf":[]}"#, SchemaFault::RootComposition("anyOf")),
            (r#"{"type":"object","oneOf":[]}"#, SchemaFault::RootComposition("oneOf")),
            (r#"{"type":"object","allOf":[]}"#, SchemaFault::RootComposition("allOf")),
            (
                r#"{"type":"object","properties":{"a":{"type":["string","null"]}}}"#,
                SchemaFault::TypeList(at("/properties/a")),
            ),
            (
                r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"array"}]}}}"#,
                SchemaFault::Items(at("/properties/a/anyOf/0")),
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"array"}}}}"#,
                SchemaFault::Items(at("/properties/a/items")),
            ),
            (r#"{"type":"object","required":["a"]}"#, SchemaFault::Required(at(""), at("a"))),
            (
                r#"{"type":"object","properties":{"o":{"type":"object","properties":{"a":{}},"required":["a","b"]}}}"#,
                SchemaFault::Required(at("/properties/o"), at("b")),
            ),
            (r#"{"type":"object","required":"a"}"#, SchemaFault::Malformed(at(""), "required")),
            (
                r#"{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}"#,
                SchemaFault::Reference(at("/properties/a")),
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}"#,
                SchemaFault::LookAround(at("/properties/a")),
            ),
            (r#"{"type":"object","properties":[]}"#, SchemaFault::Malformed(at(""), "properties")),
            (r#"{"type":"object","properties":{"a":7}}"#, SchemaFault::Malformed(at("/properties/a"), "properties")),
        ];
        for (text, fault) in refused {
            assert_eq!(read(text), Err(fault), "{text}");
        }
        let deep = format!(r#"{}{{"type":"object"}}{}"#, r#"{"type":"object","not":"#.repeat(5_000), "}".repeat(5_000));
        assert_eq!(read(&deep), Err(SchemaFault::NotAnObject));
    }
}
