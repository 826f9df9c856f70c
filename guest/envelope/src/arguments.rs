//! A tool's arguments: read once, into newtypes, or refused by name and bound.
//!
//! The published schema says the same, and a client may check it; a component trusts neither. Reading takes a member
//! away; what is left at the end is unknown and refuses (D-013, G-081).

use serde_json::{Map, Number, Value};

use crate::Refusal;

/// The members of the arguments object, or of an object in it, that were not read yet.
#[derive(Debug)]
pub struct Arguments {
    members: Map<String, Value>,
    /// What stands before a member's name where it is told: nothing, or `comments[2].`.
    place: String,
}

impl Arguments {
    /// Reads the arguments object of a call.
    ///
    /// # Errors
    /// `invalid_argument` where the text is not one JSON object.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let members = serde_json::from_str(text).map_err(|_| invalid("the arguments must be one JSON object"))?;
        Ok(Self { members, place: String::new() })
    }

    /// A member's name with the place it stands at: `comments[2].line`.
    #[must_use]
    pub fn name(&self, member: &str) -> String {
        format!("{}{member}", self.place)
    }

    /// A string of `bounds` bytes that must be there.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn text(&mut self, name: &str, bounds: (usize, usize)) -> Result<String, Refusal> {
        let text = self.optional_text(name, bounds)?;
        text.ok_or_else(|| self.missing(name))
    }

    /// A string of `bounds` bytes; null counts as absent (G-083). A schema can count characters alone, so what it lets pass may
    /// still be too long here.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn optional_text(&mut self, name: &str, (least, most): (usize, usize)) -> Result<Option<String>, Refusal> {
        let Some(text) = self.take_text(name)? else { return Ok(None) };
        if (least..=most).contains(&text.len()) {
            return Ok(Some(text));
        }
        let name = self.name(name);
        let mut message = format!("`{name}` has {} bytes in UTF-8, and must have {least} to {most}", text.len());
        if !text.is_ascii() {
            message += ": here bytes count, where the published schema counts characters";
        }
        Err(invalid(message))
    }

    /// A string of `bounds` characters, as a schema counts them, that must be there.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn characters(&mut self, name: &str, bounds: (usize, usize)) -> Result<String, Refusal> {
        let text = self.optional_characters(name, bounds)?;
        text.ok_or_else(|| self.missing(name))
    }

    /// The same, where it may be absent or null.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn optional_characters(
        &mut self,
        name: &str,
        (least, most): (usize, usize),
    ) -> Result<Option<String>, Refusal> {
        let Some(text) = self.take_text(name)? else { return Ok(None) };
        let count = text.chars().count();
        if (least..=most).contains(&count) {
            return Ok(Some(text));
        }
        let name = self.name(name);
        Err(invalid(format!("`{name}` has {count} characters, and must have {least} to {most}")))
    }

    /// An integer within `bounds` that must be there: `7`, `7.0` or `"7"`, nothing else (G-083).
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn integer(&mut self, name: &str, bounds: (u64, u64)) -> Result<u64, Refusal> {
        let integer = self.optional_integer(name, bounds)?;
        integer.ok_or_else(|| self.missing(name))
    }

    /// The same, where it may be absent or null.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the bound.
    pub fn optional_integer(&mut self, name: &str, (least, most): (u64, u64)) -> Result<Option<u64>, Refusal> {
        let value = match self.members.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => whole(&number),
            Some(Value::String(digits)) => decimal(&digits),
            Some(_) => None,
        };
        match value.filter(|value| (least..=most).contains(value)) {
            Some(value) => Ok(Some(value)),
            None => Err(invalid(format!("`{}` must be an integer from {least} to {most}", self.name(name)))),
        }
    }

    /// One of a few words, where it may be absent or null.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the words.
    pub fn optional_choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Refusal> {
        let chosen = match self.members.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice),
            Some(_) => None,
        };
        match chosen {
            Some(choice) => Ok(Some(choice)),
            None => {
                let words: Vec<_> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                Err(invalid(format!("`{}` must be one of {}", self.name(name), words.join(", "))))
            }
        }
    }

    /// One of a few words that must be there.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument and the words.
    pub fn choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<T, Refusal> {
        let choice = self.optional_choice(name, choices)?;
        choice.ok_or_else(|| self.missing(name))
    }

    /// An array of `bounds` objects, each to be read and finished as this one is; null counts as absent.
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument, or the element of it that is no object, and the bound.
    pub fn optional_objects(
        &mut self,
        name: &str,
        (least, most): (usize, usize),
    ) -> Result<Option<Vec<Self>>, Refusal> {
        let place = self.name(name);
        let elements = match self.members.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(elements)) => elements,
            Some(_) => return Err(invalid(format!("`{place}` must be an array of objects"))),
        };
        if !(least..=most).contains(&elements.len()) {
            let count = elements.len();
            return Err(invalid(format!("`{place}` has {count} elements, and must have {least} to {most}")));
        }
        let objects = elements.into_iter().enumerate().map(|(at, element)| match element {
            Value::Object(members) => Ok(Self { members, place: format!("{place}[{at}].") }),
            _ => Err(invalid(format!("`{place}[{at}]` must be an object"))),
        });
        objects.collect::<Result<_, _>>().map(Some)
    }

    /// Refuses what was not read.
    ///
    /// # Errors
    /// `invalid_argument`, naming the first unknown argument.
    pub fn finish(self) -> Result<(), Refusal> {
        match self.members.keys().next() {
            None => Ok(()),
            Some(name) => {
                let shown: String = name.chars().take(64).collect();
                Err(invalid(format!("`{}` is not an argument of this tool", self.name(&shown))))
            }
        }
    }

    fn take_text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.members.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(format!("`{}` must be a string", self.name(name)))),
        }
    }

    fn missing(&self, name: &str) -> Refusal {
        invalid(format!("`{}` is required and missing", self.name(name)))
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
        assert!(!refusal.message.contains("characters"), "{}", refusal.message);
        // A schema that says `maxLength: 5` lets four of these pass.
        let mut arguments = Arguments::parse(r#"{"a":"\u00fc\u00fc\u00fc\u00fc"}"#).expect("an object");
        let refusal = arguments.text("a", (1, 5)).expect_err("too long");
        assert!(refusal.message.contains("8 bytes in UTF-8") && refusal.message.contains("characters"), "{refusal}");
        for bad in ["", "[]", "null", "7", "{\"a\":"] {
            assert!(Arguments::parse(bad).is_err(), "{bad}");
        }
    }

    /// Titles are counted as a schema counts them.
    #[test]
    fn characters_are_no_bytes() {
        let mut arguments = Arguments::parse(r#"{"a":"\u00fc\ud83d\ude00","b":"xxx","c":7}"#).expect("an object");
        assert_eq!(arguments.characters("a", (1, 2)), Ok("\u{fc}\u{1f600}".to_owned()));
        let refusal = arguments.characters("b", (1, 2)).expect_err("too long");
        assert!(refusal.message.contains("3 characters") && refusal.message.contains("1 to 2"), "{refusal}");
        assert!(arguments.characters("c", (1, 2)).expect_err("a number").message.contains("`c`"));
        assert!(arguments.characters("d", (1, 2)).expect_err("nothing").message.contains("`d` is required"));
        assert_eq!(arguments.optional_characters("d", (1, 2)), Ok(None));
    }

    /// What stands inside is told with its place, and has its own unknown members.
    #[test]
    fn objects_inside_are_read_alike() {
        let text = r#"{"list":[{"n":1},{"n":0},{"m":1},{"n":"2"},{"n":3,"y":7}],"none":null,"bad":[7]}"#;
        let mut arguments = Arguments::parse(text).expect("an object");
        let mut list = arguments.optional_objects("list", (1, 5)).expect("an array").expect("given").into_iter();
        let mut told = || {
            let mut element = list.next().expect("five");
            let number = element.integer("n", (1, 9));
            number.and_then(|number| element.finish().map(|()| number)).map_err(|refusal| refusal.message)
        };
        assert_eq!(told(), Ok(1));
        assert!(told().expect_err("zero").contains("`list[1].n` must be an integer from 1 to 9"));
        assert!(told().expect_err("absent").contains("`list[2].n` is required"));
        assert_eq!(told(), Ok(2));
        assert!(told().expect_err("y is left").contains("`list[4].y` is not an argument"));
        assert!(arguments.optional_objects("none", (1, 1)).expect("absent").is_none());
        assert!(arguments.optional_objects("bad", (1, 1)).expect_err("a number").message.contains("`bad[0]`"));
        for (text, told) in [
            (r#"{"list":[]}"#, "0 elements, and must have 1 to 2"),
            (r#"{"list":[{},{},{}]}"#, "3 elements"),
            (r#"{"list":{}}"#, "`list` must be an array of objects"),
        ] {
            let mut arguments = Arguments::parse(text).expect("an object");
            let refusal = arguments.optional_objects("list", (1, 2)).expect_err(text);
            assert!(refusal.message.contains(told), "{refusal}");
        }
    }
}
