//! Writing a history: its lines, counted and hashed as they go.

use std::io;

use sha2::{Digest as _, Sha256};

use super::{Carried, FORMAT, line::Line};
use crate::{
    Fault,
    schema::{STEPS, head},
};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Documents.
    pub documents: u64,
    /// Rows of all of them.
    pub rows: u64,
}

/// Why a history could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritten {
    /// There is no such document of this owner.
    #[error("there is no document {0}")]
    NotFound(String),
    /// What takes the lines does not.
    #[error("the history cannot be written: {0}")]
    Io(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The lines of a history that are being written.
pub(crate) struct Lines<'a> {
    out: &'a mut (dyn io::Write + Send),
    hash: Sha256,
    rows: u64,
}

impl<'a> Lines<'a> {
    /// Begins with the head.
    pub(crate) fn to(out: &'a mut (dyn io::Write + Send)) -> io::Result<Self> {
        let mut lines = Self { out, hash: Sha256::new(), rows: 0 };
        lines.put(&Line::Head { format: FORMAT.to_owned(), schema: head(STEPS).to_owned() })?;
        Ok(lines)
    }

    pub(crate) fn row(&mut self, row: Carried) -> io::Result<()> {
        self.rows += 1;
        self.put(&Line::of(row))
    }

    /// Ends it. How many rows there were.
    pub(crate) fn end(mut self) -> io::Result<u64> {
        let (rows, sha256) = (self.rows, hex(self.hash.finalize_reset().as_ref()));
        self.put(&Line::End { rows, sha256 })?;
        self.out.flush()?;
        Ok(rows)
    }

    fn put(&mut self, line: &Line) -> io::Result<()> {
        let mut line = line.spelled();
        line.push('\n');
        self.hash.update(line.as_bytes());
        self.out.write_all(line.as_bytes())
    }
}

/// A digest as histories spell it.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
