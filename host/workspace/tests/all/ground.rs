//! A folder with a workspace in it, and one beside it that no path may reach.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use assay_workspace::{Digest, Expected, Failed, Published, Refusal, RelativePath, Step, Walk, Workspace};
use tempfile::TempDir;

/// The bound that the tests read and save with.
pub(crate) const BOUND: u64 = 4 * 1024 * 1024;
/// What lies outside.
pub(crate) const SECRET: &[u8] = b"not for those inside";

/// The folder.
pub(crate) struct Ground {
    folder: TempDir,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ground = Self { folder };
        fs::create_dir(ground.root()).expect("the root");
        fs::create_dir(ground.outside()).expect("what is outside");
        fs::write(ground.outside().join("secret"), SECRET).expect("the secret");
        ground
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    /// Where a file of the workspace lies.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file, and the directories it needs.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let at = self.at(name);
        fs::create_dir_all(at.parent().expect("it has one")).expect("its directory");
        fs::write(&at, bytes).expect("it writes");
        at
    }

    pub(crate) fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).expect("it reads")
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::symlink_metadata(self.at(name)).expect("it is there").mode() & 0o7777
    }

    pub(crate) fn open(&self) -> Workspace {
        Workspace::open(&self.root()).expect("it opens")
    }

    /// The workspace, once for each way to walk that the system has.
    pub(crate) fn walks(&self) -> Vec<Workspace> {
        let kernel = Workspace::open_walking(&self.root(), Walk::Kernel).ok();
        let steps = Workspace::open_walking(&self.root(), Walk::Steps).expect("every system walks so");
        kernel.into_iter().chain([steps]).collect()
    }

    /// The names in a directory of the workspace that are this crate's own.
    pub(crate) fn own_files(&self, directory: &str) -> Vec<String> {
        own_files(&self.at(directory))
    }

    /// Shows that nothing outside was changed.
    pub(crate) fn assert_outside_is_whole(&self) {
        let names: Vec<_> =
            fs::read_dir(self.outside()).expect("it lists").map(|entry| entry.expect("one").path()).collect();
        assert_eq!(names, [self.outside().join("secret")]);
        assert_eq!(fs::read(self.outside().join("secret")).expect("it reads"), SECRET);
    }
}

/// Tells another thread to end when this one is done with it, also by a panic, since its scope would wait for ever.
pub(crate) struct Ends<'a>(pub(crate) &'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn own_files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("it lists");
    let names = entries.map(|entry| entry.expect("one").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".assay-")).collect()
}

pub(crate) fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).expect("it is a path")
}

/// A file that must still have these bytes.
pub(crate) fn expecting(bytes: impl AsRef<[u8]>) -> Expected {
    Expected { disk_sha256: Digest::of(bytes), max_bytes: BOUND }
}

/// Saves without anyone looking on.
pub(crate) fn save(
    workspace: &Workspace,
    name: &str,
    old: impl AsRef<[u8]>,
    new: impl AsRef<[u8]>,
) -> Result<Published, Box<Failed>> {
    workspace.publish(&path(name), &expecting(old), new.as_ref(), &mut |_| Ok(()))
}

/// Saves, and does something when a step is reached for the first time.
pub(crate) fn save_while(
    workspace: &Workspace,
    name: &str,
    old: impl AsRef<[u8]>,
    new: impl AsRef<[u8]>,
    step: Step,
    act: impl FnOnce(),
) -> Result<Published, Box<Failed>> {
    let mut act = Some(act);
    workspace.publish(&path(name), &expecting(old), new.as_ref(), &mut |reached| {
        if reached == step
            && let Some(act) = act.take()
        {
            act();
        }
        Ok(())
    })
}

/// The stable name of a refusal to read.
pub(crate) fn refused(workspace: &Workspace, name: &str) -> Refusal {
    workspace.read(&path(name), BOUND).expect_err(name)
}
