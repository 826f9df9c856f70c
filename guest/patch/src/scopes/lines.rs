//! The parts that every text has: its lines, and the paragraphs between its blank lines.

use super::mark::{LineReader, Mark};
use super::{Kind, Parser, Scope};

/// Every line with its line end. Together they are the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

/// Every run of lines that are not blank, with the line end of its last one and never a blank line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paragraphs;

impl Parser for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn outline(&self, text: &str) -> Vec<Scope> {
        let marks: Vec<_> = LineReader::of(text)
            .map(|line| Mark { start: line.start, end: line.end, name: line.content(), parent: None })
            .collect();
        Mark::scopes(text, &Kind::Line, &marks)
    }
}

impl Parser for Paragraphs {
    fn name(&self) -> &str {
        "paragraphs"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn outline(&self, text: &str) -> Vec<Scope> {
        Mark::scopes(text, &Kind::Paragraph, &Self::marks(text))
    }
}

impl Paragraphs {
    pub(super) fn marks(text: &str) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        let mut within = false;
        for line in LineReader::of(text) {
            if line.is_blank() {
                within = false;
            } else if within && let Some(paragraph) = marks.last_mut() {
                paragraph.end = line.end;
            } else {
                marks.push(Mark { start: line.start, end: line.end, name: line.content(), parent: None });
                within = true;
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(parser: &dyn Parser, text: &'a str) -> Vec<(String, &'a str)> {
        let scopes = parser.outline(text);
        scopes.into_iter().map(|scope| (scope.name, &text[scope.span.start..scope.span.end])).collect()
    }

    /// P-143, PG-28.
    #[test]
    fn lines_have_their_ends() {
        assert_eq!(
            texts(&Lines, "one\n\n  two  \nthree"),
            [("one", "one\n"), ("", "\n"), ("two", "  two  \n"), ("three", "three")].map(|(a, b)| (a.to_owned(), b))
        );
        assert_eq!(texts(&Lines, ""), []);
    }

    /// E-39: a paragraph ends before the blank line.
    #[test]
    fn paragraphs_have_no_blank_lines() {
        assert_eq!(
            texts(&Paragraphs, "\n \nfirst\n  of two\n\t\n\x0c\nlast\n\n"),
            [("first", "first\n  of two\n"), ("last", "last\n")].map(|(a, b)| (a.to_owned(), b))
        );
        assert_eq!(texts(&Paragraphs, "x"), [("x".to_owned(), "x")]);
        assert_eq!(texts(&Paragraphs, "\n\n \n"), []);
    }
}
