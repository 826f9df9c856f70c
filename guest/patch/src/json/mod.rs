//! JSON without loss: numbers as they were written, strings that no database stores, and the one spelling that history keeps.
//!
//! History was written by CPython, and a hash over a record is one over CPython's spelling of it. So a value here is what
//! `json.loads` makes of a text, and its spellings are those of `json.dumps`, byte for byte (P-059, PG-15). What the
//! members of a record mean is left to those who read it.

mod evidence;
mod fault;
mod number;
mod preview;
mod read;
mod text;
mod walk;
mod write;

#[cfg(test)]
mod documents;
#[cfg(test)]
mod python;

use std::collections::BTreeMap;

pub use evidence::{
    EVIDENCE_FORMAT, LISTED_PLACES, NotEvidence, Part, Place, Unstorable, envelope, fingerprint, recover, unstorable,
};
pub use fault::{Fault, Flaw};
pub use number::Number;
pub use preview::Preview;
pub use read::{DEPTH, read};
pub use text::Text;
pub use write::NotStorable;

/// What a JSON text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`, which is not the same as a member that is not there.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, an integer or not.
    Number(Number),
    /// A string.
    String(Text),
    /// Values in their order.
    Array(Vec<Value>),
    /// Members in the order of their keys' code points (PG-15).
    Object(BTreeMap<Text, Value>),
}

/// An object of these members. Of two with one key, the last counts.
#[must_use]
pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (Text::from(key), value)).collect())
}

impl Value {
    /// The member of that key; nothing where there is none, or where this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key.as_bytes())
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Its truth, where it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// Its number, where it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Its number, where it is an integer of that range. `1.0` is none, and no truth is (P-034).
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Its number, where it is an integer of that range. `1.0` is none, and no truth is (P-034).
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Its string, where it is one, whatever that holds.
    #[must_use]
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Its string, where it is one without unpaired surrogates.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_text()?.as_str()
    }

    /// Its items, where it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Its members, where it is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&BTreeMap<Text, Self>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(number.into())
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Self {
        Self::String(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

/// Nothing is `null`.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Self>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-059: a record that is built here is the one that is read.
    #[test]
    fn values_are_built_and_asked() {
        let built = object([
            ("intent", "fix".into()),
            ("attempt", 2_u64.into()),
            ("offset", (-3_i64).into()),
            ("parent", None::<&str>.into()),
            ("sync", true.into()),
            ("lines", vec![1_usize, 2].into()),
            ("ids", ["a", "b"].into_iter().collect()),
        ]);
        let read =
            read(r#"{"intent":"fix","attempt":2,"offset":-3,"parent":null,"sync":true,"lines":[1,2],"ids":["a","b"]}"#);
        assert_eq!(read.as_ref(), Ok(&built));
        assert_eq!(built.get("intent").and_then(Value::as_str), Some("fix"));
        assert_eq!(built.get("attempt").and_then(Value::as_u64), Some(2));
        assert_eq!(built.get("offset").and_then(Value::as_u64), None);
        assert_eq!(built.get("offset").and_then(Value::as_i64), Some(-3));
        assert_eq!(built.get("sync").and_then(Value::as_bool), Some(true));
        assert_eq!(built.get("sync").and_then(Value::as_u64), None);
        assert_eq!(built.get("lines").and_then(Value::as_array).map(<[_]>::len), Some(2));
        assert!(built.get("parent").is_some_and(Value::is_null), "given as nothing");
        assert_eq!(built.get("source"), None, "not given");
        assert_eq!(Value::from("intent").get("intent"), None);
    }
}
