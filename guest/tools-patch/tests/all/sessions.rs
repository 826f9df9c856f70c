//! The port of documents on a real database: rows go in and come out as they are.

use std::{rc::Rc, sync::Arc};

use assay_documents as stored;
use assay_tools_patch::ports::{self, Outcome};

use crate::{
    ground::Ground,
    place::Place,
    switches::{Switches, Trouble},
};

enum Kind {
    View(Box<dyn stored::View>),
    Transaction(Box<dyn stored::Transaction>),
}

/// One view or transaction.
pub(crate) struct Opened {
    /// Gone when it was committed.
    kind: Option<Kind>,
    owner: String,
    place: Arc<Place>,
    switches: Rc<Switches>,
}

impl Opened {
    pub(crate) fn view(ground: &Ground, owner: &str) -> Outcome<Box<dyn ports::Session>> {
        trouble(&ground.switches, "view")?;
        let view = ground.place.runtime.block_on(ground.store.view()).map_err(|cause| fault(&cause))?;
        let view = Self::of(ground, owner, Kind::View(view));
        ground.switches.pass("view", true)?;
        Ok(view)
    }

    pub(crate) fn begin(ground: &Ground, owner: &str) -> Outcome<Box<dyn ports::Session>> {
        trouble(&ground.switches, "begin")?;
        let begun = ground.place.runtime.block_on(ground.store.begin()).map_err(|cause| fault(&cause))?;
        let begun = Self::of(ground, owner, Kind::Transaction(begun));
        ground.switches.pass("begin", true)?;
        Ok(begun)
    }

    fn of(ground: &Ground, owner: &str, kind: Kind) -> Box<dyn ports::Session> {
        let (place, switches) = (Arc::clone(&ground.place), ground.switches.clone());
        Box::new(Self { kind: Some(kind), owner: owner.to_owned(), place, switches })
    }

    fn read<T>(
        &mut self,
        call: &'static str,
        read: impl AsyncFnOnce(&mut dyn stored::View, &str) -> Result<T, stored::Fault>,
    ) -> Outcome<T> {
        trouble(&self.switches, call)?;
        let view: &mut dyn stored::View = match &mut self.kind {
            Some(Kind::View(view)) => &mut **view,
            Some(Kind::Transaction(transaction)) => &mut **transaction,
            None => panic!("{call} behind the end"),
        };
        let done = self.place.runtime.block_on(read(view, &self.owner)).map_err(|cause| fault(&cause))?;
        self.switches.pass(call, true)?;
        Ok(done)
    }

    fn write<T>(
        &mut self,
        call: &'static str,
        write: impl AsyncFnOnce(&mut dyn stored::Transaction, &str) -> Result<T, stored::Fault>,
    ) -> Outcome<T> {
        trouble(&self.switches, call)?;
        let Some(Kind::Transaction(transaction)) = &mut self.kind else { panic!("{call} in a view") };
        let done =
            self.place.runtime.block_on(write(&mut **transaction, &self.owner)).map_err(|cause| fault(&cause))?;
        self.switches.pass(call, true)?;
        Ok(done)
    }
}

impl Drop for Opened {
    /// As the program does it: where a runtime is, which rolls back what is left.
    fn drop(&mut self) {
        let _within = self.place.runtime.enter();
        self.kind = None;
    }
}

fn trouble(switches: &Switches, call: &'static str) -> Outcome<()> {
    match switches.reach(call) {
        None => switches.pass(call, false),
        Some(_) => Err(ports::Fault { message: format!("no {call}"), unknown: false }),
    }
}

fn fault(cause: &stored::Fault) -> ports::Fault {
    ports::Fault { message: cause.to_string(), unknown: matches!(cause, stored::Fault::CommitUnknown(_)) }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).expect("the database has none below 0")
}

impl ports::Session for Opened {
    fn target(&mut self, id: &str) -> Outcome<Option<ports::Target>> {
        Ok(self.read("target", async |view, owner| view.target(owner, id).await)?.map(target))
    }

    fn attempts(&mut self, id: &str, filter: &ports::AttemptFilter) -> Outcome<Vec<ports::Attempt>> {
        let status = |accepted| if accepted { stored::Status::Accepted } else { stored::Status::Rejected };
        let filter = stored::AttemptFilter {
            before_sequence: filter.before_sequence.map(signed),
            status: filter.accepted.map(status),
            content_hash: filter.content_hash.clone(),
            client_request_id: filter.client_request_id.clone(),
            limit: filter.limit,
            with_content: filter.with_content,
        };
        let rows = self.read("attempts", async |view, _| view.attempts(id, &filter).await)?;
        Ok(rows.into_iter().map(attempt).collect())
    }

