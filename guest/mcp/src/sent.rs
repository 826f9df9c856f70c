//! A call's arguments: as the SDK reads them or, for the editing tools, as they were sent.
//!
//! No value of the SDK's holds an unpaired surrogate or an integer of more than 64 bits. An edit with one of those is an
//! attempt, whose document keeps it to the letter (P-079, P-103): such a tool gets the very text, past the SDK. Refused
//! here is what no reader of it could keep: a key that comes twice, a number that is no number any more, a nesting that is
//! too deep (PG-15).

use std::{collections::BTreeSet, sync::Arc};

use rmcp::model::JsonObject;
use serde_json::value::RawValue;

use crate::guard::DEPTH;

/// What every tool's name begins with that gets its arguments as they were sent, and judges them itself (P-066, P-082).
pub const EDITING_TOOLS: &str = "patchdiff_";

/// How deep arguments may be nested: they stand in the parameters of a message.
const ARGUMENT_DEPTH: usize = DEPTH - 2;

/// The arguments of one call.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// Read: of what a tool's schema is held against.
    Read(JsonObject),
    /// As they were sent to an editing tool.
    Sent(Sent),
}

/// The text of an object that loses nothing where it is read: no key comes twice, and its depth is bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent(Arc<str>);

/// A text that is no call's arguments.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentsError {
    /// It is not JSON, or no object.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is, and cannot be kept as it is.
    #[error("{}", .0.said())]
    Flawed(Flaw),
}

/// Why an object cannot be kept as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is nested too deep.
    TooDeep,
    /// A key of one object comes twice: readers differ on which of them counts.
    KeyTwice,
    /// A number with a point or an exponent is past all numbers of that kind.
    NotFinite,
}

impl Flaw {
    /// In words.
    #[must_use]
    pub const fn said(self) -> &'static str {
        match self {
            Self::TooDeep => "nested too deep",
            Self::KeyTwice => "an object has a key twice",
            Self::NotFinite => "a number is too large",
        }
    }
}

impl Arguments {
    /// The arguments of a call to `tool`, from their text.
    ///
    /// # Errors
    /// Where the text is not one JSON object that such a tool can be given.
    pub fn of_text(tool: &str, text: &str) -> Result<Self, ArgumentsError> {
        if !tool.starts_with(EDITING_TOOLS) {
            return Ok(Self::Read(serde_json::from_str(text)?));
        }
        let value: &RawValue = serde_json::from_str(text)?;
        if !value.get().starts_with('{') {
            // It says what it is instead.
            let read: JsonObject = serde_json::from_str(text)?;
            return Ok(Self::Read(read));
        }
        Sent::checked(value).map(Self::Sent).map_err(ArgumentsError::Flawed)
    }
}

