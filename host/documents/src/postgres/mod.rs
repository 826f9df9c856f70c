//! A server, PostgreSQL 15 or newer.
//!
//! A write transaction is READ COMMITTED and locks a document by `SELECT … FOR UPDATE`, so what it reads after the lock
//! is what was committed before it (P-139, P-160). A view is REPEATABLE READ, so that all of it is one state.

mod connect;
mod fault;
mod prepare;
mod session;
mod tls;
mod url;

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use deadpool_postgres::{Object, Pool};

use crate::{
    Documents, Fault, Options, Transaction, View,
    postgres::{session::PostgresSession, url::Place},
    rows::Rows,
    schema::{Intent, Prepared, Step},
};

/// A server of documents.
pub(crate) struct Postgres {
    pool: Pool,
    options: Options,
}

impl Postgres {
    /// Finds the server, and creates the schema where that is meant.
    pub(crate) async fn open(
        url: &str,
        options: Options,
        steps: &'static [Step],
        intent: Intent,
    ) -> Result<(Self, Prepared), Fault> {
        let pool = connect::pool(Place::of(url)?, &options)?;
        let mut client = connect::client(&pool).await?;
        let prepared = prepare::prepare(&mut client, options.ground.as_ref(), steps, intent).await?;
        drop(client);
        Ok((Self { pool, options }, prepared))
    }

    async fn session(&self, begin: &str) -> Result<Rows<PostgresSession>, Fault> {
        loop {
            let client = connect::client(&self.pool).await?;
            let was_idle = Object::metrics(&client).recycled.is_some();
            match PostgresSession::begin(client, begin).await {
                Ok(session) => return Ok(Rows::of(session, Arc::clone(&self.options.ground))),
                // It broke while nobody looked, as all do when a server starts anew. Nothing was done with it yet.
                Err(Fault::Unavailable(_)) if was_idle => {}
                Err(fault) => return Err(fault),
            }
        }
    }
}

#[async_trait]
impl Documents for Postgres {
    async fn begin(&self) -> Result<Box<dyn Transaction>, Fault> {
        Ok(Box::new(self.session("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE").await?))
    }

    async fn view(&self) -> Result<Box<dyn View>, Fault> {
        // The first statement takes the snapshot; it is taken here, so that it is of now.
        Ok(Box::new(self.session("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1").await?))
    }

    async fn close(&self) {
        self.pool.close();
    }
}

/// Neither the URL nor anything of it, since a secret may be in it.
impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("pool", &self.pool.status()).finish_non_exhaustive()
    }
}
