//! The steps that make the schema, as data, and where a database stands among them.
//!
//! Each step has a revision, the text for either database, and what it refuses on. A database remembers the steps that
//! it went through with the SHA-256 of their text; they must be the first of this program's, in this order. There is
//! one step, with the name that this state of the schema had in the code base that the contract describes; those before
//! it are that code base's history (X-11, PG-29).
//!
//! There is no way back. A downgrade may be only where it discards no audit fact and no request's identity (P-154,
//! P-158), and before the first step there is nothing that would hold either; so none exists. A later step that brings
//! one must refuse it by the same kind of questions that [`Step::refuses_when`] has.

#[cfg(test)]
mod tests;

use sha2::{Digest as _, Sha256};

use crate::Fault;

/// The table that remembers.
pub(crate) const REVISIONS: &str = "assay_schema_revisions";

/// A table that every revision has. Where it is and nothing remembers, the schema is somebody else's.
pub(crate) const OLDEST_TABLE: &str = "cloud_target_files";

/// What remembers, in words that both databases take.
pub(crate) const CREATE_REVISIONS: &str = "CREATE TABLE assay_schema_revisions (
    ordinal INTEGER PRIMARY KEY,
    revision TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,
    applied_at TEXT NOT NULL
)";

/// What was gone through, in order.
pub(crate) const READ_REVISIONS: &str = "SELECT revision, sha256 FROM assay_schema_revisions ORDER BY ordinal";

/// One more was.
pub(crate) const WRITE_REVISION: &str = "INSERT INTO assay_schema_revisions (ordinal, revision, sha256, applied_at) \
     VALUES ($1, $2, $3, $4)";

/// One step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Its name.
    pub(crate) revision: &'static str,
    /// Queries, in words that both databases take, that must find no row, with what it means where one does. They are
    /// asked before anything is changed (P-153).
    pub(crate) refuses_when: &'static [(&'static str, &'static str)],
    /// What it does to SQLite.
    pub(crate) sqlite: &'static str,
    /// What it does to PostgreSQL.
    pub(crate) postgres: &'static str,
}

/// This program's steps.
pub(crate) const STEPS: &[Step] = &[Step {
    revision: "20261105_0006",
    refuses_when: &[],
    sqlite: include_str!("20261105_0006.sqlite.sql"),
    postgres: include_str!("20261105_0006.postgres.sql"),
}];

/// Which text of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Step {
    pub(crate) fn text(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }

    pub(crate) fn sha256(&self, dialect: Dialect) -> String {
        Sha256::digest(self.text(dialect)).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A step that a database went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) revision: String,
    pub(crate) sha256: String,
}

/// Where a database stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing of ours is there.
    Absent,
    /// It went through the first of the steps, of which that many are missing.
    Behind { found: Option<String>, done: usize },
    /// It went through all.
    Current,
}

/// What came of preparing a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    /// The revision that was found.
    pub(crate) from: Option<String>,
    /// The steps that were done.
    pub(crate) applied: Vec<&'static str>,
}

impl Prepared {
    /// Nothing is done yet.
    pub(crate) fn found(standing: &Standing, steps: &[Step]) -> Self {
        let from = match standing {
            Standing::Absent => None,
            Standing::Behind { found, .. } => found.clone(),
            Standing::Current => Some(head(steps).to_owned()),
        };
        Self { from, applied: Vec::new() }
    }
}

/// Places a database by what it remembers, or by that it remembers nothing and whether it has our tables all the same.
pub(crate) fn standing(
    recorded: Option<&[Recorded]>,
    has_oldest_table: bool,
    steps: &'static [Step],
    dialect: Dialect,
) -> Result<Standing, Fault> {
    let Some(recorded) = recorded else {
        if has_oldest_table {
            return Err(Fault::ForeignSchema(format!("it has `{OLDEST_TABLE}` and no `{REVISIONS}`")));
        }
        return Ok(Standing::Absent);
    };
    for (recorded, step) in recorded.iter().zip(steps) {
        if recorded.revision != step.revision {
            let (found, here) = (&recorded.revision, step.revision);
            return Err(Fault::ForeignSchema(format!("it went through `{found}` where `{here}` belongs")));
        }
        if recorded.sha256 != step.sha256(dialect) {
            return Err(Fault::ForeignSchema(format!("its `{}` had another text", step.revision)));
        }
    }
    let found = recorded.last().map(|last| last.revision.clone());
    match recorded.len().cmp(&steps.len()) {
        std::cmp::Ordering::Less => Ok(Standing::Behind { found, done: recorded.len() }),
        std::cmp::Ordering::Equal => Ok(Standing::Current),
        std::cmp::Ordering::Greater => Err(Fault::NewerSchema { found: found.unwrap_or_default(), head: head(steps) }),
    }
}

/// The revision that is needed.
pub(crate) fn head(steps: &[Step]) -> &'static str {
    steps.last().map_or("none", |step| step.revision)
}

/// What to do about where a database stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// To use it: it is created where it is absent, and refused where it is behind.
    Use,
    /// To look at it: it is refused where it is absent or behind.
    Find,
    /// To bring it forward.
    Migrate,
}

/// How many steps are done before the missing ones are; nothing where none is to be done.
pub(crate) fn to_do(standing: Standing, intent: Intent, steps: &[Step]) -> Result<Option<usize>, Fault> {
    match (standing, intent) {
        (Standing::Current, _) => Ok(None),
        (Standing::Absent, Intent::Find) => Err(Fault::Absent),
        (Standing::Absent, Intent::Use | Intent::Migrate) => Ok(Some(0)),
        (Standing::Behind { done, .. }, Intent::Migrate) => Ok(Some(done)),
        (Standing::Behind { found, .. }, Intent::Use | Intent::Find) => {
            Err(Fault::OlderSchema { found, head: head(steps) })
        }
    }
}
