//! One transaction on one connection.

use async_trait::async_trait;
use deadpool_postgres::{Client, Object};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use crate::{
    Fault,
    postgres::fault::{commit_fault, fault},
    session::Session,
    value::{Row, Value},
};

/// A transaction.
pub(super) struct PostgresSession {
    /// Gone when the transaction has ended.
    client: Option<Client>,
}

impl PostgresSession {
    pub(super) async fn begin(client: Client, begin: &str) -> Result<Self, Fault> {
        let mut session = Self { client: Some(client) };
        let begun = session.client()?.batch_execute(begin).await;
        if begun.is_err() {
            drop(session.client.take().map(Object::take));
        }
        begun.map(|()| session).map_err(fault)
    }

    fn client(&self) -> Result<&Client, Fault> {
        self.client.as_ref().ok_or(Fault::Aborted)
    }
}

#[async_trait]
impl Session for PostgresSession {
    const ROW_LOCK: &'static str = " FOR UPDATE";
    const OWN_PLACES: &'static str = " OVERRIDING SYSTEM VALUE";
    // In the order in which every transaction writes to them, so that nobody waits in a circle.
    const BEFORE_PLACES: &'static [&'static str] = &[
        "LOCK TABLE append_only_pdcp_logs, append_only_manifest_ledger, target_snapshots IN SHARE ROW EXCLUSIVE MODE",
    ];
    const AFTER_PLACES: &'static [&'static str] = &[
        "SELECT setval(pg_get_serial_sequence('append_only_pdcp_logs', 'log_sequence'), max(log_sequence)) \
         FROM append_only_pdcp_logs",
        "SELECT setval(pg_get_serial_sequence('append_only_manifest_ledger', 'ledger_sequence'), max(ledger_sequence)) \
         FROM append_only_manifest_ledger",
        "SELECT setval(pg_get_serial_sequence('target_snapshots', 'snapshot_sequence'), max(snapshot_sequence)) \
         FROM target_snapshots",
    ];

    async fn run(&mut self, statement: &str, values: Vec<Value>) -> Result<Vec<Row>, Fault> {
        let client = self.client()?;
        let statement = client.prepare_cached(statement).await.map_err(fault)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        let rows = client.query(&statement, &values).await.map_err(fault)?;
        rows.iter().map(row).collect()
    }

    async fn commit(&mut self) -> Result<(), Fault> {
        self.client()?.batch_execute("COMMIT").await.map_err(commit_fault)?;
        drop(self.client.take());
        Ok(())
    }
}

impl Drop for PostgresSession {
    /// The connection goes back when it is rolled back, behind whatever is still under way on it; it is closed where
    /// that fails, or where nothing can be waited for any more.
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                if client.batch_execute("ROLLBACK").await.is_err() {
                    drop(Object::take(client));
                }
            })),
            Err(_) => drop(Object::take(client)),
        }
    }
}

fn row(row: &tokio_postgres::Row) -> Result<Row, Fault> {
    let values = row.columns().iter().enumerate().map(|(at, column)| {
        let value = match *column.type_() {
            Type::TEXT | Type::VARCHAR => row.try_get::<_, Option<String>>(at).map(Value::from),
            Type::INT8 => row.try_get::<_, Option<i64>>(at).map(Value::from),
            Type::INT4 => row.try_get::<_, Option<i32>>(at).map(|number| number.map(i64::from).into()),
            Type::BOOL => row.try_get::<_, Option<bool>>(at).map(Value::from),
            _ => return Err(Fault::Damaged("a column has another type than the schema's".to_owned())),
        };
        value.map_err(fault)
    });
    values.collect::<Result<Vec<_>, _>>().map(Row::of)
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Integer(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Integer(number) => number.to_sql(ty, out),
            Self::Boolean(truth) => truth.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::TEXT | Type::VARCHAR | Type::INT8 | Type::INT4 | Type::BOOL)
    }

    to_sql_checked!();
}
