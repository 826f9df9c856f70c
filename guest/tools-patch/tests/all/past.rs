//! History that another program wrote, or that somebody altered: rows put into the database round the store.

use assay_patch::Sha256Hex;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::ground::{Ground, Seen};

/// A target whose history is written from outside.
pub(crate) struct Past<'a> {
    ground: &'a Ground,
    pub(crate) id: String,
    version: u64,
    text: String,
    rows: usize,
}

/// A row, as far as a test says what is in it.
pub(crate) struct Row<'a> {
    pub(crate) protocol: &'a str,
    pub(crate) runtime: Option<&'a str>,
    pub(crate) content: &'a str,
    /// Its key and fingerprint.
    pub(crate) keyed: Option<(&'a str, &'a str)>,
}

pub(crate) fn sha256(text: &str) -> String {
    Sha256Hex::of(text).to_string()
}

/// The database, as anybody may open it who has the file.
pub(crate) fn database(ground: &Ground) -> Connection {
    Connection::open(ground.folder().join("documents.db")).unwrap()
}

/// Runs statements round the store, also against its rule that what is appended stays.
pub(crate) fn tamper(ground: &Ground, statements: &str) {
    let database = database(ground);
    let unlock: String = ["append_only_pdcp_logs", "append_only_manifest_ledger", "target_snapshots"]
        .map(|table| format!("DROP TRIGGER IF EXISTS {table}_update; DROP TRIGGER IF EXISTS {table}_delete;"))
        .concat();
    database.execute_batch(&format!("PRAGMA foreign_keys = OFF; {unlock} {statements}")).unwrap();
}

fn signed(version: u64) -> i64 {
    i64::try_from(version).unwrap()
}

/// All that the database says of history and text, as one digest.
pub(crate) fn digest(ground: &Ground) -> String {
    let database = database(ground);
    let mut all = String::new();
    for table in [
        "cloud_target_files",
        "append_only_pdcp_logs",
        "append_only_manifest_ledger",
        "target_snapshots",
        "editing_cycles",
    ] {
        let mut statement = database.prepare(&format!("SELECT * FROM {table} ORDER BY id")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                all.push_str(&format!("{:?}|", row.get_ref(column).unwrap()));
            }
        }
    }
    sha256(&all)
}

impl<'a> Past<'a> {
    pub(crate) fn of(ground: &'a Ground, text: &str) -> Self {
        let Seen { id, version, .. } = ground.begin(text);
        Self { ground, id, version, text: text.to_owned(), rows: 0 }
    }

    pub(crate) fn seen(&self) -> Seen {
        Seen { id: self.id.clone(), version: self.version, hash: sha256(&self.text) }
    }

    /// One more accepted row that makes `after`, and the target that it makes. The row's id.
    pub(crate) fn accepted(&mut self, row: &Row<'_>, after: &str) -> String {
        let id = self.append(row, None, after);
        let hash = sha256(after);
        let update = "UPDATE cloud_target_files SET content = ?1, current_hash = ?2, version = ?3, line_endings = NULL WHERE id = ?4";
        database(self.ground).execute(update, params![after, hash, signed(self.version + 1), self.id]).unwrap();
        self.version += 1;
        self.text = after.to_owned();
        id
    }

    /// One more rejected row.
    pub(crate) fn rejected(&mut self, row: &Row<'_>, reason: &str) -> String {
        let text = self.text.clone();
        self.append(row, Some(reason), &text)
    }

    fn append(&mut self, row: &Row<'_>, reason: Option<&str>, after: &str) -> String {
        self.rows += 1;
        let id = format!("{:08x}-0000-4000-8000-00000000abcd", self.rows);
        let accepted = reason.is_none();
        let insert = "INSERT INTO append_only_pdcp_logs (id, created_at, target_file_id, status, validation_stage, \
             failure_reason, before_hash, after_hash, before_version, after_version, pdcp_content_hash, protocol_version, \
             runtime_version, client_request_id, request_fingerprint, pdcp_content) \
             VALUES (?1, '2020-01-01T00:00:00.000000Z', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let values = params![
            id,
            self.id,
            if accepted { "accepted" } else { "rejected" },
            if accepted { "ACCEPTED" } else { "TRANSACTION_APPLICABILITY" },
            reason,
            sha256(&self.text),
            accepted.then(|| sha256(after)),
            signed(self.version),
            accepted.then_some(signed(self.version + 1)),
            sha256(row.content),
            row.protocol,
            row.runtime,
            row.keyed.map(|(key, _)| key),
            row.keyed.map(|(_, fingerprint)| fingerprint),
            row.content,
        ];
        database(self.ground).execute(insert, values).unwrap();
        id
    }

    /// What a replay says.
    pub(crate) fn replayed(&self) -> Value {
        self.ground.call("replay_target", &serde_json::json!({"target_file_id": self.id}))
    }
}
