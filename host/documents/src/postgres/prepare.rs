//! The server before its first transaction: it is looked at, refused, furnished or brought forward.

use deadpool_postgres::{Client, Transaction};

use crate::{
    Fault, Ground,
    ground::stored,
    postgres::fault::fault,
    schema::{self, Dialect, Intent, Prepared, Recorded, Standing, Step},
};

/// The oldest version that is served, as `server_version_num` has it.
const OLDEST: i32 = 150_000;

/// The lock that whoever changes the schema holds: a number of our own within the database.
const LOCK: &str = "SELECT pg_advisory_xact_lock(4993446653023372654)";

/// Whether a table is there. The catalogue itself is asked: what `to_regclass` found missing a moment ago, it goes on
/// to miss until the transaction ends, though another has created it meanwhile.
const HAS_TABLE: &str = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class AS class \
     JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace \
     WHERE space.nspname = ANY (current_schemas(false)) AND class.relname = $1::text)";

/// Prepares the database. Whoever does so at the same time waits, and then finds it done.
pub(super) async fn prepare(
    client: &mut Client,
    ground: &dyn Ground,
    steps: &'static [Step],
    intent: Intent,
) -> Result<Prepared, Fault> {
    suits(client).await?;
    // First only a look, which a user may take who may create nothing.
    let transaction = client.transaction().await.map_err(fault)?;
    let found = look(&transaction, steps).await?;
    transaction.rollback().await.map_err(fault)?;
    if schema::to_do(found.clone(), intent, steps)?.is_none() {
        return Ok(Prepared::found(&found, steps));
    }
    let transaction = client.transaction().await.map_err(fault)?;
    transaction.batch_execute(LOCK).await.map_err(fault)?;
    let found = look(&transaction, steps).await?;
    let mut prepared = Prepared::found(&found, steps);
    if let Some(done) = schema::to_do(found.clone(), intent, steps)? {
        if found == Standing::Absent {
            transaction.batch_execute(schema::CREATE_REVISIONS).await.map_err(fault)?;
        }
        for (ordinal, step) in (1_i32..).zip(steps).skip(done) {
            for (question, why) in step.refuses_when {
                if !transaction.query(*question, &[]).await.map_err(fault)?.is_empty() {
                    return Err(Fault::MigrationRefused { revision: step.revision, why });
                }
            }
            transaction.batch_execute(step.postgres).await.map_err(fault)?;
            let (sha256, now) = (step.sha256(Dialect::Postgres), stored(ground.now()));
            let row: [&(dyn tokio_postgres::types::ToSql + Sync); 4] = [&ordinal, &step.revision, &sha256, &now];
            transaction.execute(schema::WRITE_REVISION, &row).await.map_err(fault)?;
            prepared.applied.push(step.revision);
        }
    }
    transaction.commit().await.map_err(fault)?;
    Ok(prepared)
}

/// Whether the server has what the statements need.
async fn suits(client: &Client) -> Result<(), Fault> {
    let statement = "SELECT current_setting('server_version_num')::int4, current_setting('server_encoding')";
    let row = client.query_one(statement, &[]).await.map_err(fault)?;
    let (version, encoding): (i32, String) = (row.get(0), row.get(1));
    if version < OLDEST {
        let (major, minor) = (version / 10_000, version % 10_000);
        return Err(Fault::Server(format!("it is PostgreSQL {major}.{minor}, and 15 or newer is needed")));
    }
    if encoding != "UTF8" {
        return Err(Fault::Server(format!("the database's encoding is {encoding}, and UTF8 is needed")));
    }
    Ok(())
}

async fn look(transaction: &Transaction<'_>, steps: &'static [Step]) -> Result<Standing, Fault> {
    // In this order: whoever furnishes it meanwhile is then seen too late or whole, and never as somebody else's tables.
    let mut has = [false; 2];
    for (has, table) in has.iter_mut().zip([schema::OLDEST_TABLE, schema::REVISIONS]) {
        *has = transaction.query_one(HAS_TABLE, &[&table]).await.map_err(fault)?.get(0);
    }
    let [has_oldest_table, remembers] = has;
    let recorded = if remembers {
        let rows = transaction.query(schema::READ_REVISIONS, &[]).await.map_err(fault)?;
        let recorded = rows.iter().map(|row| Recorded { revision: row.get(0), sha256: row.get(1) });
        Some(recorded.collect::<Vec<_>>())
    } else {
        None
    };
    schema::standing(recorded.as_deref(), has_oldest_table, steps, Dialect::Postgres)
}
