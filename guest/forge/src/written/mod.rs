//! What a forge answers to a write: read so that it can be held against what was sent.
//!
//! A write is not done again because its answer is odd, so nothing here is refused that can still be told: a member that
//! is missing or of another type is absent. What must be there is the id by which the caller finds what was made.

mod file;
mod issue;
mod review;

pub use file::WrittenFile;
pub use issue::{Commented, Opened};
pub use review::{Found, LineComment, Reviewed, Side, find_comments};

use crate::{Index, Owner, RepoName, listing::Target};

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

/// Whether a URL of the forge's leads to this issue or pull request of this repository, whose case does not count.
fn leads_to(url: &str, owner: &Owner, repo: &RepoName, index: Index) -> bool {
    let segments = Target::parse(url).map(|target| target.segments).unwrap_or_default();
    let [.., of, named, kind, number] = segments.as_slice() else { return false };
    let same = |have: &str, wanted: &str| have.to_lowercase() == wanted.to_lowercase();
    same(of, owner.as_str())
        && same(named, repo.as_str())
        && matches!(kind.as_str(), "issues" | "pulls")
        && *number == index.to_string()
}
