//! Connections to the file: how each is set up, and those that are kept for the next transaction.
//!
//! SQLite goes on to write into a file that was removed or replaced, and says that it kept what nobody will ever find. So
//! each connection knows which file it has open, and serves only while that is the one in the configured place.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use crate::{
    Fault,
    schema::{self, Standing, Step},
    sqlite::{fault::fault, prepare},
};

/// How large the write-ahead log may stay once it was taken over into the file.
const LOG_BYTES: i64 = 64 << 20;

/// How many statements a connection keeps ready: all there are, and some insertions of several rows.
const STATEMENTS: usize = 64;

/// What every connection needs for itself. Whatever is known of the file itself is not touched here, since it may be
/// somebody else's.
const SETTINGS: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = FULL;
    PRAGMA trusted_schema = OFF;
    PRAGMA recursive_triggers = ON;
";

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

/// A connection, and the file that it has open.
pub(super) struct Attached {
    pub(super) connection: Connection,
    pub(super) file: FileId,
}

/// The connections to one file.
pub(crate) struct Connections {
    path: PathBuf,
    patience: Duration,
    steps: &'static [Step],
    /// None once they are closed.
    idle: Mutex<Option<Vec<Attached>>>,
    /// The file whose schema was looked at.
    known: Mutex<Option<FileId>>,
    most: usize,
}

impl Connections {
    pub(super) fn to(path: PathBuf, patience: Duration, most: usize, steps: &'static [Step]) -> Self {
        Self { path, patience, steps, idle: Mutex::new(Some(Vec::new())), known: Mutex::default(), most }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// One that is idle, or a new one, to the file that is there now.
    pub(super) fn take(&self) -> Result<Attached, Fault> {
        let file = self.file()?;
        let idle = {
            let mut idle = self.idle.lock().expect("nothing panics with it");
            let idle = idle.as_mut().ok_or(Fault::Aborted)?;
            // Those to another file are of no use any more.
            idle.retain(|attached| attached.file == file);
            idle.pop()
        };
        let attached = idle.map_or_else(|| self.connect(), Ok)?;
        if *self.known.lock().expect("nothing panics with it") != Some(attached.file) {
            self.check_schema(&attached)?;
        }
        Ok(attached)
    }

    /// Keeps one that is in no transaction. One to a file that could not be written stays so when the file can be, so it
    /// is not kept.
    pub(super) fn give_back(&self, attached: Attached) {
        if attached.connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(true) {
            return;
        }
        let mut idle = self.idle.lock().expect("nothing panics with it");
        if let Some(idle) = idle.as_mut().filter(|idle| idle.len() < self.most) {
            idle.push(attached);
        }
    }

    /// Closes those that are idle; one that comes back later is closed then.
    pub(super) fn close(&self) {
        drop(self.idle.lock().expect("nothing panics with it").take());
    }

    /// Remembers that this file has the schema.
    pub(super) fn knows(&self, file: FileId) {
        *self.known.lock().expect("nothing panics with it") = Some(file);
    }

    /// That the place still holds the file of a connection.
    pub(super) fn check_in_place(&self, file: FileId) -> Result<(), Fault> {
        if self.file()? == file { Ok(()) } else { Err(self.gone("it was replaced by another file meanwhile")) }
    }

    /// A file that took the place of the one that was opened: it serves as well, if it has the schema.
    fn check_schema(&self, attached: &Attached) -> Result<(), Fault> {
        match prepare::look(&attached.connection, self.steps)? {
            Standing::Current => {
                self.knows(attached.file);
                Ok(())
            }
            Standing::Absent => Err(self.gone("it was replaced by an empty file")),
            Standing::Behind { found, .. } => Err(Fault::OlderSchema { found, head: schema::head(self.steps) }),
        }
    }

    fn file(&self) -> Result<FileId, Fault> {
        let facts = fs::metadata(&self.path).map_err(|error| self.gone(&error.to_string()))?;
        Ok(FileId::of(&facts))
    }

    fn gone(&self, why: &str) -> Fault {
        Fault::Unavailable(format!("{}: {why}", self.path.display()))
    }

    /// A new one. The file is there.
    pub(super) fn connect(&self) -> Result<Attached, Fault> {
        let file = self.file()?;
        let connection = self.connect_to_it()?;
        // So it is the one that was opened.
        self.check_in_place(file)?;
        Ok(Attached { connection, file })
    }

    fn connect_to_it(&self) -> Result<Connection, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(fault)?;
        connection.busy_timeout(self.patience).map_err(fault)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.execute_batch(SETTINGS).map_err(fault)?;
        connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(())).map_err(fault)?;
        Ok(connection)
    }

    /// Creates the file where it is not there, for this user alone, and its folder for this user alone where that is
    /// not there. What is there stays as it is.
    pub(super) fn create_file(&self) -> Result<(), Fault> {
        if self.path.is_dir() {
            return Err(Fault::Location(format!("{} is a folder", self.path.display())));
        }
        if self.path.exists() {
            return Ok(());
        }
        let unavailable = |error: io::Error| Fault::Unavailable(format!("{}: {error}", self.path.display()));
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        private_folder(folder).map_err(unavailable)?;
        match private_file(&self.path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(unavailable(error)),
        }
        // The file's name must outlast a power cut as its content does.
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(unavailable)
    }
}

impl FileId {
    #[cfg(unix)]
    fn of(facts: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self { device: facts.dev(), inode: facts.ino() }
    }

    /// Elsewhere the system itself keeps an open file in its place.
    #[cfg(not(unix))]
    fn of(_: &fs::Metadata) -> Self {
        Self {}
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
