//! Whole histories are taken over: every row as it was written, or none.
//!
//! The file is somebody's. So nothing in it is believed that can be looked at: rows stand in their order and belong to their
//! document, texts have their hashes, what is saved is a state of the history, and no row leads to another document. That
//! the history makes the text is found out by a replay, which is the caller's.

use std::io;

use crate::{
    Imported, Places, Unread,
    portable::{
        Carried, Of,
        arriving::{Arriving, Cycle, Unfit},
        taken::Lines,
    },
    rows::{Rows, insert::Insert},
    session::Session,
    value::Value,
};

/// What no document's rows may do, asked once all of them are there.
const QUESTIONS: [(&str, &str); 3] = [
    (
        "SELECT 1 FROM append_only_manifest_ledger AS entry LEFT JOIN append_only_pdcp_logs AS log \
         ON log.id = entry.pdcp_log_id AND log.target_file_id = entry.target_file_id AND log.status = 'accepted' \
         WHERE entry.target_file_id = $1 AND log.id IS NULL LIMIT 1",
        "a ledger entry is of no accepted attempt of its document",
    ),
    (
        "SELECT 1 FROM append_only_manifest_ledger AS entry LEFT JOIN editing_cycles AS cycle \
         ON cycle.id = entry.editing_cycle_id AND cycle.target_file_id = entry.target_file_id \
         WHERE entry.target_file_id = $1 AND cycle.id IS NULL LIMIT 1",
        "a ledger entry is of no editing cycle of its document",
    ),
    (
        "SELECT 1 FROM append_only_pdcp_logs AS log LEFT JOIN append_only_pdcp_logs AS parent \
         ON parent.id = log.parent_pdcp_log_id AND parent.target_file_id = log.target_file_id AND parent.status = 'rejected' \
         WHERE log.target_file_id = $1 AND log.parent_pdcp_log_id IS NOT NULL AND parent.id IS NULL LIMIT 1",
        "an attempt mends none that its document has rejected",
    ),
];

impl<S: Session> Rows<S> {
    pub(super) async fn import_lines(
        &mut self,
        owner: &str,
        lines: &mut (dyn io::BufRead + Send),
        places: Places,
    ) -> Result<Vec<Imported>, Unread> {
        let mut lines = Lines::of(lines)?;
        for statement in S::BEFORE_PLACES {
            self.run(statement, Vec::new()).await?;
        }
        let mut arrived = Vec::new();
        let mut arriving: Option<Arriving> = None;
        while let Some(row) = lines.next_row()? {
            let adopted = match arriving.take() {
                Some(last) if row.of == Of::Target => match self.complete(last).await {
                    Ok(document) => {
                        arrived.push(document);
                        self.begin_document(owner, row, places).await
                    }
                    Err(unfit) => Err(unfit),
                },
                None => self.begin_document(owner, row, places).await,
                Some(mut document) => self.adopt(&mut document, row, places).await.map(|()| document),
            };
            arriving = Some(adopted.map_err(|unfit| unfit.at(&lines))?);
        }
        if let Some(last) = arriving {
            arrived.push(self.complete(last).await.map_err(|unfit| unfit.at(&lines))?);
        }
        for statement in S::AFTER_PLACES {
            self.run(statement, Vec::new()).await?;
        }
        Ok(arrived)
    }

    async fn begin_document(&mut self, owner: &str, row: Carried, places: Places) -> Result<Arriving, Unfit> {
        let arriving = Arriving::of(&row)?;
        self.store(&row, places, Some(owner)).await?;
        Ok(arriving)
    }

    /// Takes over one row of the document.
    async fn adopt(&mut self, document: &mut Arriving, row: Carried, places: Places) -> Result<(), Unfit> {
        if let Some(ended) = document.take(&row)? {
            self.close(ended).await?;
        }
        self.store(&row, places, None).await
    }

    /// All of its rows are there.
    async fn complete(&mut self, document: Arriving) -> Result<Imported, Unfit> {
        let document = document.whole()?;
        for (question, why) in QUESTIONS {
            if self.read_one(question, vec![document.target_file_id.as_str().into()]).await?.is_some() {
                return Err(Unfit::says(why));
            }
        }
        Ok(document)
    }

    /// Closes a cycle once its snapshots are there: the two name each other.
    async fn close(&mut self, Cycle { id, closed_at, closing_snapshot_id }: Cycle) -> Result<(), Unfit> {
        let statement = "UPDATE editing_cycles SET closed_at = $1, closing_snapshot_id = $2 WHERE id = $3 RETURNING id";
        self.run(statement, vec![closed_at.into(), closing_snapshot_id.into(), id.into()]).await?;
        Ok(())
    }

    /// Stores a row, which nothing may be in the way of.
    async fn store(&mut self, row: &Carried, places: Places, owner: Option<&str>) -> Result<(), Unfit> {
        let table = row.of.table();
        if let Some(id) = row.text("id") {
            let statement = format!("SELECT 1 FROM {} WHERE id = $1", table.name);
            if self.read_one(&statement, vec![id.into()]).await?.is_some() {
                return Err(Unfit::Refused(Unread::Taken { what: table.what, id: id.chars().take(64).collect() }));
            }
        }
        let own_place = table.place.filter(|_| table.gives_place);
        let keeps = places == Places::Kept;
        if let (Some(column), Some(place), true) = (own_place, row.place(), keeps) {
            let statement = format!("SELECT 1 FROM {} WHERE {column} = $1", table.name);
            if self.read_one(&statement, vec![place.into()]).await?.is_some() {
                return Err(Unfit::Refused(Unread::PlaceTaken { what: table.what, place }));
            }
        }
        let mut insert = Insert::into(table.name);
        for ((name, _), value) in table.columns.iter().zip(&row.values) {
            if own_place == Some(*name) && !keeps {
                continue;
            }
            // A cycle is closed when its snapshots are there.
            let waits = row.of == Of::Cycle && matches!(*name, "closed_at" | "closing_snapshot_id");
            insert = insert.with(name, if waits { Value::Null } else { value.clone() });
        }
        if let Some(owner) = owner {
            insert = insert.with("owner", owner);
        }
        if own_place.is_some() && keeps {
            insert = insert.overriding(S::OWN_PLACES);
        }
        self.insert(insert).await?;
        Ok(())
    }
}
