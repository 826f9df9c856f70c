//! The members of one object: which may be there, which must be, and of what kind they are.

use super::Invalid;
use crate::{Reason, json::Value};

/// An object, with the name that refusals give it.
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    object: &'a Value,
    name: &'a str,
}

impl<'a> Members<'a> {
    /// Of a value that must be an object with no other members than these.
    pub(super) fn of(object: &'a Value, name: &'a str, known: &[&str]) -> Result<Self, Invalid> {
        let Some(members) = object.as_object() else {
            return Err(Invalid::manifest(format!("{name} is an object")));
        };
        let unknown = members.keys().find(|key| !key.as_str().is_some_and(|key| known.contains(&key)));
        match unknown {
            None => Ok(Self { object, name }),
            // A stranger's key is not repeated.
            Some(_) => Err(Invalid::manifest(format!(
                "{name} has a member that it does not take; it takes {}",
                known.join(", ")
            ))),
        }
    }

    /// Of an item of a list of changes. One that is no object is no block of anything (P-066); what is wrong within one is its
    /// format's matter (P-048).
    pub(super) fn of_item(item: &'a Value, name: &'a str, known: &[&str]) -> Result<Self, Invalid> {
        block(item, name)?;
        Self::of(item, name, known)
    }

    /// A member that is there and not null.
    pub(super) fn given(self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// A string that must be there.
    pub(super) fn string(self, key: &str) -> Result<&'a str, Invalid> {
        let given = self.object.get(key).and_then(Value::as_str);
        given.ok_or_else(|| self.wrong(key, "a string, and has to be given"))
    }

    /// A string that must be there and must not be empty.
    pub(super) fn filled(self, key: &str) -> Result<&'a str, Invalid> {
        let given = self.object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        given.ok_or_else(|| self.wrong(key, "a string that is not empty, and has to be given"))
    }

    /// A string that must be there and say something (P-033).
    pub(super) fn said(self, key: &str) -> Result<&'a str, Invalid> {
        let given = self.object.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        given.ok_or_else(|| self.wrong(key, "a string that is not blank, and has to be given"))
    }

    /// A string that says something, where one is given (P-044).
    pub(super) fn said_or_null(self, key: &str) -> Result<Option<&'a str>, Invalid> {
        let Some(given) = self.given(key) else { return Ok(None) };
        match given.as_str().filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(Some(text)),
            None => Err(self.wrong(key, "a string that is not blank, or null")),
        }
    }

    /// A string that is not empty, where one is given.
    pub(super) fn filled_or_null(self, key: &str, reason: Reason) -> Result<Option<&'a str>, Invalid> {
        let Some(given) = self.given(key) else { return Ok(None) };
        match given.as_str().filter(|text| !text.is_empty()) {
            Some(text) => Ok(Some(text)),
            None => Err(Invalid { reason, ..self.wrong(key, "a string that is not empty, or null") }),
        }
    }

    /// An integer of at least 0 that must be there.
    pub(super) fn offset(self, key: &str) -> Result<u64, Invalid> {
        let given = self.object.get(key).and_then(natural);
        given.ok_or_else(|| self.wrong(key, "a code point offset of at least 0, and has to be given"))
    }

    /// A positive integer, where one is given.
    pub(super) fn ordinal_or_null(self, key: &str, reason: Reason) -> Result<Option<u64>, Invalid> {
        let Some(given) = self.given(key) else { return Ok(None) };
        match natural(given).filter(|number| *number >= 1) {
            Some(number) => Ok(Some(number)),
            None => Err(Invalid { reason, ..self.wrong(key, "an integer of at least 1, or null") }),
        }
    }

    /// An array that must be there and have an item.
    pub(super) fn items(self, key: &str) -> Result<&'a [Value], Invalid> {
        match self.given(key) {
            None => Err(Invalid::new(Reason::ManifestMissing, format!("{} has no {key}", self.name))),
            Some(given) => {
                let items = given.as_array().filter(|items| !items.is_empty());
                items.ok_or_else(|| self.wrong(key, "an array of at least one item"))
            }
        }
    }

    pub(super) fn wrong(self, key: &str, right: &str) -> Invalid {
        Invalid::manifest(format!("{key} of {} is {right}", self.name))
    }
}

/// That an item of a list of changes is an object at all.
pub(super) fn block(item: &Value, name: &str) -> Result<(), Invalid> {
    match item.as_object() {
        Some(_) => Ok(()),
        None => Err(Invalid::new(Reason::BlockMalformed, format!("{name} is an object"))),
    }
}

/// An integer of at least 0. JSON's have no greatest; what is past ours is past every text, and so is the greatest we have.
fn natural(given: &Value) -> Option<u64> {
    let number = given.as_number().filter(|number| number.is_integer() && !number.as_str().starts_with('-'))?;
    Some(number.as_u64().unwrap_or(u64::MAX))
}
