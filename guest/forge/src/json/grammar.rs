//! JSON's grammar as a machine that takes one byte: what may come next, and which bytes belong to a member's value.

use super::{
    Fault, MOST_INTEGER,
    nest::{Name, Nest},
    text::{Piece, Text},
};

/// What a byte is to the top-level object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Braces, colons, commas, names and white space of the top level.
    Outside,
    /// The closing quote of a member's name.
    Name,
    /// The first byte of a member's value.
    First,
    /// A byte within it.
    Inside,
    /// Its last byte.
    Last,
    /// The byte after it, where only that byte ends it: a number's.
    Past,
}

/// Where in the text the machine is.
#[derive(Clone, Copy, Debug)]
enum State {
    Start,
    FirstName,
    NextName,
    Name(Text),
    Colon,
    Value,
    FirstElement,
    Text(Text),
    Number(u64),
    Literal(&'static [u8]),
    AfterValue,
    End,
}

#[derive(Debug)]
pub(super) struct Grammar {
    state: State,
    nest: Nest,
    name: Name,
    /// Whether a top-level member's value may be a scalar.
    scalars: bool,
}

impl Grammar {
    pub(super) fn new(most_depth: usize) -> Self {
        Self { state: State::Start, nest: Nest::new(most_depth), name: Name::default(), scalars: false }
    }

    pub(super) fn take_scalars(&mut self) {
        self.scalars = true;
    }

    pub(super) fn push(&mut self, byte: u8) -> Result<Step, Fault> {
        let before = self.in_member();
        let number = matches!(self.state, State::Number(_)) && self.nest.depth() == 1;
        let naming = matches!(self.state, State::Name(_)) && self.nest.depth() == 1;
        self.state = self.next(byte)?;
        Ok(match (before, self.in_member()) {
            (false, true) => Step::First,
            (true, true) => Step::Inside,
            (true, false) if number => Step::Past,
            (true, false) => Step::Last,
            (false, false) if naming && matches!(self.state, State::Colon) => Step::Name,
            (false, false) => Step::Outside,
        })
    }

    /// The name that was read last, unescaped.
    pub(super) fn name(&self) -> &str {
        self.name.as_str()
    }

    /// A member's string, whose opening quote was pushed, was read by someone else up to its closing quote.
    pub(super) fn end_text(&mut self) {
        debug_assert!(matches!(self.state, State::Text(Text::Plain)), "the opening quote was the last byte");
        self.state = State::AfterValue;
    }

    pub(super) const fn is_over(&self) -> bool {
        matches!(self.state, State::End)
    }

    /// Within a top-level member's value. But for a number, its last byte is known when it comes.
    const fn in_member(&self) -> bool {
        match self.nest.depth() {
            0 => false,
            1 => matches!(self.state, State::Text(_) | State::Number(_) | State::Literal(_)),
            _ => true,
        }
    }

    fn next(&mut self, byte: u8) -> Result<State, Fault> {
        let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match self.state {
            State::Name(mut text) => match text.push(byte)? {
                Piece::Part => Ok(State::Name(text)),
                Piece::Char(character) => self.name.push(character).map(|()| State::Name(text)),
                Piece::End => self.nest.add(self.name.as_str()).map(|()| State::Colon),
            },
            State::Text(mut text) => match text.push(byte)? {
                Piece::End => Ok(State::AfterValue),
                Piece::Part | Piece::Char(_) => Ok(State::Text(text)),
            },
            State::Number(value) => self.number(value, byte),
            State::Literal(rest) => match rest.split_first() {
                Some((expected, [])) if *expected == byte => Ok(State::AfterValue),
                Some((expected, rest)) if *expected == byte => Ok(State::Literal(rest)),
                _ => Err(Fault::Syntax),
            },
            state if space => Ok(state),
            State::Start => match byte {
                b'{' => self.nest.open_object().map(|()| State::FirstName),
                0xEF => Err(Fault::ByteOrderMark),
                _ => Err(Fault::NotAnObject),
            },
            State::FirstName if byte == b'}' => self.close(byte),
            State::FirstName | State::NextName if byte == b'"' => {
                self.name.clear();
                Ok(State::Name(Text::Plain))
            }
            State::Colon if byte == b':' => Ok(State::Value),
            State::FirstElement if byte == b']' => self.close(byte),
            State::Value | State::FirstElement => self.value(byte),
            State::AfterValue => self.after_value(byte),
            State::End => Err(Fault::Trailing),
            State::FirstName | State::NextName | State::Colon => Err(Fault::Syntax),
        }
    }

    fn value(&mut self, byte: u8) -> Result<State, Fault> {
        let (state, scalar) = match byte {
            b'{' => (self.nest.open_object().map(|()| State::FirstName)?, false),
            b'[' => (self.nest.open_array().map(|()| State::FirstElement)?, false),
            b'"' => (State::Text(Text::Plain), false),
            b't' => (State::Literal(b"rue"), true),
            b'f' => (State::Literal(b"alse"), true),
            b'n' => (State::Literal(b"ull"), true),
            b'0'..=b'9' => (State::Number(u64::from(byte - b'0')), true),
            b'-' => return Err(Fault::Number),
            _ => return Err(Fault::Syntax),
        };
        if scalar && self.nest.depth() == 1 && !self.scalars { Err(Fault::Kind) } else { Ok(state) }
    }

    /// A number is over with the first byte that is not part of it, which is then looked at again.
    fn number(&mut self, value: u64, byte: u8) -> Result<State, Fault> {
        match byte {
            b'0'..=b'9' if value > 0 => {
                // At most 2^53-1 so far: ten times that is within 64 bits.
                let value = value * 10 + u64::from(byte - b'0');
                if value <= MOST_INTEGER { Ok(State::Number(value)) } else { Err(Fault::Number) }
            }
            b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-' => Err(Fault::Number),
            b' ' | b'\t' | b'\n' | b'\r' => Ok(State::AfterValue),
            _ => self.after_value(byte),
        }
    }

    fn after_value(&mut self, byte: u8) -> Result<State, Fault> {
        match byte {
            b',' if self.nest.in_object() => Ok(State::NextName),
            b',' => Ok(State::Value),
            _ => self.close(byte),
        }
    }

    fn close(&mut self, closer: u8) -> Result<State, Fault> {
        self.nest.close(closer)?;
        Ok(if self.nest.depth() == 0 { State::End } else { State::AfterValue })
    }

    #[cfg(test)]
    pub(super) const fn names_cost(&self) -> usize {
        self.nest.cost()
    }
}
