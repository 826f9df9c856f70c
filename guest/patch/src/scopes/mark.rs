//! Where scopes are, before they are scopes: by bytes and without texts, so that a text of a million lines costs little
//! until some of them are asked for.

use std::ops::Range;

use memchr::memchr;

use super::{Kind, MAX_NAME, MAX_PATH, Scope};
use crate::text::Positions;

/// A scope that was found.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Its first byte.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
    /// The bytes that name it.
    pub(super) name: Range<usize>,
    /// The place, among those found with it, of the one around it.
    pub(super) parent: Option<usize>,
}

/// A line of a text.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// Its first byte.
    pub(super) start: usize,
    /// The byte after its line end, or the text's end.
    pub(super) end: usize,
    /// What it says, without the line end.
    pub(super) text: &'a str,
}

/// The lines of a text. After the last line end there is none.
#[derive(Clone, Debug)]
pub(super) struct LineReader<'a> {
    rest: &'a str,
    at: usize,
}

impl Mark {
    /// The scope of the mark at `at`.
    pub(super) fn scope(positions: &Positions<'_>, kind: &Kind, marks: &[Self], at: usize) -> Option<Scope> {
        let mark = marks.get(at)?;
        let mut path = Vec::new();
        let mut parent = mark.parent;
        while let Some(around) = parent.and_then(|at| marks.get(at))
            && path.len() < MAX_PATH
        {
            path.push(around.name(positions.text()));
            parent = around.parent;
        }
        path.reverse();
        let span = positions.span(mark.start..mark.end);
        Some(Scope { kind: kind.clone(), name: mark.name(positions.text()), path, span, has_error: false })
    }

    /// The scopes of all of these.
    pub(super) fn scopes(text: &str, kind: &Kind, marks: &[Self]) -> Vec<Scope> {
        let positions = Positions::of(text);
        (0..marks.len()).filter_map(|at| Self::scope(&positions, kind, marks, at)).collect()
    }

    fn name(&self, text: &str) -> String {
        bounded_name(text.get(self.name.clone()).unwrap_or_default())
    }
}

impl<'a> LineReader<'a> {
    /// Those of `text`.
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, at: 0 }
    }
}

impl<'a> Iterator for LineReader<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let next = memchr(b'\n', self.rest.as_bytes()).map_or(self.rest.len(), |end| end + 1);
        let (line, rest) = self.rest.split_at(next);
        let start = self.at;
        self.rest = rest;
        self.at += line.len();
        Some(Line { start, end: self.at, text: line.strip_suffix('\n').unwrap_or(line) })
    }
}

impl Line<'_> {
    /// Whether there is nothing to see on it.
    pub(super) fn is_blank(&self) -> bool {
        self.text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c'))
    }

    /// The bytes of what it says, without white space around.
    pub(super) fn content(&self) -> Range<usize> {
        let content = self.text.trim_start();
        let start = self.start + self.text.len() - content.len();
        start..start + content.trim_end().len()
    }
}

/// A name of the start of `text`, on one line. No more of it is looked at than a name can hold.
pub(super) fn bounded_name(text: &str) -> String {
    let end = text.char_indices().nth(MAX_NAME).map_or(text.len(), |(byte, _)| byte);
    let (start, _) = text.split_at(end);
    let mut name = String::with_capacity(start.len());
    for word in start.split_whitespace() {
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-28: a name is short, whatever it is taken from.
    #[test]
    fn names_are_bounded() {
        assert_eq!(bounded_name("two\n  lines\tand a tab "), "two lines and a tab");
        assert_eq!(bounded_name(""), "");
        assert_eq!(bounded_name(&"漢".repeat(1_000)).chars().count(), MAX_NAME);
        assert_eq!(bounded_name(&format!("a{}b", " ".repeat(300))), "a");
    }

    /// P-006: the only line end is LF.
    #[test]
    fn lines_end_at_lf_only() {
        let read = |text| LineReader::of(text).map(|line| (line.start, line.end, line.text)).collect::<Vec<_>>();
        assert_eq!(read(""), []);
        assert_eq!(read("\n"), [(0, 1, "")]);
        assert_eq!(read("a\u{2028}\n\nb\u{b}"), [(0, 5, "a\u{2028}"), (5, 6, ""), (6, 8, "b\u{b}")]);
    }
}
