//! One transaction on one connection, as the statements see it. Each database has its own.

use async_trait::async_trait;

use crate::{
    Fault,
    value::{Row, Value},
};

/// A transaction that has begun. Dropping it rolls back.
#[async_trait]
pub(crate) trait Session: Send {
    /// What a SELECT ends with that locks its rows. SQLite has one lock, and a writer has it from the beginning.
    const ROW_LOCK: &'static str;

    /// What stands before the VALUES of an INSERT that brings places which the database would give itself.
    const OWN_PLACES: &'static str;

    /// What is run before rows bring their places, so that nobody is given one meanwhile.
    const BEFORE_PLACES: &'static [&'static str];

    /// What is run afterwards, so that the next place is behind them.
    const AFTER_PLACES: &'static [&'static str];

    /// Runs a statement whose parameters are `$1`, `$2` and so on.
    async fn run(&mut self, statement: &str, values: Vec<Value>) -> Result<Vec<Row>, Fault>;

    /// Keeps what was done. Nothing is called afterwards.
    async fn commit(&mut self) -> Result<(), Fault>;
}
