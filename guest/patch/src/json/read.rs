//! From a text to its value: RFC 8259 and nothing else, in one pass, without recursion.

use std::collections::BTreeMap;
use std::iter;

use super::{Fault, Flaw, Number, Text, Value};

/// How many arrays and objects may be within each other.
pub const DEPTH: usize = 128;

/// The value of a JSON text.
///
/// It takes what `json.loads` takes, but for `NaN` and the infinities, numbers that become one, keys that are there twice,
/// and what is nested deeper than [`DEPTH`] (PG-15). A surrogate that is escaped alone is taken as it is (P-100).
///
/// # Errors
/// [`Fault`] at the first byte that is not taken.
pub fn read(json: &str) -> Result<Value, Fault> {
    read_within(json, DEPTH)
}

/// As [`read`], with another depth.
pub(super) fn read_within(json: &str, depth: usize) -> Result<Value, Fault> {
    Reader { json, at: 0, depth }.document()
}

struct Reader<'a> {
    json: &'a str,
    /// The byte that is next, always a boundary.
    at: usize,
    depth: usize,
}

/// An array or object that began and did not end.
enum Open {
    Array(Vec<Value>),
    Object(BTreeMap<Text, Value>, Text),
}

impl<'a> Reader<'a> {
    fn document(mut self) -> Result<Value, Fault> {
        let mut open = Vec::new();
        loop {
            self.space();
            let mut value = match self.peek() {
                Some(begin @ (b'[' | b'{')) => {
                    if open.len() == self.depth {
                        return Err(self.fault(Flaw::TooDeep));
                    }
                    self.at += 1;
                    self.space();
                    let is_array = begin == b'[';
                    if self.take(if is_array { b']' } else { b'}' }) {
                        if is_array { Value::Array(Vec::new()) } else { Value::Object(BTreeMap::new()) }
                    } else if is_array {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    } else {
                        let members = BTreeMap::new();
                        let key = self.key(&members)?;
                        open.push(Open::Object(members, key));
                        continue;
                    }
                }
                _ => self.scalar()?,
            };
            // A value ended, and with it perhaps those that it is the last of.
            loop {
                self.space();
                match open.pop() {
                    None if self.at == self.json.len() => return Ok(value),
                    None => return Err(self.fault(Flaw::Trailing)),
                    Some(Open::Array(mut items)) => {
                        items.push(value);
                        if self.take(b',') {
                            open.push(Open::Array(items));
                            break;
                        }
                        self.expect(b']', "a comma or the end of the array")?;
                        value = Value::Array(items);
                    }
                    Some(Open::Object(mut members, key)) => {
                        members.insert(key, value);
                        if self.take(b',') {
                            self.space();
                            let key = self.key(&members)?;
                            open.push(Open::Object(members, key));
                            break;
                        }
                        self.expect(b'}', "a comma or the end of the object")?;
                        value = Value::Object(members);
                    }
                }
            }
        }
    }

    /// A new key and its colon.
    fn key(&mut self, members: &BTreeMap<Text, Value>) -> Result<Text, Fault> {
        let at = self.at;
        self.expect(b'"', "a key")?;
        let key = self.string()?;
        if members.contains_key(&key) {
            return Err(Fault { at, flaw: Flaw::DuplicateKey(key) });
        }
        self.space();
        self.expect(b':', "a colon")?;
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Value, Fault> {
        if self.take(b'"') {
            return self.string().map(Value::String);
        }
        if matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return self.number().map(Value::Number);
        }
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let written = self.json.get(start..self.at).unwrap_or_default();
        Number::written(written).ok_or(Fault { at: start, flaw: Flaw::NotFinite })
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits;
        if digits == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    /// What follows an opening quote, and the closing one.
    fn string(&mut self) -> Result<Text, Fault> {
        let mut text = Text::default();
        loop {
            let rest = self.rest();
            let plain = rest.bytes().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')).unwrap_or(rest.len());
            text.push_str(rest.split_at(plain).0);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => self.escape(&mut text)?,
                Some(_) => return Err(self.fault(Flaw::Control)),
                None => return Err(self.fault(Flaw::Ends)),
            }
        }
    }

    fn escape(&mut self, text: &mut Text) -> Result<(), Fault> {
        let char = match self.json.as_bytes().get(self.at + 1) {
            Some(b'u') => return self.units(text),
            Some(b'b') => "\u{8}",
            Some(b't') => "\t",
            Some(b'n') => "\n",
            Some(b'f') => "\u{c}",
            Some(b'r') => "\r",
            Some(b'"') => "\"",
            Some(b'\\') => "\\",
            Some(b'/') => "/",
            _ => return Err(self.fault(Flaw::Escape)),
        };
        self.at += 2;
        text.push_str(char);
        Ok(())
    }

