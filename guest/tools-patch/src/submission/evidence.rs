//! What was changed, in as many entries as the answer has room for; what is left out is counted (PG-25, E-37).

use assay_patch::json::{self, Value};

use crate::{
    answer::{Member, Stop, fits, fitted, number, spelled, stored},
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

    pub(crate) fn len(&self) -> usize {
        self.changes.len()
    }

    /// With at most so many entries: whole ones are left out from the end.
    pub(crate) fn value(&self, most: usize) -> Value {
        self.without(most, &[])
    }

    /// The same where `fields` are left out beside it, which it names.
    fn without(&self, most: usize, fields: &[&str]) -> Value {
        let shown = most.min(self.len());
        let omitted = self.changes.iter().skip(shown).map(|change| spelled(change).len()).sum();
        json::object([
            ("changes", Value::Array(self.changes.iter().take(shown).cloned().collect())),
            ("total_changes", number(self.len())),
            ("omitted_changes", number(self.len() - shown)),
            ("omitted_bytes", number(omitted)),
            ("omitted_fields", fields.iter().copied().collect()),
        ])
    }

    /// The answer with these members and the evidence.
    pub(crate) fn fitted(self, members: Vec<Member>, room: usize) -> Result<String, Stop> {
        self.fitted_without(members, &[], room)
    }

    /// The same where the answer may be without the members of these names: they are left out after all entries.
    pub(crate) fn fitted_without(
        self,
        mut members: Vec<Member>,
        optional: &[&str],
        room: usize,
    ) -> Result<String, Stop> {
        let answer = |members: &[Member], most, fields: &[&str]| {
            json::object(members.iter().cloned().chain([("evidence", self.without(most, fields))]))
        };
        let fitting = |left_out: &usize| {
            let (fields, _) = optional.split_at(*left_out);
            let kept: Vec<Member> = members.iter().filter(|(name, _)| !fields.contains(name)).cloned().collect();
            fits(&answer(&kept, 0, fields), room)
        };
        let left_out = (0..=optional.len()).find(fitting).unwrap_or(optional.len());
        let (fields, _) = optional.split_at(left_out);
        members.retain(|(name, _)| !fields.contains(name));
        let shown = most_that(self.len(), |most| fits(&answer(&members, most, fields), room));
        Ok(fitted(answer(&members, shown, fields), room)?)
    }
}

/// The greatest number up to `limit` that fits, of which every smaller one does too; 0 where none does.
pub(crate) fn most_that(limit: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut too_many) = (0, limit + 1);
    while too_many - fitting > 1 {
        let middle = fitting.midpoint(too_many);
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    fitting
}
