//! One side of a section: what its content has to be.

use super::{Contradiction, Stopped, changes::Entry, pieces::Pieces};
use crate::{ObjectId, object::is_empty};

/// Why a section is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Nothing is known against it.
    Stopped(Stopped),
    /// It is wrong.
    Contradiction(Contradiction),
}

impl From<Stopped> for Flaw {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Contradiction> for Flaw {
    fn from(contradiction: Contradiction) -> Self {
        Self::Contradiction(contradiction)
    }
}

/// What a side's content has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// There is none: no byte.
    Absent,
    /// What has this id as a blob.
    Blob(ObjectId),
    /// What git shows of a commit of another repository.
    Made(Vec<u8>),
}

impl Side {
    pub(super) fn of(entry: Option<Entry>) -> Self {
        match entry {
            None => Self::Absent,
            Some(entry) if entry.is_submodule() => Self::Made(format!("Subproject commit {}\n", entry.id).into_bytes()),
            Some(entry) => Self::Blob(entry.id),
        }
    }

    /// Whether the content is this one. A content that was made to collide with it is not.
    pub(super) fn is(&self, content: &Pieces) -> bool {
        match self {
            Self::Absent => content.len() == 0,
            Self::Blob(id) => content.blob_id(id.format()) == Ok(*id),
            Self::Made(made) => content.is(made),
        }
    }

    /// Whether the content is this one, by its id as a blob.
    pub(super) fn has_id(&self, id: ObjectId) -> bool {
        match self {
            Self::Absent => is_empty(id),
            Self::Blob(own) => *own == id,
            Self::Made(_) => false,
        }
    }
}
