//! One reading of a plain diff: parsed to its last byte, proven on the way, and only then anything of it given out.

use crate::{
    Capture, Captured, Error, FilePath, Sink, Slice,
    diff::{BinaryBlock, Events, Fault, HunkHeader, LineKind, Parser, SectionEnd, SectionHeader},
    files::{FileIndex, FileRow, TakeRow, Totals},
    proof::{Conclusion, ObjectSource, Prover},
    slice::Sections,
};

/// Which bytes are kept.
#[derive(Clone, Debug)]
pub enum Selection {
    /// A window of the whole diff from this byte on.
    Whole(u64),
    /// A window of one file's sections.
    File(FilePath, u64),
}

/// Takes a plain diff. Its memory is a window, a row, and what the prover takes (O-015).
pub struct Observation<S: ObjectSource> {
    parser: Parser,
    fault: Option<Fault>,
    whole: Capture,
    heard: Heard<S>,
}

/// What was found, once the diff was whole.
#[derive(Debug)]
pub struct Observed {
    /// Count and hash of the whole diff, and the window of a [`Selection::Whole`].
    pub captured: Captured,
    /// What was found for a [`Selection::File`]; nothing is an empty one's.
    pub slice: Option<Slice>,
    /// All rows together.
    pub totals: Totals,
    /// How far the proof came.
    pub conclusion: Conclusion,
}

/// The end of an observation. The source comes back in any case: it may know better why there is no more.
#[derive(Debug)]
pub struct Finished<S> {
    /// What was found.
    pub observed: Result<Observed, Error>,
    /// Where the objects came from.
    pub source: S,
}

impl<S: ObjectSource> Observation<S> {
    /// Reads a diff that `prover` proves.
    #[must_use]
    pub fn new(selection: Selection, prover: Prover<S>) -> Self {
        let (offset, sections) = match selection {
            Selection::Whole(offset) => (offset, None),
            Selection::File(path, offset) => (u64::MAX, Some(Sections::new(&path, offset))),
        };
        let heard = Heard { prover, index: FileIndex::default(), sections, rows: Vec::new() };
        Self { parser: Parser::new(), fault: None, whole: Capture::new(offset), heard }
    }

    /// Takes the next bytes, split anywhere, and hands on the rows of the sections that ended in them.
    ///
    /// # Errors
    /// [`Error::Truncated`] as soon as the bytes leave git's grammar (O-005).
    pub fn feed(&mut self, bytes: &[u8], taker: &mut impl TakeRow) -> Result<(), Error> {
        self.whole.push(bytes);
        let parsed = self.parser.feed(bytes, &mut self.heard);
        self.heard.rows.drain(..).for_each(|row| taker.row(row));
        parsed.map_err(|fault| Error::Truncated(*self.fault.insert(fault)))
    }

    /// The diff is over.
    pub fn finish(self, taker: &mut impl TakeRow) -> Finished<S> {
        let Self { parser, fault, whole, mut heard } = self;
        let parsed = fault.map_or_else(|| parser.finish_line(&mut heard), Err).map_err(Error::Truncated);
        heard.rows.drain(..).for_each(|row| taker.row(row));
        let totals = heard.index.totals();
        let (conclusion, source) = heard.prover.finish();
        let observed = parsed.and_then(|()| {
            if let Some(contradiction) = conclusion.contradiction() {
                return Err(super::Fault::Contradicted(contradiction).into());
            }
            let slice = heard.sections.map(Sections::finish).transpose()?;
            Ok(Observed { captured: whole.finish()?, slice, totals, conclusion })
        });
        Finished { observed, source }
    }
}

/// Everyone who listens to the parser.
struct Heard<S: ObjectSource> {
    prover: Prover<S>,
    index: FileIndex,
    sections: Option<Sections>,
    /// Rows that were not handed on yet: those of one piece of the diff.
    rows: Vec<FileRow>,
}

impl<S: ObjectSource> Events for Heard<S> {
    fn section(&mut self, offset: u64) {
        self.prover.section(offset);
        self.index.section(offset);
        if let Some(sections) = &mut self.sections {
            sections.section(offset);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.prover.bytes(bytes);
        self.index.bytes(bytes);
        if let Some(sections) = &mut self.sections {
            sections.bytes(bytes);
        }
    }

    fn header(&mut self, header: &SectionHeader) {
        self.prover.header(header);
        self.index.header(header);
        if let Some(sections) = &mut self.sections {
            sections.header(header);
        }
    }

    fn hunk(&mut self, hunk: &HunkHeader) {
        self.prover.hunk(hunk);
    }

    fn line(&mut self, kind: LineKind) {
        self.prover.line(kind);
    }

    fn text(&mut self, piece: &[u8]) {
        self.prover.text(piece);
    }

    fn binary_block(&mut self, block: BinaryBlock) {
        self.prover.binary_block(block);
    }

    fn binary_data(&mut self, bytes: &[u8]) {
        self.prover.binary_data(bytes);
    }

    fn section_end(&mut self, end: SectionEnd) {
        self.prover.section_end(end);
        self.rows.push(self.index.row(end, self.prover.sides()));
    }
}
