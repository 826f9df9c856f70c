//! History that another program wrote, or that somebody altered: rows put into the database round the store.

use assay_patch::Sha256Hex;
use serde_json::Value;

use crate::{
    ground::{Ground, Seen},
    place::literal,
};

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

/// Runs statements round the store, also against its rule that what is appended stays.
pub(crate) fn tamper(ground: &Ground, statements: &str) {
    ground.place.tamper(statements);
}

/// All that the database says of history and text, as one digest.
pub(crate) fn digest(ground: &Ground) -> String {
    let tables = [
        "cloud_target_files",
        "append_only_pdcp_logs",
        "append_only_manifest_ledger",
        "target_snapshots",
        "editing_cycles",
    ];
    sha256(&tables.map(|table| ground.place.dump(table)).concat())
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
        let update = format!(
            "UPDATE cloud_target_files SET content = {}, current_hash = '{}', version = {}, line_endings = NULL \
             WHERE id = '{}'",
            literal(Some(after)),
            sha256(after),
            self.version + 1,
            self.id,
        );
        self.ground.place.run(&update);
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
        let after_hash = accepted.then(|| sha256(after));
        let after_version = accepted.then(|| (self.version + 1).to_string());
        let values = [
            literal(Some(&id)),
            literal(Some("2020-01-01T00:00:00.000000Z")),
            literal(Some(&self.id)),
            literal(Some(if accepted { "accepted" } else { "rejected" })),
            literal(Some(if accepted { "ACCEPTED" } else { "TRANSACTION_APPLICABILITY" })),
            literal(reason),
            literal(Some(&sha256(&self.text))),
            literal(after_hash.as_deref()),
            self.version.to_string(),
            after_version.unwrap_or_else(|| literal(None)),
            literal(Some(&sha256(row.content))),
            literal(Some(row.protocol)),
            literal(row.runtime),
            literal(row.keyed.map(|(key, _)| key)),
            literal(row.keyed.map(|(_, fingerprint)| fingerprint)),
            literal(Some(row.content)),
        ];
        self.ground.place.run(&format!(
            "INSERT INTO append_only_pdcp_logs (id, created_at, target_file_id, status, validation_stage, \
             failure_reason, before_hash, after_hash, before_version, after_version, pdcp_content_hash, \
             protocol_version, runtime_version, client_request_id, request_fingerprint, pdcp_content) VALUES ({})",
            values.join(", ")
        ));
        id
    }

    /// What a replay says.
    pub(crate) fn replayed(&self) -> Value {
        self.ground.call("replay_target", &serde_json::json!({"target_file_id": self.id}))
    }
}
