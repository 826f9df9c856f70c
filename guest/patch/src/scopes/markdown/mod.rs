//! Markdown sections: a heading and everything before the next one of the same or a higher level.

mod blocks;
mod cursor;
mod front;
mod html;
mod leaf;

use super::mark::{LineReader, Mark};
use super::{Kind, Parser, Scope};
use blocks::{Blocks, Heading};

/// The section of every heading of the document itself, ATX or setext, as CommonMark finds it. A heading within a quote or a
/// list item is part of that. What is in fenced or indented code, in HTML or in the front matter is no heading.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkdownHeadings;

impl Parser for MarkdownHeadings {
    fn name(&self) -> &str {
        "markdown"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn outline(&self, text: &str) -> Vec<Scope> {
        Mark::scopes(text, &Kind::MarkdownHeading, &Self::marks(text))
    }
}

impl MarkdownHeadings {
    pub(super) fn marks(text: &str) -> Vec<Mark> {
        let body = front::end(text);
        let mut blocks = Blocks::default();
        let mut marks: Vec<Mark> = Vec::new();
        // The levels and marks of the sections that are not closed, the outermost first.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for line in LineReader::of(text).skip_while(|line| line.start < body) {
            let Some(Heading { level, start, name }) = blocks.read(&line) else { continue };
            while let Some((_, mark)) = open.pop_if(|(around, _)| *around >= level) {
                if let Some(mark) = marks.get_mut(mark) {
                    mark.end = start;
                }
            }
            let parent = open.last().map(|(_, mark)| *mark);
            open.push((level, marks.len()));
            marks.push(Mark { start, end: text.len(), name, parent });
        }
        marks
    }
}

#[cfg(test)]
mod tests;
