//! What is read.

use std::io;

use async_trait::async_trait;

use crate::{
    Attempt, AttemptFilter, Entry, Fault, Head, LedgerFilter, Scope, ScopeSnapshot, Snapshot, Summary, Target,
    Unwritten, View, Written,
    rows::{Rows, columns},
    session::Session,
    value::{Row, Value},
};

#[async_trait]
impl<S: Session> View for Rows<S> {
    async fn target(&mut self, owner: &str, id: &str) -> Result<Option<Target>, Fault> {
        self.whole(owner, id, "").await
    }

    async fn head(&mut self, owner: &str, id: &str) -> Result<Option<Head>, Fault> {
        let statement = format!("SELECT {} FROM cloud_target_files WHERE id = $1 AND owner = $2", columns::HEAD);
        let row = self.read_one(&statement, vec![id.into(), owner.into()]).await?;
        row.map(|mut row| columns::head(&mut row)).transpose()
    }

    async fn targets(&mut self, owner: &str, after: Option<&str>, limit: u32) -> Result<Vec<Head>, Fault> {
        let (clause, values) = of_owner(owner, after, limit);
        let statement = format!("SELECT {} FROM cloud_target_files {clause}", columns::HEAD);
        self.read(&statement, values).await?.iter_mut().map(columns::head).collect()
    }

    async fn summaries(&mut self, owner: &str, after: Option<&str>, limit: u32) -> Result<Vec<Summary>, Fault> {
        let (clause, values) = of_owner(owner, after, limit);
        let statement = format!(
            "SELECT {}, octet_length(content), (SELECT count(*) FROM append_only_pdcp_logs \
             WHERE target_file_id = cloud_target_files.id) FROM cloud_target_files {clause}",
            columns::HEAD
        );
        let mut rows = self.read(&statement, values).await?;
        let summary =
            |row: &mut Row| Ok(Summary { head: columns::head(row)?, bytes: row.integer()?, attempts: row.integer()? });
        rows.iter_mut().map(summary).collect()
    }

    async fn attempts(&mut self, target: &str, filter: &AttemptFilter) -> Result<Vec<Attempt>, Fault> {
        let mut wanted = Filter::of("target_file_id", target);
        if let Some(before) = filter.before_sequence {
            wanted.and("log_sequence < ", "", before);
        }
        if let Some(status) = filter.status {
            wanted.and("status = ", "", status.name());
        }
        if let Some(hash) = &filter.content_hash {
            wanted.and("pdcp_content_hash = ", "", hash.as_str());
        }
        if let Some(key) = &filter.client_request_id {
            wanted.and("client_request_id = ", "", key.as_str());
        }
        let page = wanted.page("log_sequence DESC", one_more(filter.limit));
        self.logs(page, filter.with_content).await
    }

    async fn attempt(&mut self, target: &str, id: &str, with_content: bool) -> Result<Option<Attempt>, Fault> {
        let mut wanted = Filter::of("target_file_id", target);
        wanted.and("id = ", "", id);
        Ok(self.logs(wanted.all(), with_content).await?.pop())
    }

    async fn keyed(&mut self, target: &str, client_request_id: &str) -> Result<Option<Attempt>, Fault> {
        let mut wanted = Filter::of("target_file_id", target);
        wanted.and("client_request_id = ", "", client_request_id);
        Ok(self.logs(wanted.all(), true).await?.pop())
    }

    async fn accepted_after(&mut self, target: &str, sequence: i64, limit: u32) -> Result<Vec<Attempt>, Fault> {
        let mut wanted = Filter::of("target_file_id", target);
        wanted.and("log_sequence > ", "", sequence);
        // In so many words, so that the index of the accepted rows is used.
        wanted.plain("status = 'accepted'");
        let page = wanted.page("log_sequence ASC", i64::from(limit));
        self.logs(page, true).await
    }

    async fn ledger(&mut self, target: &str, filter: &LedgerFilter) -> Result<Vec<Entry>, Fault> {
        let mut wanted = Filter::of("target_file_id", target);
        if filter.active_cycle_only {
            wanted.plain(
                "editing_cycle_id = (SELECT id FROM editing_cycles WHERE target_file_id = $1 AND closed_at IS NULL)",
            );
        }
        if let Some(before) = filter.before_sequence {
            wanted.and("ledger_sequence < ", "", before);
        }
        let page = wanted.page("ledger_sequence DESC", one_more(filter.limit));
        self.entries(page).await
    }

    async fn ledger_of(&mut self, attempt: &str) -> Result<Vec<Entry>, Fault> {
        self.entries(Filter::of("pdcp_log_id", attempt).ordered("ledger_sequence ASC")).await
    }

