//! The cursor: where the next window starts, and everything that must still be so when it is read.
//!
//! Its checksum finds damage and grants nothing (D-049): whoever forges one learns no more than the forge shows him
//! anyway, as each page is verified anew. Nothing in it expires or belongs to a process (D-056). What differs from page to
//! page by itself (times, observations) is not in it (D-031).
//!
//! As text it is `base64url(compact JSON) "." base64url(first 16 bytes of SHA-256 of that JSON)` (D-060). Only the
//! spelling that [`Cursor::encode`] gives is read back.

mod binding;
mod place;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use self::binding::{Binding, Bound};
use self::binding::{File, first_difference};
pub use self::place::{Over, Place, PlaceCursor};
use crate::{FilePath, Index, Owner, RepoName, RepoPath, Slice, hex::hex};

/// Bytes of a cursor's text at the most (D-060).
pub const CURSOR_BYTES: usize = 8_192;
/// Written into each cursor; another one is not read.
const VERSION: u64 = 2;

/// Why a cursor is not followed. The codes of [`Fault::code`] are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Longer than any cursor, another spelling, or its checksum does not fit (D-048).
    #[error(
        "the cursor is damaged: pass `next_cursor` exactly as the window before gave it, or start again without a cursor"
    )]
    Damaged,
    /// Written by another version.
    #[error("the cursor was written by another version of this server: start again without a cursor")]
    Version,
    /// It belongs to a call with other arguments (D-054).
    #[error("the cursor belongs to another `{0}` than this call names: repeat the first call's arguments with it")]
    Call(&'static str),
    /// A bound value is no longer what it was (D-052).
    #[error(
        "the pull request moved between two windows: {0} changed, so the windows read so far and this one would not be \
         of the same diff; nothing is shown: start again without a cursor"
    )]
    Moved(Bound),
    /// It continues native evidence, and the forge now answers without (O-018).
    #[error(
        "the cursor continues a diff that came with the forge's native evidence, and the forge now answers without any; \
         a proof is no continuation of it, so nothing is shown: ask the forge's operator, or start again without a cursor"
    )]
    Downgraded,
    /// It points outside what is read (D-055).
    #[error("the cursor points outside what it walks over: start again without a cursor")]
    Offset,
}

impl Fault {
    /// A stable `snake_case` code: `cursor_invalid` (not one that was given out), `cursor_mismatch` (of another call),
    /// `inputs_moved` (what it continues is gone; restart), `evidence_missing` (the forge stopped giving evidence).
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Damaged | Self::Version | Self::Offset => "cursor_invalid",
            Self::Call(_) => "cursor_mismatch",
            Self::Moved(_) => "inputs_moved",
            Self::Downgraded => "evidence_missing",
        }
    }
}

/// A position in a walk over one diff, over one file's sections of it, or over the index of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    #[serde(rename = "v")]
    version: u64,
    owner: String,
    repo: String,
    index: u64,
    offset: u64,
    binding: Binding,
    walk: BoundWalk,
}

/// What a call walks over, as its arguments say it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// As it was given.
    pub owner: &'a Owner,
    /// As it was given.
    pub repo: &'a RepoName,
    /// As it was given.
    pub index: Index,
    /// Which walk.
    pub walk: Walk<'a>,
}

/// Which walk a call is part of.
#[derive(Clone, Copy, Debug)]
pub enum Walk<'a> {
    /// The whole diff, in bytes.
    Diff,
    /// One file's sections, in bytes.
    File(&'a FilePath),
    /// The index of the files, in rows.
    Files,
}

/// How long the walk is, and what of it is bound beside the receipt.
#[derive(Clone, Copy, Debug)]
pub enum Extent<'a> {
    /// The receipt says it.
    Diff,
    /// The file's sections (S-011).
    File(&'a Slice),
    /// Rows of the index.
    Files(u64),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BoundWalk {
    Diff,
    File(File),
    Files(u64),
}

impl Cursor {
    /// The position `offset` in the walk of `call`, which is so long and over what `binding` says.
    #[must_use]
    pub fn new(call: &Call<'_>, binding: Binding, extent: Extent<'_>, offset: u64) -> Self {
        Self {
            version: VERSION,
            owner: call.owner.as_str().to_owned(),
            repo: call.repo.as_str().to_owned(),
            index: call.index.get(),
            offset,
            binding,
            walk: match (call.walk, extent) {
                (Walk::File(path), Extent::File(slice)) => BoundWalk::File(File::of(path.spelled(), slice)),
                (_, Extent::Files(rows)) => BoundWalk::Files(rows),
                _ => BoundWalk::Diff,
            },
        }
    }

    /// The text of the cursor, at most [`CURSOR_BYTES`].
    #[must_use]
    pub fn encode(&self) -> String {
        text::encode(self)
    }

    /// Reads a cursor's text.
    ///
    /// # Errors
    /// [`Fault::Damaged`] for anything that [`Self::encode`] does not give, [`Fault::Version`] for what another version
    /// gave, [`Fault::Call`] for a tool's that walks over something else.
    pub fn decode(text: &str) -> Result<Self, Fault> {
        text::decode(text, None)
    }

    /// Where the next window starts: a byte in the diff or in the file's sections, a row of the index.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// What the receipt must say on every page.
    #[must_use]
    pub const fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Whether the cursor belongs to a call with these arguments: known before any request (D-054).
    ///
    /// # Errors
    /// [`Fault::Call`] naming the argument that differs.
    pub fn check_call(&self, call: &Call<'_>) -> Result<(), Fault> {
        let same_walk = match (&self.walk, call.walk) {
            (BoundWalk::Diff, Walk::Diff) | (BoundWalk::Files(_), Walk::Files) => true,
            (BoundWalk::File(file), Walk::File(path)) => file.is_of(path.spelled()),
            _ => false,
        };
        let between_tools = matches!(self.walk, BoundWalk::Files(_)) != matches!(call.walk, Walk::Files);
        let same = [
            ("owner", self.owner == call.owner.as_str()),
            ("repo", self.repo == call.repo.as_str()),
            ("index", self.index == call.index.get()),
            (if between_tools { "tool" } else { "file_path" }, same_walk),
        ];
        first_difference(same).map_or(Ok(()), |argument| Err(Fault::Call(argument)))
    }

    /// Whether a fresh receipt is what the walk began with, and the offset within it (D-052, D-055, O-013). `extent` is
    /// what was found to walk over now.
    ///
    /// # Errors
    /// [`Fault::Moved`] naming the first bound value that changed, [`Fault::Offset`] for a position that no window ends at.
    pub fn check(&self, fresh: &Binding, extent: Extent<'_>) -> Result<(), Fault> {
        self.binding.check(fresh)?;
        let count = match (&self.walk, extent) {
            (BoundWalk::Diff, Extent::Diff) => fresh.bytes(),
            (BoundWalk::File(file), Extent::File(slice)) => {
                file.check(slice)?;
                slice.captured.count
            }
            (BoundWalk::Files(rows), Extent::Files(now)) if *rows == now => now,
            (BoundWalk::Files(_), Extent::Files(_)) => return Err(Fault::Moved(Bound::Rows)),
            _ => return Err(Fault::Call("file_path")),
        };
        if (1..count).contains(&self.offset) { Ok(()) } else { Err(Fault::Offset) }
    }
}

/// Only for what is put beside a path in a cursor: a path itself can be too long for one.
fn path_sha256(path: &RepoPath) -> String {
    hex(&Sha256::digest(path.as_bytes()))
}
