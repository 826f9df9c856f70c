//! The index of a diff: one row a section, in the diff's order (O-016).
//!
//! A row is made from what the section itself says and, where a proof has established them, from both sides as the trees
//! have them. Memory is one row's: what becomes of the rows is the taker's business.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    Error, RepoPath, Sink, base64,
    diff::{Body, Events, Fault, Mode, Parser, SectionEnd, SectionHeader, Status},
    hex::hex,
    proof::Sides,
};

/// One section of a diff. Members are null where there is no such side, or where nothing says them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    /// Where it was, if that is UTF-8.
    pub old_path: Option<String>,
    /// Where it is, if that is UTF-8.
    pub new_path: Option<String>,
    /// Where it was, if that is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub old_path_base64: Option<String>,
    /// Where it is, if that is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub new_path_base64: Option<String>,
    /// What happens to it.
    pub status: FileStatus,
    /// What it is.
    pub kind: FileKind,
    /// Six octal digits.
    pub old_mode: Option<String>,
    /// Six octal digits.
    pub new_mode: Option<String>,
    /// Whole where a proof established it, else as the diff abbreviates it.
    pub old_oid: Option<String>,
    /// Whole where a proof established it, else as the diff abbreviates it.
    pub new_oid: Option<String>,
    /// Lines that hunks add.
    pub additions: u64,
    /// Lines that hunks remove.
    pub deletions: u64,
    /// Where the section starts in the whole diff.
    pub byte_offset: u64,
    /// Bytes it has.
    pub byte_count: u64,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// What a section does to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content differs.
    Modified,
    /// It has another path.
    Renamed,
    /// It was made from another.
    Copied,
    /// Its mode alone differs.
    ModeChanged,
    /// It is another type of file.
    TypeChanged,
}

/// What a file is: on the new side, or on the old where there is no new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Lines, as far as the diff shows any of it.
    Text,
    /// The diff shows it as binary.
    Binary,
    /// A commit of another repository.
    Submodule,
    /// A symbolic link.
    Symlink,
}

/// All rows together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Sections.
    pub files: u64,
    /// Lines that hunks add.
    pub additions: u64,
    /// Lines that hunks remove.
    pub deletions: u64,
    /// Sections that the diff shows as binary.
    pub binary_files: u64,
    /// Hunks. Not part of what the index shows.
    #[serde(skip)]
    pub hunks: u64,
}

impl FileRow {
    /// Whether the section is about this path, on either side (S-004, S-007).
    #[must_use]
    pub fn is_about(&self, path: &RepoPath) -> bool {
        let side = |text: &Option<String>, encoded: &Option<String>| match (text, encoded) {
            (Some(text), _) => text.as_bytes() == path.as_bytes(),
            (None, Some(encoded)) => base64::decode_canonical(encoded).is_some_and(|bytes| bytes == path.as_bytes()),
            (None, None) => false,
        };
        side(&self.old_path, &self.old_path_base64) || side(&self.new_path, &self.new_path_base64)
    }
}

/// Who is told the rows.
pub trait TakeRow {
    /// The next row, in the diff's order.
    fn row(&mut self, row: FileRow);
}

/// Lists the files of a diff that something else verifies.
#[derive(Debug)]
pub struct Lister<T> {
    parser: Parser,
    fault: Option<Fault>,
    told: Told<T>,
}

#[derive(Debug)]
struct Told<T> {
    index: FileIndex,
    taker: T,
}

impl<T: TakeRow> Lister<T> {
    /// Tells `taker` each row.
    #[must_use]
    pub fn new(taker: T) -> Self {
        Self { parser: Parser::new(), fault: None, told: Told { index: FileIndex::default(), taker } }
    }
}

impl<T: TakeRow> Sink for Lister<T> {
    type Output = (Totals, T);

    fn push(&mut self, bytes: &[u8]) {
        if self.fault.is_none() {
            self.fault = self.parser.feed(bytes, &mut self.told).err();
        }
    }

    fn finish(mut self) -> Result<Self::Output, Error> {
        self.fault.map_or_else(|| self.parser.finish(&mut self.told), Err)?;
        Ok((self.told.index.totals(), self.told.taker))
    }
}

impl<T: TakeRow> Events for Told<T> {
    fn section(&mut self, offset: u64) {
        self.index.section(offset);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.index.bytes(bytes);
    }

    fn header(&mut self, header: &SectionHeader) {
        self.index.header(header);
    }

    fn section_end(&mut self, end: SectionEnd) {
        self.taker.row(self.index.row(end, None));
    }
}

