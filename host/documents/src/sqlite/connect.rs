//! Connections to the file: how each is set up, and those that are kept for the next transaction.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use crate::{Fault, sqlite::fault::fault};

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

/// The connections to one file.
pub(crate) struct Connections {
    path: PathBuf,
    patience: Duration,
    idle: Mutex<Vec<Connection>>,
    most: usize,
}

impl Connections {
    pub(super) fn to(path: PathBuf, patience: Duration, most: usize) -> Self {
        Self { path, patience, idle: Mutex::new(Vec::new()), most }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// One that is idle, or a new one.
    pub(super) fn take(&self) -> Result<Connection, Fault> {
        let idle = self.idle.lock().expect("nothing panics with it").pop();
        idle.map_or_else(|| self.connect(), Ok)
    }

    /// Keeps one that is in no transaction.
    pub(super) fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().expect("nothing panics with it");
        if idle.len() < self.most {
            idle.push(connection);
        }
    }

    /// A new one. The file is there.
    pub(super) fn connect(&self) -> Result<Connection, Fault> {
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
