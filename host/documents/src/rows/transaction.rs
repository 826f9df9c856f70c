//! What is written.

use std::io;

use async_trait::async_trait;

use crate::{
    Appended, Checkpointed, Created, EntryFacts, Fault, Imported, NewAttempt, NewCheckpoint, NewScopeSnapshot,
    NewState, NewTarget, Places, Scope, ScopeSnapshot, SnapshotType, Status, Synced, Target, Transaction, Unread,
    rows::{Rows, columns, insert::Insert},
    session::Session,
    value::Value,
};

#[async_trait]
impl<S: Session> Transaction for Rows<S> {
    async fn create(&mut self, target: NewTarget) -> Result<Created, Fault> {
        let created = self.create_rows(target).await;
        self.settle(created)
    }

    async fn lock(&mut self, owner: &str, id: &str) -> Result<Option<Target>, Fault> {
        self.whole(owner, id, S::ROW_LOCK).await
    }

    async fn append(
        &mut self,
        attempt: NewAttempt,
        entries: Vec<EntryFacts>,
        state: Option<NewState>,
    ) -> Result<Appended, Fault> {
        let appended = self.append_rows(attempt, entries, state).await;
        self.settle(appended)
    }

    async fn checkpoint(&mut self, target: &str, checkpoint: NewCheckpoint) -> Result<Checkpointed, Fault> {
        let checkpointed = self.checkpoint_rows(target, checkpoint).await;
        self.settle(checkpointed)
    }

    async fn put_scopes(&mut self, snapshot: NewScopeSnapshot, scopes: Vec<Scope>) -> Result<ScopeSnapshot, Fault> {
        let put = self.put_scope_rows(snapshot, scopes).await;
        self.settle(put)
    }

    async fn import(
        &mut self,
        owner: &str,
        lines: &mut (dyn io::BufRead + Send),
        places: Places,
    ) -> Result<Vec<Imported>, Unread> {
        let imported = self.import_lines(owner, lines, places).await;
        self.broken |= imported.is_err();
        imported
    }

    async fn commit(mut self: Box<Self>) -> Result<(), Fault> {
        if self.broken {
            return Err(Fault::Aborted);
        }
        self.session.commit().await
    }
}

impl<S: Session> Rows<S> {
    async fn create_rows(&mut self, target: NewTarget) -> Result<Created, Fault> {
        let (id, cycle_id, snapshot_id, created_at) = (self.id(), self.id(), self.id(), self.now());
        let (disk_sha256, synced_version) = halves(target.synced);
        let row = Insert::into("cloud_target_files")
            .with("id", id.as_str())
            .with("owner", target.owner)
            .with("version", target.version)
            .with("current_hash", target.current_hash)
            .with("workspace_path", target.workspace_path)
            .with("workspace_tracked", target.workspace_tracked)
            .with("workspace_root_identity", target.workspace_root_identity)
            .with("has_bom", target.has_bom)
            .with("source_line_endings", target.source_line_endings)
            .with("last_synced_disk_sha256", disk_sha256)
            .with("last_synced_version", synced_version)
            .with("created_at", created_at.as_str())
            .with("updated_at", created_at.as_str())
            .with("line_endings", target.line_endings)
            .with("content", target.content);
        self.insert(row).await?;
        self.open_cycle(&id, &cycle_id, 1, &created_at).await?;
        self.set_apart(&id, &snapshot_id, SnapshotType::InitialUpload, &cycle_id, None, &created_at).await?;
        Ok(Created { target_file_id: id, cycle_id, snapshot_id, created_at })
    }

