//! Why a file is not read or not replaced: stable names for programs, one sentence for people.
//!
//! A sentence says what holds and what to do about it. What became of a file that was to be replaced is not said here: see
//! [`Failed`](crate::Failed).

use std::{io, path::PathBuf, time::Duration};

use rustix::io::Errno;

use crate::{digest::Digest, path::RelativePath};

/// How much of a path a sentence shows.
const SHOWN: usize = 200;

/// Why an operation on a file did not happen (P-156, P-163, PG-04, PG-19, X-02).
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The path, or what lies there, is none that the workspace serves.
    #[error("{} is not served: {why}", shown(path))]
    PathUnsupported {
        /// As it was given.
        path: String,
        /// What is wrong with it.
        why: Unsupported,
    },
    /// The workspace's folder is another one than before, or gone.
    #[error(
        "the workspace is not the one with identity {expected}{}: bring that folder back to its place, or import again \
         from the one that is there now",
        found.map(|found| format!(" but the one with {found}")).unwrap_or_default()
    )]
    BindingMismatch {
        /// The identity it had.
        expected: Digest,
        /// The identity of what is in its place, if anything is.
        found: Option<Digest>,
    },
    /// The file on disk has other bytes than the caller knows.
    #[error(
        "{} changed on disk: expected SHA-256 {expected}, {}; import it again and repeat the edits on what it holds now",
        shown(path),
        found.map_or("there is no such file any more".to_owned(), |found| format!("found {found}"))
    )]
    Drift {
        /// The file.
        path: String,
        /// What it was to have.
        expected: Digest,
        /// What it has, if it is there.
        found: Option<Digest>,
    },
    /// The file, or its directory, was changed or replaced while it was looked at.
    #[error("{} was changed or replaced meanwhile: try again when nothing else writes to it", shown(path))]
    Changed {
        /// The file.
        path: String,
    },
    /// Another publication holds the lease on the file's directory.
    #[error(
        "the directory of {} is leased by another SAVE, and was still after {} ms: try again when that one has ended",
        shown(path),
        waited.as_millis()
    )]
    Leased {
        /// The file.
        path: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The file is above the caller's bound.
    #[error("{} has {bytes} bytes, and {max_bytes} is the most: split the file, or raise the bound", shown(path))]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
        /// The bound.
        max_bytes: u64,
    },
    /// There is no such file.
    #[error("there is no file {} in the workspace: check the path", shown(path))]
    NotFound {
        /// The file.
        path: String,
    },
    /// The system forbids it.
    #[error("this process may not {doing} {}: change the rights there, or run as a user who may", shown(path))]
    Denied {
        /// The file.
        path: String,
        /// What it was about to do.
        doing: &'static str,
    },
    /// The system failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// What is wrong with a path, or with what lies there (PG-04, X-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// No path at all.
    #[error("the path is empty; name a file relative to the workspace's root")]
    Empty,
    /// It starts at the system's root.
    #[error("the path is absolute; name the file relative to the workspace's root")]
    Absolute,
    /// It could leave the root, or has a shorter spelling.
    #[error("a component is empty, `.` or `..`; spell the path without them")]
    Component,
    /// No file system has such a name.
    #[error("the path holds a NUL")]
    Nul,
    /// No file system has such a name.
    #[error("the path or one of its names is too long")]
    TooLong,
    /// Names of this form are those of staged files.
    #[error("names that start with `.assay-stage-` and end in 16 hexadecimal digits are those of staged files")]
    Reserved,
    /// A symbolic link, at the end or on the way.
    #[error("it is or lies behind a symbolic link, which is neither followed nor replaced; name the file it points to")]
    Symlink,
    /// Something on the way is no directory.
    #[error("what its path goes through is not a directory")]
    NotADirectory,
    /// A directory.
    #[error("it is a directory; name a file")]
    Directory,
    /// A device, a pipe or a socket.
    #[error("it is a device, a pipe or a socket, not a regular file")]
    Special,
    /// A file with several names.
    #[error("it has several hard links (nlink:{nlink}), which a replaced file would part; leave it one name")]
    HardLinked {
        /// How many names it has.
        nlink: u64,
    },
    /// Replacing it would let others read or run it.
    #[error(
        "its owner, group or mode cannot be kept by this user, and others could then do more with it; save as its owner"
    )]
    Ownership,
}

