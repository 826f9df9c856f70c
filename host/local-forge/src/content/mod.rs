//! The answers about what is in a repository: files, directories and objects, and a file's new content.

pub(crate) mod blobs;
pub(crate) mod contents;
pub(crate) mod raw;
pub(crate) mod revision;
pub(crate) mod trees;
pub(crate) mod write;
