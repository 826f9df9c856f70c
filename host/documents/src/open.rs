//! How a database is opened: found, created or refused, or brought forward on demand.

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    Documents, Fault, Ground, System,
    location::Location,
    postgres::Postgres,
    schema::{Intent, Prepared, STEPS, Step},
    sqlite::Sqlite,
};

/// How a database is used.
#[derive(Clone)]
pub struct Options {
    /// How long a lock, a connection or an answer to a connection is waited for.
    pub patience: Duration,
    /// How many connections there may be, the writer to a SQLite file apart.
    pub connections: usize,
    /// Where times and ids come from.
    pub ground: Arc<dyn Ground>,
}

impl Default for Options {
    /// 5 seconds, 16 connections, the system's clock and random ids.
    fn default() -> Self {
        Self { patience: Duration::from_secs(5), connections: 16, ground: Arc::new(System) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { patience, connections, ground: _ } = self;
        f.debug_struct("Options").field("patience", patience).field("connections", connections).finish_non_exhaustive()
    }
}

/// What a migration did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The revision that was found; nothing where the database was empty.
    pub from: Option<String>,
    /// The revisions that it went through, in order.
    pub applied: Vec<&'static str>,
}

/// Opens the database at `location`: `postgres://…`, or the path of a file for SQLite. An absent schema is created, in
/// one transaction; an older one is refused with the command that migrates it, a newer one is refused.
pub async fn open(location: &str) -> Result<Arc<dyn Documents>, Fault> {
    open_with(location, Options::default()).await
}

/// The same with other options.
pub async fn open_with(location: &str, options: Options) -> Result<Arc<dyn Documents>, Fault> {
    Ok(prepare(location, options, STEPS, Intent::Use).await?.0)
}

/// The same for whoever only looks: an absent database, or one without a schema, is refused ([`Fault::Absent`]), and nothing is
/// made.
pub async fn open_existing(location: &str) -> Result<Arc<dyn Documents>, Fault> {
    Ok(prepare(location, Options::default(), STEPS, Intent::Find).await?.0)
}

/// Brings a database forward to this program's schema, or creates it. Nothing is changed where a step refuses. There is
/// no way back (P-154, P-158).
pub async fn migrate(location: &str) -> Result<Migrated, Fault> {
    migrate_with(location, Options::default()).await
}

/// The same with other options.
pub async fn migrate_with(location: &str, options: Options) -> Result<Migrated, Fault> {
    let (_, Prepared { from, applied }) = prepare(location, options, STEPS, Intent::Migrate).await?;
    Ok(Migrated { from, applied })
}

/// With these steps for the program's.
pub(crate) async fn prepare(
    location: &str,
    options: Options,
    steps: &'static [Step],
    intent: Intent,
) -> Result<(Arc<dyn Documents>, Prepared), Fault> {
    match Location::of(location)? {
        Location::Sqlite(path) => {
            let (sqlite, prepared) = Sqlite::open(path, options, steps, intent).await?;
            Ok((Arc::new(sqlite), prepared))
        }
        Location::Postgres(url) => {
            let (postgres, prepared) = Postgres::open(&url, options, steps, intent).await?;
            Ok((Arc::new(postgres), prepared))
        }
    }
}
