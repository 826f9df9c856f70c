//! A document's history as a file, which another database takes over: which columns of which tables are in it.
//!
//! A row is carried as it is stored, column by column, so nothing is lost in between and nothing is made anew: ids, places,
//! hashes and times are those of the database that wrote them. Two columns stay behind: whose a document is, which the
//! database that takes it over knows better, and where it stands among that database's documents.
//!
//! [`line`] spells it, [`written`] writes it, [`taken`] reads it, and [`arriving`] judges what was read; the statements are
//! in `rows`.

pub(crate) mod arriving;
pub(crate) mod line;
pub(crate) mod taken;
pub(crate) mod written;

pub use taken::{Imported, Places, Unread};
pub use written::{Unwritten, Written};

use self::Kind::{Boolean, Integer, Text};
use crate::value::Value;

/// What a file of this form calls itself.
pub(crate) const FORMAT: &str = "assay-document-history/1";

/// What a column holds, where it holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Boolean,
}

/// A table whose rows are carried.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// What a refusal calls one of its rows.
    pub(crate) what: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// The column that rows are asked for by.
    pub(crate) of: &'static str,
    /// The column that they stand in order by.
    pub(crate) place: Option<&'static str>,
    /// Whether the database gives the place where none is given.
    pub(crate) gives_place: bool,
    /// A column with a SHA-256, and the one with what it is of.
    pub(crate) hashed: Option<(&'static str, &'static str)>,
}

/// Every table, in the order in which a document's rows stand in a file. Snapshots follow the cycle that they are of, scopes
/// their snapshot.
pub(crate) static TABLES: [Table; 7] = [TARGET, CYCLE, SNAPSHOT, ATTEMPT, ENTRY, SCOPE_SNAPSHOT, SCOPE];

const TARGET: Table = Table {
    name: "cloud_target_files",
    what: "document",
    columns: &[
        ("id", Text),
        ("version", Integer),
        ("current_hash", Text),
        ("workspace_path", Text),
        ("workspace_tracked", Boolean),
        ("workspace_root_identity", Text),
        ("has_bom", Boolean),
        ("source_line_endings", Text),
        ("last_synced_disk_sha256", Text),
        ("last_synced_version", Integer),
        ("created_at", Text),
        ("updated_at", Text),
        ("line_endings", Text),
        ("content", Text),
    ],
    of: "id",
    place: None,
    gives_place: false,
    // That the text is what its hash says is the replay's to find out, which tells it better.
    hashed: None,
};

const CYCLE: Table = Table {
    name: "editing_cycles",
    what: "editing cycle",
    columns: &[
        ("id", Text),
        ("target_file_id", Text),
        ("cycle_number", Integer),
        ("opened_at", Text),
        ("closed_at", Text),
        ("closing_snapshot_id", Text),
    ],
    of: "target_file_id",
    place: Some("cycle_number"),
    gives_place: false,
    hashed: None,
};

const SNAPSHOT: Table = Table {
    name: "target_snapshots",
    what: "snapshot",
    columns: &[
        ("snapshot_sequence", Integer),
        ("id", Text),
        ("target_file_id", Text),
        ("snapshot_type", Text),
        ("version", Integer),
        ("content_hash", Text),
        ("editing_cycle_id", Text),
        ("line_endings", Text),
        ("publication_json", Text),
        ("created_at", Text),
        ("content", Text),
    ],
    of: "editing_cycle_id",
    place: Some("snapshot_sequence"),
    gives_place: true,
    hashed: Some(("content_hash", "content")),
};

const ATTEMPT: Table = Table {
    name: "append_only_pdcp_logs",
    what: "attempt",
    columns: &[
        ("log_sequence", Integer),
        ("id", Text),
        ("created_at", Text),
        ("target_file_id", Text),
        ("status", Text),
        ("validation_stage", Text),
        ("failure_reason", Text),
        ("failure_detail", Text),
        ("failed_change_id", Text),
        ("expected_target_version", Integer),
        ("expected_current_hash", Text),
        ("before_hash", Text),
        ("after_hash", Text),
        ("before_version", Integer),
        ("after_version", Integer),
        ("pdcp_content_hash", Text),
        ("protocol_version", Text),
        ("runtime_version", Text),
        ("submission_source", Text),
        ("parent_pdcp_log_id", Text),
        ("regeneration_attempt", Integer),
        ("regeneration_source", Text),
        ("client_request_id", Text),
        ("request_fingerprint", Text),
        ("warnings_json", Text),
        ("diagnostic_json", Text),
        ("pdcp_content", Text),
    ],
    of: "target_file_id",
    place: Some("log_sequence"),
    gives_place: true,
    hashed: Some(("pdcp_content_hash", "pdcp_content")),
};

