//! The lease on a directory: an exclusive lock that ends with its holder, however that ends (P-008, PG-04).

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use crate::{leaf::Facts, path::RelativePath, refusal::Refusal, root::Workspace, walk};

/// How often it is asked for while another holds it; the system has no wait that ends.
const ASK: Duration = Duration::from_millis(5);

/// The directory of a file, held alone.
#[derive(Debug)]
pub(super) struct Lease {
    directory: fs::File,
}

impl Lease {
    /// Waits for it as long as the workspace's patience lasts.
    pub(super) fn take(workspace: &Workspace, path: &RelativePath) -> Result<Self, Refusal> {
        let directory = workspace.walk.directory_of(&workspace.handle, path, walk::WORK)?;
        let since = Instant::now();
        loop {
            match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => {
                    let waited = since.elapsed();
                    let Some(left) = workspace.patience.checked_sub(waited).filter(|left| !left.is_zero()) else {
                        return Err(Refusal::Leased { path: path.to_string(), waited });
                    };
                    thread::sleep(left.min(ASK));
                }
                Err(errno) => return Err(Refusal::of_work(path, "lease the directory of", errno)),
            }
        }
        let lease = Self { directory };
        lease.check_in_place(workspace, path)?;
        Ok(lease)
    }

    pub(super) fn directory(&self) -> &fs::File {
        &self.directory
    }

    /// Whether the file's path still leads to this directory. One that was moved away keeps its handle and its lock.
    pub(super) fn check_in_place(&self, workspace: &Workspace, path: &RelativePath) -> Result<(), Refusal> {
        let found = workspace.walk.directory_of(&workspace.handle, path, walk::PASS)?;
        let facts = |directory: &fs::File| {
            directory
                .metadata()
                .map(|metadata| Facts::of(&metadata))
                .map_err(|error| Refusal::of_work(path, "look at the directory of", error))
        };
        if facts(&found)?.is_same_file(&facts(&self.directory)?) { Ok(()) } else { Err(Refusal::changed(path)) }
    }

    /// Makes a rename in it last.
    pub(super) fn sync(&self, path: &RelativePath) -> Result<(), Refusal> {
        self.directory.sync_all().map_err(|error| Refusal::of_work(path, "sync the directory of", error))
    }

    /// Gives it back; closing the handle does so as well, should this fail.
    pub(super) fn release(&self) {
        let _ = flock(&self.directory, FlockOperation::Unlock);
    }
}
