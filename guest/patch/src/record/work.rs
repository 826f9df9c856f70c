//! What a submission or a stored row does, whichever of the formats it is in: one target's transaction, or a batch.

use super::{Batch, Invalid, ObservedScope, Operation, Transaction};
use crate::{
    Profile, Protocol,
    apply::{Applied, Extras, Failure, apply, apply_batch},
    json::Value,
    text::Canonical,
};

/// One of the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Operations on the whole text.
    Transaction(Transaction),
    /// Operations within scopes.
    Batch(Batch),
}

impl Work {
    /// Reads a submission. `scopes` are those that were found under its ids.
    ///
    /// # Errors
    /// [`Invalid`] with the first thing that is wrong.
    pub fn read(request: &Value, scopes: &[ObservedScope], profile: &Profile) -> Result<Self, Invalid> {
        match profile.protocol {
            Protocol::ObservedBatch1 => Batch::read(request, scopes, profile).map(Self::Batch),
            _ => Transaction::read(request, profile).map(Self::Transaction),
        }
    }

    /// Reads a stored record, by the rules it was written under (P-126).
    ///
    /// # Errors
    /// [`Invalid`] where it is none of its format.
    pub fn read_record(record: &Value, profile: &Profile) -> Result<Self, Invalid> {
        match profile.protocol {
            Protocol::ObservedBatch1 => Batch::read_record(record, profile).map(Self::Batch),
            _ => Transaction::read(record, profile).map(Self::Transaction),
        }
    }

    /// What it is for.
    #[must_use]
    pub fn intent(&self) -> &str {
        match self {
            Self::Transaction(transaction) => &transaction.intent,
            Self::Batch(batch) => &batch.intent,
        }
    }

    /// All operations, in the order in which an application tells of them.
    pub fn operations(&self) -> Box<dyn Iterator<Item = &Operation> + '_> {
        match self {
            Self::Transaction(transaction) => Box::new(transaction.operations.iter()),
            Self::Batch(batch) => Box::new(batch.groups.iter().flat_map(|group| &group.operations)),
        }
    }

    /// Applies it.
    ///
    /// # Errors
    /// [`Failure`] of the first operation that does not apply; nothing counts then.
    pub fn apply(&self, start: &Canonical, profile: &Profile, extras: Extras) -> Result<Applied, Box<Failure>> {
        match self {
            Self::Transaction(transaction) => apply(start, transaction, profile, extras),
            Self::Batch(batch) => apply_batch(start, batch, extras),
        }
    }
}
