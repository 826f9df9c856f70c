//! The statements, written once for both databases, over one [`Session`].
//!
//! [`columns`] says which columns make a row and [`insert`] writes them; [`view`] reads, [`transaction`] writes; [`export`]
//! and [`import`] carry whole histories.

mod columns;
mod export;
mod import;
mod insert;
mod transaction;
mod view;

use std::sync::Arc;

use crate::{
    Fault, Ground,
    ground::stored,
    rows::insert::Insert,
    session::Session,
    value::{Row, Value},
};

/// A transaction.
pub(crate) struct Rows<S> {
    session: S,
    ground: Arc<dyn Ground>,
    /// A call is under way, was abandoned or has failed. Only in the first case does anything follow.
    broken: bool,
}

impl<S: Session> Rows<S> {
    pub(crate) fn of(session: S, ground: Arc<dyn Ground>) -> Self {
        Self { session, ground, broken: false }
    }

    /// Reads. What has NUL in it is stored nowhere, so nothing is found by it.
    async fn read(&mut self, statement: &str, values: Vec<Value>) -> Result<Vec<Row>, Fault> {
        if values.iter().any(Value::has_nul) {
            return Ok(Vec::new());
        }
        self.run(statement, values).await
    }

    async fn read_one(&mut self, statement: &str, values: Vec<Value>) -> Result<Option<Row>, Fault> {
        Ok(self.read(statement, values).await?.into_iter().next())
    }

    /// Writes rows, and gives what the insertion returns.
    async fn insert(&mut self, insert: Insert) -> Result<Vec<Row>, Fault> {
        let mut returned = Vec::new();
        for (statement, values) in insert.statements()? {
            returned.extend(self.run(&statement, values).await?);
        }
        Ok(returned)
    }

    async fn run(&mut self, statement: &str, values: Vec<Value>) -> Result<Vec<Row>, Fault> {
        if std::mem::replace(&mut self.broken, true) {
            return Err(Fault::Aborted);
        }
        let rows = self.session.run(statement, values).await?;
        self.broken = false;
        Ok(rows)
    }

    /// Takes what a write came to. One that failed halfway ends the transaction, whoever noticed.
    fn settle<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        self.broken |= result.is_err();
        result
    }

    fn now(&self) -> String {
        stored(self.ground.now())
    }

    fn id(&self) -> String {
        self.ground.id().to_string()
    }
}