    /// All the `\uXXXX` that follow each other, since two of them can be one code point.
    fn units(&mut self, text: &mut Text) -> Result<(), Fault> {
        let mut outcome = Ok(());
        text.extend_utf16(iter::from_fn(|| {
            let digits = self.rest().strip_prefix("\\u")?.get(..4);
            let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            match unit {
                Some(_) => self.at += 6,
                None => outcome = Err(self.fault(Flaw::Escape)),
            }
            unit
        }));
        outcome
    }

    fn space(&mut self) {
        self.at += self.rest().bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn rest(&self) -> &'a str {
        self.json.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn unexpected(&self, what: &'static str) -> Fault {
        self.fault(if self.peek().is_none() { Flaw::Ends } else { Flaw::Expected(what) })
    }

    fn fault(&self, flaw: Flaw) -> Fault {
        Fault { at: self.at, flaw }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// PG-15, P-112: what is not JSON is told by its place and by what is wrong there.
    #[test]
    fn faults_have_a_place() {
        for (json, said) in [
            ("", "the JSON ends too early, at byte 0"),
            (" [1,", "the JSON ends too early, at byte 4"),
            ("\"é", "the JSON ends too early, at byte 3"),
            ("[1,]", "a value is expected, at byte 3"),
            ("NaN", "a value is expected, at byte 0"),
            ("-Infinity", "a digit is expected, at byte 1"),
            ("\u{feff}1", "a value is expected, at byte 0"),
            ("+1", "a value is expected, at byte 0"),
            ("01", "something follows the JSON, at byte 1"),
            ("1 2", "something follows the JSON, at byte 2"),
            ("1.e5", "a digit is expected, at byte 2"),
            ("[1E400]", "the number is too large, at byte 1"),
            ("[1}", "a comma or the end of the array is expected, at byte 2"),
            ("{\"a\":1]", "a comma or the end of the object is expected, at byte 6"),
            ("{\"a\" 1}", "a colon is expected, at byte 5"),
            ("{a:1}", "a key is expected, at byte 1"),
            ("{\"a\":1,}", "a key is expected, at byte 7"),
            ("\"a\nb\"", "a control character stands in a string, at byte 2"),
            ("\"\\x41\"", "no such escape, at byte 1"),
            ("\"é\\u+123\"", "no such escape, at byte 3"),
            ("\"\\ud83d\\ude0\"", "no such escape, at byte 7"),
            ("\"\\u12é\"", "no such escape, at byte 1"),
            ("{\"a\":1, \"\\u0061\":2}", "the key \"a\" is there twice, at byte 8"),
            ("[{\"\\ud800\":1,\"\\ud800\":2}]", "the key \"\\ud800\" is there twice, at byte 13"),
        ] {
            assert_eq!(read(json).unwrap_err().to_string(), said, "{json}");
        }
    }

    /// PG-15, P-100: surrogates are joined where they are a pair, and kept where they are not.
    #[test]
    fn escapes_are_code_units() {
        for (json, units) in [
            (r#""\ud83d\ude00""#, &[0xd83d, 0xde00][..]),
            (r#""\ud800""#, &[0xd800]),
            (r#""\uDE00\uD83D""#, &[0xde00, 0xd83d]),
            (r#""\ud83d\ud83d\ude00""#, &[0xd83d, 0xd83d, 0xde00]),
            (r#""\ud83d \ude00""#, &[0xd83d, 0x20, 0xde00]),
            (r#""\u0000\b\t\n\f\r\"\\\/""#, &[0, 8, 9, 10, 12, 13, 34, 92, 47]),
        ] {
            assert_eq!(read(json), Ok(Value::String(Text::from_utf16(units.iter().copied()))), "{json}");
        }
    }

    /// PG-15: what is nested too deeply is refused at once, and what is not comes back.
    #[test]
    fn depth_has_a_bound() {
        for (begin, end) in [("[", "]"), ("{\"a\":[", "]}")] {
            let levels = DEPTH / begin.matches(['[', '{']).count();
            let deep = format!("{}{}", begin.repeat(levels), end.repeat(levels));
            assert_eq!(read(&deep).unwrap().ascii(), deep);
            let fault = Fault { at: begin.len() * levels + 1, flaw: Flaw::TooDeep };
            assert_eq!(read(&format!(" {}[]", begin.repeat(levels))), Err(fault));
        }
        let hostile = read(&"[".repeat(1 << 20));
        assert_eq!(hostile, Err(Fault { at: DEPTH, flaw: Flaw::TooDeep }));
    }

    proptest! {
        /// PG-15: no text makes it stop but with a value or a fault within the text.
        #[test]
        fn every_text_has_an_outcome(json in "[\\[\\]{}:,\"\\\\ud8c0e1.+\\-a-ftrueélsn \u{0}\n]{0,40}") {
            if let Err(fault) = read(&json) {
                prop_assert!(json.is_char_boundary(fault.at));
            }
        }
    }
}
