//! What a forge remembers and git does not: row ids, which number a branch's pull request has, which refs the forge
//! wrote itself, and what people said.
//!
//! One small JSON file in the state folder, and beside it one a repository about which something was said, each
//! replaced as a whole. A lock keeps a second forge out. What the numbers are is decided in `pulls::numbers`.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::{
    Error,
    git::source::ObjectFormat,
    pulls::numbers::Numbered,
    state::{repository::Address, tracker::Tracker, written::Written},
};

/// The shape of the file; another one is refused rather than guessed at.
const VERSION: u32 = 1;

/// The open ledger of a state folder.
#[derive(Debug)]
pub(crate) struct Ledger {
    folder: PathBuf,
    book: Mutex<Book>,
    /// Held until the forge ends.
    lock: File,
}

impl Drop for Ledger {
    /// Closing is not enough: a process that is being started somewhere has the file open too until it is another program.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// What is remembered of one repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The row id, from 1.
    pub(crate) id: u64,
    /// Seconds since 1970 when it was first served.
    pub(crate) first_seen: i64,
    /// The git directory, for telling another repository of the same name apart.
    pub(crate) origin: PathBuf,
    pub(crate) object_format: ObjectFormat,
    pub(crate) pulls: Numbered,
    /// Nothing in a ledger from before the forge wrote.
    #[serde(default)]
    pub(crate) written: Written,
    /// What it is called, where that is not what the configuration calls it, and was called before.
    #[serde(default)]
    pub(crate) now: Option<Address>,
    #[serde(default)]
    pub(crate) before: Vec<Address>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Book {
    version: u32,
    /// Row ids by lower-case login.
    users: BTreeMap<String, u64>,
    /// By lower-case `owner/name`.
    repositories: BTreeMap<String, Entry>,
}

impl Ledger {
    /// Opens the ledger in `folder`, an empty one when there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let refuse = |path: &Path, detail: String| Error::State { path: path.to_owned(), detail };
        let path = folder.join("lock");
        let lock = File::options().create(true).write(true).truncate(false).open(&path);
        let lock = lock.map_err(|e| refuse(&path, e.to_string()))?;
        lock.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => refuse(folder, "another local forge is using it".into()),
            TryLockError::Error(e) => refuse(&path, e.to_string()),
        })?;
        let path = folder.join(FILE);
        let book = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| refuse(&path, e.to_string()))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Book::default(),
            Err(e) => return Err(refuse(&path, e.to_string())),
        };
        if book.version != VERSION {
            return Err(refuse(&path, format!("version {} is not {VERSION}", book.version)));
        }
        Ok(Self { folder: folder.to_owned(), book: Mutex::new(book), lock })
    }

    /// The row id of an account, given now if it has none.
    pub(crate) fn user(&self, login: &str) -> u64 {
        let mut book = self.book();
        let next = book.users.values().max().copied().unwrap_or(0) + 1;
        *book.users.entry(login.to_ascii_lowercase()).or_insert(next)
    }

    /// What is remembered under `key`, which is `owner/name` in lower case; made when there is nothing.
    pub(crate) fn repository(
        &self,
        key: &str,
        origin: &Path,
        object_format: ObjectFormat,
        now: i64,
    ) -> Result<Entry, Error> {
        let mut book = self.book();
        let id = book.repositories.values().map(|entry| entry.id).max().unwrap_or(0) + 1;
        let fresh = || Entry {
            id,
            first_seen: now,
            origin: origin.into(),
            object_format,
            pulls: Numbered::default(),
            written: Written::default(),
            now: None,
            before: Vec::new(),
        };
        let entry = book.repositories.entry(key.to_owned()).or_insert_with(fresh).clone();
        if entry.origin != origin || entry.object_format != object_format {
            let detail = format!("{key} is {} there; serve this one from another folder", entry.origin.display());
            return Err(Error::State { path: self.folder.clone(), detail });
        }
        Ok(entry)
    }

    /// Remembers `entry` under `key`, on the disk too, but for its names, which may have changed meanwhile.
    pub(crate) fn remember(&self, key: &str, mut entry: Entry) -> Result<(), Error> {
        let mut book = self.book();
        if let Some(known) = book.repositories.get(key) {
            (entry.now, entry.before) = (known.now.clone(), known.before.clone());
        }
        book.repositories.insert(key.to_owned(), entry);
        self.replace(FILE, serde_json::to_vec_pretty(&*book))
    }

    /// Remembers what the repository under `key` is called and was called before, on the disk too.
    pub(crate) fn rename(&self, key: &str, now: &Address, before: &[Address]) -> Result<(), Error> {
        let mut book = self.book();
        if let Some(entry) = book.repositories.get_mut(key) {
            (entry.now, entry.before) = (Some(now.clone()), before.to_vec());
        }
        self.replace(FILE, serde_json::to_vec_pretty(&*book))
    }

    /// What was said about the repository with this row id.
    pub(crate) fn tracker(&self, id: u64) -> Result<Tracker, Error> {
        let path = self.folder.join(tracker_file(id));
        let refuse = |e: &dyn std::fmt::Display| Error::State { path: path.clone(), detail: e.to_string() };
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| refuse(&e)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Tracker::default()),
            Err(e) => Err(refuse(&e)),
        }
    }

    /// Remembers what was said, on the disk too.
    pub(crate) fn remember_tracker(&self, id: u64, tracker: &Tracker) -> Result<(), Error> {
        self.replace(&tracker_file(id), serde_json::to_vec(tracker))
    }

    /// The login of the account with this row id, if there is one.
    pub(crate) fn login(&self, id: u64) -> Option<String> {
        self.book().users.iter().find(|(_, own)| **own == id).map(|(login, _)| login.clone())
    }

    fn replace(&self, name: &str, content: serde_json::Result<Vec<u8>>) -> Result<(), Error> {
        let write = || -> std::io::Result<()> {
            let mut file = NamedTempFile::new_in(&self.folder)?;
            file.write_all(&content?)?;
            file.persist(self.folder.join(name))?;
            Ok(())
        };
        write().map_err(|e| Error::State { path: self.folder.join(name), detail: e.to_string() })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Book {
    fn default() -> Self {
        Self { version: VERSION, users: BTreeMap::new(), repositories: BTreeMap::new() }
    }
}

const FILE: &str = "ledger.json";

fn tracker_file(id: u64) -> String {
    format!("tracker-{id}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_remembered_is_there_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let origin = Path::new("/repositories/a");
        let ledger = Ledger::open(folder.path()).expect("an empty folder will do");
        let user = ledger.user("Alice");
        let first = ledger.repository("alice/a", origin, ObjectFormat::Sha1, 7).expect("a new one");
        let second = ledger.repository("alice/b", origin, ObjectFormat::Sha1, 8).expect("another");
        assert_ne!(first.id, second.id);
        ledger.remember("alice/a", first.clone()).expect("the folder can be written");
        drop(ledger);

        let ledger = Ledger::open(folder.path()).expect("it is free again");
        assert_eq!(ledger.user("alice"), user);
        let again = ledger.repository("alice/a", origin, ObjectFormat::Sha1, 99).expect("the same one");
        assert_eq!((again.id, again.first_seen), (first.id, 7));
        let other = ledger.repository("alice/a", Path::new("/repositories/b"), ObjectFormat::Sha1, 99);
        assert!(matches!(other, Err(Error::State { .. })));
    }

    #[test]
    fn what_was_said_is_there_again_and_is_not_guessed_at() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let ledger = Ledger::open(folder.path()).expect("an empty folder will do");
        let mut tracker = ledger.tracker(3).expect("there is none");
        assert_eq!(tracker, Tracker::default());
        tracker.comment(1, "alice", "hi".into(), 7);
        ledger.remember_tracker(3, &tracker).expect("the folder can be written");
        assert_eq!(ledger.tracker(3).expect("it was written"), tracker);
        assert_eq!(ledger.tracker(4).expect("another's"), Tracker::default());
        fs::write(folder.path().join("tracker-3.json"), "[").expect("the folder can be written");
        assert!(matches!(ledger.tracker(3), Err(Error::State { .. })));
    }

    /// As forges that only read had it.
    #[test]
    fn an_old_ledger_still_opens() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let old = r#"{"version":1,"users":{"local":1},"repositories":{"local/a":{"id":1,"first_seen":7,
            "origin":"/a/.git","object_format":"sha1","pulls":{"pulls":{"1":{"branch":"Zg==","base":"bWFpbg==",
            "head":"1","base_tip":"0","open":true}}}}}}"#;
        fs::write(folder.path().join(FILE), old).expect("the folder can be written");
        let ledger = Ledger::open(folder.path()).expect("it is still good");
        let entry = ledger.repository("local/a", Path::new("/a/.git"), ObjectFormat::Sha1, 9).expect("it is there");
        assert_eq!((entry.id, entry.pulls.pulls.len(), entry.written), (1, 1, Written::default()));
    }

    #[test]
    fn a_folder_has_one_forge_and_a_damaged_file_is_not_guessed_at() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let ledger = Ledger::open(folder.path()).expect("an empty folder will do");
        let second = Ledger::open(folder.path()).expect_err("it is taken");
        assert!(second.to_string().contains("another local forge"), "{second}");
        drop(ledger);
        for text in ["", "{}", r#"{"version":2,"users":{},"repositories":{}}"#] {
            fs::write(folder.path().join(FILE), text).expect("the folder can be written");
            assert!(matches!(Ledger::open(folder.path()), Err(Error::State { .. })), "{text}");
        }
    }
}
