//! The last name of a path: a regular file with one name, opened without following anything, read while it stands still.

use std::{
    fs::{self, Metadata},
    os::unix::fs::{FileExt as _, MetadataExt as _},
};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};

use crate::{
    digest::{Digest, Hashing},
    path::RelativePath,
    refusal::{Refusal, Unsupported},
};

/// How much is read at once.
const PIECE: usize = 64 * 1024;
/// A pipe that took the file's place must not make anyone wait, nor a terminal become ours.
const LOOK: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// What a file is, apart from its bytes. Two that are equal around a read say that nothing was written in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) nlink: u64,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// An opened file.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) handle: fs::File,
    pub(crate) facts: Facts,
}

impl Facts {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            nlink: metadata.nlink(),
            mode: metadata.mode() & 0o7777,
            uid: metadata.uid(),
            gid: metadata.gid(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether both are of one file, whatever was done to it.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Leaf {
    /// Opens the file in its directory, if it is one that the workspace serves (PG-04, X-02).
    pub(crate) fn open(directory: &fs::File, path: &RelativePath, max_bytes: u64) -> Result<Self, Refusal> {
        Self::open_named(directory, path.name(), path, max_bytes)
    }

    /// The same under another name than its path's, as while it is being replaced.
    pub(crate) fn open_named(
        directory: &fs::File,
        name: &str,
        path: &RelativePath,
        max_bytes: u64,
    ) -> Result<Self, Refusal> {
        // Before it is opened, since opening alone does something to some devices; what counts is seen after it.
        let seen = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| Refusal::of_system(path, "look at", errno))?;
        if let Some(why) = unsupported_type(FileType::from_raw_mode(seen.st_mode)) {
            return Err(Refusal::unsupported(path, why));
        }
        let handle =
            openat(directory, name, LOOK, Mode::empty()).map_err(|errno| Refusal::of_system(path, "read", errno))?;
        let handle = fs::File::from(handle);
        let metadata = handle.metadata().map_err(|error| Refusal::of_system(path, "look at", error))?;
        let facts = Facts::of(&metadata);
        if !metadata.is_file() {
            let why = if metadata.is_dir() { Unsupported::Directory } else { Unsupported::Special };
            return Err(Refusal::unsupported(path, why));
        }
        if facts.nlink > 1 {
            return Err(Refusal::unsupported(path, Unsupported::HardLinked { nlink: facts.nlink }));
        }
        if facts.size > max_bytes {
            return Err(Refusal::TooLarge { path: path.to_string(), bytes: facts.size, max_bytes });
        }
        Ok(Self { handle, facts })
    }

    /// All its bytes, if nothing is written to it meanwhile.
    pub(crate) fn bytes(&self, path: &RelativePath) -> Result<Vec<u8>, Refusal> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.facts.size).unwrap_or(0));
        self.pour(path, |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// Its digest, if nothing is written to it meanwhile.
    pub(crate) fn digest(&self, path: &RelativePath) -> Result<Digest, Refusal> {
        let mut hashing = Hashing::default();
        self.pour(path, |piece| hashing.update(piece))?;
        Ok(hashing.finish())
    }

    /// Whether its name still leads to it.
    pub(crate) fn is_at(&self, directory: &fs::File, path: &RelativePath) -> bool {
        inode_at(directory, path.name()) == Some((self.facts.device, self.facts.inode))
    }

    /// No more than its size is read, so a file that grows for ever ends as well.
    fn pour(&self, path: &RelativePath, mut sink: impl FnMut(&[u8])) -> Result<(), Refusal> {
        let mut piece = vec![0; PIECE];
        let mut at = 0;
        loop {
            let read = self.handle.read_at(&mut piece, at).map_err(|error| Refusal::of_system(path, "read", error))?;
            at += read as u64;
            if at > self.facts.size {
                return Err(Refusal::changed(path));
            }
            match piece.get(..read) {
                Some([]) | None => break,
                Some(read) => sink(read),
            }
        }
        let after = self.handle.metadata().map_err(|error| Refusal::of_system(path, "look at", error))?;
        if at != self.facts.size || Facts::of(&after) != self.facts {
            return Err(Refusal::changed(path));
        }
        Ok(())
    }
}

/// Device and inode of what a name leads to, not followed.
#[allow(clippy::unnecessary_cast, clippy::allow_attributes, reason = "the numbers differ in width between systems")]
pub(crate) fn inode_at(directory: &fs::File, name: &str) -> Option<(u64, u64)> {
    let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some((found.st_dev as u64, found.st_ino as u64))
}

fn unsupported_type(found: FileType) -> Option<Unsupported> {
    match found {
        FileType::RegularFile => None,
        FileType::Symlink => Some(Unsupported::Symlink),
        FileType::Directory => Some(Unsupported::Directory),
        _ => Some(Unsupported::Special),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// X-02, P-006: bytes are given only of a file that stood still while they were read.
    #[test]
    fn a_file_that_moves_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        let path = RelativePath::parse("a").expect("it is a path");
        let directory = fs::File::open(folder.path()).expect("it opens");
        let write = |bytes: &str| fs::write(&file, bytes).expect("it writes");
        let append = || fs::OpenOptions::new().append(true).open(&file).and_then(|mut file| file.write_all(b"+"));
        let open = || Leaf::open(&directory, &path, 100).expect("it opens");

        write("old");
        let leaf = open();
        assert_eq!(leaf.bytes(&path).expect("it stands still"), b"old");
        append().expect("it grows");
        assert!(matches!(leaf.bytes(&path), Err(Refusal::Changed { .. })), "longer");
        let leaf = open();
        write("o");
        assert!(matches!(leaf.digest(&path), Err(Refusal::Changed { .. })), "shorter");
        let leaf = open();
        let earlier = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
        leaf.handle.set_times(earlier).expect("its time is set");
        assert!(matches!(leaf.digest(&path), Err(Refusal::Changed { .. })), "another time");
        let leaf = open();
        fs::rename(&file, folder.path().join("b")).expect("it is moved");
        write("new");
        assert!(!leaf.is_at(&directory, &path), "another file under its name");
    }
}
