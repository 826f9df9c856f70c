//! What a tool publishes of its arguments, held against what it does with them.

use serde_json::{Value, json};

/// The pattern of a full object id, as schemas have it.
const OBJECT_ID: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";

/// G-080a: model interfaces drop a whole list of tools for one schema with more than plain words in it.
///
/// # Panics
/// Where a schema is not plain.
pub fn assert_plain(tool: &str, schema: &Value) {
    for word in ["anyOf", "oneOf", "allOf"] {
        assert!(schema.get(word).is_none(), "{tool}: {word} at the root");
    }
    assert_eq!(schema["type"], "object", "{tool}");
    assert_plain_below(tool, schema);
}

fn assert_plain_below(tool: &str, schema: &Value) {
    let Value::Object(members) = schema else { return };
    assert!(!members.contains_key("$ref"), "{tool}");
    assert!(members.get("type").is_none_or(|kind| !kind.is_array()), "{tool}: a list of types");
    assert!(members.get("type") != Some(&json!("array")) || members.contains_key("items"), "{tool}: items");
    let pattern = members.get("pattern").and_then(Value::as_str).unwrap_or_default();
    assert!(!pattern.contains("(?"), "{tool}: {pattern}");
    if members.get("type") == Some(&json!("object")) {
        assert_eq!(members.get("additionalProperties"), Some(&json!(false)), "{tool}");
        let required = members.get("required").and_then(Value::as_array).expect("a list of names");
        let known = |name: &Value| schema["properties"].get(name.as_str().expect("a name")).is_some();
        assert!(required.iter().all(known), "{tool}: {required:?}");
    }
    members.values().for_each(|member| assert_plain_below(tool, member));
}

/// D-012, D-013: every bound that a schema publishes is the one that is kept, and a refusal names the argument.
///
/// `sound` gives arguments that are taken, with every array that can be given, in which the member at a pointer may be put;
/// `most` is the greatest integer where a schema names none; `refusal` calls the tool and gives the refusal's code and
/// message, as nothing answers it.
///
/// # Panics
/// Where the tool keeps another bound, or does not name what it refuses.
pub fn assert_kept(
    schema: &Value,
    sound: &dyn Fn(&str) -> Value,
    most: u64,
    refusal: &mut dyn FnMut(&Value) -> (String, String),
) {
    Probe { sound, most, refusal }.object("", "", schema);
}

struct Probe<'a> {
    sound: &'a dyn Fn(&str) -> Value,
    most: u64,
    refusal: &'a mut dyn FnMut(&Value) -> (String, String),
}

impl Probe<'_> {
    /// `pointer` leads to the object, `place` is what its members' names have before them.
    fn object(&mut self, pointer: &str, place: &str, schema: &Value) {
        let required = schema["required"].as_array().expect("a list of names");
        for (name, property) in schema["properties"].as_object().expect("an object of properties") {
            let (at, told) = (format!("{pointer}/{name}"), format!("{place}{name}"));
            // What is not required may be one of two that exclude each other, and was left out by every other probe else.
            assert!(!required.contains(&json!(name)) || self.refuses(&at, &told, None), "{told} left out");
            self.property(&at, &told, property);
        }
        let (at, told) = (format!("{pointer}/other"), format!("{place}other"));
        assert!(self.refuses(&at, &told, Some(1.into())), "an unknown {told}");
    }

    fn property(&mut self, at: &str, told: &str, property: &Value) {
        let bound = |bound: &str| property[bound].as_u64();
        let greatest = bound("maximum").unwrap_or(self.most);
        let mut refuses = |value: Value| self.refuses(at, told, Some(value));
        if let Some(words) = property["enum"].as_array() {
            assert!(words.iter().all(|word| !refuses(word.clone())), "{told}: each word");
            assert!(refuses("other".into()) && refuses("".into()) && refuses(7.into()), "{told}: anything else");
        } else if property["pattern"] == OBJECT_ID {
            assert!([40, 64].iter().all(|digits| !refuses("a".repeat(*digits).into())), "{told}: full ids");
            for bad in ["", &"a".repeat(39), &"a".repeat(41), &"a".repeat(65), &"A".repeat(40), &"g".repeat(40)] {
                assert!(refuses(bad.into()), "{told}: {bad}");
            }
            assert!(refuses(7.into()), "{told} as a number");
        } else if property["type"] == "string" {
            if let Some(most) = bound("maxLength") {
                let most = usize::try_from(most).expect("small");
                assert!(!refuses("x".repeat(most).into()), "{told} of {most}");
                assert!(refuses("x".repeat(most + 1).into()), "{told} of {}", most + 1);
            }
            assert_eq!(refuses("".into()), bound("minLength") == Some(1), "an empty {told}");
            assert!(refuses(7.into()) && refuses(json!(["x"])), "{told} of another type");
        } else if property["type"] == "array" {
            self.array(at, told, property);
        } else {
            let (least, most) = (bound("minimum").expect("a bound"), greatest);
            assert!(!refuses(least.into()) && !refuses(most.into()), "{told} within its bounds");
            assert!(refuses((least - 1).into()) && refuses((most + 1).into()), "{told} outside its bounds");
            assert!(refuses("x".into()) && refuses(true.into()), "{told} of another type");
        }
    }

    fn array(&mut self, at: &str, told: &str, property: &Value) {
        let element = (self.sound)(&format!("{at}/0")).pointer(&format!("{at}/0")).expect("a sound element").clone();
        let of = |count: &Value| {
            let count = usize::try_from(count.as_u64().expect("a bound")).expect("small");
            (vec![element.clone(); count], count)
        };
        let ((least, count), (most, _)) = (of(&property["minItems"]), of(&property["maxItems"]));
        let longer = [&most[..], std::slice::from_ref(&element)].concat();
        for (value, refused) in [(least, false), (most, false), (longer, true)] {
            assert_eq!(self.refuses(at, told, Some(value.into())), refused, "{told}: its bounds");
        }
        if let Some(fewer) = count.checked_sub(1) {
            assert!(self.refuses(at, told, Some(vec![element; fewer].into())), "{told}: its least");
        }
        assert!(self.refuses(at, told, Some("x".into())) && self.refuses(at, told, Some(json!({}))), "{told}");
        assert!(self.refuses(at, &format!("{told}[0]"), Some(json!([7]))), "{told}: an element of another type");
        self.object(&format!("{at}/0"), &format!("{told}[0]."), &property["items"]);
    }

    /// Whether the value at that place is refused as an argument, by its name.
    fn refuses(&mut self, at: &str, told: &str, value: Option<Value>) -> bool {
        let mut arguments = (self.sound)(at);
        let (parent, name) = at.rsplit_once('/').expect("a pointer has a slash");
        let parent = arguments.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
        match value {
            Some(value) => drop(parent.insert(name.to_owned(), value)),
            None => drop(parent.remove(name)),
        }
        let (code, message) = (self.refusal)(&arguments);
        let refused = code == "invalid_argument";
        assert!(!refused || message.contains(&format!("`{told}`")), "{told}: {message}");
        refused
    }
}
