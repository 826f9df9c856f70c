//! Whether the rows of a file are one document's, in their order, and what each must be: judged row by row, as they come.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::{Carried, Imported, Of, Unread, taken::Lines, written::hex};
use crate::Fault;

/// The document whose rows are being read.
pub(crate) struct Arriving {
    document: Imported,
    /// The table of the last row.
    last: Of,
    /// The last place in each table.
    places: BTreeMap<&'static str, i64>,
    cycle: Option<Open>,
    /// The first text: its version and its hash.
    first: Option<(i64, String)>,
    /// What was saved, by version, until history shows that state.
    saved: BTreeMap<i64, String>,
    scope_snapshot: Option<String>,
}

/// The cycle whose snapshots are being read.
struct Open {
    id: String,
    closed_at: Option<String>,
    closing_snapshot_id: Option<String>,
    last_snapshot: Option<String>,
}

/// A cycle that has ended, with what ended it.
pub(crate) struct Cycle {
    pub(crate) id: String,
    pub(crate) closed_at: String,
    pub(crate) closing_snapshot_id: String,
}

/// Why a row is not taken.
pub(crate) enum Unfit {
    /// It is not what it should be.
    Says(String),
    Refused(Unread),
}

impl Unfit {
    pub(crate) fn says(why: impl Into<String>) -> Self {
        Self::Says(why.into())
    }

    /// The same with the line that was read last.
    pub(crate) fn at(self, lines: &Lines<'_>) -> Unread {
        match self {
            Self::Says(why) => lines.damaged(&why),
            Self::Refused(refused) => refused,
        }
    }
}

impl From<Fault> for Unfit {
    /// What the schema refuses is the file's fault, not the database's.
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Constraint(_) | Fault::Unstorable(_) => Self::Says(fault.to_string()),
            fault => Self::Refused(fault.into()),
        }
    }
}

impl Arriving {
    /// Begins with the document's own row.
    pub(crate) fn of(row: &Carried) -> Result<Self, Unfit> {
        if row.of != Of::Target {
            return Err(Unfit::says("a row comes before its document"));
        }
        let (Some(id), Some(version)) = (row.text("id"), row.integer("version")) else {
            return Err(Unfit::says("the document has no id or no version"));
        };
        let workspace_path = row.text("workspace_path").map(str::to_owned);
        Ok(Self {
            document: Imported { target_file_id: id.to_owned(), version, workspace_path, attempts: 0 },
            last: Of::Target,
            places: BTreeMap::new(),
            cycle: None,
            first: None,
            saved: BTreeMap::new(),
            scope_snapshot: None,
        })
    }

    /// Takes the next row. The cycle that has ended with it, where one has.
    pub(crate) fn take(&mut self, row: &Carried) -> Result<Option<Cycle>, Unfit> {
        self.check_order(row)?;
        check_hash(row)?;
        match row.of {
            Of::Cycle => {
                let next = Open::of(row)?;
                return self.cycle.replace(next).map(Open::ended).transpose();
            }
            Of::Snapshot => self.take_snapshot(row)?,
            Of::Attempt => self.take_attempt(row),
            Of::ScopeSnapshot => self.scope_snapshot = row.text("id").map(str::to_owned),
            Of::Target | Of::Entry | Of::Scope => {}
        }
        Ok(None)
    }

    /// Nothing more comes.
    pub(crate) fn whole(self) -> Result<Imported, Unfit> {
        if self.first.is_none() {
            return Err(Unfit::says("the document has no first text"));
        }
        if self.cycle.is_none_or(|cycle| cycle.closed_at.is_some() || cycle.closing_snapshot_id.is_some()) {
            return Err(Unfit::says("the document's last editing cycle is not open"));
        }
        if let Some(version) = self.saved.keys().next() {
            return Err(Unfit::says(format!(
                "what was saved as version {version} is no state of the document's history"
            )));
        }
        Ok(self.document)
    }