    async fn initial_snapshot(&mut self, target: &str) -> Result<Option<Snapshot>, Fault> {
        let statement = format!(
            "SELECT {} FROM target_snapshots WHERE target_file_id = $1 AND snapshot_type = 'initial_upload'",
            columns::SNAPSHOT
        );
        let row = self.read_one(&statement, vec![target.into()]).await?;
        row.map(|mut row| columns::snapshot(&mut row)).transpose()
    }

    async fn scope_snapshot(&mut self, id: &str) -> Result<Option<ScopeSnapshot>, Fault> {
        let statement = format!("SELECT {} FROM observed_scope_snapshots WHERE id = $1", columns::SCOPE_SNAPSHOT);
        let row = self.read_one(&statement, vec![id.into()]).await?;
        row.map(|mut row| columns::scope_snapshot(&mut row)).transpose()
    }

    async fn scopes(&mut self, snapshot: &str, ids: &[String]) -> Result<Vec<Scope>, Fault> {
        let statement = format!(
            "SELECT {}, scope_sequence FROM observed_scopes WHERE snapshot_id = $1 AND scope_id = $2",
            columns::SCOPE
        );
        // One by one, since the statement is then one, whatever their number is.
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(mut row) = self.read_one(&statement, vec![snapshot.into(), id.as_str().into()]).await? {
                let scope = columns::scope(&mut row)?;
                found.push((row.integer()?, scope));
            }
        }
        found.sort_by_key(|(sequence, _)| *sequence);
        found.dedup_by_key(|(sequence, _)| *sequence);
        Ok(found.into_iter().map(|(_, scope)| scope).collect())
    }

    async fn export(
        &mut self,
        owner: &str,
        ids: &[String],
        out: &mut (dyn io::Write + Send),
    ) -> Result<Written, Unwritten> {
        self.export_lines(owner, ids, out).await
    }
}

impl<S: Session> Rows<S> {
    /// A document's whole row, with what is to be said behind the statement.
    pub(super) async fn whole(&mut self, owner: &str, id: &str, suffix: &str) -> Result<Option<Target>, Fault> {
        let columns = columns::target_columns();
        let statement = format!("SELECT {columns} FROM cloud_target_files WHERE id = $1 AND owner = $2{suffix}");
        let row = self.read_one(&statement, vec![id.into(), owner.into()]).await?;
        row.map(|mut row| columns::target(&mut row)).transpose()
    }

    async fn logs(&mut self, page: (String, Vec<Value>), with_content: bool) -> Result<Vec<Attempt>, Fault> {
        let (clause, values) = page;
        let statement =
            format!("SELECT {} FROM append_only_pdcp_logs {clause}", columns::attempt_columns(with_content));
        let mut rows = self.read(&statement, values).await?;
        rows.iter_mut().map(|row| columns::attempt(row, with_content)).collect()
    }

    async fn entries(&mut self, page: (String, Vec<Value>)) -> Result<Vec<Entry>, Fault> {
        let (clause, values) = page;
        let statement = format!("SELECT {} FROM append_only_manifest_ledger {clause}", columns::ENTRY);
        self.read(&statement, values).await?.iter_mut().map(columns::entry).collect()
    }
}

/// A page of an owner's documents, newest first.
fn of_owner(owner: &str, after: Option<&str>, limit: u32) -> (String, Vec<Value>) {
    let mut filter = Filter::of("owner", owner);
    if let Some(after) = after {
        filter.and(
            "target_sequence < (SELECT target_sequence FROM cloud_target_files WHERE owner = $1 AND id = ",
            ")",
            after,
        );
    }
    filter.page("target_sequence DESC", one_more(limit))
}

/// One more than is wanted, which tells whether there is more (P-173).
fn one_more(limit: u32) -> i64 {
    i64::from(limit) + 1
}

/// A WHERE that has only the conditions that are asked for.
struct Filter {
    clause: String,
    values: Vec<Value>,
}

impl Filter {
    fn of(column: &str, value: &str) -> Self {
        Self { clause: format!("WHERE {column} = $1"), values: vec![value.into()] }
    }

    /// A condition with a value in it.
    fn and(&mut self, before: &str, after: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        self.plain(&format!("{before}${}{after}", self.values.len()));
    }

    /// A condition as it stands.
    fn plain(&mut self, condition: &str) {
        self.clause.push_str(" AND ");
        self.clause.push_str(condition);
    }

    fn all(self) -> (String, Vec<Value>) {
        (self.clause, self.values)
    }

    fn ordered(self, order: &str) -> (String, Vec<Value>) {
        (format!("{} ORDER BY {order}", self.clause), self.values)
    }

    fn page(mut self, order: &str, rows: i64) -> (String, Vec<Value>) {
        self.values.push(rows.into());
        (format!("{} ORDER BY {order} LIMIT ${}", self.clause, self.values.len()), self.values)
    }
}