    async fn append_rows(
        &mut self,
        attempt: NewAttempt,
        entries: Vec<EntryFacts>,
        state: Option<NewState>,
    ) -> Result<Appended, Fault> {
        let NewAttempt { facts, pdcp_content } = attempt;
        if facts.status == Status::Rejected && (state.is_some() || !entries.is_empty()) {
            return Err(Fault::Constraint("a rejected attempt changes nothing but the history (P-161)".to_owned()));
        }
        let (id, created_at, target) = (self.id(), self.now(), facts.target_file_id.clone());
        let row = columns::new_attempt(&id, &created_at, facts, pdcp_content).returning("log_sequence");
        let mut row = self.insert(row).await?.pop().ok_or_else(nothing_returned)?;
        let log_sequence = row.integer()?;
        if !entries.is_empty() {
            let (cycle, _) = self.active_cycle(&target).await?;
            let rows = entries.into_iter().map(|entry| self.new_entry(entry, &target, &id, &cycle, &created_at));
            if let Some(rows) = Insert::all(rows.collect::<Vec<_>>()) {
                self.insert(rows).await?;
            }
        }
        if let Some(state) = state {
            self.step(&target, state, &created_at).await?;
        }
        Ok(Appended { id, log_sequence, created_at })
    }

    fn new_entry(&self, entry: EntryFacts, target: &str, attempt: &str, cycle: &str, created_at: &str) -> Insert {
        Insert::into("append_only_manifest_ledger")
            .with("id", self.id())
            .with("target_file_id", target)
            .with("pdcp_log_id", attempt)
            .with("editing_cycle_id", cycle)
            .with("created_at", created_at)
            .with("change_id", entry.change_id)
            .with("intent", entry.intent)
            .with("input_state", entry.input_state)
            .with("output_state", entry.output_state)
            .with("affected_region", entry.affected_region)
            .with("user_visible_change", entry.user_visible_change)
            .with("risk", entry.risk)
            .with("derived_json", entry.derived_json)
    }

    /// The document's next state. That no other came between is checked once more, by the version (P-068).
    async fn step(&mut self, target: &str, state: NewState, now: &str) -> Result<(), Fault> {
        let version = state.version;
        let before = version.checked_sub(1).ok_or(Fault::VersionStep { version })?;
        let statement = "UPDATE cloud_target_files SET version = $1, current_hash = $2, updated_at = $3, \
                         line_endings = $4, content = $5 WHERE id = $6 AND version = $7 RETURNING id";
        let values = [
            version.into(),
            state.current_hash.into(),
            now.into(),
            state.line_endings.into(),
            state.content.into(),
            target.into(),
            before.into(),
        ];
        match self.update("cloud_target_files", statement, values.into()).await? {
            1 => Ok(()),
            _ => Err(Fault::VersionStep { version }),
        }
    }

    async fn checkpoint_rows(&mut self, target: &str, checkpoint: NewCheckpoint) -> Result<Checkpointed, Fault> {
        let (snapshot_id, cycle_id, now) = (self.id(), self.id(), self.now());
        let (closed_cycle_id, number) = self.active_cycle(target).await?;
        let NewCheckpoint { publication_json, synced } = checkpoint;
        let kind = SnapshotType::SaveCheckpoint;
        self.set_apart(target, &snapshot_id, kind, &closed_cycle_id, publication_json, &now).await?;
        let statement = "UPDATE editing_cycles SET closed_at = $1, closing_snapshot_id = $2 \
                         WHERE id = $3 AND closed_at IS NULL RETURNING id";
        let values = vec![now.as_str().into(), snapshot_id.as_str().into(), closed_cycle_id.as_str().into()];
        if self.update("editing_cycles", statement, values).await? != 1 {
            return Err(Fault::Constraint("the cycle was closed meanwhile: the document was not locked".to_owned()));
        }
        self.open_cycle(target, &cycle_id, number + 1, &now).await?;
        if let Some(Synced { disk_sha256, version }) = synced {
            let statement = "UPDATE cloud_target_files SET last_synced_disk_sha256 = $1, last_synced_version = $2, \
                             updated_at = $3 WHERE id = $4 RETURNING id";
            let values = vec![disk_sha256.into(), version.into(), now.as_str().into(), target.into()];
            self.update("cloud_target_files", statement, values).await?;
        }
        Ok(Checkpointed { snapshot_id, closed_cycle_id, cycle_id })
    }

