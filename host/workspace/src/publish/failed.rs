//! What an unfinished publication says: where it stopped, why, and what is on disk now (P-010).

use std::fmt;

use super::Step;
use crate::{
    digest::Digest,
    refusal::{Refusal, shown},
};

/// What became of the file that was to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// This publication did not touch it.
    Untouched,
    /// It has the new bytes.
    Installed,
    /// It may have been replaced, and has neither the old nor the new bytes or cannot be read.
    Unknown,
}

/// A publication that is not complete. Nothing is reconciled by itself.
#[derive(Debug)]
pub struct Failed {
    /// The file.
    pub path: String,
    /// The step that failed.
    pub step: Step,
    /// What became of the file.
    pub destination: Destination,
    /// Why.
    pub cause: Refusal,
    /// The digest that the file was to have before.
    pub before: Digest,
    /// The digest that it was to get.
    pub after: Digest,
    /// What could not be removed from the file's directory, or must not be.
    pub left: Option<Left>,
}

/// A file that a publication leaves beside the one it was to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The staged file of this name. It may be removed.
    Staged(String),
    /// A file that another program had put in the place of the expected one, and that could not be put back there.
    Displaced(String),
}

impl Destination {
    /// A stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Untouched => "untouched",
            Self::Installed => "installed",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { before, after, .. } = self;
        write!(f, "SAVE of {} stopped at step {}: {}. ", shown(&self.path), self.step.name(), self.cause)?;
        match self.destination {
            Destination::Untouched => write!(f, "SAVE did not touch the file on disk."),
            Destination::Installed => write!(
                f,
                "The new bytes (SHA-256 {after}) are on disk, but SAVE was not completed and may not outlast a power \
                 failure: compare the file with the record of it before anything is saved again."
            ),
            Destination::Unknown => write!(
                f,
                "Whether SAVE replaced the file is not known; it had SHA-256 {before} and was to get {after}: compare \
                 what is on disk with both before anything is saved again."
            ),
        }?;
        match &self.left {
            None => Ok(()),
            Some(Left::Staged(name)) => {
                write!(f, " The staged file {} is left beside it; the next SAVE there removes it.", shown(name))
            }
            Some(Left::Displaced(name)) => write!(
                f,
                " Another program had changed the file at the last moment; what it had written is kept beside it as {}.",
                shown(name)
            ),
        }
    }
}

impl std::error::Error for Failed {}