impl Sent {
    /// The object as it stands in a text that was read to its end.
    pub(crate) fn checked(object: &RawValue) -> Result<Self, Flaw> {
        walk(object.get())?;
        Ok(Self(object.get().into()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Through a text that is JSON, without recursion.
fn walk(text: &str) -> Result<(), Flaw> {
    // The keys of each object that began and did not end; nothing for an array.
    let mut open: Vec<Option<BTreeSet<Vec<u16>>>> = Vec::new();
    let mut key_is_next = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                if open.len() == ARGUMENT_DEPTH {
                    return Err(Flaw::TooDeep);
                }
                key_is_next = *byte == b'{';
                open.push(key_is_next.then(BTreeSet::new));
            }
            b'}' | b']' => drop(open.pop()),
            b',' => key_is_next = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let string = string(text, at);
                at += string.len() + 1;
                if std::mem::take(&mut key_is_next)
                    && let Some(Some(keys)) = open.last_mut()
                    && !keys.insert(units(string))
                {
                    return Err(Flaw::KeyTwice);
                }
            }
            b'-' | b'0'..=b'9' => {
                let number = number(text, at - 1);
                at += number.len() - 1;
                // An integer is kept by its digits, however many; everything else is a double.
                let is_integer = !number.contains(['.', 'e', 'E']);
                if !is_integer && !number.parse().is_ok_and(f64::is_finite) {
                    return Err(Flaw::NotFinite);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// What is between an opening quote and the closing one.
fn string(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let mut bytes = rest.bytes().enumerate();
    let end = loop {
        match bytes.next() {
            Some((_, b'\\')) => drop(bytes.next()),
            Some((end, b'"')) => break end,
            Some(_) => {}
            None => break rest.len(),
        }
    };
    rest.get(..end).unwrap_or_default()
}

fn number(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let is_of_it = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    rest.get(..rest.bytes().take_while(is_of_it).count()).unwrap_or_default()
}

/// A string's code units: what is the same text has the same ones, however it is escaped.
fn units(string: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(string.len());
    let mut rest = string;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        units.extend(plain.encode_utf16());
        let mut chars = escaped.chars();
        let unit = match chars.next() {
            Some('u') => {
                let digits = escaped.get(1..5).unwrap_or_default();
                chars = escaped.get(5..).unwrap_or_default().chars();
                u16::from_str_radix(digits, 16).unwrap_or_default()
            }
            Some('b') => 0x08,
            Some('t') => 0x09,
            Some('n') => 0x0a,
            Some('f') => 0x0c,
            Some('r') => 0x0d,
            // A quote, a backslash or a slash.
            other => other.and_then(|char| u16::try_from(char).ok()).unwrap_or_default(),
        };
        units.push(unit);
        rest = chars.as_str();
    }
    units.extend(rest.encode_utf16());
    units
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn sent(text: &str) -> Result<String, String> {
        match Arguments::of_text("patchdiff_submit_edits", text) {
            Ok(Arguments::Sent(sent)) => Ok(sent.as_str().to_owned()),
            Ok(Arguments::Read(_)) => Err("read".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// P-079, P-100, P-103, PG-15: what the SDK cannot hold is kept to the letter; other tools' arguments are read.
    #[test]
    fn nothing_is_lost() {
        for text in [
            r#"{"a":"\ud800","\udc00":["\u0000",{"b":"\"\\\/\b\f\n\r\t\ud83d\ude00é"}]}"#,
            r#"{"a":1180591620717411303424,"b":-1180591620717411303424,"c":1.10,"d":-0.0,"e":1E+2,"f":1e-400}"#,
            r#"{ "a" : [ 1 , { "a" : "a" } , { "a" : [ ] } ] , "b" : { } }"#,
            r#"{"a":[{"x":1},{"x":2}],"b":"a","c":["a","a"],"A":{"a":null,"true":true,"fal se":false}}"#,
        ] {
            assert_eq!(sent(text), Ok(text.to_owned()));
            assert_eq!(sent(&format!(" {text}\n")), Ok(text.to_owned()));
        }
        let digits = format!(r#"{{"n":{}}}"#, "9".repeat(5_000));
        assert_eq!(sent(&digits), Ok(digits.clone()));
        assert!(matches!(Arguments::of_text("get_file", r#"{"a":1}"#), Ok(Arguments::Read(_))));
        assert!(Arguments::of_text("get_file", r#"{"a":"\ud800"}"#).is_err());
    }

    /// PG-15, P-112: a key that comes twice is refused, however it is escaped; so is a number that is none.
    #[test]
    fn what_cannot_be_kept_is_refused() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"e":[{"match":"x","b":[],"match":"y"}]}"#,
            r#"{"\ud83d\ude00":1,"😀":2}"#,
            r#"{"\ud800":1,"\uD800":2}"#,
            r#"{"\n\"\\\/":1,"\u000a\u0022\u005c/":2}"#,
            r#"{"":{},"":{}}"#,
        ] {
            assert_eq!(sent(text), Err("an object has a key twice".to_owned()), "{text}");
        }
        for text in [r#"{"a":1e400}"#, r#"{"a":[-1.0E+309]}"#] {
            assert_eq!(sent(text), Err("a number is too large".to_owned()), "{text}");
        }
        let deep = |depth: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert_eq!(sent(&deep(ARGUMENT_DEPTH - 1)), Ok(deep(ARGUMENT_DEPTH - 1)));
        for depth in [ARGUMENT_DEPTH, 100_000] {
            assert_eq!(sent(&deep(depth)), Err("nested too deep".to_owned()));
        }
        for text in ["", "{", "[]", "7", "null", "{}x", r#"{"a":01}"#, r#"{"a":"\ud80"}"#, "{\"a\":\"\n\"}", "{a:1}"] {
            assert!(sent(text).is_err(), "{text}");
        }
    }

    fn tokens() -> impl Strategy<Value = String> {
        let token = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "\\",
            "\\u",
            "d800",
            "0061",
            "\"a\"",
            "\"b\":",
            "\"\\u0061\":",
            "null",
            "1",
            "-",
            "1e9",
            "99999999999999999999",
            " ",
            "é",
            "😀",
        ]);
        prop::collection::vec(token, 0..24).prop_map(|tokens| format!("{{{}}}", tokens.concat()))
    }

    proptest! {
        /// P-112, PG-15: what is taken is JSON without a key twice, and what a lossy reader takes too is taken.
        #[test]
        fn any_text_is_judged(text in tokens()) {
            let taken = sent(&text);
            if let Ok(kept) = &taken {
                prop_assert_eq!(kept, &text);
                prop_assert!(serde_json::from_str::<&RawValue>(&text).is_ok());
            }
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                // Read and written again it has each key once.
                prop_assert!(sent(&value.to_string()).is_ok());
                prop_assert!(taken.is_ok() || taken == Err("an object has a key twice".to_owned()));
            }
        }
    }
}
