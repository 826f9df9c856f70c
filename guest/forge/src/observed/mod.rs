//! What can be relied on of a diff from a stock forge, which sends it without a hash and often without a length (O).
//!
//! The diff is parsed to its last byte and proven against git objects while it streams by; what came of it is stated in a
//! receipt of its own name, with the level that was reached and what stays open.

mod inputs;
mod observation;
mod receipt;
#[cfg(test)]
mod tests;

pub use self::{
    inputs::{PullInputs, bracket, head_of},
    observation::{Finished, Observation, Observed, Selection},
    receipt::{Content, Input, Inputs, Known, PullRequestId, Receipt, RepositoryId, SCHEMA},
};

/// Why what a stock forge says about a pull request is not enough for a receipt. The codes of [`Fault::code`] are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The pull request's JSON lacks an id, or has ids that contradict each other.
    #[error(
        "the forge's answer about the pull request lacks the ids that name its repository and itself, or they \
         contradict each other; nothing is shown: call again, and tell the forge's operator if it stays so"
    )]
    Identity,
    /// There is no merge base yet.
    #[error(
        "the forge has not worked out this pull request's merge base yet, so it cannot be said what its diff is made \
         from: call again in a few seconds"
    )]
    MergeBase,
    /// The forge shows no `refs/pull/N/head`.
    #[error(
        "the forge shows no head commit for this pull request (refs/pull/N/head), so it cannot be said what its diff is \
         made from; nothing is shown: call again, and tell the forge's operator if it stays so"
    )]
    Head,
    /// The inputs differ from one read to the next, twice.
    #[error(
        "the pull request moved while its diff was read, and again while it was read anew; nothing is shown: call again \
         in a few seconds"
    )]
    Moved,
    /// The diff is not the change between its two inputs.
    #[error(
        "the forge's diff is not the change from the merge base to the head: {0}; nothing of it is shown: call again, \
         and tell the forge's operator if it stays so"
    )]
    Contradicted(crate::proof::Contradiction),
}

impl Fault {
    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Identity => "answer_malformed",
            Self::MergeBase | Self::Head => "inputs_unavailable",
            Self::Moved => "inputs_moved",
            Self::Contradicted(_) => "diff_contradicted",
        }
    }
}
