//! The steps of a publication, and the hook before each of them, where a test ends the process or makes the step fail.

use std::io;

use crate::{path::RelativePath, refusal::Refusal};

/// A step of a publication, in the order in which they come (P-008, PG-04).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Opens the directory and takes the lease on it.
    Lease,
    /// Removes what killed publications left in the directory.
    Sweep,
    /// Looks whether the file is the expected one.
    Check,
    /// Makes the staged file.
    Stage,
    /// Writes a piece of it; so this comes once for each piece.
    Write,
    /// Gives it owner, attributes and mode of the file before.
    Attributes,
    /// Makes its bytes last.
    SyncFile,
    /// Reads it back.
    VerifyStaged,
    /// Looks again whether the file is the expected one.
    Recheck,
    /// Puts the staged file in its place.
    Install,
    /// Looks whether what was there until that moment was the expected file, and otherwise puts it back.
    VerifyDisplaced,
    /// Removes what was there.
    Discard,
    /// Makes the rename last.
    SyncDirectory,
    /// Reads the file back.
    VerifyInstalled,
    /// Gives the lease back.
    Release,
}

/// Every step.
pub const STEPS: [Step; 15] = [
    Step::Lease,
    Step::Sweep,
    Step::Check,
    Step::Stage,
    Step::Write,
    Step::Attributes,
    Step::SyncFile,
    Step::VerifyStaged,
    Step::Recheck,
    Step::Install,
    Step::VerifyDisplaced,
    Step::Discard,
    Step::SyncDirectory,
    Step::VerifyInstalled,
    Step::Release,
];

/// What is called before each step. In production that is `|_| Ok(())`.
pub type Observer<'a> = dyn FnMut(Step) -> io::Result<()> + 'a;

impl Step {
    /// A stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lease => "lease",
            Self::Sweep => "sweep",
            Self::Check => "check",
            Self::Stage => "stage",
            Self::Write => "write",
            Self::Attributes => "attributes",
            Self::SyncFile => "sync_file",
            Self::VerifyStaged => "verify_staged",
            Self::Recheck => "recheck",
            Self::Install => "install",
            Self::VerifyDisplaced => "verify_displaced",
            Self::Discard => "discard",
            Self::SyncDirectory => "sync_directory",
            Self::VerifyInstalled => "verify_installed",
            Self::Release => "release",
        }
    }
}

/// How far a publication has come.
pub(super) struct Trail<'a> {
    path: &'a RelativePath,
    observer: &'a mut (dyn FnMut(Step) -> io::Result<()> + 'a),
    at: Step,
}

impl<'a> Trail<'a> {
    pub(super) fn new(path: &'a RelativePath, observer: &'a mut (dyn FnMut(Step) -> io::Result<()> + 'a)) -> Self {
        Self { path, observer, at: Step::Lease }
    }

    /// The step that is being done.
    pub(super) fn at(&self) -> Step {
        self.at
    }

    pub(super) fn reach(&mut self, step: Step) -> Result<(), Refusal> {
        self.at = step;
        (self.observer)(step).map_err(|error| Refusal::of_work(self.path, "save", error))
    }
}
