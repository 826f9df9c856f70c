//! A tool's arguments: read once, into newtypes, or refused by name and bound.
//!
//! The published schema says the same, and a client may check it; a component trusts neither. Reading takes a member
//! away; what is left at the end is unknown and refuses (D-013, G-081).

use serde_json::{Map, Number, Value};

use crate::Refusal;

/// The members of the arguments object that were not read yet.
#[derive(Debug)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Reads the arguments object of a call.
    ///
    /// # Errors
    /// `invalid_argument` where the text is not one JSON object.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        serde_json::from_str(text).map(Self).map_err(|_| invalid("the arguments must be one JSON object"))
    }

    /// A string of `bounds` bytes that must be there.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn text(&mut self, name: &str, bounds: (usize, usize)) -> Result<String, Refusal> {
        self.optional_text(name, bounds)?.ok_or_else(|| invalid(format!("`{name}` is required and missing")))
    }

    /// A string of `bounds` bytes; null counts as absent (G-083).
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn optional_text(&mut self, name: &str, (least, most): (usize, usize)) -> Result<Option<String>, Refusal> {
        let text = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => return Err(invalid(format!("`{name}` must be a string"))),
        };
        if (least..=most).contains(&text.len()) {
            return Ok(Some(text));
        }
        Err(invalid(format!("`{name}` has {} bytes, and must have {least} to {most}", text.len())))
    }

    /// An integer within `bounds` that must be there: `7`, `7.0` or `"7"`, nothing else (G-083).
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn integer(&mut self, name: &str, bounds: (u64, u64)) -> Result<u64, Refusal> {
        self.optional_integer(name, bounds)?.ok_or_else(|| invalid(format!("`{name}` is required and missing")))
    }

    /// The same, where it may be absent or null.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn optional_integer(&mut self, name: &str, (least, most): (u64, u64)) -> Result<Option<u64>, Refusal> {
        let value = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => whole(&number),
            Some(Value::String(digits)) => decimal(&digits),
            Some(_) => None,
        };
        match value.filter(|value| (least..=most).contains(value)) {
            Some(value) => Ok(Some(value)),
            None => Err(invalid(format!("`{name}` must be an integer from {least} to {most}"))),
        }
    }

    /// One of a few words, where it may be absent or null.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the words.
    pub fn optional_choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Refusal> {
        let chosen = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice),
            Some(_) => None,
        };
        match chosen {
            Some(choice) => Ok(Some(choice)),
            None => {
                let words: Vec<_> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                Err(invalid(format!("`{name}` must be one of {}", words.join(", "))))
            }
        }
    }

    /// Refuses what was not read.
    ///
    /// # Errors
    /// `invalid_argument`, naming the first unknown argument.
    pub fn finish(self) -> Result<(), Refusal> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => {
                let shown: String = name.chars().take(64).collect();
                Err(invalid(format!("`{shown}` is not an argument of this tool")))
            }
        }
    }
}

/// A number that is an integer as it stands. Beyond 2^53 a float has lost the digits it was written with.
fn whole(number: &Number) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|f| f.fract() == 0.0 && (0.0..=EXACT).contains(f))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and between 0 and 2^53")]
        Some(float as u64)
    })
}

/// Decimal digits alone, no sign and no leading zero.
fn decimal(digits: &str) -> Option<u64> {
    let canonical = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    if canonical { digits.parse().ok() } else { None }
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new("invalid_argument", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(json: &str) -> Result<u64, Refusal> {
        Arguments::parse(&format!(r#"{{"index":{json}}}"#))?.integer("index", (1, 9_223_372_036_854_775_807))
    }

    /// D-012, G-083.
    #[test]
    fn an_integer_has_three_spellings() {
        for good in ["7", "7.0", "\"7\"", "7e0"] {
            assert_eq!(index(good), Ok(7), "{good}");
        }
        assert_eq!(index("9223372036854775807"), Ok(9_223_372_036_854_775_807));
        for bad in [
            "0",
            "-1",
            "true",
            "7.5",
            "\"\"",
            "\"07\"",
            "\"+7\"",
            "\" 7\"",
            "\"7.0\"",
            "\"7e0\"",
            "[7]",
            "{}",
            "null",
            "9223372036854775808",
            "1e300",
        ] {
            let refusal = index(bad).expect_err(bad);
            assert_eq!(refusal.code, "invalid_argument");
            assert!(refusal.message.contains("`index`"), "{}", refusal.message);
        }
    }

    /// D-013: unknown arguments refuse, and the refusal names one.
    #[test]
    fn what_was_not_read_refuses() {
        let mut arguments = Arguments::parse(r#"{"a":"x","b":1}"#).expect("an object");
        assert_eq!(arguments.text("a", (1, 5)), Ok("x".to_owned()));
        assert!(arguments.finish().expect_err("b is left").message.contains("`b`"));
    }

    #[test]
    fn bounds_are_named() {
        let mut arguments = Arguments::parse(r#"{"a":"xxxxxx","n":null}"#).expect("an object");
        let refusal = arguments.text("a", (1, 5)).expect_err("too long");
        assert!(refusal.message.contains("`a`") && refusal.message.contains("1 to 5"), "{}", refusal.message);
        assert_eq!(arguments.optional_text("n", (1, 5)), Ok(None));
        for bad in ["", "[]", "null", "7", "{\"a\":"] {
            assert!(Arguments::parse(bad).is_err(), "{bad}");
        }
    }
}
