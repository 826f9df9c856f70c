//! Two growing texts, a diff and its annotations, in memory as long as they are small and in one file from then on.
//!
//! Both grow at once, so the file holds their pieces in the order in which they became full, and each text knows where
//! its own are. The file has no name: nothing is left of it when the process ends, however it ends.

use std::{
    fs::File,
    io::{self, Write as _},
};

/// Bytes of a piece, and the most that each text keeps in memory.
pub(super) const PIECE: usize = 128 * 1024;

/// The two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Diff,
    Annotations,
}

#[derive(Debug, Default)]
pub(super) struct Spool {
    file: Option<File>,
    /// Bytes in the file.
    end: u64,
    diff: Text,
    annotations: Text,
}

#[derive(Debug, Default)]
struct Text {
    length: u64,
    /// Where in the file its pieces start; all but the last are whole.
    pieces: Vec<u64>,
    /// What is not in the file.
    tail: Vec<u8>,
}

impl Spool {
    /// Whether that many bytes more stay in memory.
    pub(super) fn stays_in_memory(&self, part: Part, bytes: usize) -> bool {
        self.text(part).tail.len().saturating_add(bytes) <= PIECE
    }

    /// Takes the next bytes. `file` makes the file when it is first needed.
    ///
    /// # Errors
    /// The disk's, or that of `file`: the spool is not to be used any more.
    pub(super) fn append<E: From<io::Error>>(
        &mut self,
        part: Part,
        mut bytes: &[u8],
        mut file: impl FnMut() -> Result<File, E>,
    ) -> Result<(), E> {
        while !bytes.is_empty() {
            if self.text(part).tail.len() == PIECE {
                if self.file.is_none() {
                    self.file = Some(file()?);
                }
                self.flush(part)?;
            }
            let text = self.text_mut(part);
            let fits = (PIECE - text.tail.len()).min(bytes.len());
            let (now, rest) = bytes.split_at(fits);
            text.tail.extend_from_slice(now);
            text.length += u64::try_from(now.len()).unwrap_or(u64::MAX);
            bytes = rest;
        }
        Ok(())
    }

    /// Nothing more will come: where there is a file, everything goes into it.
    ///
    /// # Errors
    /// The disk's.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        for part in [Part::Diff, Part::Annotations] {
            if self.file.is_some() && !self.text(part).tail.is_empty() {
                self.flush(part)?;
            }
            let text = self.text_mut(part);
            text.tail.shrink_to_fit();
            text.pieces.shrink_to_fit();
        }
        Ok(())
    }

    pub(super) fn length(&self, part: Part) -> u64 {
        self.text(part).length
    }

    pub(super) fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// At most `max` bytes from `offset` on; none past the end. Finish it first.
    ///
    /// # Errors
    /// The disk's, also where it gives less than was written.
    pub(super) fn read(&self, part: Part, offset: u64, max: usize) -> io::Result<Vec<u8>> {
        let text = self.text(part);
        let left = text.length.saturating_sub(offset);
        let mut bytes = vec![0; usize::try_from(left).unwrap_or(usize::MAX).min(max)];
        if bytes.is_empty() {
            return Ok(bytes);
        }
        let mut at = usize::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut rest = bytes.as_mut_slice();
        while !rest.is_empty() {
            let (piece, within) = (at / PIECE, at % PIECE);
            let (now, later) = rest.split_at_mut((PIECE - within).min(rest.len()));
            match (text.pieces.get(piece), &self.file) {
                (Some(start), Some(file)) => {
                    let within = u64::try_from(within).unwrap_or(u64::MAX);
                    read_at(file, now, start.saturating_add(within))?;
                }
                // Only the last piece is in memory, so what is within it is within the tail.
                _ => {
                    now.copy_from_slice(text.tail.get(within..within + now.len()).ok_or(io::ErrorKind::UnexpectedEof)?)
                }
            }
            at += now.len();
            rest = later;
        }
        Ok(bytes)
    }

    fn flush(&mut self, part: Part) -> io::Result<()> {
        let start = self.end;
        let (file, text) = match part {
            Part::Diff => (&mut self.file, &mut self.diff),
            Part::Annotations => (&mut self.file, &mut self.annotations),
        };
        let file = file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.write_all(&text.tail)?;
        self.end += u64::try_from(text.tail.len()).unwrap_or(u64::MAX);
        text.pieces.push(start);
        text.tail.clear();
        Ok(())
    }

    fn text(&self, part: Part) -> &Text {
        match part {
            Part::Diff => &self.diff,
            Part::Annotations => &self.annotations,
        }
    }

    fn text_mut(&mut self, part: Part) -> &mut Text {
        match part {
            Part::Diff => &mut self.diff,
            Part::Annotations => &mut self.annotations,
        }
    }
}

/// All of `bytes`, at once for several readers.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = bytes.split_at_mut(read).1;
                offset += u64::try_from(read).unwrap_or(u64::MAX);
            }
        }
    }
    Ok(())
}
