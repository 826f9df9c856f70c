//! In what a stock forge may differ from the one that was recorded: its limits, its releases and its kin.
//!
//! All of it is fixed when the forge starts. What a test changes while the forge serves is `control`'s.

/// The knobs of a stock forge. The default is the recorded release with the settings it comes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stock {
    /// Bytes of an object beyond which `/git/blobs` and `/contents` give its size without its content.
    pub max_blob_size: u64,
    /// Entries on a page of `/git/trees`, unless fewer are asked for.
    pub trees_per_page: usize,
    /// Items on a page of any other list, unless the caller says otherwise.
    pub default_items: usize,
    /// The most items that a caller may ask for.
    pub max_items: usize,
    /// Whether `/git/blobs` answers 404 for a tree, which the recorded forge gives as it gives any object.
    pub refuse_trees_as_blobs: bool,
    /// Whose answers these are where the two kinds differ.
    pub flavour: Flavour,
    /// How a repository that goes by another name now is answered under its old one.
    pub renamed: Renamed,
    /// Whether `updated_at` of a pull request is when this forge saw its head move, as on a forge that people push
    /// to. Otherwise it is the date of its last commit, which no two runs of a test disagree about.
    pub updated_when_seen: bool,
    /// Whether every branch of a served repository is a pull request of itself. Otherwise there are those alone that
    /// somebody asks for.
    pub branches_are_pulls: bool,
    /// How a write is answered whose `sha` is not that of the file as it is.
    pub wrong_sha: WrongSha,
    /// Whether a review's comment on a line outside the diff is kept. Forges take it and show it nowhere (K-35).
    pub keep_stray_comments: bool,
}

/// The answer to a write with another `sha` than the file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongSha {
    /// 422, as recorded.
    Unprocessable,
    /// 409, as releases from 12 on.
    Conflict,
}

/// A kind of forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// An object that is too big has `"content":""`; a tree listing of several pages is `truncated` on each of them.
    Forgejo,
    /// As releases from 2025 on: `"content":null,"encoding":null`; `truncated` says that another page follows.
    Gitea,
}

/// The answer under an old name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// 307 for everybody, as recorded: who may not read the repository learns its new name.
    Temporary,
    /// 301, as releases from 12 on, for those who may read the repository.
    Permanent,
}

impl Default for Stock {
    fn default() -> Self {
        Self {
            max_blob_size: 10 << 20,
            trees_per_page: 1000,
            default_items: 30,
            max_items: 50,
            refuse_trees_as_blobs: false,
            flavour: Flavour::Forgejo,
            renamed: Renamed::Temporary,
            updated_when_seen: false,
            branches_are_pulls: true,
            wrong_sha: WrongSha::Unprocessable,
            keep_stray_comments: false,
        }
    }
}