/// Makes the rows while the diff's parser tells what it meets.
#[derive(Debug, Default)]
pub(crate) struct FileIndex {
    offset: u64,
    header: Option<SectionHeader>,
    hash: Sha256,
    totals: Totals,
}

impl FileIndex {
    /// The section is over. `sides` is what a proof has established of it.
    pub(crate) fn row(&mut self, end: SectionEnd, sides: Option<&Sides>) -> FileRow {
        let header = self.header.take().unwrap_or_default();
        let hash = std::mem::take(&mut self.hash);
        let binary = matches!(header.body, Body::Binary | Body::Differ);
        self.totals.files += 1;
        self.totals.additions = self.totals.additions.saturating_add(end.additions);
        self.totals.deletions = self.totals.deletions.saturating_add(end.deletions);
        self.totals.hunks = self.totals.hunks.saturating_add(end.hunks);

        let (old_mode, new_mode) = modes(&header, sides);
        let (old_oid, new_oid) = oids(&header, sides);
        let kind = kind(new_mode.or(old_mode), binary);
        self.totals.binary_files += u64::from(kind == FileKind::Binary);
        let (old, new) = paths(&header);
        let ((old_path, old_path_base64), (new_path, new_path_base64)) = (spelled(old), spelled(new));
        FileRow {
            old_path,
            new_path,
            old_path_base64,
            new_path_base64,
            status: status(&header, old_mode, new_mode),
            kind,
            old_mode: old_mode.map(octal),
            new_mode: new_mode.map(octal),
            old_oid,
            new_oid,
            additions: end.additions,
            deletions: end.deletions,
            byte_offset: self.offset,
            byte_count: end.offset.saturating_sub(self.offset),
            sha256: hex(&hash.finalize()),
        }
    }

    pub(crate) const fn totals(&self) -> Totals {
        self.totals
    }
}

impl Events for FileIndex {
    fn section(&mut self, offset: u64) {
        self.offset = offset;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
    }

    fn header(&mut self, header: &SectionHeader) {
        self.header = Some(header.clone());
    }
}

fn paths(header: &SectionHeader) -> (Option<&[u8]>, Option<&[u8]>) {
    let Some((old, new)) = &header.paths else { return (None, None) };
    let old = Some(old.as_slice()).filter(|_| header.status != Status::Added);
    let new = Some(new.as_slice()).filter(|_| header.status != Status::Deleted);
    (old, new)
}

fn spelled(path: Option<&[u8]>) -> (Option<String>, Option<String>) {
    match path.map(|path| (std::str::from_utf8(path), path)) {
        None => (None, None),
        Some((Ok(text), _)) => (Some(text.to_owned()), None),
        Some((Err(_), bytes)) => (None, Some(base64::encode(bytes))),
    }
}

fn modes(header: &SectionHeader, sides: Option<&Sides>) -> (Option<u32>, Option<u32>) {
    match sides {
        Some(sides) => (sides.old.map(|entry| entry.mode), sides.new.map(|entry| entry.mode)),
        None => (header.old_mode.map(Mode::bits), header.new_mode.map(Mode::bits)),
    }
}

fn oids(header: &SectionHeader, sides: Option<&Sides>) -> (Option<String>, Option<String>) {
    if let Some(sides) = sides {
        return (sides.old.map(|entry| entry.id.to_string()), sides.new.map(|entry| entry.id.to_string()));
    }
    let Some((old, new)) = &header.ids else { return (None, None) };
    // Zeros stand for a side that is not there; what is there can begin with as many as are shown of it.
    let said = |id: &[u8], absent| (header.status != absent).then(|| String::from_utf8_lossy(id).into_owned());
    (said(old, Status::Added), said(new, Status::Deleted))
}

fn status(header: &SectionHeader, old_mode: Option<u32>, new_mode: Option<u32>) -> FileStatus {
    match header.status {
        Status::Added => FileStatus::Added,
        Status::Deleted => FileStatus::Deleted,
        Status::Renamed => FileStatus::Renamed,
        Status::Copied => FileStatus::Copied,
        Status::Modified => match old_mode.zip(new_mode) {
            Some((old, new)) if old >> 12 != new >> 12 => FileStatus::TypeChanged,
            _ if header.body == Body::None => FileStatus::ModeChanged,
            _ => FileStatus::Modified,
        },
    }
}

fn kind(mode: Option<u32>, binary: bool) -> FileKind {
    match mode.map(|mode| mode >> 12) {
        Some(0o16) => FileKind::Submodule,
        Some(0o12) => FileKind::Symlink,
        _ if binary => FileKind::Binary,
        _ => FileKind::Text,
    }
}

fn octal(mode: u32) -> String {
    format!("{mode:06o}")
}