    fn attempt(&mut self, target: &str, id: &str, with_content: bool) -> Outcome<Option<ports::Attempt>> {
        Ok(self.read("attempt", async |view, _| view.attempt(target, id, with_content).await)?.map(attempt))
    }

    fn keyed(&mut self, target: &str, key: &str) -> Outcome<Option<ports::Attempt>> {
        Ok(self.read("keyed", async |view, _| view.keyed(target, key).await)?.map(attempt))
    }

    fn accepted_after(&mut self, target: &str, sequence: u64, limit: u32) -> Outcome<Vec<ports::Attempt>> {
        let sequence = signed(sequence);
        let rows = self.read("accepted_after", async |view, _| view.accepted_after(target, sequence, limit).await)?;
        Ok(rows.into_iter().map(attempt).collect())
    }

    fn ledger(&mut self, target: &str, filter: &ports::LedgerFilter) -> Outcome<Vec<ports::Entry>> {
        let filter = stored::LedgerFilter {
            active_cycle_only: filter.active_cycle_only,
            before_sequence: filter.before_sequence.map(signed),
            limit: filter.limit,
        };
        let rows = self.read("ledger", async |view, _| view.ledger(target, &filter).await)?;
        Ok(rows.into_iter().map(entry).collect())
    }

    fn ledger_of(&mut self, attempt: &str) -> Outcome<Vec<ports::Entry>> {
        let rows = self.read("ledger_of", async |view, _| view.ledger_of(attempt).await)?;
        Ok(rows.into_iter().map(entry).collect())
    }

    fn initial_snapshot(&mut self, target: &str) -> Outcome<Option<ports::Snapshot>> {
        let snapshot = self.read("initial_snapshot", async |view, _| view.initial_snapshot(target).await)?;
        Ok(snapshot.map(|snapshot| ports::Snapshot {
            id: snapshot.id,
            version: unsigned(snapshot.version),
            content_hash: snapshot.content_hash,
            created_at: snapshot.created_at,
            content: snapshot.content,
        }))
    }

    fn scope_snapshot(&mut self, id: &str) -> Outcome<Option<ports::ScopeSnapshot>> {
        Ok(self.read("scope_snapshot", async |view, _| view.scope_snapshot(id).await)?.map(scope_snapshot))
    }

    fn scopes(&mut self, snapshot: &str, ids: &[String]) -> Outcome<Vec<ports::Scope>> {
        let scopes = self.read("scopes", async |view, _| view.scopes(snapshot, ids).await)?;
        let scopes = scopes.into_iter().map(|scope| ports::Scope {
            scope_id: scope.scope_id,
            kind: scope.kind,
            name: scope.name,
            path: scope.path,
            start: unsigned(scope.start),
            end: unsigned(scope.end),
            sha256: scope.sha256,
            parser: scope.parser,
            grammar_version: scope.grammar_version,
            has_error: scope.has_error,
        });
        Ok(scopes.collect())
    }

    fn create(&mut self, origin: ports::Origin, state: ports::State) -> Outcome<ports::Created> {
        let owner = self.owner.clone();
        let new = stored::NewTarget {
            owner,
            version: signed(state.version),
            current_hash: state.current_hash,
            workspace_tracked: origin.workspace_path.is_some(),
            workspace_path: origin.workspace_path,
            workspace_root_identity: origin.workspace_root_identity,
            has_bom: origin.has_bom,
            source_line_endings: origin.source_line_endings,
            synced: origin.synced.map(synced),
            line_endings: state.line_endings,
            content: state.content,
        };
        let created = self.write("create", async |transaction, _| transaction.create(new).await)?;
        let (target_file_id, cycle_id, snapshot_id) = (created.target_file_id, created.cycle_id, created.snapshot_id);
        Ok(ports::Created { target_file_id, cycle_id, snapshot_id })
    }

