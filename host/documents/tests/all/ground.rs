//! Where the suite runs: a place on either database, time and ids that are the same every time, and rows to put there.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use assay_documents::{
    AttemptFacts, AttemptFilter, Documents, EntryFacts, Fault, Ground, NewAttempt, NewState, NewTarget, Options,
    Status, Target, open_with,
};
use assay_kit::postgres::{Database, Server};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::sync::Notify;
use uuid::Uuid;

/// Makes each function two tests: on SQLite and on PostgreSQL.
macro_rules! on_both {
    ($($(#[$attribute:meta])* async fn $name:ident($place:ident: &Place) $body:block)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            async fn shows($place: &Place) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                shows(&Place::sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                shows(&Place::postgres().await).await;
            }
        }
    )*};
}
pub(crate) use on_both;

/// An empty place for documents, and a way round the store.
pub(crate) struct Place {
    folder: TempDir,
    database: Option<Database>,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self { folder: tempfile::tempdir().expect("room"), database: None }
    }

    pub(crate) async fn postgres() -> Self {
        let folder = tempfile::tempdir().expect("room");
        Self { folder, database: Some(Server::shared().database().await) }
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.database.is_none()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("state").join("documents.db")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn location(&self) -> String {
        let file = || self.file().to_str().expect("a plain name").to_owned();
        self.database.as_ref().map_or_else(file, Database::url)
    }

    pub(crate) async fn open(&self) -> Arc<dyn Documents> {
        self.open_with(Options { ground: Arc::new(Counted::default()), ..Options::default() }).await
    }

    /// A store of its own connections, queues and patience.
    pub(crate) async fn open_with(&self, options: Options) -> Arc<dyn Documents> {
        open_with(&self.location(), options).await.unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// Runs statements round the store. What the database says against it, if it does.
    pub(crate) async fn run(&self, statements: &str) -> Result<(), String> {
        match &self.database {
            None => self.sqlite_connection().execute_batch(statements).map_err(|error| error.to_string()),
            Some(database) => database.client().await.batch_execute(statements).await.map_err(|error| {
                error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
            }),
        }
    }

    /// The one number that a query has for an answer.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        match &self.database {
            None => self.sqlite_connection().query_row(query, [], |row| row.get(0)).expect("a number"),
            Some(database) => database.client().await.query_one(query, &[]).await.expect("a row").get(0),
        }
    }

    pub(crate) fn sqlite_connection(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.file()).expect("the file is there");
        connection.busy_timeout(Duration::ZERO).expect("a setting");
        connection
    }

    pub(crate) async fn postgres_client(&self) -> tokio_postgres::Client {
        self.database.as_ref().expect("it is PostgreSQL").client().await
    }
}

/// Ids and times that count, and a bell that rings when a writer waits for a SQLite file.
#[derive(Default)]
pub(crate) struct Counted {
    ids: AtomicU64,
    times: AtomicU64,
    pub(crate) waiting: Notify,
}

impl Ground for Counted {
    fn now(&self) -> SystemTime {
        let count = self.times.fetch_add(1, Ordering::Relaxed);
        UNIX_EPOCH + Duration::from_secs(1_793_880_000) + Duration::from_micros(count)
    }

    fn id(&self) -> Uuid {
        let count = u128::from(self.ids.fetch_add(1, Ordering::Relaxed));
        uuid::Builder::from_random_bytes(count.to_be_bytes()).into_uuid()
    }

    fn waits(&self) {
        self.waiting.notify_one();
    }
}

pub(crate) fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn new_target(content: &str) -> NewTarget {
    NewTarget { version: 1, current_hash: hash(content), content: content.to_owned(), ..NewTarget::default() }
}

/// A document whose text is `content`, committed. Its id.
pub(crate) async fn created(store: &Arc<dyn Documents>, content: &str) -> String {
    let mut transaction = store.begin().await.expect("begun");
    let created = transaction.create(new_target(content)).await.expect("created");
    transaction.commit().await.expect("committed");
    created.target_file_id
}

/// What is submitted to a document, and rejected.
pub(crate) fn rejected(target: &str, payload: &str) -> NewAttempt {
    NewAttempt {
        facts: AttemptFacts {
            target_file_id: target.to_owned(),
            status: Status::Rejected,
            validation_stage: "TRANSACTION_APPLICABILITY".to_owned(),
            failure_reason: Some("match_absent".to_owned()),
            failure_detail: None,
            failed_change_id: None,
            expected_target_version: None,
            expected_current_hash: None,
            before_hash: None,
            after_hash: None,
            before_version: None,
            after_version: None,
            pdcp_content_hash: hash(payload),
            protocol_version: "patchdiff-tx/1".to_owned(),
            runtime_version: Some("patchdiff-mvp-0.2.2".to_owned()),
            submission_source: Some("model_response".to_owned()),
            parent_pdcp_log_id: None,
            regeneration_attempt: None,
            regeneration_source: None,
            client_request_id: None,
            request_fingerprint: None,
            warnings_json: None,
            diagnostic_json: None,
        },
        pdcp_content: payload.to_owned(),
    }
}

/// What is submitted to a document as it is, and accepted, with the text it has then.
pub(crate) fn accepted(target: &Target, content: &str) -> (NewAttempt, NewState) {
    let mut attempt = rejected(&target.head.id, &format!("to {content}"));
    let version = target.head.version + 1;
    attempt.facts = AttemptFacts {
        status: Status::Accepted,
        validation_stage: "ACCEPTED".to_owned(),
        failure_reason: None,
        before_hash: Some(target.head.current_hash.clone()),
        after_hash: Some(hash(content)),
        before_version: Some(target.head.version),
        after_version: Some(version),
        ..attempt.facts
    };
    let state = NewState { content: content.to_owned(), version, current_hash: hash(content), line_endings: None };
    (attempt, state)
}

pub(crate) fn entry(change_id: &str) -> EntryFacts {
    EntryFacts { change_id: change_id.to_owned(), intent: "to show it".to_owned(), ..EntryFacts::default() }
}

/// Appends a line to a document in a transaction of its own, with so many ledger entries. The new version.
pub(crate) async fn step(store: &Arc<dyn Documents>, id: &str, entries: usize) -> Result<i64, Fault> {
    let mut transaction = store.begin().await?;
    let target = transaction.lock("", id).await?.expect("it is there");
    let (attempt, state) = accepted(&target, &format!("{}.", target.content));
    let version = state.version;
    let entries = (1..=entries).map(|number| entry(&format!("chg_{number:03}"))).collect();
    transaction.append(attempt, entries, Some(state)).await?;
    transaction.commit().await?;
    Ok(version)
}

/// The newest `limit` attempts.
pub(crate) fn newest(limit: u32) -> AttemptFilter {
    AttemptFilter { limit, ..AttemptFilter::default() }
}
