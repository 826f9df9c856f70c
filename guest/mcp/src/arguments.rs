//! A call's arguments against the schema that was published: first the spellings that lose nothing (G-083), then the schema.
//!
//! What a tool says of its arguments is kept here for every tool alike, and told in one sentence that names the place. A
//! tool reads its arguments itself all the same: it trusts no host.

use jsonschema::{Draft, Validator, error::ValidationErrorKind};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};

use crate::schema::SchemaFault;

/// 2^53: up to here every integer is its own floating-point number.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Characters of a place or a name that are repeated.
const QUOTED: usize = 64;

/// The rule of one tool's arguments.
#[derive(Debug)]
pub(crate) struct ArgumentRule {
    schema: Value,
    validator: Validator,
}

impl ArgumentRule {
    pub(crate) fn new(schema: &JsonObject) -> Result<Self, SchemaFault> {
        let schema = Value::Object(schema.clone());
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .build(&schema)
            .map_err(|error| SchemaFault::Invalid(error.to_string()))?;
        Ok(Self { schema, validator })
    }

    /// The arguments in their plain spelling, or what is wrong with them.
    pub(crate) fn check(&self, arguments: JsonObject) -> Result<JsonObject, String> {
        let mut arguments = Value::Object(arguments);
        respell(&self.schema, &mut arguments);
        if let Some(error) = self.validator.iter_errors(&arguments).next() {
            let place: String = error.instance_path().as_str().trim_start_matches('/').chars().take(QUOTED).collect();
            // Masked: a value may be long, or a secret.
            let what = match error.kind() {
                ValidationErrorKind::Enum { options } => format!("the value is none of {options}"),
                _ => error.masked_with(if place.is_empty() { "the argument object" } else { "the value" }).to_string(),
            };
            return Err(if place.is_empty() { what } else { format!("`{place}`: {what}") });
        }
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            _ => Err("the arguments must be one JSON object".to_owned()),
        }
    }
}

/// G-083: an optional member that is null is absent; an integer may come as `7.0` or `"7"`. The guard bounds the depth.
fn respell(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            let required = schema.get("required").and_then(Value::as_array);
            let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|own| own == name));
            members.retain(|name, value| !value.is_null() || is_required(name) || !properties.contains_key(name));
            for (name, value) in members {
                if let Some(property) = properties.get(name) {
                    respell(property, value);
                }
            }
        }
        Value::Array(items) => {
            let Some(item) = schema.get("items") else { return };
            for value in items {
                respell(item, value);
            }
        }
        Value::Number(number) if is_integer(schema) => {
            if let Some(whole) = whole(number) {
                *value = whole.into();
            }
        }
        Value::String(digits) if is_integer(schema) => {
            if let Some(number) = decimal(digits) {
                *value = number.into();
            }
        }
        _ => {}
    }
}

fn is_integer(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "integer")
}

/// A number with nothing behind its point, as long as no digit was lost.
fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|f| number.is_f64() && f.fract() == 0.0 && (0.0..=EXACT).contains(f))?;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and between 0 and 2^53")]
    Some(float as i64)
}

/// Decimal digits alone, no sign and no leading zero.
fn decimal(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(arguments: Value) -> Result<Value, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "owner": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[^/\\x00-\\x1f\\x7f]+$"},
                "index": {"type": "integer", "minimum": 1, "maximum": 9_223_372_036_854_775_807_u64},
                "state": {"type": "string", "enum": ["open", "closed"]},
                "lines": {"type": "array", "maxItems": 2, "items": {
                    "type": "object", "properties": {"line": {"type": "integer"}, "note": {"type": "string"}},
                    "required": ["line"], "additionalProperties": false
                }}
            },
            "required": ["owner", "index"],
            "additionalProperties": false
        });
        let Value::Object(schema) = schema else { unreachable!("it is written above") };
        let Value::Object(arguments) = arguments else { unreachable!("every test gives an object") };
        ArgumentRule::new(&schema).expect("a sound schema").check(arguments).map(Value::Object)
    }

    /// G-083.
    #[test]
    fn lossless_spellings_become_plain() {
        let plain = json!({"owner": "o", "index": 7, "lines": [{"line": 3}]});
        for index in [json!(7), json!(7.0), json!("7")] {
            let given = json!({"owner": "o", "index": index, "state": null, "lines": [{"line": "3", "note": null}]});
            assert_eq!(check(given), Ok(plain.clone()));
        }
        for exact in ["9007199254740993", "9223372036854775807"] {
            let kept = check(json!({"owner": "o", "index": exact})).expect("within bounds");
            assert_eq!(kept["index"].to_string(), exact);
        }
    }

    /// G-081, G-083: nothing else passes, and the sentence names the place and repeats no value.
    #[test]
    fn everything_else_is_refused_by_place() {
        let ok = |index: Value| json!({"owner": "s3c", "index": index});
        for bad in ["07", "+7", " 7", "7.0", "7e0", "", "-7", "0x7", "9223372036854775808"] {
            let said = check(ok(bad.into())).expect_err(bad);
            assert!(said.starts_with("`index`"), "{said}");
        }
        for (bad, place) in [
            (ok(json!(0)), "`index`"),
            (ok(json!(7.5)), "`index`"),
            (ok(json!(true)), "`index`"),
            (ok(Value::Null), "`index`"),
            (json!({"index": 7}), "owner"),
            (json!({"owner": "s3c/", "index": 7}), "`owner`"),
            (json!({"owner": "s3cret", "index": 7}), "`owner`"),
            (json!({"owner": "", "index": 7}), "`owner`"),
            (json!({"owner": 7, "index": 7}), "`owner`"),
            (json!({"owner": "s3c", "index": 7, "state": "s3c"}), "`state`"),
            (json!({"owner": "s3c", "index": 7, "page": 1}), "page"),
            (json!({"owner": "s3c", "index": 7, "lines": [{"line": 1}, {"line": "x"}]}), "`lines/1/line`"),
            (json!({"owner": "s3c", "index": 7, "lines": [{"line": 1, "x": 1}]}), "`lines/0`"),
        ] {
            let said = check(bad.clone()).expect_err("it is wrong");
            assert!(said.contains(place) && !said.contains("s3c"), "{bad}: {said}");
        }
    }
}
