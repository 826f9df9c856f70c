//! What one parser found in one text, in document order, each made a scope only when it is taken.

use std::cmp::Reverse;
use std::iter::Peekable;
use std::ops::Range;

use super::mark::{LineReader, Mark, bounded_name};
use super::{IndentBlocks, Kind, Lines, MAX_PATH, MarkdownHeadings, Paragraphs, Parser, Scope};
use crate::text::Positions;

/// Where a scope is in document order: by its start, and around the shorter ones of the same start.
pub(super) type Place = (usize, Reverse<usize>);

/// The scopes of one parser, one after the other.
pub(super) struct Source<'a> {
    parser: &'a dyn Parser,
    found: Found<'a>,
}

enum Found<'a> {
    /// Lines are read as they are taken: a text can have as many as it has bytes.
    Lines(Peekable<LineReader<'a>>),
    Marks {
        kind: Kind,
        marks: Vec<Mark>,
        at: usize,
    },
    Parsed {
        scopes: Vec<(Range<usize>, Scope)>,
        at: usize,
    },
}

impl<'a> Source<'a> {
    /// The built-in scopes of a kind; nothing where only a parser of a language finds it.
    pub(super) fn built_in(text: &'a str, kind: Kind) -> Option<Self> {
        let (parser, marks): (&dyn Parser, _) = match kind {
            Kind::Line => {
                return Some(Self { parser: &Lines, found: Found::Lines(LineReader::of(text).peekable()) });
            }
            Kind::Paragraph => (&Paragraphs, Paragraphs::marks(text)),
            Kind::MarkdownHeading => (&MarkdownHeadings, MarkdownHeadings::marks(text)),
            Kind::IndentBlock => (&IndentBlocks, IndentBlocks::marks(text)),
            Kind::Parsed(_) => return None,
        };
        Some(Self { parser, found: Found::Marks { kind, marks, at: 0 } })
    }

    /// What `parser` finds. It may be wrong: what is not within the text is left out, what is too long is cut.
    pub(super) fn parsed(positions: &Positions<'_>, parser: &'a dyn Parser, wanted: impl Fn(&Kind) -> bool) -> Self {
        let mut scopes = Vec::new();
        for mut scope in parser.outline(positions.text()) {
            let (Some(start), Some(end)) = (positions.byte(scope.span.start), positions.byte(scope.span.end)) else {
                continue;
            };
            if start >= end || !wanted(&scope.kind) {
                continue;
            }
            scope.kind = Kind::of_name(scope.kind.name());
            scope.name = bounded_name(&scope.name);
            scope.path.drain(..scope.path.len().saturating_sub(MAX_PATH));
            scope.path.iter_mut().for_each(|name| *name = bounded_name(name));
            scopes.push((start..end, scope));
        }
        scopes.sort_by_key(|(bytes, _)| (bytes.start, Reverse(bytes.end)));
        Self { parser, found: Found::Parsed { scopes, at: 0 } }
    }

    /// What finds them.
    pub(super) fn parser(&self) -> &'a dyn Parser {
        self.parser
    }

    /// The bytes of the next one.
    pub(super) fn peek(&mut self) -> Option<Range<usize>> {
        match &mut self.found {
            Found::Lines(lines) => lines.peek().map(|line| line.start..line.end),
            Found::Marks { marks, at, .. } => marks.get(*at).map(|mark| mark.start..mark.end),
            Found::Parsed { scopes, at } => scopes.get(*at).map(|(bytes, _)| bytes.clone()),
        }
    }

    /// Where the next one is.
    pub(super) fn place(&mut self) -> Option<Place> {
        self.peek().map(|bytes| (bytes.start, Reverse(bytes.end)))
    }

    /// Goes past the next one.
    pub(super) fn skip(&mut self) {
        match &mut self.found {
            Found::Lines(lines) => drop(lines.next()),
            Found::Marks { at, .. } | Found::Parsed { at, .. } => *at += 1,
        }
    }

    /// The next one.
    pub(super) fn take(&mut self, positions: &Positions<'_>) -> Option<Scope> {
        let scope = match &mut self.found {
            Found::Lines(lines) => {
                let line = lines.peek()?;
                let mark = Mark { start: line.start, end: line.end, name: line.content(), parent: None };
                Mark::scope(positions, &Kind::Line, &[mark], 0)
            }
            Found::Marks { kind, marks, at } => Mark::scope(positions, kind, marks, *at),
            Found::Parsed { scopes, at } => scopes.get(*at).map(|(_, scope)| scope.clone()),
        };
        self.skip();
        scope
    }

    /// How many are left.
    pub(super) fn left(self) -> usize {
        match self.found {
            Found::Lines(lines) => lines.count(),
            Found::Marks { marks, at, .. } => marks.len().saturating_sub(at),
            Found::Parsed { scopes, at } => scopes.len().saturating_sub(at),
        }
    }
}
