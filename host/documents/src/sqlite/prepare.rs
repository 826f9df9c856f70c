//! The file before its first transaction: it is looked at, refused, created or brought forward.

use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::{
    Fault, Ground,
    ground::stored,
    schema::{self, Dialect, Intent, Prepared, Recorded, Standing, Step},
    sqlite::{connect::Connections, fault::fault, session::numbered},
};

/// Prepares the file. Whoever does so at the same time waits, and then finds it done.
pub(super) fn prepare(
    connections: &Connections,
    ground: &dyn Ground,
    steps: &'static [Step],
    intent: Intent,
) -> Result<Prepared, Fault> {
    if intent == Intent::Find && !connections.path().exists() {
        return Err(Fault::Absent);
    }
    connections.create_file()?;
    let mut attached = connections.connect()?;
    let connection = &mut attached.connection;
    // First only a look: a file that is refused is left as it is, and one that cannot be written can still be read.
    let found = connection.transaction().map_err(fault).and_then(|transaction| look(&transaction, steps))?;
    let nothing_to_do = schema::to_do(found.clone(), intent, steps)?.is_none();
    if !is_wal(connection)? {
        set_wal(connection, connections.patience())?;
    }
    if nothing_to_do {
        connections.knows(attached.file);
        connections.give_back(attached);
        return Ok(Prepared::found(&found, steps));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
    let found = look(&transaction, steps)?;
    let mut prepared = Prepared::found(&found, steps);
    if let Some(done) = schema::to_do(found.clone(), intent, steps)? {
        if found == Standing::Absent {
            transaction.execute_batch(schema::CREATE_REVISIONS).map_err(fault)?;
        }
        for (ordinal, step) in (1_i64..).zip(steps).skip(done) {
            for (question, why) in step.refuses_when {
                if transaction.prepare(question).and_then(|mut rows| rows.exists([])).map_err(fault)? {
                    return Err(Fault::MigrationRefused { revision: step.revision, why });
                }
            }
            transaction.execute_batch(step.sqlite).map_err(fault)?;
            let row = (ordinal, step.revision, step.sha256(Dialect::Sqlite), stored(ground.now()));
            transaction.execute(&numbered(schema::WRITE_REVISION), row).map_err(fault)?;
            prepared.applied.push(step.revision);
        }
        transaction.commit().map_err(fault)?;
    } else {
        drop(transaction);
    }
    connections.knows(attached.file);
    connections.give_back(attached);
    Ok(prepared)
}

/// Where the file stands.
pub(super) fn look(connection: &Connection, steps: &'static [Step]) -> Result<Standing, Fault> {
    let has = |table: &str| {
        let statement = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        connection.query_row(statement, [table], |_| Ok(())).optional().map_err(fault)
    };
    let recorded = match has(schema::REVISIONS)? {
        None => None,
        Some(()) => {
            let mut rows = connection.prepare(schema::READ_REVISIONS).map_err(fault)?;
            let rows = rows.query_map([], |row| Ok(Recorded { revision: row.get(0)?, sha256: row.get(1)? }));
            Some(rows.and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(fault)?)
        }
    };
    if recorded.is_none() {
        let others = "SELECT 1 FROM sqlite_schema LIMIT 1";
        if connection.query_row(others, [], |_| Ok(())).optional().map_err(fault)?.is_some() {
            return Err(Fault::ForeignSchema("it is another program's file".to_owned()));
        }
    }
    schema::standing(recorded.as_deref(), false, steps, Dialect::Sqlite)
}

fn is_wal(connection: &Connection) -> Result<bool, Fault> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).map_err(fault)?;
    Ok(mode.eq_ignore_ascii_case("wal"))
}

/// Changing the mode does not wait for others as a statement does: it fails at once.
fn set_wal(connection: &Connection, patience: Duration) -> Result<(), Fault> {
    let deadline = Instant::now() + patience;
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)).map_err(fault);
        match mode {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => return Err(Fault::Location(format!("the file system allows journal mode {mode} alone"))),
            Err(Fault::Locked) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            Err(Fault::Locked) => return Err(Fault::Locked),
            Err(other) => return Err(other),
        }
    }
}