    async fn put_scope_rows(&mut self, snapshot: NewScopeSnapshot, scopes: Vec<Scope>) -> Result<ScopeSnapshot, Fault> {
        let (id, created_at) = (self.id(), self.now());
        let row = Insert::into("observed_scope_snapshots")
            .with("id", id.as_str())
            .with("target_file_id", snapshot.target_file_id.as_str())
            .with("version", snapshot.version)
            .with("current_hash", snapshot.current_hash.as_str())
            .with("created_at", created_at.as_str());
        self.insert(row).await?;
        let rows = scopes.into_iter().zip(1_i64..).map(|(scope, sequence)| {
            Insert::into("observed_scopes")
                .with("snapshot_id", id.as_str())
                .with("scope_sequence", sequence)
                .with("scope_id", scope.scope_id)
                .with("kind", scope.kind)
                .with("name", scope.name)
                .with("path", scope.path)
                .with("start_offset", scope.start)
                .with("end_offset", scope.end)
                .with("sha256", scope.sha256)
                .with("parser", scope.parser)
                .with("grammar_version", scope.grammar_version)
                .with("has_error", scope.has_error)
        });
        if let Some(rows) = Insert::all(rows.collect::<Vec<_>>()) {
            self.insert(rows).await?;
        }
        let NewScopeSnapshot { target_file_id, version, current_hash } = snapshot;
        Ok(ScopeSnapshot { id, target_file_id, version, current_hash, created_at })
    }

    /// The id and the number of the one cycle that is open.
    async fn active_cycle(&mut self, target: &str) -> Result<(String, i64), Fault> {
        let statement = "SELECT id, cycle_number FROM editing_cycles WHERE target_file_id = $1 AND closed_at IS NULL";
        let row = self.read_one(statement, vec![target.into()]).await?;
        let mut row = row.ok_or_else(|| Fault::Constraint("the document does not exist".to_owned()))?;
        Ok((row.text()?, row.integer()?))
    }

    async fn open_cycle(&mut self, target: &str, id: &str, number: i64, now: &str) -> Result<(), Fault> {
        let row = Insert::into("editing_cycles")
            .with("id", id)
            .with("target_file_id", target)
            .with("cycle_number", number)
            .with("opened_at", now);
        self.insert(row).await.map(drop)
    }

    /// Copies the document as it is, without its text leaving the database.
    async fn set_apart(
        &mut self,
        target: &str,
        id: &str,
        kind: SnapshotType,
        cycle: &str,
        publication_json: Option<String>,
        now: &str,
    ) -> Result<(), Fault> {
        let statement = "INSERT INTO target_snapshots (id, target_file_id, snapshot_type, version, content_hash, \
             editing_cycle_id, line_endings, publication_json, created_at, content) \
             SELECT CAST($1 AS TEXT), id, CAST($2 AS TEXT), version, current_hash, CAST($3 AS TEXT), line_endings, \
             CAST($4 AS TEXT), CAST($5 AS TEXT), content FROM cloud_target_files WHERE id = $6 RETURNING id";
        let values =
            vec![id.into(), kind.name().into(), cycle.into(), publication_json.into(), now.into(), target.into()];
        match self.update("target_snapshots", statement, values).await? {
            1 => Ok(()),
            _ => Err(nothing_returned()),
        }
    }

    /// How many rows a statement changed that returns one for each.
    async fn update(&mut self, table: &str, statement: &str, values: Vec<Value>) -> Result<usize, Fault> {
        if values.iter().any(Value::has_nul) {
            return Err(Fault::Unstorable(table.to_owned()));
        }
        Ok(self.run(statement, values).await?.len())
    }
}

fn halves(synced: Option<Synced>) -> (Option<String>, Option<i64>) {
    synced.map(|Synced { disk_sha256, version }| (disk_sha256, version)).unzip()
}

fn nothing_returned() -> Fault {
    Fault::Damaged("a row that was written did not come back".to_owned())
}
