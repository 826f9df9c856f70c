//! One transaction on one connection. Every step of it runs where waiting for a disk holds up nobody.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use rusqlite::{
    Connection, ToSql, params_from_iter,
    types::{Null, ToSqlOutput, ValueRef},
};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, sleep},
};

use crate::{
    Fault, Options,
    session::Session,
    sqlite::{
        blocking,
        connect::{Attached, Connections},
        fault::{commit_fault, fault, is_busy},
    },
    value::{Row, Value},
};

/// How long a writer waits until it tries again. Short, since whoever is quicker has the lock.
const BETWEEN_TRIES: Duration = Duration::from_millis(2);

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Read,
    Write,
}

/// A transaction.
pub(super) struct SqliteSession {
    /// It is away while a statement runs, and gone for good where nobody waited for that.
    attached: Option<Attached>,
    connections: Arc<Connections>,
    /// The turn, which the next one gets when all is rolled back.
    _permit: OwnedSemaphorePermit,
}

impl SqliteSession {
    pub(super) fn of(attached: Attached, connections: Arc<Connections>, permit: OwnedSemaphorePermit) -> Self {
        Self { attached: Some(attached), connections, _permit: permit }
    }

    pub(super) async fn begin(mut self, mode: Mode, deadline: Instant, options: &Options) -> Result<Self, Fault> {
        match mode {
            // The first read takes the snapshot; it is taken here, so that it is of now.
            Mode::Read => {
                self.on(|connection| {
                    connection
                        .execute_batch("BEGIN DEFERRED; SELECT 1 FROM assay_schema_revisions LIMIT 1")
                        .map_err(fault)
                })
                .await?;
            }
            Mode::Write => {
                let (patience, mut waits) = (options.patience, false);
                while !self.on(move |connection| begin_at_once(connection, patience)).await? {
                    if !std::mem::replace(&mut waits, true) {
                        options.ground.waits();
                    }
                    if Instant::now() >= deadline {
                        return Err(Fault::Locked);
                    }
                    sleep(BETWEEN_TRIES).await;
                }
            }
        }
        Ok(self)
    }

    /// Does something with the connection. Where nobody waits for the end of it, the connection is closed behind it,
    /// which rolls back.
    async fn on<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        self.on_attached(|attached| work(&mut attached.connection)).await
    }

    async fn on_attached<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Attached) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let mut attached = self.attached.take().ok_or(Fault::Aborted)?;
        let (attached, done) = blocking(move || {
            let done = work(&mut attached);
            Ok((attached, done))
        })
        .await?;
        self.attached = Some(attached);
        done
    }
}

#[async_trait]
impl Session for SqliteSession {
    const ROW_LOCK: &'static str = "";
    const OWN_PLACES: &'static str = "";
    const BEFORE_PLACES: &'static [&'static str] = &[];
    // AUTOINCREMENT goes on behind the greatest place there was, whoever gave it.
    const AFTER_PLACES: &'static [&'static str] = &[];

    async fn run(&mut self, statement: &str, values: Vec<Value>) -> Result<Vec<Row>, Fault> {
        let statement = numbered(statement);
        self.on(move |connection| run(connection, &statement, &values).map_err(fault)).await
    }

    async fn commit(&mut self) -> Result<(), Fault> {
        let connections = Arc::clone(&self.connections);
        self.on_attached(move |attached| {
            let Attached { connection, file } = attached;
            connections.check_in_place(*file)?;
            connection.execute_batch("COMMIT").map_err(commit_fault)?;
            // Taken away in this very moment, and nobody knows with what in it.
            connections.check_in_place(*file).map_err(|fault| Fault::CommitUnknown(fault.to_string()))
        })
        .await
    }
}

impl Drop for SqliteSession {
    /// Rolling back a log that nobody else reads costs next to nothing, so it is done here and now.
    fn drop(&mut self) {
        if let Some(attached) = self.attached.take()
            && (attached.connection.is_autocommit() || attached.connection.execute_batch("ROLLBACK").is_ok())
        {
            self.connections.give_back(attached);
        }
    }
}

/// The same statement with the parameters that SQLite counts by their number rather than by when they come.
pub(super) fn numbered(statement: &str) -> String {
    statement.replace('$', "?")
}

/// Whether the lock was to be had at once.
fn begin_at_once(connection: &Connection, patience: Duration) -> Result<bool, Fault> {
    connection.busy_timeout(Duration::ZERO).map_err(fault)?;
    let begun = connection.execute_batch("BEGIN IMMEDIATE");
    connection.busy_timeout(patience).map_err(fault)?;
    match begun {
        // Of a file that cannot be written it would be a transaction that reads.
        Ok(()) if connection.is_readonly(rusqlite::MAIN_DB).map_err(fault)? => Err(Fault::ReadOnly),
        Ok(()) => Ok(true),
        Err(error) if is_busy(&error) => Ok(false),
        Err(error) => Err(fault(error)),
    }
}

fn run(connection: &Connection, statement: &str, values: &[Value]) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(statement)?;
    let columns = statement.column_count();
    let rows = statement.query_map(params_from_iter(values), |row| {
        let values = (0..columns).map(|column| value(row.get_ref(column)?, column));
        values.collect::<rusqlite::Result<Vec<_>>>().map(Row::of)
    })?;
    rows.collect()
}

fn value(value: ValueRef<'_>, column: usize) -> rusqlite::Result<Value> {
    let of = value.data_type();
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Integer(number)),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes)
            .map(Value::from)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, of, Box::new(error))),
        ValueRef::Real(_) | ValueRef::Blob(_) => Err(rusqlite::Error::InvalidColumnType(column, String::new(), of)),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Null => Null.to_sql(),
            Self::Text(text) => text.to_sql(),
            Self::Integer(number) => number.to_sql(),
            Self::Boolean(truth) => truth.to_sql(),
        }
    }
}
