//! Where documents are in a test: a database of its own, and a folder for files.
//!
//! The suite is compiled twice, and each program has its own database: `all` runs on SQLite, `on_postgres` on PostgreSQL.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use assay_kit::postgres::{Database, Server};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Row, types::FromSqlOwned};

/// The name of this program as it was compiled.
const PROGRAM: &str = env!("CARGO_CRATE_NAME");

/// A database and a folder. Several grounds can stand on it, each with connections of its own.
pub(crate) struct Place {
    pub(crate) runtime: Runtime,
    location: String,
    database: Option<Database>,
    folder: PathBuf,
    _kept: Option<TempDir>,
}

impl Place {
    /// On this program's database.
    pub(crate) fn new() -> Arc<Self> {
        if PROGRAM == "on_postgres" { Self::postgres(Server::shared()) } else { Self::sqlite() }
    }

    pub(crate) fn sqlite() -> Arc<Self> {
        let kept = TempDir::new().expect("a folder");
        let location = kept.path().join("documents.db").to_str().expect("a plain name").to_owned();
        Self::of(location, None, kept)
    }

    pub(crate) fn postgres(server: &Server) -> Arc<Self> {
        let database = runtime().block_on(server.database());
        Self::of(database.url(), Some(database), TempDir::new().expect("a folder"))
    }

    /// One on each.
    pub(crate) fn both() -> [Arc<Self>; 2] {
        [Self::sqlite(), Self::postgres(Server::shared())]
    }

    fn of(location: String, database: Option<Database>, kept: TempDir) -> Arc<Self> {
        fs::create_dir(kept.path().join("workspace")).expect("it is ours");
        let folder = kept.path().to_owned();
        Arc::new(Self { runtime: runtime(), location, database, folder, _kept: Some(kept) })
    }

    /// One that another process made.
    pub(crate) fn made(location: &str, folder: &Path) -> Arc<Self> {
        let (location, folder) = (location.to_owned(), folder.to_owned());
        Arc::new(Self { runtime: runtime(), location, database: None, folder, _kept: None })
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        !self.location.starts_with("postgres:")
    }

    pub(crate) fn location(&self) -> &str {
        &self.location
    }

    /// The PostgreSQL database.
    pub(crate) fn database(&self) -> &Database {
        self.database.as_ref().expect("it is PostgreSQL, made here")
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("workspace")
    }

    /// A connection to the file, round the store. It does not wait.
    pub(crate) fn file(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(&self.location).expect("it is a file");
        connection.busy_timeout(std::time::Duration::ZERO).expect("a setting");
        connection
    }

    /// Runs statements round the store.
    pub(crate) fn run(&self, statements: &str) {
        match &self.database {
            None => self.file().execute_batch(statements).expect("they are right"),
            Some(database) => self.runtime.block_on(async {
                database.client().await.batch_execute(statements).await.expect("they are right");
            }),
        }
    }

    /// The one number that a query has for an answer, asked round the store.
    pub(crate) fn number(&self, query: &str) -> i64 {
        match &self.database {
            None => self.file().query_row(query, [], |row| row.get(0)).expect("a number"),
            Some(_) => self.ask(query),
        }
    }

    fn ask<T: FromSqlOwned>(&self, query: &str) -> T {
        let row: Row = self.runtime.block_on(async {
            let client = self.database().client().await;
            client.query_one(query, &[]).await.expect("it is right")
        });
        row.get(0)
    }

    /// Runs statements round the store, also against its rules that what is appended stays and belongs together.
    pub(crate) fn tamper(&self, statements: &str) {
        if !self.is_sqlite() {
            return self.run(&format!("SET session_replication_role = replica; {statements}"));
        }
        let unlock: String = ["append_only_pdcp_logs", "append_only_manifest_ledger", "target_snapshots"]
            .map(|table| format!("DROP TRIGGER IF EXISTS {table}_update; DROP TRIGGER IF EXISTS {table}_delete;"))
            .concat();
        self.run(&format!("PRAGMA foreign_keys = OFF; {unlock} {statements}"));
    }

    /// All that a table holds.
    pub(crate) fn dump(&self, table: &str) -> String {
        if !self.is_sqlite() {
            return self.ask(&format!("SELECT coalesce(string_agg(t::text, '|' ORDER BY id), '') FROM {table} AS t"));
        }
        let file = self.file();
        let mut statement = file.prepare(&format!("SELECT * FROM {table} ORDER BY id")).expect("it is right");
        let columns = statement.column_count();
        let mut rows = statement.query([]).expect("it is right");
        let mut all = String::new();
        while let Some(row) = rows.next().expect("a row") {
            for column in 0..columns {
                write!(all, "{:?}|", row.get_ref(column).expect("a value")).expect("a String takes everything");
            }
        }
        all
    }

    /// How many rows each table has.
    pub(crate) fn rows(&self) -> Vec<i64> {
        let tables = [
            "cloud_target_files",
            "editing_cycles",
            "append_only_pdcp_logs",
            "append_only_manifest_ledger",
            "target_snapshots",
            "observed_scope_snapshots",
            "observed_scopes",
        ];
        tables.into_iter().map(|table| self.number(&format!("SELECT count(*) FROM {table}"))).collect()
    }
}

/// A text, or none, as SQL spells it.
pub(crate) fn literal(text: Option<&str>) -> String {
    text.map_or_else(|| "NULL".to_owned(), |text| format!("'{}'", text.replace('\'', "''")))
}

/// One whose connections live on while nobody waits for them.
fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}