    fn lock(&mut self, id: &str) -> Outcome<Option<ports::Target>> {
        let mut locked = self.write("lock", async |transaction, owner| transaction.lock(owner, id).await)?.map(target);
        let is_again = self.switches.locks.borrow().iter().any(|before| before == id);
        self.switches.locks.borrow_mut().push(id.to_owned());
        if let Some(target) =
            locked.as_mut().filter(|_| is_again && self.switches.diverges.borrow().as_deref() == Some(id))
        {
            target.state.version += 1;
        }
        let once_locked = self.switches.once_locked.borrow_mut().take();
        once_locked.into_iter().for_each(|then| then());
        Ok(locked)
    }

    fn append(
        &mut self,
        facts: ports::AttemptFacts,
        pdcp_content: String,
        entries: Vec<ports::EntryFacts>,
        state: Option<ports::State>,
    ) -> Outcome<ports::Appended> {
        let new = stored::NewAttempt { facts: new_facts(facts), pdcp_content };
        let entries = entries.into_iter().map(|entry| stored::EntryFacts {
            change_id: entry.change_id,
            intent: entry.intent,
            risk: entry.risk,
            derived_json: entry.derived_json,
            ..Default::default()
        });
        let entries = entries.collect();
        let state = state.map(|state| stored::NewState {
            content: state.content,
            version: signed(state.version),
            current_hash: state.current_hash,
            line_endings: state.line_endings,
        });
        let appended = self.write("append", async |transaction, _| transaction.append(new, entries, state).await)?;
        let log_sequence = unsigned(appended.log_sequence);
        Ok(ports::Appended { id: appended.id, log_sequence, created_at: appended.created_at })
    }

    fn checkpoint(
        &mut self,
        target: &str,
        publication_json: Option<String>,
        state: Option<ports::Synced>,
    ) -> Outcome<ports::Checkpointed> {
        let new = stored::NewCheckpoint { publication_json, synced: state.map(synced) };
        let saved = self.write("checkpoint", async |transaction, _| transaction.checkpoint(target, new).await)?;
        let (snapshot_id, closed_cycle_id, cycle_id) = (saved.snapshot_id, saved.closed_cycle_id, saved.cycle_id);
        Ok(ports::Checkpointed { snapshot_id, closed_cycle_id, cycle_id })
    }

    fn put_scopes(
        &mut self,
        target: &str,
        version: u64,
        current_hash: &str,
        scopes: Vec<ports::Scope>,
    ) -> Outcome<ports::ScopeSnapshot> {
        let (target_file_id, current_hash) = (target.to_owned(), current_hash.to_owned());
        let new = stored::NewScopeSnapshot { target_file_id, version: signed(version), current_hash };
        let scopes = scopes.into_iter().map(|scope| stored::Scope {
            scope_id: scope.scope_id,
            kind: scope.kind,
            name: scope.name,
            path: scope.path,
            start: signed(scope.start),
            end: signed(scope.end),
            sha256: scope.sha256,
            parser: scope.parser,
            grammar_version: scope.grammar_version,
            has_error: scope.has_error,
        });
        let scopes = scopes.collect();
        let put = self.write("put_scopes", async |transaction, _| transaction.put_scopes(new, scopes).await)?;
        Ok(scope_snapshot(put))
    }

    fn commit(mut self: Box<Self>) -> Outcome<()> {
        let Self { place, switches, .. } = &*self;
        let (place, switches) = (Arc::clone(place), Rc::clone(switches));
        switches.pass("commit", false)?;
        let Some(Kind::Transaction(transaction)) = self.kind.take() else { panic!("a view is committed") };
        // Where it is not committed after all, it is dropped as the program drops it.
        let _within = place.runtime.enter();
        let unknown = Err(ports::Fault { message: "the connection broke".to_owned(), unknown: true });
        match switches.reach("commit") {
            None => {
                place.runtime.block_on(transaction.commit()).map_err(|cause| fault(&cause))?;
                switches.pass("commit", true)
            }
            Some(Trouble::Fails) => Err(ports::Fault { message: "no commit".to_owned(), unknown: false }),
            Some(Trouble::UnknownAndLost) => unknown,
            Some(Trouble::UnknownButKept) => {
                place.runtime.block_on(transaction.commit()).expect("it is kept");
                unknown
            }
        }
    }
}

fn synced(synced: ports::Synced) -> stored::Synced {
    stored::Synced { disk_sha256: synced.disk_sha256, version: signed(synced.version) }
}

