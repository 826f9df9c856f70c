//! The root: held by a handle from the first moment, and known again by what it is.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    fs::{Access, AtFlags, Mode, accessat},
    io::Errno,
};

use crate::{
    digest::{Digest, Hashing},
    refusal::{Fault, Refusal},
    walk::{self, Walk},
};

/// How long a publication waits for the lease, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(5);

/// An opened workspace.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) handle: fs::File,
    pub(crate) walk: Walk,
    pub(crate) patience: Duration,
    pub(crate) exchanges: bool,
    canonical: PathBuf,
    identity: Digest,
}

impl Workspace {
    /// Opens a folder that exists and is readable and writable (P-005, PG-03).
    ///
    /// # Errors
    /// [`Fault`], with what is wrong with the folder.
    pub fn open(root: &Path) -> Result<Self, Fault> {
        Self::open_as(root, None)
    }

    /// The same, with a given way to walk: for systems that have `openat2` but should not use it.
    ///
    /// # Errors
    /// [`Fault`], with what is wrong with the folder, or that the system does not walk so.
    pub fn open_walking(root: &Path, walk: Walk) -> Result<Self, Fault> {
        Self::open_as(root, Some(walk))
    }

    /// How long a publication waits for the lease on a directory before it is refused; 5 seconds if not said.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Installs by a plain rename even where two files can be exchanged: for file systems that exchange badly. A change by
    /// a program without a lease, between the last look and the rename, is lost then.
    #[must_use]
    pub fn without_exchange(self) -> Self {
        Self { exchanges: false, ..self }
    }

    /// What the root is: SHA-256 over device, inode and canonical path (P-156, PG-03).
    #[must_use]
    pub fn identity(&self) -> Digest {
        self.identity
    }

    /// Its path without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.canonical
    }

    /// Whether this is the workspace that a caller has recorded (P-156).
    ///
    /// # Errors
    /// [`Refusal::BindingMismatch`] where it is another one.
    pub fn check_binding(&self, recorded: &Digest) -> Result<(), Refusal> {
        if *recorded == self.identity {
            return Ok(());
        }
        Err(Refusal::BindingMismatch { expected: *recorded, found: Some(self.identity) })
    }

    /// Whether the folder that was opened still is what its path leads to. The handle alone would not tell: it stays with
    /// a folder that was moved away.
    pub(crate) fn check_in_place(&self) -> Result<(), Refusal> {
        let found = match fs::canonicalize(&self.canonical).and_then(|path| identity_at(&path)) {
            Ok(found) => Some(found),
            Err(error) if is_absence(&error) => None,
            Err(error) => return Err(fault(&self.canonical, "find", error).into()),
        };
        if found == Some(self.identity) {
            return Ok(());
        }
        Err(Refusal::BindingMismatch { expected: self.identity, found })
    }

    fn open_as(root: &Path, walk: Option<Walk>) -> Result<Self, Fault> {
        let refused = |error: io::Error| match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => Fault::Missing(root.to_owned()),
            Some(Errno::NOTDIR) => Fault::NotADirectory(root.to_owned()),
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Fault::NotAccessible(root.to_owned()),
            _ => fault(root, "open", error),
        };
        let canonical = fs::canonicalize(root).map_err(refused)?;
        let handle = rustix::fs::open(&canonical, walk::WORK, Mode::empty()).map_err(|errno| refused(errno.into()))?;
        let needed = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
        accessat(&handle, ".", needed, AtFlags::EACCESS).map_err(|errno| refused(errno.into()))?;
        let handle = fs::File::from(handle);
        let identity = identity_of(&canonical, &handle.metadata().map_err(refused)?);
        let walk = match walk {
            Some(walk) => walk.check(&handle).map(|()| walk).map_err(|errno| refused(errno.into()))?,
            None => Walk::of_this_system(&handle),
        };
        Ok(Self { handle, walk, patience: PATIENCE, exchanges: true, canonical, identity })
    }
}

fn identity_at(canonical: &Path) -> io::Result<Digest> {
    Ok(identity_of(canonical, &fs::symlink_metadata(canonical)?))
}

/// The numbers have a fixed length and stand before the path, so no two roots have the same bytes.
fn identity_of(canonical: &Path, metadata: &Metadata) -> Digest {
    let mut hashing = Hashing::default();
    hashing.update(b"assay-workspace-root/1\0");
    hashing.update(&metadata.dev().to_be_bytes());
    hashing.update(&metadata.ino().to_be_bytes());
    hashing.update(canonical.as_os_str().as_bytes());
    hashing.finish()
}

fn is_absence(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}

fn fault(root: &Path, doing: &'static str, error: io::Error) -> Fault {
    Fault::Io { path: root.to_string_lossy().into_owned(), doing, error }
}