/// What the system did not do, or what is wrong with the workspace as a whole (P-005, PG-03).
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// There is no such folder.
    #[error("the workspace {} does not exist: create the folder, or configure another", .0.display())]
    Missing(PathBuf),
    /// Something else is there.
    #[error("the workspace {} is not a directory: configure a folder", .0.display())]
    NotADirectory(PathBuf),
    /// The folder cannot be worked in.
    #[error("the workspace {} is not readable and writable for this process: change its rights, or configure another", .0.display())]
    NotAccessible(PathBuf),
    /// A staged file does not hold what was written to it.
    #[error(
        "the staged file for {} reads back as {found} instead of {expected}: check the disk, and who else writes there",
        shown(path)
    )]
    Corrupt {
        /// The file that was to be replaced.
        path: String,
        /// What was written.
        expected: Digest,
        /// What is there.
        found: Digest,
    },
    /// A system call failed.
    #[error("the system could not {doing} {}: {error}", shown(path))]
    Io {
        /// The file, or the workspace.
        path: String,
        /// What it was to do.
        doing: &'static str,
        /// What it said.
        error: io::Error,
    },
}

impl Refusal {
    /// A stable name, of the contract where that has one (PG-19).
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::PathUnsupported { .. } => "workspace_path_unsupported",
            Self::BindingMismatch { .. } => "workspace_binding_mismatch",
            Self::Drift { .. } | Self::Changed { .. } => "workspace_drift",
            Self::Leased { .. } => "leased",
            Self::TooLarge { .. } => "too_large",
            Self::NotFound { .. } => "not_found",
            Self::Denied { .. } => "denied",
            Self::Fault(fault) => fault.name(),
        }
    }

    pub(crate) fn unsupported(path: &RelativePath, why: Unsupported) -> Self {
        Self::PathUnsupported { path: path.to_string(), why }
    }

    pub(crate) fn changed(path: &RelativePath) -> Self {
        Self::Changed { path: path.to_string() }
    }

    /// What an error of the system says about the file it was met at.
    pub(crate) fn of_system(path: &RelativePath, doing: &'static str, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        let path = path.to_string();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => Self::NotFound { path },
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Self::Denied { path, doing },
            Some(Errno::LOOP) => Self::PathUnsupported { path, why: Unsupported::Symlink },
            Some(Errno::NOTDIR) => Self::PathUnsupported { path, why: Unsupported::NotADirectory },
            Some(Errno::ISDIR) => Self::PathUnsupported { path, why: Unsupported::Directory },
            Some(Errno::NAMETOOLONG) => Self::PathUnsupported { path, why: Unsupported::TooLong },
            _ => Self::Fault(Fault::Io { path, doing, error }),
        }
    }

    /// The same for work beside a file that was seen already: what is missing now was taken away meanwhile.
    pub(crate) fn of_work(path: &RelativePath, doing: &'static str, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        let path = path.to_string();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => Self::Changed { path },
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Self::Denied { path, doing },
            _ => Self::Fault(Fault::Io { path, doing, error }),
        }
    }
}

impl Fault {
    /// A stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Missing(_) => "workspace_missing",
            Self::NotADirectory(_) => "workspace_not_a_directory",
            Self::NotAccessible(_) => "workspace_not_accessible",
            Self::Corrupt { .. } => "staged_corrupt",
            Self::Io { .. } => "io_failed",
        }
    }
}

/// A path as a sentence can bear it: quoted, escaped and bounded.
pub(crate) fn shown(path: &str) -> String {
    let cut = path.char_indices().nth(SHOWN).map(|(end, _)| &path[..end]);
    format!("`{}{}`", cut.unwrap_or(path).escape_debug(), if cut.is_some() { "…" } else { "" })
}
