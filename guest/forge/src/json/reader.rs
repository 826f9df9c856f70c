//! The reader: feeds the grammar and gives each top-level member's value to whoever takes it.

use super::{
    Fault,
    grammar::{Grammar, Step},
};
use crate::Error;

/// Bytes that are read beside what is streamed, white space among them: more than any reader's members together. Without it,
/// a text that never ends would be read for ever, as white space costs no memory.
const BESIDE_BYTES: u64 = 2 * 1024 * 1024;

/// What becomes of a member's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Its raw text is copied, and refused past `most` bytes.
    Capture {
        /// Bytes of the raw text, quotes and braces included.
        most: usize,
    },
    /// It must be a string without escapes; its content is handed on and not kept.
    Stream,
    /// The same for a string; anything else is captured.
    StreamOr {
        /// Bytes of the raw text of what is no string.
        most: usize,
    },
}

/// Takes the members of the top-level object, in the order they come.
pub trait Members {
    /// A member of this name (unescaped) begins. No name comes twice.
    ///
    /// # Errors
    /// Why there may be no such member.
    fn member(&mut self, name: &str) -> Result<Take, Error>;

    /// The raw text of the last member's value: strict JSON, checked.
    ///
    /// # Errors
    /// What is wrong with the value.
    fn captured(&mut self, raw: String) -> Result<(), Error>;

    /// A streamed string begins; `position` is the count of bytes up to and including its opening quote.
    ///
    /// # Errors
    /// Why it may not begin here.
    fn stream_begins(&mut self, position: u64) -> Result<(), Error>;

    /// Bytes of the streamed string, split anywhere. They hold no quote and no backslash; that they are of an alphabet
    /// without control characters is for the taker to see to.
    ///
    /// # Errors
    /// What is wrong with them.
    fn streamed(&mut self, content: &[u8]) -> Result<(), Error>;

    /// The streamed string is over.
    ///
    /// # Errors
    /// What is missing from it.
    fn stream_ends(&mut self) -> Result<(), Error>;
}

/// A strict reader of one JSON object.
#[derive(Debug)]
pub struct Reader {
    grammar: Grammar,
    take: Take,
    capture: Vec<u8>,
    streaming: bool,
    position: u64,
    /// Of them those that were streamed.
    streamed: u64,
}

impl Reader {
    /// Reads an object whose nesting, itself included, is at most `most_depth`.
    #[must_use]
    pub fn new(most_depth: usize) -> Self {
        Self {
            grammar: Grammar::new(most_depth),
            take: Take::Capture { most: 0 },
            capture: Vec::new(),
            streaming: false,
            position: 0,
            streamed: 0,
        }
    }

    /// Also takes members whose value is a number, a boolean or null: what is no evidence has them.
    #[must_use]
    pub fn with_scalars(mut self) -> Self {
        self.grammar.take_scalars();
        self
    }

    /// Reads the next bytes, split anywhere.
    ///
    /// # Errors
    /// A [`Fault`], or what `members` has against a member. The reader is of no use then.
    pub fn feed(&mut self, mut bytes: &[u8], members: &mut impl Members) -> Result<(), Error> {
        loop {
            bytes = if self.streaming { self.stream(bytes, members)? } else { bytes };
            let Some((byte, rest)) = bytes.split_first() else { return Ok(()) };
            self.position += 1;
            if self.position - self.streamed > BESIDE_BYTES {
                return Err(Fault::TooMuch.into());
            }
            self.step(*byte, members)?;
            bytes = rest;
        }
    }

    /// The bytes are over.
    ///
    /// # Errors
    /// [`Fault::Truncated`] where the object is not.
    pub const fn finish(&self) -> Result<(), Fault> {
        if self.grammar.is_over() { Ok(()) } else { Err(Fault::Truncated) }
    }

    fn step(&mut self, byte: u8, members: &mut impl Members) -> Result<(), Error> {
        match self.grammar.push(byte)? {
            Step::Outside => Ok(()),
            Step::Name => {
                self.take = members.member(self.grammar.name())?;
                Ok(())
            }
            Step::First => {
                self.capture.clear();
                match (self.take, byte) {
                    (Take::Stream | Take::StreamOr { .. }, b'"') => {
                        self.streaming = true;
                        members.stream_begins(self.position)
                    }
                    (Take::Capture { .. } | Take::StreamOr { .. }, _) => self.keep(byte),
                    (Take::Stream, _) => Err(Fault::Kind.into()),
                }
            }
            Step::Inside => self.keep(byte),
            Step::Last => {
                self.keep(byte)?;
                self.captured(members)
            }
            Step::Past => self.captured(members),
        }
    }

