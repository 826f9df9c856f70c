//! One file's sections of a diff, byte for byte (S).

use crate::{
    Capture, Captured, Error, RepoPath, Sink,
    diff::{Events, Fault, HEADER_LINE_BYTES, Parser, SectionHeader},
};

/// Bytes of a section that are held until its names are known: its first line, two lines of a rename or copy, and the
/// short ones between. A section that has more before its names are known has none that can be asked for.
const UNDECIDED_BYTES: usize = 2 * HEADER_LINE_BYTES + 1_024;

/// The sections of one file, concatenated in the diff's order (S-012).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// How many sections it has, at least one.
    pub section_count: u64,
    /// Count, hash and window of their bytes (S-009, S-010).
    pub captured: Captured,
}

/// Takes a whole diff and keeps a window of one file's sections.
#[derive(Debug)]
pub struct Slicer {
    parser: Parser,
    fault: Option<Fault>,
    sections: Sections,
}

/// The part of it that a parser tells: for who has one already.
#[derive(Debug)]
pub(crate) struct Sections {
    path: RepoPath,
    current: Current,
    count: u64,
    capture: Capture,
}

/// What is known of the section that is passing.
#[derive(Debug)]
enum Current {
    /// Its names are not known yet: its bytes so far, nothing where they are too many to be of a section that matches.
    Undecided(Option<Vec<u8>>),
    Wanted,
    Other,
}

impl Slicer {
    /// Looks for `path` on either side of each section (S-004), compared as bytes and as a whole (S-007), and keeps the
    /// window that starts at `offset` of what it finds.
    #[must_use]
    pub fn new(path: RepoPath, offset: u64) -> Self {
        Self { parser: Parser::new(), fault: None, sections: Sections::new(path, offset) }
    }
}

impl Sink for Slicer {
    type Output = Slice;

    fn push(&mut self, bytes: &[u8]) {
        if self.fault.is_none() {
            self.fault = self.parser.feed(bytes, &mut self.sections).err();
        }
    }

    fn finish(mut self) -> Result<Slice, Error> {
        match self.fault {
            Some(fault) => Err(fault),
            None => self.parser.finish(&mut self.sections),
        }?;
        self.sections.finish()
    }
}

impl Sections {
    pub(crate) fn new(path: RepoPath, offset: u64) -> Self {
        Self { path, current: Current::Other, count: 0, capture: Capture::new(offset) }
    }

    /// The diff is over.
    pub(crate) fn finish(self) -> Result<Slice, Error> {
        if self.count == 0 {
            return Err(no_such_path(&self.path));
        }
        Ok(Slice { section_count: self.count, captured: self.capture.finish()? })
    }
}

/// S-006.
pub(crate) fn no_such_path(path: &RepoPath) -> Error {
    Error::NoSuchPath { path: String::from_utf8_lossy(path.as_bytes()).into_owned() }
}

impl Events for Sections {
    fn section(&mut self, _: u64) {
        self.current = Current::Undecided(Some(Vec::new()));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match &mut self.current {
            Current::Wanted => self.capture.push(bytes),
            Current::Other | Current::Undecided(None) => {}
            Current::Undecided(held) => {
                if let Some(so_far) = held {
                    so_far.extend_from_slice(bytes);
                    if so_far.len() > UNDECIDED_BYTES {
                        *held = None;
                    }
                }
            }
        }
    }

    fn header(&mut self, header: &SectionHeader) {
        let Current::Undecided(held) = std::mem::replace(&mut self.current, Current::Other) else { return };
        let wanted = self.path.as_bytes();
        let matches = header.paths.as_ref().is_some_and(|(old, new)| old == wanted || new == wanted);
        if let Some(held) = held.filter(|_| matches) {
            self.count += 1;
            self.capture.push(&held);
            self.current = Current::Wanted;
        }
    }
}
