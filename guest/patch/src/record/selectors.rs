//! Which occurrence of a text is meant, and the members that every change has.

use std::collections::BTreeSet;

use super::{Action, Invalid, Operation, members::Members};
use crate::{IdGrammar, Profile, Reason};

/// The most code points that a change id of history has (PG-27).
const MAX_HISTORICAL_ID: usize = 255;
/// The most that a new one has (P-043).
const MAX_ID: usize = 64;

/// What must hold for the one occurrence that is meant (P-046, P-047, PG-08).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selectors {
    /// Its number among all of them, from 1.
    pub occurrence_index: Option<u64>,
    /// What is directly before it.
    pub anchor_before: Option<String>,
    /// What is directly behind it.
    pub anchor_after: Option<String>,
}

/// The members of a change that say where.
pub(super) const SELECTING: [&str; 3] = ["occurrence_index", "anchor_before", "anchor_after"];
/// The members of a change that say nothing of the text.
pub(super) const DESCRIBING: [&str; 3] = ["change_id", "rationale", "risk"];

impl Selectors {
    pub(super) fn read(members: Members<'_>) -> Result<Self, Invalid> {
        let reason = Reason::DisambiguationInvalid;
        let anchor = |key| members.filled_or_null(key, reason).map(|text| text.map(str::to_owned));
        Ok(Self {
            occurrence_index: members.ordinal_or_null("occurrence_index", reason)?,
            anchor_before: anchor("anchor_before")?,
            anchor_after: anchor("anchor_after")?,
        })
    }
}

/// The changes of a record, each with an id of its own.
pub(super) struct Changes<'a> {
    profile: &'a Profile,
    ids: BTreeSet<String>,
    operations: Vec<Operation>,
}

impl<'a> Changes<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        Self { profile, ids: BTreeSet::new(), operations: Vec::new() }
    }

    /// Adds the change of these members. What is wrong with it is said with its id, once that is known.
    pub(super) fn add(
        &mut self,
        members: Members<'_>,
        action: impl FnOnce() -> Result<Action, Invalid>,
    ) -> Result<(), Invalid> {
        let change_id = self.next_id(members)?;
        let operation = || {
            let action = action()?;
            let rationale = members.said_or_null("rationale")?.map(str::to_owned);
            let risk = risk(members)?;
            if self.ids.insert(change_id.clone()) {
                return Ok(Operation { change_id: change_id.clone(), rationale, risk, action });
            }
            let detail = "two changes have one change_id; without one they are chg_001, chg_002 and so on";
            Err(Invalid::manifest(detail))
        };
        let operation = operation().map_err(|invalid: Invalid| invalid.of(&change_id))?;
        self.operations.push(operation);
        Ok(())
    }

    /// The id of the next change: as given, else by its place (P-042, PG-07).
    fn next_id(&self, members: Members<'_>) -> Result<String, Invalid> {
        let Some(given) = members.given("change_id") else {
            return Ok(format!("chg_{:03}", self.operations.len() + 1));
        };
        let (accepts, right): (fn(&str) -> bool, _) = match self.profile.change_ids {
            IdGrammar::Strict => (is_strict, "1 to 64 of A-Z, a-z, 0-9, `_`, `.`, `:` and `-`, or null"),
            IdGrammar::Historical => (is_historical, "a string of 1 to 255 code points, or null"),
        };
        let id = given.as_str().filter(|id| accepts(id));
        id.map(str::to_owned).ok_or_else(|| members.wrong("change_id", right))
    }

    /// Those from a place on: a group's, in a batch whose ids are counted through.
    pub(super) fn from(&self, at: usize) -> &[Operation] {
        self.operations.get(at..).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    pub(super) fn into_operations(self) -> Vec<Operation> {
        self.operations
    }
}

fn risk(members: Members<'_>) -> Result<Option<&'static str>, Invalid> {
    let Some(given) = members.given("risk") else { return Ok(None) };
    let known = ["low", "medium", "high"].into_iter().find(|risk| given.as_str() == Some(risk));
    known.map(Some).ok_or_else(|| members.wrong("risk", "low, medium, high or null"))
}

fn is_strict(id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(allowed)
}

fn is_historical(id: &str) -> bool {
    (1..=MAX_HISTORICAL_ID).contains(&id.chars().count())
}
