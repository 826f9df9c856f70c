//! What a forge answers to a write: read so that it can be held against what was sent.
//!
//! A write is not done again because its answer is odd, so nothing here is refused that can still be told: a member that
//! is missing or of another type is absent. What must be there is the id by which the caller finds what was made.

mod file;
mod issue;
mod review;

pub use file::WrittenFile;
pub use issue::{Commented, Opened};
pub use review::{LineComment, Reviewed, Side, find_comments};

/// Why an answer does not tell what was made. A phrase that goes on behind "but".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not one whole JSON object, or none with the ids of what was made.
    #[error("its answer is not one whole JSON object that names what was made")]
    Malformed,
    /// Another repository, number or path than was asked for.
    #[error("its answer is about something else than was asked for")]
    Foreign,
}

/// Whether a URL of the forge's ends in `/<number>`, a fragment not counted.
fn names_number(url: &str, number: u64) -> bool {
    let path = url.split(['#', '?']).next().unwrap_or_default();
    path.rsplit('/').next() == Some(number.to_string().as_str())
}
