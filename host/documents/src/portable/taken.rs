//! Reading a history: its lines, bounded, counted and hashed as they come, and refused where they are not those that were
//! written.

use std::io::{self, BufRead, Read as _};

use sha2::{Digest as _, Sha256};

use super::{
    Carried, FORMAT,
    line::{self, LINE_BYTES, Line},
    written::hex,
};
use crate::{
    Fault,
    schema::{STEPS, head},
};

/// How a history begins.
const HEAD: &[u8] = br#"{"head":"#;

/// Which places in history the rows get: a database has one count for all its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Those they had; the history is refused where one of them is taken.
    Kept,
    /// New ones, in the same order.
    New,
}

/// A document that was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its id.
    pub target_file_id: String,
    /// Its version.
    pub version: i64,
    /// The path within a workspace that it was imported from.
    pub workspace_path: Option<String>,
    /// How many attempts its history has.
    pub attempts: u64,
}

/// Why a history is not taken over. Nothing of it is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unread {
    /// It is something else, or of a form that this program does not know.
    #[error("this is no history that `assay patch export --history` wrote: {0}")]
    Foreign(String),
    /// Another program's schema.
    #[error(
        "the history was written with schema {found}, and this program has {head}: export it again by a program of this version, after `assay patch migrate`"
    )]
    OtherSchema {
        /// The file's.
        found: String,
        /// This program's.
        head: &'static str,
    },
    /// It is not what was written.
    #[error("the history is damaged at line {line}: {why}")]
    Damaged {
        /// Which line.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// Its end is missing.
    #[error("the history is cut off after line {line}: its last line is missing")]
    CutOff {
        /// The last line that is there.
        line: u64,
    },
    /// Something of it is there already.
    #[error("the {what} {id} is in this database already")]
    Taken {
        /// What.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// A place in history is another row's.
    #[error("the place {place} in this database's history is another {what}'s")]
    PlaceTaken {
        /// What.
        what: &'static str,
        /// Which place.
        place: i64,
    },
    /// It cannot be read.
    #[error("the history cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The lines of a history that are being read.
pub(crate) struct Lines<'a> {
    input: &'a mut (dyn BufRead + Send),
    hash: Sha256,
    /// The number of the last line.
    line: u64,
    /// Whether the first line began as a head does.
    is_begun: bool,
    rows: u64,
}

impl<'a> Lines<'a> {
    /// Reads the head.
    pub(crate) fn of(input: &'a mut (dyn BufRead + Send)) -> Result<Self, Unread> {
        let mut lines = Self { input, hash: Sha256::new(), line: 0, is_begun: false, rows: 0 };
        let foreign = |why: &str| Unread::Foreign(why.to_owned());
        let head_line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => return Err(foreign("it is empty")),
            Err(Unread::Damaged { why, .. }) => return Err(Unread::Foreign(why)),
            Err(Unread::CutOff { .. }) if !lines.is_begun => return Err(foreign("it does not begin with a head")),
            Err(error) => return Err(error),
        };
        match head_line {
            Line::Head { format, .. } if format != FORMAT => Err(foreign("its form is another one")),
            Line::Head { schema, .. } if schema != head(STEPS) => {
                // A name out of a file is shown in part.
                Err(Unread::OtherSchema { found: schema.chars().take(64).collect(), head: head(STEPS) })
            }
            Line::Head { .. } => Ok(lines),
            Line::Row { .. } | Line::End { .. } => Err(foreign("it does not begin with a head")),
        }
    }

    /// The next row; nothing once the end was read and is true.
    pub(crate) fn next_row(&mut self) -> Result<Option<Carried>, Unread> {
        let so_far = self.hash.clone();
        match self.next_line()? {
            None => Err(Unread::CutOff { line: self.line }),
            Some(Line::Head { .. }) => Err(self.damaged("a second head")),
            Some(Line::Row { table, columns }) => {
                self.rows += 1;
                line::row(&table, columns).map(Some).map_err(|why| self.damaged(&why))
            }
            Some(Line::End { rows, sha256 }) => {
                if rows != self.rows {
                    return Err(self.damaged("there are not as many rows before it as it says"));
                }
                if hex(so_far.finalize().as_ref()) != sha256 {
                    return Err(self.damaged("the lines before it do not have the hash that it says"));
                }
                match self.input.fill_buf()? {
                    [] => Ok(None),
                    _ => Err(self.damaged("something follows the end")),
                }
            }
        }
    }

    pub(crate) fn damaged(&self, why: &str) -> Unread {
        Unread::Damaged { line: self.line, why: why.to_owned() }
    }

    fn next_line(&mut self) -> Result<Option<Line>, Unread> {
        let mut bytes = Vec::new();
        { &mut *self.input }.take(LINE_BYTES).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        self.is_begun |= self.line == 1 && bytes.iter().zip(HEAD).all(|(byte, head)| byte == head);
        self.hash.update(&bytes);
        if bytes.pop() != Some(b'\n') {
            let is_long = bytes.len() as u64 + 1 >= LINE_BYTES;
            return Err(if is_long { self.damaged("it is too long") } else { Unread::CutOff { line: self.line } });
        }
        match serde_json::from_slice(&bytes) {
            Ok(line) => Ok(Some(line)),
            Err(error) => Err(self.damaged(&format!("it is no line of a history ({error})"))),
        }
    }
}
