//! One file's sections of a diff, byte for byte (S).

use crate::{
    Capture, Captured, Error, FilePath, RepoPath, Sink,
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
    current: Current,
    /// One for each name that can be meant, the first choice first.
    files: Vec<OneFile>,
}

/// The sections of one name.
#[derive(Debug)]
struct OneFile {
    path: RepoPath,
    count: u64,
    capture: Capture,
    /// Whether the section that is passing is one of them.
    takes: bool,
}

/// What is known of the section that is passing.
#[derive(Debug)]
enum Current {
    /// Its names are not known yet: its bytes so far, nothing where they are too many to be of a section that matches.
    Undecided(Option<Vec<u8>>),
    Decided,
}

impl Slicer {
    /// Looks for `path` on either side of each section (S-004), compared as bytes and as a whole (S-007), and keeps the
    /// window that starts at `offset` of what it finds.
    #[must_use]
    pub fn new(path: impl Into<FilePath>, offset: u64) -> Self {
        Self { parser: Parser::new(), fault: None, sections: Sections::new(&path.into(), offset) }
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
    pub(crate) fn new(path: &FilePath, offset: u64) -> Self {
        let file =
            |path: &RepoPath| OneFile { path: path.clone(), count: 0, capture: Capture::new(offset), takes: false };
        Self { current: Current::Decided, files: path.names().map(file).collect() }
    }

    /// The diff is over.
    pub(crate) fn finish(self) -> Result<Slice, Error> {
        let spelled = self.files.first().map(|file| String::from_utf8_lossy(file.path.as_bytes()).into_owned());
        match self.files.into_iter().find(|file| file.count > 0) {
            Some(file) => Ok(Slice { section_count: file.count, captured: file.capture.finish()? }),
            // S-006.
            None => Err(Error::NoSuchPath { path: spelled.unwrap_or_default() }),
        }
    }
}

impl Events for Sections {
    fn section(&mut self, _: u64) {
        self.current = Current::Undecided(Some(Vec::new()));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match &mut self.current {
            Current::Decided => {
                self.files.iter_mut().filter(|file| file.takes).for_each(|file| file.capture.push(bytes));
            }
            Current::Undecided(None) => {}
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
        let Current::Undecided(held) = std::mem::replace(&mut self.current, Current::Decided) else { return };
        for file in &mut self.files {
            let wanted = file.path.as_bytes();
            let matches = header.paths.as_ref().is_some_and(|(old, new)| old == wanted || new == wanted);
            file.takes = false;
            if let Some(held) = held.as_ref().filter(|_| matches) {
                file.count += 1;
                file.capture.push(held);
                file.takes = true;
            }
        }
    }
}
