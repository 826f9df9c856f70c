//! The answers about issues, and what pull requests share with them: comments, labels, edits.

pub(crate) mod answers;
pub(crate) mod comments;
pub(crate) mod edits;
pub(crate) mod labels;
