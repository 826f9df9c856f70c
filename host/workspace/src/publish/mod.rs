//! Replacing a file by other bytes so that at every moment it has all of the old or all of the new ones (P-008, PG-04).
//!
//! The order is lease, look, stage, sync, look again, put in place, look at what was there, sync, look once more. A process
//! that is killed leaves at the most one file of a staged file's name, which the next publication in that directory removes.

mod attributes;
mod failed;
mod lease;
mod place;
mod stage;
mod step;

pub use failed::{Destination, Failed, Left};
pub(crate) use stage::is_staged_name;
pub use step::{Observer, STEPS, Step};

use std::fs;

use crate::{
    digest::Digest,
    leaf::{Facts, Leaf},
    path::RelativePath,
    refusal::{Refusal, Unsupported},
    root::Workspace,
};
use lease::Lease;
use stage::Staged;
use step::Trail;

/// What the file on disk must still be (P-156, P-163).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The digest of its bytes when they were imported or saved last.
    pub disk_sha256: Digest,
    /// The most that is read of it; a file above that is refused unread.
    pub max_bytes: u64,
}

/// The evidence of a publication that is complete (P-009).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The digest of what is on disk, read back from there.
    pub sha256: Digest,
    /// How many bytes that is.
    pub bytes: u64,
    /// Its permissions and special bits, which are those of the file before.
    pub mode: u32,
    /// The file that was there before.
    pub inode_before: u64,
    /// The file that is there now; the same where the bytes already were what they should be.
    pub inode_after: u64,
    /// Whether owner and group are those of the file before. Without the right to give files away they cannot always be.
    pub owner_kept: bool,
    /// How many staged files of killed publications were removed from the directory.
    pub stale_removed: u32,
}

impl Workspace {
    /// Replaces a file that still has the expected digest (P-008, P-163, PG-04, E-23). The observer is called before each of
    /// the [`STEPS`]; an error of it ends the publication there.
    ///
    /// # Errors
    /// [`Failed`], with the step, the cause and what became of the file.
    pub fn publish(
        &self,
        path: &RelativePath,
        expected: &Expected,
        bytes: &[u8],
        observer: &mut Observer<'_>,
    ) -> Result<Published, Box<Failed>> {
        let plan = Plan { workspace: self, path, expected, bytes, new: Digest::of(bytes) };
        let mut trail = Trail::new(path, observer);
        let lease = match plan.lease(&mut trail) {
            Ok(lease) => lease,
            Err(cause) => return Err(plan.failed(&trail, cause, Destination::Untouched, None)),
        };
        let mut staged = None;
        plan.install(&lease, &mut staged, &mut trail).map_err(|cause| {
            let destination = plan.destination(&lease, staged.as_ref(), trail.at());
            let left = staged.and_then(|staged| staged.discard());
            plan.failed(&trail, cause, destination, left)
        })
    }
}

/// One publication.
struct Plan<'a> {
    workspace: &'a Workspace,
    path: &'a RelativePath,
    expected: &'a Expected,
    bytes: &'a [u8],
    new: Digest,
}