fn scope_snapshot(snapshot: stored::ScopeSnapshot) -> ports::ScopeSnapshot {
    ports::ScopeSnapshot {
        id: snapshot.id,
        target_file_id: snapshot.target_file_id,
        version: unsigned(snapshot.version),
        current_hash: snapshot.current_hash,
    }
}

fn target(target: stored::Target) -> ports::Target {
    let stored::Target { head, line_endings, content } = target;
    let synced =
        |synced: stored::Synced| ports::Synced { disk_sha256: synced.disk_sha256, version: unsigned(synced.version) };
    ports::Target {
        id: head.id,
        origin: ports::Origin {
            workspace_path: head.workspace_path,
            workspace_root_identity: head.workspace_root_identity,
            has_bom: head.has_bom,
            source_line_endings: head.source_line_endings,
            synced: head.synced.map(synced),
        },
        state: ports::State { version: unsigned(head.version), current_hash: head.current_hash, line_endings, content },
        created_at: head.created_at,
        updated_at: head.updated_at,
    }
}

fn attempt(attempt: stored::Attempt) -> ports::Attempt {
    let facts = attempt.facts;
    ports::Attempt {
        id: attempt.id,
        log_sequence: unsigned(attempt.log_sequence),
        created_at: attempt.created_at,
        pdcp_content: attempt.pdcp_content,
        facts: ports::AttemptFacts {
            target_file_id: facts.target_file_id,
            accepted: facts.status == stored::Status::Accepted,
            validation_stage: facts.validation_stage,
            failure_reason: facts.failure_reason,
            failure_detail: facts.failure_detail,
            failed_change_id: facts.failed_change_id,
            expected_target_version: facts.expected_target_version.map(unsigned),
            expected_current_hash: facts.expected_current_hash,
            before_hash: facts.before_hash,
            after_hash: facts.after_hash,
            before_version: facts.before_version.map(unsigned),
            after_version: facts.after_version.map(unsigned),
            pdcp_content_hash: facts.pdcp_content_hash,
            protocol_version: facts.protocol_version,
            runtime_version: facts.runtime_version,
            submission_source: facts.submission_source,
            parent_pdcp_log_id: facts.parent_pdcp_log_id,
            regeneration_attempt: facts.regeneration_attempt.map(unsigned),
            regeneration_source: facts.regeneration_source,
            client_request_id: facts.client_request_id,
            request_fingerprint: facts.request_fingerprint,
            warnings_json: facts.warnings_json,
            diagnostic_json: facts.diagnostic_json,
        },
    }
}

fn new_facts(facts: ports::AttemptFacts) -> stored::AttemptFacts {
    stored::AttemptFacts {
        target_file_id: facts.target_file_id,
        status: if facts.accepted { stored::Status::Accepted } else { stored::Status::Rejected },
        validation_stage: facts.validation_stage,
        failure_reason: facts.failure_reason,
        failure_detail: facts.failure_detail,
        failed_change_id: facts.failed_change_id,
        expected_target_version: facts.expected_target_version.map(signed),
        expected_current_hash: facts.expected_current_hash,
        before_hash: facts.before_hash,
        after_hash: facts.after_hash,
        before_version: facts.before_version.map(signed),
        after_version: facts.after_version.map(signed),
        pdcp_content_hash: facts.pdcp_content_hash,
        protocol_version: facts.protocol_version,
        runtime_version: facts.runtime_version,
        submission_source: facts.submission_source,
        parent_pdcp_log_id: facts.parent_pdcp_log_id,
        regeneration_attempt: facts.regeneration_attempt.map(signed),
        regeneration_source: facts.regeneration_source,
        client_request_id: facts.client_request_id,
        request_fingerprint: facts.request_fingerprint,
        warnings_json: facts.warnings_json,
        diagnostic_json: facts.diagnostic_json,
    }
}

fn entry(entry: stored::Entry) -> ports::Entry {
    let facts = entry.facts;
    ports::Entry {
        id: entry.id,
        ledger_sequence: unsigned(entry.ledger_sequence),
        pdcp_log_id: entry.pdcp_log_id,
        editing_cycle_id: entry.editing_cycle_id,
        origin: entry.origin,
        created_at: entry.created_at,
        facts: ports::EntryFacts {
            change_id: facts.change_id,
            intent: facts.intent,
            risk: facts.risk,
            derived_json: facts.derived_json,
        },
    }
}