const ENTRY: Table = Table {
    name: "append_only_manifest_ledger",
    what: "ledger entry",
    columns: &[
        ("ledger_sequence", Integer),
        ("id", Text),
        ("target_file_id", Text),
        ("pdcp_log_id", Text),
        ("editing_cycle_id", Text),
        ("origin", Text),
        ("created_at", Text),
        ("change_id", Text),
        ("intent", Text),
        ("input_state", Text),
        ("output_state", Text),
        ("affected_region", Text),
        ("user_visible_change", Text),
        ("risk", Text),
        ("derived_json", Text),
    ],
    of: "target_file_id",
    place: Some("ledger_sequence"),
    gives_place: true,
    hashed: None,
};

const SCOPE_SNAPSHOT: Table = Table {
    name: "observed_scope_snapshots",
    what: "snapshot of scopes",
    columns: &[
        ("id", Text),
        ("target_file_id", Text),
        ("version", Integer),
        ("current_hash", Text),
        ("created_at", Text),
    ],
    of: "id",
    place: None,
    gives_place: false,
    hashed: None,
};

const SCOPE: Table = Table {
    name: "observed_scopes",
    what: "scope",
    columns: &[
        ("snapshot_id", Text),
        ("scope_sequence", Integer),
        ("scope_id", Text),
        ("kind", Text),
        ("name", Text),
        ("path", Text),
        ("start_offset", Integer),
        ("end_offset", Integer),
        ("sha256", Text),
        ("parser", Text),
        ("grammar_version", Text),
        ("has_error", Boolean),
    ],
    of: "snapshot_id",
    place: Some("scope_sequence"),
    gives_place: false,
    hashed: None,
};

/// Which table, by its place in [`TABLES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    Target,
    Cycle,
    Snapshot,
    Attempt,
    Entry,
    ScopeSnapshot,
    Scope,
}

impl Of {
    pub(crate) const ALL: [Self; 7] =
        [Self::Target, Self::Cycle, Self::Snapshot, Self::Attempt, Self::Entry, Self::ScopeSnapshot, Self::Scope];

    pub(crate) fn table(self) -> &'static Table {
        &TABLES[self as usize]
    }
}

/// A row of one of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Carried {
    pub(crate) of: Of,
    /// As many as the table has columns, each of its column's kind or nothing.
    pub(crate) values: Vec<Value>,
}

impl Carried {
    /// What a column holds.
    pub(crate) fn value(&self, column: &str) -> &Value {
        let at = self.of.table().columns.iter().position(|(name, _)| *name == column);
        at.and_then(|at| self.values.get(at)).unwrap_or(&Value::Null)
    }

    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        match self.value(column) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn integer(&self, column: &str) -> Option<i64> {
        match self.value(column) {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Where it stands among its table's rows.
    pub(crate) fn place(&self) -> Option<i64> {
        self.of.table().place.and_then(|place| self.integer(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::STEPS;

    /// every column there is, is carried or stays behind for a reason.
    #[test]
    fn no_column_is_forgotten() {
        let database = rusqlite::Connection::open_in_memory().expect("room");
        STEPS.iter().for_each(|step| database.execute_batch(step.sqlite).expect("it is the schema"));
        let names = |statement: &str| -> Vec<String> {
            let mut rows = database.prepare(statement).expect("it is taken");
            let rows = rows.query_map([], |row| row.get(0)).expect("it is asked");
            rows.map(|name| name.expect("a name")).collect()
        };
        let mut tables = names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
        for of in Of::ALL {
            let table = of.table();
            tables.retain(|name| name != table.name);
            let mut columns = names(&format!("SELECT name FROM pragma_table_info('{}')", table.name));
            let carried: Vec<_> = table.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
            columns.retain(|name| !carried.contains(name));
            let behind: &[&str] = if of == Of::Target { &["target_sequence", "owner"] } else { &[] };
            assert_eq!(columns, behind, "{}", table.name);
        }
        assert_eq!(tables, [""; 0]);
    }
}
