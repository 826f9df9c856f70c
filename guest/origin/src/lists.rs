//! The `origin-lists` port as a trait.

use crate::{Fault, Pending};

/// Lists of repositories, whose rows the tool drops that are not to be shown (G-085).
pub trait Lists {
    /// Starts a request for a route that names no repository.
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending>;

    /// Which of the repositories with these numeric ids may be shown, in their order.
    ///
    /// # Errors
    /// Why it is not known; then none may be.
    fn shows(&self, repositories: &[u64]) -> Result<Vec<bool>, Fault>;
}
