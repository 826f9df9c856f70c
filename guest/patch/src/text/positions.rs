//! From code points to bytes and back, over one text, without a table as long as it.

use super::Span;

/// Code points between two marks.
const STRIDE: usize = 256;

/// Where the code points of a text are.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    text: &'a str,
    /// The byte of every [`STRIDE`]th code point; empty where each code point is one byte.
    marks: Vec<usize>,
    code_points: usize,
}

impl<'a> Positions<'a> {
    /// Looks through `text` once.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        if text.is_ascii() {
            return Self { text, marks: Vec::new(), code_points: text.len() };
        }
        let mut marks = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut code_points = 0;
        for (byte, _) in text.char_indices() {
            if code_points % STRIDE == 0 {
                marks.push(byte);
            }
            code_points += 1;
        }
        Self { text, marks, code_points }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// How many code points it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.code_points
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.code_points == 0
    }

    /// The byte where code point `at` begins, or the end's for the number of them; nothing past it.
    #[must_use]
    pub fn byte(&self, at: usize) -> Option<usize> {
        if at >= self.code_points {
            return (at == self.code_points).then_some(self.text.len());
        }
        if self.marks.is_empty() {
            return Some(at);
        }
        let mark = *self.marks.get(at / STRIDE)?;
        let (byte, _) = self.text.get(mark..)?.char_indices().nth(at % STRIDE)?;
        Some(mark + byte)
    }

    /// The code point that begins at `byte`, a boundary within the text.
    ///
    /// # Panics
    /// Where it is none.
    #[must_use]
    pub fn code_point(&self, byte: usize) -> usize {
        if self.marks.is_empty() {
            assert!(byte <= self.text.len(), "within the text");
            return byte;
        }
        let block = self.marks.partition_point(|mark| *mark <= byte).saturating_sub(1);
        let mark = self.marks.get(block).copied().unwrap_or_default();
        block * STRIDE + self.text[mark..byte].chars().count()
    }

    /// The text of a span; nothing where it ends past the text or begins past its own end.
    #[must_use]
    pub fn slice(&self, span: Span) -> Option<&'a str> {
        self.text.get(self.byte(span.start)?..self.byte(span.end)?)
    }

    /// The span of these bytes, both boundaries within the text.
    ///
    /// # Panics
    /// Where one of them is none.
    #[must_use]
    pub fn span(&self, bytes: std::ops::Range<usize>) -> Span {
        Span { start: self.code_point(bytes.start), end: self.code_point(bytes.end) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// P-050: offsets count code points, whatever they are made of.
        #[test]
        fn positions_are_those_of_code_points(text in "(a|é|\u{1f9ea}|\n|漢){0,900}") {
            let positions = Positions::of(&text);
            let starts: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
            prop_assert_eq!(positions.len() + 1, starts.len());
            for (at, byte) in starts.iter().enumerate() {
                prop_assert_eq!(positions.byte(at), Some(*byte));
                prop_assert_eq!(positions.code_point(*byte), at);
            }
            prop_assert_eq!(positions.byte(starts.len()), None);
            let (start, end) = (starts.len() / 3, starts.len() / 2);
            let slice: String = text.chars().skip(start).take(end - start).collect();
            prop_assert_eq!(positions.slice(Span { start, end }), Some(&*slice));
            prop_assert_eq!(positions.span(starts[start]..starts[end]), Span { start, end });
            prop_assert_eq!(positions.slice(Span { start: 0, end: starts.len() }), None);
        }
    }
}
