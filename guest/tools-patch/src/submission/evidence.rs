//! What was changed, in as many entries as the answer has room for; what is left out is counted (PG-25, E-37).

use assay_patch::json::{self, Value};

use crate::{
    answer::{Member, Stop, fits, fitted, number, stored},
    ports::EntryFacts,
};

/// The changes of an accepted transaction.
pub(crate) struct Evidence {
    changes: Vec<Value>,
}

impl Evidence {
    pub(crate) fn of(changes: &[EntryFacts]) -> Self {
        let changes = changes.iter().map(|change| {
            let mut members = match stored(change.derived_json.as_deref()) {
                Value::Object(members) => members,
                _ => Default::default(),
            };
            members.insert("change_id".into(), change.change_id.as_str().into());
            Value::Object(members)
        });
        Self { changes: changes.collect() }
    }

    /// The answer with these members and the evidence: whole entries are left out from the end.
    pub(crate) fn fitted(self, members: Vec<Member>, room: usize) -> Result<String, Stop> {
        let answer = |shown: usize| {
            let omitted = self.changes.len() - shown;
            let changes = self.changes.iter().take(shown).cloned().collect();
            let own = [
                ("changes", Value::Array(changes)),
                ("total_changes", number(self.changes.len())),
                ("omitted_changes", number(omitted)),
            ];
            json::object(members.iter().cloned().chain([("evidence", json::object(own))]))
        };
        let (mut shown, mut too_many) = (0, self.changes.len() + 1);
        while too_many - shown > 1 {
            let middle = shown.midpoint(too_many);
            if fits(&answer(middle), room) { shown = middle } else { too_many = middle }
        }
        Ok(fitted(answer(shown), room)?)
    }
}
