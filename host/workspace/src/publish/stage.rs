//! The staged file: the new bytes in the file's own directory, under a name that tells what it is.

use std::{fs, io::Write as _, os::unix::fs::FileExt as _};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat, unlinkat},
    io::Errno,
};

use super::place::UnderName;
use crate::{
    digest::{Digest, Hashing},
    leaf::{Facts, inode_at},
    path::RelativePath,
    refusal::{Fault, Refusal},
};

/// What every staged file's name begins with; 16 hexadecimal digits follow, and nothing else.
const PREFIX: &str = ".assay-stage-";
const DIGITS: usize = 16;
/// How much is written, or read back, at once.
const PIECE: usize = 64 * 1024;
/// How many names are tried. One is taken by chance never, by intent perhaps.
const NAMES: usize = 8;

/// Whether a name is one of a staged file.
pub(crate) fn is_staged_name(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX.as_bytes()).is_some_and(|digits| {
        digits.len() == DIGITS && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Removes the staged files of killed publications, and says how many there were. The lease on the directory says that
/// none of them is in use. One that cannot be removed does no harm but take room, so it stops nobody.
pub(super) fn sweep(directory: &fs::File) -> u32 {
    let Ok(entries) = Dir::read_from(directory) else { return 0 };
    let mut removed = 0;
    for entry in entries.map_while(Result::ok) {
        let name = entry.file_name();
        let is_file = || {
            statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile)
        };
        if is_staged_name(name.to_bytes()) && is_file() && unlinkat(directory, name, AtFlags::empty()).is_ok() {
            removed += 1;
        }
    }
    removed
}

/// A staged file. Whatever ends a publication before the rename removes it.
#[derive(Debug)]
pub(super) struct Staged<'lease> {
    pub(super) directory: &'lease fs::File,
    pub(super) path: RelativePath,
    pub(super) name: String,
    pub(super) under_name: UnderName,
    handle: fs::File,
}

impl<'lease> Staged<'lease> {
    /// Makes it, readable and writable for its owner at the most, and never more than the file before (E-19).
    pub(super) fn create(directory: &'lease fs::File, path: &RelativePath, old_mode: u32) -> Result<Self, Refusal> {
        let mut mode = Mode::empty();
        mode.set(Mode::RUSR, old_mode & 0o400 != 0);
        mode.set(Mode::WUSR, old_mode & 0o200 != 0);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut tries = 0;
        loop {
            tries += 1;
            let name = new_name(path)?;
            match openat(directory, &name, flags, mode) {
                Ok(handle) => {
                    let (path, handle) = (path.clone(), handle.into());
                    return Ok(Self { directory, path, name, under_name: UnderName::Ours, handle });
                }
                Err(Errno::EXIST) if tries < NAMES => {}
                Err(errno) => return Err(Refusal::of_work(path, "stage a file beside", errno)),
            }
        }
    }

    pub(super) fn handle(&self) -> &fs::File {
        &self.handle
    }

    /// Writes the bytes, with a call before each piece, so one at least.
    pub(super) fn write(
        &mut self,
        bytes: &[u8],
        mut before: impl FnMut() -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (first, rest) = bytes.split_at(bytes.len().min(PIECE));
        for piece in std::iter::once(first).chain(rest.chunks(PIECE)) {
            before()?;
            self.handle.write_all(piece).map_err(|error| self.failed("write the staged file for", error))?;
        }
        Ok(())
    }

    /// Makes its bytes and its mode last.
    pub(super) fn sync(&self) -> Result<(), Refusal> {
        self.handle.sync_all().map_err(|error| self.failed("sync the staged file for", error))
    }

    /// Reads it back, and looks whether its name still leads to it.
    pub(super) fn verify(&self, expected: &Digest) -> Result<Facts, Refusal> {
        let doing = "read back the staged file for";
        let mut hashing = Hashing::default();
        let mut piece = vec![0; PIECE];
        let mut at = 0;
        while let Some(read @ [_, ..]) = {
            let read = self.handle.read_at(&mut piece, at).map_err(|error| self.failed(doing, error))?;
            piece.get(..read)
        } {
            hashing.update(read);
            at += read.len() as u64;
        }
        let found = hashing.finish();
        if found != *expected {
            return Err(Fault::Corrupt { path: self.path.to_string(), expected: *expected, found }.into());
        }
        let facts = Facts::of(&self.handle.metadata().map_err(|error| self.failed(doing, error))?);
        if facts.nlink == 1 && self.is_beside() { Ok(facts) } else { Err(Refusal::changed(&self.path)) }
    }

    /// Whether its name still leads to it, so that it is not installed.
    pub(super) fn is_beside(&self) -> bool {
        let Ok(metadata) = self.handle.metadata() else { return false };
        let facts = Facts::of(&metadata);
        inode_at(self.directory, &self.name) == Some((facts.device, facts.inode))
    }

    pub(super) fn failed(&self, doing: &'static str, error: impl Into<std::io::Error>) -> Refusal {
        Refusal::of_work(&self.path, doing, error)
    }
}

fn new_name(path: &RelativePath) -> Result<String, Refusal> {
    let number = getrandom::u64().map_err(|error| Fault::Io {
        path: path.to_string(),
        doing: "find a name for the staged file of",
        error: error.into(),
    })?;
    Ok(format!("{PREFIX}{number:0DIGITS$x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-04: a staged file's name is known again, and no other is taken for one.
    #[test]
    fn a_staged_name_is_recognised() {
        let path = RelativePath::parse("a").expect("it is a path");
        for _ in 0..64 {
            assert!(is_staged_name(new_name(&path).expect("there is randomness").as_bytes()));
        }
        for other in ["", ".assay-stage-", ".assay-stage-0123456789abcde", ".assay-stage-0123456789ABCDEF"] {
            assert!(!is_staged_name(other.as_bytes()), "{other}");
        }
        assert!(!is_staged_name(b"x.assay-stage-0123456789abcdef"));
        assert!(!is_staged_name(b".assay-stage-0123456789abcdef0"));
    }
}
