//! Which lines a comment may stand on: those that the diff's hunks show of its file (K-35).
//!
//! The diff streams by. What is kept is whether each comment was met, and the first ranges of each file that is commented
//! on, for the refusal: bounded by the comments, not by the diff.

use std::fmt::Write as _;

use assay_envelope::Refusal;
use assay_forge::{
    diff::{Events, HunkHeader, SectionHeader},
    written::{LineComment, Side},
};

/// Ranges of a file that are told.
const RANGES: usize = 40;
/// Comments that are told to be wrong.
const TOLD: usize = 5;

/// Hears a diff for some comments.
#[derive(Debug)]
pub(super) struct Hunks<'a> {
    comments: &'a [LineComment],
    /// For each comment whether a hunk shows its line.
    met: Vec<bool>,
    /// The files that are commented on, each once.
    files: Vec<File<'a>>,
    /// The one whose section passes.
    current: Option<usize>,
    /// Sections of the diff.
    sections: u64,
}

/// A file that is commented on.
#[derive(Debug)]
struct File<'a> {
    path: &'a str,
    place: Place,
    old: Ranges,
    new: Ranges,
}

/// Where a path stands in the diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    /// It is the name that a file had before.
    OldName,
    /// It is a file of the diff.
    Here,
}

/// What hunks show of one side.
#[derive(Debug, Default)]
struct Ranges {
    first: Vec<(u64, u64)>,
    count: u64,
}

impl<'a> Hunks<'a> {
    pub(super) fn new(comments: &'a [LineComment]) -> Self {
        let mut files: Vec<File<'a>> = Vec::new();
        for comment in comments {
            if files.iter().all(|file| file.path != comment.path) {
                let (old, new) = (Ranges::default(), Ranges::default());
                files.push(File { path: &comment.path, place: Place::Nowhere, old, new });
            }
        }
        Self { comments, met: vec![false; comments.len()], files, current: None, sections: 0 }
    }

    /// The diff is over: every comment was met, or what is wrong is told.
    pub(super) fn judge(&self) -> Result<(), Refusal> {
        let wrong: Vec<usize> = (0..).zip(&self.met).filter(|(_, met)| !**met).map(|(at, _)| at).collect();
        if wrong.is_empty() {
            return Ok(());
        }
        let mut told = String::new();
        let mut code = "line_not_in_diff";
        for at in wrong.iter().take(TOLD) {
            let Some(comment) = self.comments.get(*at) else { continue };
            let Some(file) = self.files.iter().find(|file| file.path == comment.path) else { continue };
            match file.place {
                Place::Here => told.push_str(&file.no_such_line(*at, comment)),
                Place::OldName => {
                    code = "file_not_in_diff";
                    write!(
                        told,
                        "`comments[{at}].path` is the name that a file had before this change: comment on its new name. "
                    )
                    .expect("a string takes it");
                }
                Place::Nowhere => {
                    code = "file_not_in_diff";
                    let files = self.sections;
                    write!(
                        told,
                        "`comments[{at}].path` is not in the diff, which has {files} files; paths are compared exactly. "
                    )
                    .expect("a string takes it");
                }
            }
        }
        if wrong.len() > TOLD {
            write!(told, "{} more comments are wrong. ", wrong.len() - TOLD).expect("a string takes it");
        }
        told.push_str("`list_pull_request_files` tells the files.");
        Err(Refusal::new(code, told))
    }
}

impl File<'_> {
    fn no_such_line(&self, at: usize, comment: &LineComment) -> String {
        let (argument, side, ranges) = match comment.side {
            Side::Old => ("old_line", "old", &self.old),
            Side::New => ("line", "new", &self.new),
        };
        if ranges.count == 0 {
            return format!("`comments[{at}].path` has no lines on the {side} side that could be commented on. ");
        }
        let shown: Vec<_> = ranges.first.iter().map(|(first, last)| format!("{first}-{last}")).collect();
        let more = match ranges.count.saturating_sub(shown.len() as u64) {
            0 => String::new(),
            more => format!(" and {more} further ranges"),
        };
        let line = comment.line;
        format!(
            "`comments[{at}].{argument}` {line} is on no line of the diff, where a comment would vanish: of this file's {side} \
             side it shows {}{more}. ",
            shown.join(", ")
        )
    }
}

impl Ranges {
    fn push(&mut self, start: u64, lines: u64) {
        if lines == 0 {
            return;
        }
        self.count = self.count.saturating_add(1);
        if self.first.len() < RANGES {
            self.first.push((start, last(start, lines)));
        }
    }
}

impl Events for Hunks<'_> {
    fn section(&mut self, _: u64) {
        self.sections = self.sections.saturating_add(1);
        self.current = None;
    }

    fn header(&mut self, header: &SectionHeader) {
        let Some((old, new)) = &header.paths else { return };
        for (at, file) in self.files.iter_mut().enumerate() {
            if file.path.as_bytes() == new {
                file.place = Place::Here;
                self.current = Some(at);
            } else if file.path.as_bytes() == old && file.place == Place::Nowhere {
                file.place = Place::OldName;
            }
        }
    }

    fn hunk(&mut self, hunk: &HunkHeader) {
        let Some(file) = self.current.and_then(|at| self.files.get_mut(at)) else { return };
        file.old.push(hunk.old_start, hunk.old_lines);
        file.new.push(hunk.new_start, hunk.new_lines);
        for (comment, met) in self.comments.iter().zip(&mut self.met).filter(|(comment, _)| comment.path == file.path) {
            let (start, lines) = match comment.side {
                Side::Old => (hunk.old_start, hunk.old_lines),
                Side::New => (hunk.new_start, hunk.new_lines),
            };
            *met |= lines > 0 && (start..=last(start, lines)).contains(&comment.line);
        }
    }
}

/// Of at least one line.
const fn last(start: u64, lines: u64) -> u64 {
    start.saturating_add(lines.saturating_sub(1))
}