impl Plan<'_> {
    fn lease(&self, trail: &mut Trail<'_>) -> Result<Lease, Refusal> {
        trail.reach(Step::Lease)?;
        self.workspace.check_in_place()?;
        Lease::take(self.workspace, self.path).map_err(|refusal| self.absence_is_drift(refusal))
    }

    fn install<'lease>(
        &self,
        lease: &'lease Lease,
        staged: &mut Option<Staged<'lease>>,
        trail: &mut Trail<'_>,
    ) -> Result<Published, Refusal> {
        let directory = lease.directory();
        trail.reach(Step::Sweep)?;
        let stale_removed = stage::sweep(directory);

        trail.reach(Step::Check)?;
        let old = self.current(lease)?;
        attributes::check_writable(directory, self.path)?;
        if self.new == self.expected.disk_sha256 {
            return self.confirm(lease, &old, stale_removed, trail);
        }

        trail.reach(Step::Stage)?;
        let staged = staged.insert(Staged::create(directory, self.path, old.facts.mode)?);
        staged.write(self.bytes, || trail.reach(Step::Write))?;
        trail.reach(Step::Attributes)?;
        let owner_kept = attributes::carry(self.path, &old, staged.handle())?;
        trail.reach(Step::SyncFile)?;
        staged.sync()?;
        trail.reach(Step::VerifyStaged)?;
        let ours = staged.verify(&self.new)?;

        trail.reach(Step::Recheck)?;
        self.recheck(lease, &old.facts)?;
        trail.reach(Step::Install)?;
        staged.install(self.workspace.exchanges)?;
        let displaced = trail.reach(Step::VerifyDisplaced).and_then(|()| self.check_displaced(staged, &old.facts));
        staged.settle(displaced)?;
        trail.reach(Step::Discard)?;
        staged.discard_displaced()?;
        trail.reach(Step::SyncDirectory)?;
        lease.sync(self.path)?;

        trail.reach(Step::VerifyInstalled)?;
        let installed = self.installed(lease)?;
        if !installed.is_same_file(&ours) {
            return Err(Refusal::changed(self.path));
        }
        trail.reach(Step::Release)?;
        lease.release();
        Ok(self.published(&old.facts, &installed, owner_kept, stale_removed))
    }

    /// The file has the bytes already, as after a publication that was cut off behind the rename. Nothing is replaced, and
    /// what that one may have missed is done: the file and its name are made to last.
    fn confirm(&self, lease: &Lease, old: &Leaf, stale: u32, trail: &mut Trail<'_>) -> Result<Published, Refusal> {
        trail.reach(Step::SyncFile)?;
        old.handle.sync_all().map_err(|error| Refusal::of_work(self.path, "sync", error))?;
        trail.reach(Step::SyncDirectory)?;
        lease.sync(self.path)?;
        trail.reach(Step::VerifyInstalled)?;
        let installed = self.installed(lease)?;
        trail.reach(Step::Release)?;
        lease.release();
        Ok(self.published(&old.facts, &installed, true, stale))
    }

    fn published(&self, old: &Facts, installed: &Facts, owner_kept: bool, stale_removed: u32) -> Published {
        Published {
            sha256: self.new,
            bytes: installed.size,
            mode: installed.mode,
            inode_before: old.inode,
            inode_after: installed.inode,
            owner_kept,
            stale_removed,
        }
    }

    /// The file that is there, which must be the expected one.
    fn current(&self, lease: &Lease) -> Result<Leaf, Refusal> {
        self.expected_under(self.path.name(), lease.directory())
    }

    fn expected_under(&self, name: &str, directory: &fs::File) -> Result<Leaf, Refusal> {
        let leaf = Leaf::open_named(directory, name, self.path, self.expected.max_bytes)
            .map_err(|refusal| self.absence_is_drift(refusal))?;
        let found = leaf.digest(self.path)?;
        if found != self.expected.disk_sha256 {
            return Err(self.drift(self.expected.disk_sha256, Some(found)));
        }
        Ok(leaf)
    }

    /// The last look before the staged file is put in place.
    fn recheck(&self, lease: &Lease, old: &Facts) -> Result<(), Refusal> {
        self.workspace.check_in_place()?;
        lease.check_in_place(self.workspace, self.path)?;
        self.check_same(&self.current(lease)?.facts, old)
    }

    /// What was in the file's place until the staged one was. This leaves no moment at which a change is not noticed.
    fn check_displaced(&self, staged: &Staged<'_>, old: &Facts) -> Result<(), Refusal> {
        match staged.displaced() {
            Some(name) => self.check_same(&self.expected_under(name, staged.directory)?.facts, old),
            None => Ok(()),
        }
    }

    /// What was copied from the file must still be so.
    fn check_same(&self, now: &Facts, old: &Facts) -> Result<(), Refusal> {
        let same = now.is_same_file(old) && (now.mode, now.uid, now.gid) == (old.mode, old.uid, old.gid);
        if same { Ok(()) } else { Err(Refusal::changed(self.path)) }
    }

    fn installed(&self, lease: &Lease) -> Result<Facts, Refusal> {
        let leaf = Leaf::open(lease.directory(), self.path, u64::MAX)?;
        let found = if leaf.facts.size == self.bytes.len() as u64 { Some(leaf.digest(self.path)?) } else { None };
        if found == Some(self.new) { Ok(leaf.facts) } else { Err(self.drift(self.new, found)) }
    }

    /// What became of the file, found out by looking: an error of a rename does not always say that it did not happen.
    fn destination(&self, lease: &Lease, staged: Option<&Staged<'_>>, stopped: Step) -> Destination {
        if stopped < Step::Install || staged.is_some_and(Staged::is_beside) {
            return Destination::Untouched;
        }
        let bound = self.expected.max_bytes.max(self.bytes.len() as u64);
        let found = Leaf::open(lease.directory(), self.path, bound).and_then(|leaf| leaf.digest(self.path));
        match found {
            Ok(found) if found == self.new => Destination::Installed,
            Ok(found) if found == self.expected.disk_sha256 => Destination::Untouched,
            _ => Destination::Unknown,
        }
    }

    fn absence_is_drift(&self, refusal: Refusal) -> Refusal {
        match refusal {
            Refusal::NotFound { .. } => self.drift(self.expected.disk_sha256, None),
            other => other,
        }
    }

    fn drift(&self, expected: Digest, found: Option<Digest>) -> Refusal {
        Refusal::Drift { path: self.path.to_string(), expected, found }
    }

    fn failed(&self, trail: &Trail<'_>, cause: Refusal, destination: Destination, left: Option<Left>) -> Box<Failed> {
        Box::new(Failed {
            path: self.path.to_string(),
            step: trail.at(),
            destination,
            cause,
            before: self.expected.disk_sha256,
            after: self.new,
            left,
        })
    }
}
