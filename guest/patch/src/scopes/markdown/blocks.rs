//! The block structure of a document, line by line, as far as it decides which lines are headings of the document itself:
//! the containers that are open, and what is open in the innermost. By CommonMark 0.31, appendix "A parsing strategy".

use std::ops::Range;

use super::cursor::Cursor;
use super::html::{self, End};
use super::leaf::{self, Fence};
use crate::scopes::mark::Line;

/// How many quotes and list items can be in each other. What is deeper is text, so that no line costs more than its length.
const MAX_DEPTH: usize = 32;

/// A heading that is in no container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// 1 to 6.
    pub(super) level: usize,
    /// The first byte of its first line.
    pub(super) start: usize,
    /// The bytes of its text.
    pub(super) name: Range<usize>,
}

/// What is open after the lines that were read.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    containers: Vec<Container>,
    leaf: Leaf,
}

#[derive(Clone, Copy, Debug)]
enum Container {
    Quote,
    Item {
        /// The columns before what is in it.
        width: usize,
        /// Whether nothing is in it.
        empty: bool,
    },
}

#[derive(Debug, Default)]
enum Leaf {
    /// Nothing that the next line could go on with.
    #[default]
    None,
    /// A paragraph: its first byte and the bytes of its text, or nothing while it has only definitions of links.
    Paragraph(Option<(usize, Range<usize>)>),
    Fence(Fence),
    Html(End),
}

impl Blocks {
    /// Reads the next line. The heading that it is or completes, if it is one of the document itself.
    pub(super) fn read(&mut self, line: &Line<'_>) -> Option<Heading> {
        let mut cursor = Cursor::of(line.text);
        let matched = self.matched(&mut cursor);
        let all = matched == self.containers.len();
        if all && self.is_verbatim(&cursor) {
            return None;
        }
        let after_paragraph = matches!(self.leaf, Leaf::Paragraph(_));
        // Whether the line is directly below a paragraph, in the same containers.
        let mut below = all && after_paragraph;
        let mut depth = matched;
        while !cursor.is_blank() && !cursor.is_deep() {
            let rest = cursor.rest();
            let name_start = line.start + line.text.len() - rest.len();
            let lazy = after_paragraph && depth == matched;
            if rest.starts_with('>') && depth < MAX_DEPTH {
                skip_quote(&mut cursor);
                self.enter(depth, Container::Quote);
            } else if let Some((level, text)) = leaf::atx(rest) {
                self.close(depth);
                let name = name_start + text.start..name_start + text.end;
                return (depth == 0).then_some(Heading { level, start: line.start, name });
            } else if let Some(fence) = leaf::fence(rest) {
                self.close(depth);
                self.leaf = Leaf::Fence(fence);
                return None;
            } else if let Some(end) = html::start(rest, lazy) {
                self.close(depth);
                self.leaf = if end.is_on(rest) { Leaf::None } else { Leaf::Html(end) };
                return None;
            } else if below
                && let Some(level) = leaf::underline(rest)
                && let Leaf::Paragraph(Some((start, name))) = &self.leaf
            {
                let heading = Heading { level, start: *start, name: name.clone() };
                self.leaf = Leaf::None;
                return (depth == 0).then_some(heading);
            } else if leaf::is_break(rest) {
                self.close(depth);
                return None;
            } else if let Some(marker) = leaf::item(rest, below)
                && depth < MAX_DEPTH
            {
                let item = skip_item(&mut cursor, marker);
                self.enter(depth, item);
            } else {
                break;
            }
            below = false;
            depth += 1;
        }
        self.read_text(line, &cursor, depth, after_paragraph && depth == matched);
        None
    }

    /// How many of the containers the line is in. Consumes their markers.
    fn matched(&mut self, cursor: &mut Cursor<'_>) -> usize {
        let mut matched = 0;
        for container in &self.containers {
            match *container {
                Container::Quote if !cursor.is_deep() && cursor.rest().starts_with('>') => skip_quote(cursor),
                Container::Item { width, .. } if cursor.indent(width) >= width => cursor.skip(width),
                Container::Item { empty: false, .. } if cursor.is_blank() => {}
                _ => break,
            }
            matched += 1;
        }
        if !cursor.is_blank() {
            for container in self.containers.iter_mut().take(matched) {
                if let Container::Item { empty, .. } = container {
                    *empty = false;
                }
            }
        }
        matched
    }

    /// Whether the line is in what is taken as it stands, or ends it.
    fn is_verbatim(&mut self, cursor: &Cursor<'_>) -> bool {
        let ends = match &self.leaf {
            Leaf::Fence(fence) => !cursor.is_deep() && fence.is_closed_by(cursor.rest()),
            Leaf::Html(End::Blank) => cursor.is_blank(),
            Leaf::Html(end) => end.is_on(cursor.rest()),
            Leaf::None | Leaf::Paragraph(_) => return false,
        };
        if ends {
            self.leaf = Leaf::None;
        }
        true
    }

    /// Takes a line that begins no block. `follows` says whether the last one ended within a paragraph and this one opened
    /// no container: then it goes on with it, be it without the markers of the containers.
    fn read_text(&mut self, line: &Line<'_>, cursor: &Cursor<'_>, depth: usize, follows: bool) {
        if cursor.is_blank() {
            // A blank line within open HTML or a fence was taken before.
            self.close(depth);
            return;
        }
        if !follows {
            self.close(depth);
            if cursor.is_deep() {
                return;
            }
        }
        let rest = cursor.rest();
        let start = line.start + line.text.len() - rest.len();
        let rest = rest.trim_end();
        match &mut self.leaf {
            Leaf::Paragraph(Some((_, name))) => name.end = start + rest.len(),
            leaf => {
                let text = (line.start, start..start + rest.len());
                *leaf = Leaf::Paragraph((!leaf::is_definition(rest)).then_some(text));
            }
        }
    }

    /// Closes what is deeper than so many containers, and what is open in the innermost.
    fn close(&mut self, depth: usize) {
        self.containers.truncate(depth);
        self.leaf = Leaf::None;
    }

    fn enter(&mut self, depth: usize, container: Container) {
        self.close(depth);
        self.containers.push(container);
    }
}

/// Consumes the marker of a quote, and one column after it.
fn skip_quote(cursor: &mut Cursor<'_>) {
    cursor.skip(3);
    cursor.skip_marker(1);
    cursor.skip(1);
}

/// Consumes the marker of a list item, and the columns to what is in it.
fn skip_item(cursor: &mut Cursor<'_>, marker: usize) -> Container {
    let before = cursor.indent(4);
    cursor.skip(before);
    cursor.skip_marker(marker);
    let empty = cursor.is_blank();
    // Five columns are one, and code.
    let after = if empty { 1 } else { Some(cursor.indent(5)).filter(|columns| *columns < 5).unwrap_or(1) };
    cursor.skip(after);
    Container::Item { width: before + marker + after, empty }
}