    fn captured(&mut self, members: &mut impl Members) -> Result<(), Error> {
        let raw = String::from_utf8(std::mem::take(&mut self.capture)).map_err(|_| Fault::Utf8)?;
        members.captured(raw)
    }

    /// Hands on content up to the closing quote and gives what follows it.
    fn stream<'a>(&mut self, bytes: &'a [u8], members: &mut impl Members) -> Result<&'a [u8], Error> {
        let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        let (content, rest) = bytes.split_at(end);
        self.position += content.len() as u64;
        self.streamed += content.len() as u64;
        if !content.is_empty() {
            members.streamed(content)?;
        }
        match rest.split_first() {
            None => Ok(rest),
            Some((b'"', rest)) => {
                self.position += 1;
                self.streaming = false;
                self.grammar.end_text();
                members.stream_ends()?;
                Ok(rest)
            }
            Some(_) => Err(Fault::EscapeInContent.into()),
        }
    }

    fn keep(&mut self, byte: u8) -> Result<(), Error> {
        match self.take {
            Take::Capture { most } | Take::StreamOr { most } if self.capture.len() < most => {
                self.capture.push(byte);
                Ok(())
            }
            Take::Capture { .. } | Take::Stream | Take::StreamOr { .. } => Err(Fault::TooLong.into()),
        }
    }

    #[cfg(test)]
    pub(crate) const fn allocated(&self) -> usize {
        self.capture.capacity() + self.grammar.names_cost()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Copies everything, streams what is called `s`.
    #[derive(Debug, Default, PartialEq)]
    struct Copy {
        members: Vec<(String, String)>,
        stream: Option<String>,
    }

    impl Members for Copy {
        fn member(&mut self, name: &str) -> Result<Take, Error> {
            self.members.push((name.into(), String::new()));
            Ok(if name == "s" { Take::Stream } else { Take::Capture { most: 64 } })
        }

        fn captured(&mut self, raw: String) -> Result<(), Error> {
            self.members.last_mut().expect("named before").1 = raw;
            Ok(())
        }

        fn stream_begins(&mut self, _position: u64) -> Result<(), Error> {
            self.stream = Some(String::new());
            Ok(())
        }

        fn streamed(&mut self, content: &[u8]) -> Result<(), Error> {
            self.stream.as_mut().expect("begun").push_str(std::str::from_utf8(content).expect("ASCII in these tests"));
            Ok(())
        }

        fn stream_ends(&mut self) -> Result<(), Error> {
            self.members.last_mut().expect("named before").1 = self.stream.take().expect("begun");
            Ok(())
        }
    }

    fn read_by(text: &[u8], size: usize) -> Result<Vec<(String, String)>, Error> {
        let mut reader = Reader::new(4);
        let mut copy = Copy::default();
        for piece in text.chunks(size) {
            reader.feed(piece, &mut copy)?;
        }
        reader.finish()?;
        Ok(copy.members)
    }

    /// D-078: each verdict is the same at every split.
    fn read(text: &[u8]) -> Result<Vec<(String, String)>, Error> {
        let whole = read_by(text, text.len().max(1));
        for size in 1..text.len().min(7) {
            assert_eq!(read_by(text, size), whole, "{:?} by {size}", String::from_utf8_lossy(text));
        }
        whole
    }

    #[test]
    fn gives_each_value_as_it_was_written() {
        let text = b" {\"a\" : {\"b\":[1, true,null , {}]} ,\n\"s\":\"QUJD\", \"c\":\"\\u00e9\",\"d\":[]}\r\n\t ";
        let expected = [("a", "{\"b\":[1, true,null , {}]}"), ("s", "QUJD"), ("c", "\"\\u00e9\""), ("d", "[]")];
        assert_eq!(read(text), Ok(expected.map(|(name, raw)| (name.to_owned(), raw.to_owned())).into()));
        assert_eq!(read(b"{}"), Ok(vec![]));
    }

    /// D-019, D-036a, D-036b: numbers 12 to 16 and 19 to 25 as far as the text alone shows them.
    #[test]
    fn refuses_what_is_not_strict() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(63));
        let name = format!("{{\"{}\":[]}}", "x".repeat(129));
        for (text, fault) in [
            (&b"\xef\xbb\xbf{}"[..], Fault::ByteOrderMark),
            (b"", Fault::Truncated),
            (b"   ", Fault::Truncated),
            (b"[]", Fault::NotAnObject),
            (b"null", Fault::NotAnObject),
            (b"\"a\"", Fault::NotAnObject),
            (b"7", Fault::NotAnObject),
            (b"{}{}", Fault::Trailing),
            (b"{} 1", Fault::Trailing),
            (b"{}\0", Fault::Trailing),
            (b"{\"a\":[]", Fault::Truncated),
            (b"{\"s\":\"QU", Fault::Truncated),
            (b"{\"a\":[],}", Fault::Syntax),
            (b"{\"a\":[1,]}", Fault::Syntax),
            (b"{,}", Fault::Syntax),
            (b"{\"a\" []}", Fault::Syntax),
            (b"{\"a\":[1 2]}", Fault::Syntax),
            (b"{\"a\":[}", Fault::Syntax),
            (b"{\"a\":[]]", Fault::Syntax),
            (b"{a:[]}", Fault::Syntax),
            (b"{\"a\":[] /* */}", Fault::Syntax),
            (b"{\"a\":[// \n]}", Fault::Syntax),
            (b"{\"a\":[NaN]}", Fault::Syntax),
            (b"{\"a\":[Infinity]}", Fault::Syntax),
            (b"{\"a\":[nul]}", Fault::Syntax),
            (b"{\"a\":[truee]}", Fault::Syntax),
            (b"{\"a\":['b']}", Fault::Syntax),
            (b"{\"a\":\x0b[]}", Fault::Syntax),
            (b"{\"a\":[-0]}", Fault::Number),
            (b"{\"a\":[-1]}", Fault::Number),
            (b"{\"a\":[+1]}", Fault::Syntax),
            (b"{\"a\":[01]}", Fault::Number),
            (b"{\"a\":[00]}", Fault::Number),
            (b"{\"a\":[7.0]}", Fault::Number),
            (b"{\"a\":[1e3]}", Fault::Number),
            (b"{\"a\":[1E3]}", Fault::Number),
            (b"{\"a\":[9007199254740992]}", Fault::Number),
            (b"{\"a\":[99999999999999999999999999]}", Fault::Number),
            (b"{\"a\":[0x1]}", Fault::Syntax),
            (b"{\"a\":1}", Fault::Kind),
            (b"{\"a\":null}", Fault::Kind),
            (b"{\"a\":false}", Fault::Kind),
            (b"{\"s\":[]}", Fault::Kind),
            (b"{\"s\":{}}", Fault::Kind),
            (b"{\"a\":[[[[]]]]}", Fault::Depth),
            (b"{\"a\":[[[[", Fault::Depth),
            (b"{\"a\":[],\"a\":[]}", Fault::Duplicate),
            (b"{\"a\":[],\"\\u0061\":[]}", Fault::Duplicate),
            (b"{\"a\":{\"\\\\\":1,\"\\u005c\":1}}", Fault::Duplicate),
            (b"{\"a\":[{\"b\":1,\"c\":2,\"b\":3}]}", Fault::Duplicate),
            (b"{\"a\":\"\x01\"}", Fault::ControlCharacter),
            (b"{\"a\x00\":\"\"}", Fault::ControlCharacter),
            (b"{\"a\":\"\\ud800\"}", Fault::Escape),
            (b"{\"\\udc00\":\"\"}", Fault::Escape),
            (b"{\"a\":\"\xff\"}", Fault::Utf8),
            (b"{\"\xc3\":\"\"}", Fault::Utf8),
            (b"{\"s\":\"QU\\/D\"}", Fault::EscapeInContent),
            (b"{\"s\":\"\\u0041\"}", Fault::EscapeInContent),
            (long.as_bytes(), Fault::TooLong),
            (name.as_bytes(), Fault::Names),
        ] {
            assert_eq!(read(text), Err(Error::Json(fault)), "{:?}", String::from_utf8_lossy(text));
        }
        assert!(read(b"{\"a\":[[[]]]}").is_ok());
        assert!(read(b"{\"a\":[9007199254740991,0,10]}").is_ok());
        assert!(read(b"{\"a\":[{\"b\":1},{\"b\":1}],\"b\":{\"a\":1,\"b\":2}}").is_ok());
    }

    /// O-010: what is no evidence may have scalars; they are given as they were written, at every split.
    #[test]
    fn scalars_are_taken_where_they_are_wanted() {
        let by = |text: &[u8], size: usize| {
            let mut reader = Reader::new(4).with_scalars();
            let mut copy = Copy::default();
            text.chunks(size).try_for_each(|piece| reader.feed(piece, &mut copy))?;
            reader.finish()?;
            Ok::<_, Error>(copy.members)
        };
        let text = b"{\"a\":1,\"b\":20 ,\"c\":true,\"d\":false ,\"e\":null,\"f\":[1,null],\"g\":{\"h\":2},\"s\":\"QQ\",\"i\":0}";
        let expected = [
            ("a", "1"),
            ("b", "20"),
            ("c", "true"),
            ("d", "false"),
            ("e", "null"),
            ("f", "[1,null]"),
            ("g", "{\"h\":2}"),
            ("s", "QQ"),
            ("i", "0"),
        ];
        let expected: Vec<_> = expected.map(|(name, raw)| (name.to_owned(), raw.to_owned())).into();
        for size in 1..=text.len() {
            assert_eq!(by(text, size), Ok(expected.clone()), "by {size}");
        }
        for (text, fault) in [
            (&b"{\"a\":1"[..], Fault::Truncated),
            (b"{\"a\":01}", Fault::Number),
            (b"{\"a\":1.5}", Fault::Number),
            (b"{\"a\":-1}", Fault::Number),
            (b"{\"a\":nul}", Fault::Syntax),
            (b"{\"a\":1]", Fault::Syntax),
            (b"{\"a\":1,\"a\":2}", Fault::Duplicate),
            (b"{\"s\":1}", Fault::Kind),
            (b"1", Fault::NotAnObject),
        ] {
            assert_eq!(by(text, 1), Err(Error::Json(fault)), "{:?}", String::from_utf8_lossy(text));
        }
    }

    /// White space without end is read for so long and no longer, wherever it stands; what is streamed is not counted.
    #[test]
    fn padding_ends_at_the_bound() {
        let spaces = " ".repeat(64 * 1024);
        for start in ["", "{", "{\"a\":", "{\"a\":[],\"s\":\"QQ\"", "{\"a\":[]}"] {
            let (mut reader, mut copy, mut read) = (Reader::new(4), Copy::default(), 0);
            let mut fed = reader.feed(start.as_bytes(), &mut copy);
            while fed.is_ok() && read < 2 * BESIDE_BYTES {
                fed = reader.feed(spaces.as_bytes(), &mut copy);
                read += spaces.len() as u64;
            }
            assert_eq!(
                (fed, read),
                (Err(Error::Json(Fault::TooMuch)), BESIDE_BYTES + if start.is_empty() { 65_536 } else { 0 })
            );
        }
        let (mut reader, mut copy) = (Reader::new(4), Copy::default());
        reader.feed(b"{\"s\":\"", &mut copy).expect("a string begins");
        for _ in 0..BESIDE_BYTES / 65_536 + 2 {
            reader.feed("Q".repeat(65_536).as_bytes(), &mut copy).expect("it goes on");
        }
        assert_eq!(reader.feed(b"\"}", &mut copy), Ok(()));
    }

    /// D-061: names cost a bounded amount, however many come.
    #[test]
    fn names_are_bounded() {
        struct Drop;
        impl Members for Drop {
            fn member(&mut self, _: &str) -> Result<Take, Error> {
                Ok(Take::Capture { most: 2 })
            }
            fn captured(&mut self, _: String) -> Result<(), Error> {
                Ok(())
            }
            fn stream_begins(&mut self, _: u64) -> Result<(), Error> {
                unreachable!("nothing is streamed")
            }
            fn streamed(&mut self, _: &[u8]) -> Result<(), Error> {
                unreachable!("nothing is streamed")
            }
            fn stream_ends(&mut self) -> Result<(), Error> {
                unreachable!("nothing is streamed")
            }
        }
        let mut reader = Reader::new(2);
        reader.feed(b"{", &mut Drop).expect("an object");
        let refused = (0_u32..100_000).find_map(|n| reader.feed(format!("\"{n}\":[],").as_bytes(), &mut Drop).err());
        assert_eq!(refused, Some(Error::Json(Fault::Names)));
        assert!(reader.allocated() < 70_000);
    }

    proptest! {
        /// Random bytes and random pieces of JSON: no panic, the same verdict at every split, and nothing is accepted
        /// that another parser refuses.
        #[test]
        fn is_stricter_than_serde(pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"a\"", "\"b\"", "\"s\"", "\"\\u0061\"", "1", "0", "true", "null", " ", "\n", "\"", "\\", "-", "e", ".",
            "{\"a\":", "\"s\":\"QUJD\"", "}\n",
        ]), 0..14)) {
            let text = pieces.concat();
            let verdict = read_by(text.as_bytes(), text.len().max(1));
            prop_assert_eq!(&read_by(text.as_bytes(), 1), &verdict);
            if verdict.is_ok() {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
            }
        }

        /// Hostile bytes never panic.
        #[test]
        fn takes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), size in 1_usize..20) {
            let mut text = b"{\"a\":\"".to_vec();
            text.extend(bytes);
            let _ = read_by(&text, size);
        }
    }
}
