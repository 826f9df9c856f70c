//! Which bytes of the diff a call is about: all of them, or one file's sections.

use assay_forge::{Capture, Captured, Error, RepoPath, Sink, Slice, Slicer};

/// Takes the diff while it is being verified.
#[derive(Debug)]
pub(super) enum Selection {
    Whole(Capture),
    File(Box<Slicer>),
}

/// What was selected, once the whole diff was verified.
#[derive(Debug)]
pub(super) enum Selected {
    Whole(Captured),
    File(Slice),
}

impl Selection {
    pub(super) fn new(path: Option<RepoPath>, offset: u64) -> Self {
        match path {
            None => Self::Whole(Capture::new(offset)),
            Some(path) => Self::File(Box::new(Slicer::new(path, offset))),
        }
    }
}

impl Sink for Selection {
    type Output = Selected;

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Whole(capture) => capture.push(bytes),
            Self::File(slicer) => slicer.push(bytes),
        }
    }

    fn finish(self) -> Result<Selected, Error> {
        match self {
            Self::Whole(capture) => capture.finish().map(Selected::Whole),
            Self::File(slicer) => slicer.finish().map(Selected::File),
        }
    }
}

impl Selected {
    /// Count, hash and window of what was selected.
    pub(super) const fn captured(&self) -> &Captured {
        match self {
            Self::Whole(captured) => captured,
            Self::File(slice) => &slice.captured,
        }
    }

    /// The slice, which the cursor of a sliced walk binds as well (S-011).
    pub(super) const fn bound(&self) -> Option<&Slice> {
        match self {
            Self::Whole(_) => None,
            Self::File(slice) => Some(slice),
        }
    }
}
