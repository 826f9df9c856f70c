//! Putting the staged file in place, and what is under its name from then on.
//!
//! Where the system can, the two files are exchanged in one step. What was in the place is then under the staged file's
//! name and can be looked at in peace: the expected file is removed, anything else is put back. Until then whoever reads the
//! file sees the new bytes, and a process killed in that instant leaves them there. Elsewhere it is one rename.

use std::mem;

use rustix::{
    fs::{AtFlags, renameat, unlinkat},
    io::Errno,
};

use super::{failed::Left, stage::Staged};
use crate::refusal::Refusal;

/// What the staged file's name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnderName {
    /// The staged file.
    Ours,
    /// What was in the place, not yet looked at.
    Displaced,
    /// The expected file, which is no longer wanted.
    Old,
    /// Another program's file that could not be put back.
    Foreign,
    /// Nothing.
    Gone,
}

impl Staged<'_> {
    /// Puts it in the file's place.
    pub(super) fn install(&mut self, exchanges: bool) -> Result<(), Refusal> {
        let exchanged = if exchanges { self.exchange() } else { Err(Errno::NOSYS) };
        match exchanged {
            Ok(()) => self.under_name = UnderName::Displaced,
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                renameat(self.directory, &self.name, self.directory, self.path.name())
                    .map_err(|errno| self.failed("replace", errno))?;
                self.under_name = UnderName::Gone;
            }
            Err(errno) => return Err(self.failed("replace", errno)),
        }
        Ok(())
    }

    /// The name of what was in the place, if it is still there to be looked at.
    pub(super) fn displaced(&self) -> Option<&str> {
        (self.under_name == UnderName::Displaced).then_some(self.name.as_str())
    }

    /// Takes note of what that turned out to be; what is not the expected file is put back.
    pub(super) fn settle(&mut self, displaced: Result<(), Refusal>) -> Result<(), Refusal> {
        if self.under_name == UnderName::Displaced {
            match &displaced {
                Ok(()) => self.under_name = UnderName::Old,
                Err(_) => self.put_back(),
            }
        }
        displaced
    }

    /// Removes the file that was replaced.
    pub(super) fn discard_displaced(&mut self) -> Result<(), Refusal> {
        if self.under_name == UnderName::Old {
            unlinkat(self.directory, &self.name, AtFlags::empty())
                .map_err(|errno| self.failed("remove the old bytes of", errno))?;
            self.under_name = UnderName::Gone;
        }
        Ok(())
    }

    /// Removes what is under its name if that may be removed, and says what is left.
    pub(super) fn discard(mut self) -> Option<Left> {
        if self.remove() {
            return None;
        }
        let name = mem::take(&mut self.name);
        Some(match self.under_name {
            UnderName::Displaced | UnderName::Foreign => Left::Displaced(name),
            UnderName::Ours | UnderName::Old | UnderName::Gone => Left::Staged(name),
        })
    }

    fn put_back(&mut self) {
        if self.exchange().is_ok() {
            // Should yet another program have been as quick, its file is what came back, and not ours to remove.
            self.under_name = if self.is_beside() { UnderName::Ours } else { UnderName::Foreign };
        } else {
            self.under_name = UnderName::Foreign;
        }
        if self.under_name == UnderName::Foreign {
            // Under its present name the next publication would take it for its own kind.
            let kept = self.name.replacen("stage", "displaced", 1);
            if renameat(self.directory, &self.name, self.directory, &kept).is_ok() {
                self.name = kept;
            }
        }
    }

    fn remove(&mut self) -> bool {
        match self.under_name {
            UnderName::Gone => return true,
            UnderName::Displaced | UnderName::Foreign => return false,
            UnderName::Ours | UnderName::Old => {}
        }
        let removed = matches!(unlinkat(self.directory, &self.name, AtFlags::empty()), Ok(()) | Err(Errno::NOENT));
        if removed {
            self.under_name = UnderName::Gone;
        }
        removed
    }

    fn exchange(&self) -> Result<(), Errno> {
        exchange::names(self.directory, &self.name, self.path.name())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod exchange {
    use std::fs;

    use rustix::{
        fs::{RenameFlags, renameat_with},
        io::Errno,
    };

    pub(super) fn names(directory: &fs::File, one: &str, other: &str) -> Result<(), Errno> {
        renameat_with(directory, one, directory, other, RenameFlags::EXCHANGE)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod exchange {
    use std::fs;

    use rustix::io::Errno;

    pub(super) fn names(_: &fs::File, _: &str, _: &str) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }
}
