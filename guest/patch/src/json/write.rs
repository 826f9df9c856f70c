//! The two spellings of a value: the one that history keeps, and the one that takes everything.

use std::convert::Infallible;
use std::fmt::Write as _;

use super::walk::{Event, Walk};
use super::{Preview, Text, Value};

/// A value with an unpaired surrogate, which no UTF-8 spells (P-100).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text at \"{path}\" has an unpaired surrogate")]
pub struct NotStorable {
    /// The JSON pointer of the first such string, or of the member with such a key.
    pub path: Preview,
}

impl Value {
    /// As `json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)` has it (P-059, PG-15).
    ///
    /// NUL is an escape here and no fault. Whether its text can be stored is asked beforehand (P-100).
    ///
    /// # Errors
    /// [`NotStorable`] where a string or key has an unpaired surrogate.
    pub fn canonical(&self) -> Result<String, NotStorable> {
        spell(self, |json, text, walk| {
            let text = text.as_str().ok_or_else(|| NotStorable { path: walk.pointer() })?;
            quote(json, text);
            Ok(())
        })
    }

    /// As `json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True)` has it. It takes every value, and
    /// [`read`](super::read) makes the same value of it (P-103).
    #[must_use]
    pub fn ascii(&self) -> String {
        let Ok(json) = spell(self, |json, text, _| {
            quote_ascii(json, text);
            Ok::<_, Infallible>(())
        });
        json
    }
}

fn spell<E>(value: &Value, quote: impl Fn(&mut String, &Text, &Walk<'_>) -> Result<(), E>) -> Result<String, E> {
    let mut json = String::new();
    let mut walk = Walk::of(value);
    while let Some(event) = walk.next() {
        match event {
            Event::Enter { is_first, key, value } => {
                if !is_first {
                    json.push(',');
                }
                if let Some(key) = key {
                    quote(&mut json, key, &walk)?;
                    json.push(':');
                }
                match value {
                    Value::Null => json.push_str("null"),
                    Value::Bool(true) => json.push_str("true"),
                    Value::Bool(false) => json.push_str("false"),
                    Value::Number(number) => json.push_str(number.as_str()),
                    Value::String(text) => quote(&mut json, text, &walk)?,
                    Value::Array(_) => json.push('['),
                    Value::Object(_) => json.push('{'),
                }
            }
            Event::Leave(Value::Object(_)) => json.push('}'),
            Event::Leave(_) => json.push(']'),
        }
    }
    Ok(json)
}

fn quote(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')) {
        let (plain, tail) = rest.split_at(at);
        json.push_str(plain);
        let mut tail = tail.chars();
        if let Some(char) = tail.next() {
            escape(json, u32::from(char));
        }
        rest = tail.as_str();
    }
    json.push_str(rest);
    json.push('"');
}

/// With everything but printable ASCII escaped.
pub(super) fn quote_ascii(json: &mut String, text: &Text) {
    json.push('"');
    for point in text.code_points() {
        match char::from_u32(point) {
            Some(char @ ' '..='~') if !matches!(char, '"' | '\\') => json.push(char),
            _ => escape(json, point),
        }
    }
    json.push('"');
}

/// Python's escape of a code point: the short one where there is one, else UTF-16 in lower case.
fn escape(json: &mut String, point: u32) {
    let short = match point {
        0x08 => 'b',
        0x09 => 't',
        0x0a => 'n',
        0x0c => 'f',
        0x0d => 'r',
        0x22 => '"',
        0x5c => '\\',
        _ => {
            let mut pair = [0; 2];
            let units = char::from_u32(point).map(|char| &*char.encode_utf16(&mut pair));
            // A surrogate is its own unit.
            let lone = [u16::try_from(point).unwrap_or_default()];
            for unit in units.unwrap_or(&lone) {
                write!(json, "\\u{unit:04x}").expect("a String takes everything");
            }
            return;
        }
    };
    json.push('\\');
    json.push(short);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{documents, object, read};

    /// P-059, PG-15: the spelling of each kind of character, and the order of keys.
    #[test]
    fn history_has_one_spelling() {
        let value = object([
            ("\u{1f600}", Value::Null),
            ("\u{fffd}", Value::from("\u{8}\t\n\u{c}\r\"\\/\u{1f}\0\u{7f}\u{2028}é\u{1f600}")),
            ("b", vec![Value::from(true), Value::from(false), Value::Array(vec![]), object([])].into()),
        ]);
        let canonical = concat!(
            r#"{"b":[true,false,[],{}],"#,
            "\"\u{fffd}\":\"",
            r#"\b\t\n\f\r\"\\/\u001f\u0000"#,
            "\u{7f}\u{2028}é\u{1f600}\",\"\u{1f600}\":null}",
        );
        assert_eq!(value.canonical().as_deref(), Ok(canonical));
        let ascii = concat!(
            r#"{"b":[true,false,[],{}],"\ufffd":"\b\t\n\f\r\"\\/\u001f\u0000"#,
            r#"\u007f\u2028\u00e9\ud83d\ude00","\ud83d\ude00":null}"#,
        );
        assert_eq!(value.ascii(), ascii);
    }

    /// P-100: an unpaired surrogate is named by its place, be it in a key.
    #[test]
    fn no_surrogate_is_spelled() {
        for (json, path) in [
            (r#""\udfff""#, ""),
            (r#"{"edits":[{"match":"a"},{"match":"\ud800"}]}"#, "/edits/1/match"),
            (r#"{"a":{"k\ud800/":0}}"#, "/a/k\\ud800~1"),
        ] {
            let fault = read(json).unwrap().canonical().unwrap_err();
            assert_eq!((&*fault.path.text, fault.path.truncated), (path, false));
            assert_eq!(fault.to_string(), format!("the text at \"{path}\" has an unpaired surrogate"));
        }
    }

    /// P-103: a value that was built is spelled at any depth.
    #[test]
    fn depth_is_no_matter_to_spelling() {
        let mut value = Value::Null;
        for _ in 0..5_000 {
            value = Value::Array(vec![value]);
        }
        let expected = format!("{}null{}", "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(value.canonical().as_ref(), Ok(&expected));
        assert_eq!(value.ascii(), expected);
    }

    proptest! {
        /// P-059, P-103: both spellings are read as the value that they are of, and are made of what was read.
        #[test]
        fn spellings_are_read_back(value in documents::value()) {
            let ascii = value.ascii();
            prop_assert!(ascii.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{}", ascii);
            let read_back = read(&ascii);
            prop_assert_eq!(read_back.as_ref(), Ok(&value));
            if let Ok(canonical) = value.canonical() {
                let read_back = read(&canonical).unwrap();
                prop_assert_eq!(read_back.ascii(), ascii);
                prop_assert_eq!(read_back.canonical(), Ok(canonical));
            }
        }
    }
}
