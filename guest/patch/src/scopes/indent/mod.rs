//! Blocks by indentation: a line and the deeper ones below it, which is what most languages look like when they are
//! formatted. What a line says matters in two ways only: what leads to a block, and what closes it.

mod leading;

use leading::{Leading, closes, leading, opens};

use super::mark::{Line, LineReader, Mark};
use super::{Kind, Parser, Scope};

/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// Every block by indentation. By rule it has
///
/// - its header, whose next line that is not blank is deeper, and every line below that is deeper or blank;
/// - the decorators, attributes and comments directly above the header and as deep as it;
/// - what begins with a closing bracket below it and as deep as the header, so that `fn f() {` comes with its `}`;
/// - never the blank lines after it (E-39).
#[derive(Clone, Copy, Debug, Default)]
pub struct IndentBlocks;

impl Parser for IndentBlocks {
    fn name(&self) -> &str {
        "indentation"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn outline(&self, text: &str) -> Vec<Scope> {
        Mark::scopes(text, &Kind::IndentBlock, &Self::marks(text))
    }
}

impl IndentBlocks {
    pub(super) fn marks(text: &str) -> Vec<Mark> {
        let mut reader = Reader::default();
        LineReader::of(text).for_each(|line| reader.read(&line));
        reader.close(0);
        reader.marks
    }
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    marks: Vec<Mark>,
    /// The blocks that are not closed, the outermost first.
    open: Vec<Open>,
    /// The last line, where a deeper one would make it a header.
    header: Option<(usize, Mark)>,
    /// What is directly above and may lead to a header.
    lead: Option<Lead>,
    /// Where the last line ends that was not blank.
    end: usize,
}

struct Open {
    indent: usize,
    mark: usize,
}

struct Lead {
    indent: usize,
    start: usize,
    leading: Leading,
}

impl Reader {
    fn read(&mut self, line: &Line<'_>) {
        if line.is_blank() {
            // Within brackets a blank line is nothing; else what is above it leads nowhere.
            self.lead.take_if(|lead| lead.leading != Leading::Brackets);
            return;
        }
        let indent = indent(line.text);
        let name = line.content();
        let said = line.text.trim();
        if self.lead.as_mut().is_some_and(|lead| lead.goes_on(indent, said)) {
            self.header = None;
        } else if !self.continues(indent, said) {
            let above = self.lead.take().filter(|lead| lead.indent == indent && lead.leading == Leading::Whole);
            let start = above.map_or(line.start, |lead| lead.start);
            self.lead = leading(said).map(|leading| Lead { indent, start, leading });
            let parent = self.open.last().map(|open| open.mark);
            self.header = Some((indent, Mark { start, end: line.end, name, parent }));
        }
        self.end = line.end;
    }

    /// Opens and closes blocks before a line. Whether it is but the next line of one that stays open.
    fn continues(&mut self, indent: usize, said: &str) -> bool {
        if let Some((depth, mark)) = self.header.take_if(|(depth, _)| *depth < indent) {
            self.open.push(Open { indent: depth, mark: self.marks.len() });
            self.marks.push(mark);
        }
        self.close(indent.saturating_add(1));
        if closes(said) && self.open.last().is_some_and(|open| open.indent == indent) {
            self.header = None;
            self.lead = None;
            return true;
        }
        self.close(indent);
        false
    }

    /// Closes the blocks that are at least that deep.
    fn close(&mut self, indent: usize) {
        while let Some(open) = self.open.pop_if(|open| open.indent >= indent) {
            if let Some(mark) = self.marks.get_mut(open.mark) {
                mark.end = self.end;
            }
        }
    }
}

impl Lead {
    /// Whether a line is the rest of what began above.
    fn goes_on(&mut self, indent: usize, said: &str) -> bool {
        match self.leading {
            Leading::Whole => false,
            Leading::Comment => {
                let starred = said.starts_with('*');
                if starred && said.ends_with("*/") {
                    self.leading = Leading::Whole;
                }
                starred
            }
            Leading::Brackets => {
                let closing = indent == self.indent && closes(said);
                if closing && !opens(said) {
                    self.leading = Leading::Whole;
                }
                closing || indent > self.indent
            }
        }
    }
}

/// The columns before what a line says.
fn indent(text: &str) -> usize {
    let mut columns = 0;
    for byte in text.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB - columns % TAB,
            _ => break,
        }
    }
    columns
}

#[cfg(test)]
mod tests;
