//! The way from the root to a file's directory, over handles: no component of it may be a symbolic link.
//!
//! There are two ways that refuse the same: the kernel resolves the whole path under a ban on links (`openat2`, Linux), or
//! it is walked step by step, where no step follows a link. The last name is not opened here but in the leaf.

use std::{fs, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, openat, statat},
    io::Errno,
};

use crate::{
    path::RelativePath,
    refusal::{Refusal, Unsupported},
};

/// Opens a directory that will be leased, listed and synced.
pub(crate) const WORK: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a directory that is only gone through: where the system can, without the right to list it.
#[cfg(target_os = "linux")]
pub(crate) const PASS: OFlags = WORK.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
pub(crate) const PASS: OFlags = WORK;

/// How a path is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// By the kernel in one call, beneath the root and without links.
    Kernel,
    /// Component by component, without following links.
    Steps,
}

impl Walk {
    /// The stronger one that the system has. A kernel before 5.6 has no such call, and a container's filter may hide it.
    pub(crate) fn of_this_system(root: &fs::File) -> Self {
        if Self::Kernel.check(root).is_ok() { Self::Kernel } else { Self::Steps }
    }

    /// Whether the system walks so.
    pub(crate) fn check(self, root: &fs::File) -> Result<(), Errno> {
        match self {
            Self::Kernel => kernel::open(root, ".", PASS).map(drop),
            Self::Steps => Ok(()),
        }
    }

    /// A handle of its own on the directory in which the file lies. A lease belongs to the handle, so none is shared.
    pub(crate) fn directory_of(self, root: &fs::File, path: &RelativePath, flags: OFlags) -> Result<fs::File, Refusal> {
        let opened = match (self, path.parent()) {
            (Self::Kernel, parent) => kernel::open(root, parent.unwrap_or("."), flags).map_err(Stopped::System),
            (Self::Steps, None) => openat(root, ".", flags, Mode::empty()).map_err(Stopped::System),
            (Self::Steps, Some(parent)) => step_by_step(root, parent, flags),
        };
        opened.map(fs::File::from).map_err(|stopped| match stopped {
            Stopped::AtLink => Refusal::unsupported(path, Unsupported::Symlink),
            Stopped::System(errno) => Refusal::of_system(path, "open the directory of", errno),
        })
    }
}

enum Stopped {
    AtLink,
    System(Errno),
}

fn step_by_step(root: &fs::File, parent: &str, flags: OFlags) -> Result<OwnedFd, Stopped> {
    let (way, last) = match parent.rsplit_once('/') {
        Some((way, last)) => (Some(way), last),
        None => (None, parent),
    };
    let mut here: Option<OwnedFd> = None;
    for name in way.into_iter().flat_map(|way| way.split('/')) {
        here = Some(step(root, here.as_ref(), name, PASS)?);
    }
    step(root, here.as_ref(), last, flags)
}

fn step(root: &fs::File, here: Option<&OwnedFd>, name: &str, flags: OFlags) -> Result<OwnedFd, Stopped> {
    let opened = match here {
        Some(here) => openat(here, name, flags, Mode::empty()),
        None => openat(root, name, flags, Mode::empty()),
    };
    opened.map_err(|errno| {
        // Systems differ in what they say of a link where a directory was asked for.
        let found = match here {
            Some(here) => statat(here, name, AtFlags::SYMLINK_NOFOLLOW),
            None => statat(root, name, AtFlags::SYMLINK_NOFOLLOW),
        };
        match found {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Symlink => Stopped::AtLink,
            _ => Stopped::System(errno),
        }
    })
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::{fs, os::fd::OwnedFd};

    use rustix::{
        fs::{Mode, OFlags, ResolveFlags, openat2},
        io::Errno,
    };

    /// The kernel asks to try again where it could not tell whether a rename at the same time led out of the root.
    const TRIES: usize = 32;

    pub(super) fn open(root: &fs::File, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        // The ban covers the last component as well, and tells a link from what else is no directory.
        let flags = flags.difference(OFlags::NOFOLLOW);
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        for _ in 1..TRIES {
            match openat2(root, path, flags, Mode::empty(), resolve) {
                Err(Errno::AGAIN) => {}
                opened => return opened,
            }
        }
        openat2(root, path, flags, Mode::empty(), resolve)
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::{fs, os::fd::OwnedFd};

    use rustix::{fs::OFlags, io::Errno};

    pub(super) fn open(_: &fs::File, _: &str, _: OFlags) -> Result<OwnedFd, Errno> {
        Err(Errno::NOSYS)
    }
}