    fn check_order(&mut self, row: &Carried) -> Result<(), Unfit> {
        let table = row.of.table();
        let (whose, owner) = match row.of {
            Of::Target => return Err(Unfit::says("a document is inside of another")),
            Of::Scope => (row.text("snapshot_id"), self.scope_snapshot.as_deref()),
            _ => (row.text("target_file_id"), Some(self.document.target_file_id.as_str())),
        };
        if whose.is_none() || whose != owner {
            return Err(Unfit::says(format!("the {} is another's", table.what)));
        }
        let out_of_order = || Unfit::says(format!("the {} is out of its order", table.what));
        if stage(row.of) < stage(self.last) {
            return Err(out_of_order());
        }
        self.last = row.of;
        if row.of == Of::ScopeSnapshot {
            // Scopes are counted anew in each of their snapshots.
            self.places.remove(Of::Scope.table().name);
        }
        if table.place.is_some() {
            let place = row.place().filter(|place| *place >= 1).ok_or_else(out_of_order)?;
            if self.places.insert(table.name, place).is_some_and(|last| last >= place) {
                return Err(out_of_order());
            }
        }
        Ok(())
    }

    fn take_snapshot(&mut self, row: &Carried) -> Result<(), Unfit> {
        let cycle = self.cycle.as_mut().filter(|cycle| row.text("editing_cycle_id") == Some(&cycle.id));
        let cycle = cycle.ok_or_else(|| Unfit::says("the snapshot is not of the editing cycle before it"))?;
        cycle.last_snapshot = row.text("id").map(str::to_owned);
        let (Some(version), Some(hash)) = (row.integer("version"), row.text("content_hash")) else {
            return Err(Unfit::says("the snapshot has no version or no hash"));
        };
        let state = (version, hash.to_owned());
        if row.text("snapshot_type") == Some("initial_upload") {
            self.first = Some(state);
        } else if self.first.as_ref() != Some(&state) {
            let other = self.saved.insert(version, state.1);
            if other.is_some_and(|other| other != hash) {
                return Err(Unfit::says("two texts were saved as one version"));
            }
        }
        Ok(())
    }

    fn take_attempt(&mut self, row: &Carried) {
        self.document.attempts += 1;
        if row.text("status") == Some("accepted")
            && let (Some(version), Some(hash)) = (row.integer("after_version"), row.text("after_hash"))
            && self.saved.get(&version).is_some_and(|saved| saved == hash)
        {
            self.saved.remove(&version);
        }
    }
}

impl Open {
    fn of(row: &Carried) -> Result<Self, Unfit> {
        let id = row.text("id").ok_or_else(|| Unfit::says("the editing cycle has no id"))?;
        Ok(Self {
            id: id.to_owned(),
            closed_at: row.text("closed_at").map(str::to_owned),
            closing_snapshot_id: row.text("closing_snapshot_id").map(str::to_owned),
            last_snapshot: None,
        })
    }

    fn ended(self) -> Result<Cycle, Unfit> {
        let (Some(closed_at), Some(closing_snapshot_id)) = (self.closed_at, self.closing_snapshot_id) else {
            return Err(Unfit::says("the editing cycle follows one that is open"));
        };
        if self.last_snapshot.as_ref() != Some(&closing_snapshot_id) {
            return Err(Unfit::says("the editing cycle before this one ends with a snapshot that is not its last"));
        }
        Ok(Cycle { id: self.id, closed_at, closing_snapshot_id })
    }
}

/// Rows of a later stage stand behind all rows of an earlier one.
fn stage(of: Of) -> u8 {
    match of {
        Of::Target => 0,
        Of::Cycle | Of::Snapshot => 1,
        Of::Attempt => 2,
        Of::Entry => 3,
        Of::ScopeSnapshot | Of::Scope => 4,
    }
}

/// A text has the hash that is stored beside it.
fn check_hash(row: &Carried) -> Result<(), Unfit> {
    let Some((hash, text)) = row.of.table().hashed else { return Ok(()) };
    let digest = row.text(text).map(|text| hex(Sha256::digest(text).as_ref()));
    if digest.is_some() && digest.as_deref() == row.text(hash) {
        return Ok(());
    }
    Err(Unfit::says(format!("the {} has not the hash that is stored with it", row.of.table().what)))
}
