//! Whole histories are read, row by row, and written as they are.

use std::io;

use crate::{
    Fault, Unwritten, View as _, Written,
    portable::{Carried, Kind, Of, written::Lines},
    rows::Rows,
    session::Session,
    value::{Row, Value},
};

/// Rows that are in memory at once, each with its text.
const ROWS: i64 = 8;

impl<S: Session> Rows<S> {
    pub(super) async fn export_lines(
        &mut self,
        owner: &str,
        ids: &[String],
        out: &mut (dyn io::Write + Send),
    ) -> Result<Written, Unwritten> {
        let mut lines = Lines::to(out)?;
        let mut documents = 0;
        for id in ids {
            if self.head(owner, id).await?.is_none() {
                return Err(Unwritten::NotFound(id.clone()));
            }
            self.export_document(id, &mut lines).await?;
            documents += 1;
        }
        Ok(Written { documents, rows: lines.end()? })
    }

    async fn export_document(&mut self, id: &str, lines: &mut Lines<'_>) -> Result<(), Unwritten> {
        self.export_rows(Of::Target, id, lines).await?;
        let mut before = 0;
        // Cycles and snapshots name each other, so a cycle comes before its own and behind the last one's.
        loop {
            let cycles = self.carried(Of::Cycle, id, before).await?;
            let Some(last) = cycles.last() else { break };
            before = last.place().unwrap_or(i64::MAX);
            for cycle in cycles {
                let cycle_id = cycle.text("id").unwrap_or_default().to_owned();
                lines.row(cycle)?;
                self.export_rows(Of::Snapshot, &cycle_id, lines).await?;
            }
        }
        self.export_rows(Of::Attempt, id, lines).await?;
        self.export_rows(Of::Entry, id, lines).await?;
        for snapshot in self.scope_snapshot_ids(id).await? {
            self.export_rows(Of::ScopeSnapshot, &snapshot, lines).await?;
            self.export_rows(Of::Scope, &snapshot, lines).await?;
        }
        Ok(())
    }

    /// All rows of a table that belong to one.
    async fn export_rows(&mut self, of: Of, whose: &str, lines: &mut Lines<'_>) -> Result<(), Unwritten> {
        let mut before = 0;
        loop {
            let rows = self.carried(of, whose, before).await?;
            let last = rows.last().map(Carried::place);
            for row in rows {
                lines.row(row)?;
            }
            match last {
                Some(Some(place)) => before = place,
                Some(None) | None => return Ok(()),
            }
        }
    }

    /// The next rows behind a place; the only one of a table that has no places.
    async fn carried(&mut self, of: Of, whose: &str, behind: i64) -> Result<Vec<Carried>, Fault> {
        let table = of.table();
        let columns: Vec<_> = table.columns.iter().map(|(name, _)| *name).collect();
        let mut statement = format!("SELECT {} FROM {} WHERE {} = $1", columns.join(", "), table.name, table.of);
        let mut values = vec![Value::from(whose)];
        if let Some(place) = table.place {
            statement.push_str(&format!(" AND {place} > $2 ORDER BY {place} LIMIT $3"));
            values.extend([behind.into(), ROWS.into()]);
        }
        self.read(&statement, values).await?.into_iter().map(|row| carried(of, row)).collect()
    }

    /// Sorted here, since texts are not sorted alike everywhere.
    async fn scope_snapshot_ids(&mut self, target: &str) -> Result<Vec<String>, Fault> {
        let statement = "SELECT id FROM observed_scope_snapshots WHERE target_file_id = $1";
        let mut rows = self.read(statement, vec![target.into()]).await?;
        let mut ids = rows.iter_mut().map(Row::text).collect::<Result<Vec<_>, _>>()?;
        ids.sort_unstable();
        Ok(ids)
    }
}

fn carried(of: Of, row: Row) -> Result<Carried, Fault> {
    let unexpected = || Fault::Damaged("a column holds what the schema does not allow".to_owned());
    let kinds = of.table().columns.iter().map(|(_, kind)| *kind);
    let values = kinds.zip(row.rest()).map(|(kind, value)| match (kind, value) {
        (_, Value::Null) => Ok(Value::Null),
        // SQLite has numbers for it.
        (Kind::Boolean, Value::Integer(number @ (0 | 1))) => Ok(Value::Boolean(number == 1)),
        (Kind::Text, value @ Value::Text(_))
        | (Kind::Integer, value @ Value::Integer(_))
        | (Kind::Boolean, value @ Value::Boolean(_)) => Ok(value),
        _ => Err(unexpected()),
    });
    Ok(Carried { of, values: values.collect::<Result<_, _>>()? })
}
