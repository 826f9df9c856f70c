//! Files and directories at a commit: what a forge's answers about them must look like (F).
//!
//! A name is resolved to a commit's full id first and everything else is read at that id, so that a moving branch changes
//! nothing in between. What of a file is complete is checked against its object id; what is only a part says so.

mod contents;
mod entry;
mod path;
mod range;
mod reference;

use std::fmt;

use crate::{http, json, object};

pub use contents::{Contents, ContentsAnswer, HELD_BYTES};
pub use entry::check_listed;
pub use path::{TreePath, quoted, shown};
pub use range::Part;
pub use reference::{Named, Reference, commit_of_branch, commit_of_tag, default_branch, tree_of_commit};

/// What was asked for, for the sentences of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The repository itself.
    Repository,
    /// A branch.
    Branch,
    /// A tag.
    Tag,
    /// A commit.
    Commit,
    /// A file at a commit.
    File,
    /// A directory at a commit.
    Directory,
}

impl What {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Branch => "branch",
            Self::Tag => "tag",
            Self::Commit => "commit",
            Self::File => "file",
            Self::Directory => "directory",
        }
    }

    const fn to_check(self) -> &'static str {
        match self {
            Self::Repository => "check owner and repo",
            Self::Branch | Self::Tag | Self::Commit => "check owner, repo and ref",
            Self::File | Self::Directory => "check path and ref, with list_tree for what there is",
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Directory,
    /// A link to another path, which is not followed.
    Symlink,
    /// A commit of another repository.
    Submodule,
    /// Something that the forge has another word for.
    Other,
}

/// Why nothing of a file or a directory is shown. The codes of [`Fault::code`] are stable; no sentence holds a byte that
/// the forge sent (F-029).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The answer's status or fields.
    #[error("{}", said(*.0, *.1))]
    Http(What, http::Fault),
    /// Neither a branch nor a tag.
    #[error(
        "the forge shows this credential neither a branch nor a tag of the name in `ref` (HTTP 404): there is none, or the \
         repository does not exist or is hidden from this token, and the forge does not say which; check owner, repo and ref"
    )]
    NoRef,
    /// The same for what can be the beginning of an id.
    #[error(
        "the forge shows this credential neither a branch nor a tag of the name in `ref` (HTTP 404); if it is an abbreviated \
         commit id: such an id can come to mean another commit and is not resolved, so give all 40 (or 64) digits of it"
    )]
    ShortId,
    /// A full id that is not a commit's.
    #[error(
        "the id in `ref` is not that of a commit in this repository, but perhaps that of an annotated tag: give the tag by its \
         name, or the id of the commit"
    )]
    NotCommit,
    /// The forge names no default branch.
    #[error(
        "the forge names no default branch of the repository, so `ref` cannot be left out: give a branch, tag or commit"
    )]
    NoDefault,
    /// The default branch has no commit.
    #[error(
        "the repository's default branch has no commit (HTTP 404): the repository is probably empty; if it is not, give a \
         branch, tag or full commit id as `ref`"
    )]
    Empty,
    /// Not JSON in the form of its route.
    #[error(
        "the forge's answer about the {0} is not whole JSON in the form of its route; nothing of it is shown: call again, and \
         tell the forge's operator if it stays so"
    )]
    Malformed(What),
    /// An answer about something else.
    #[error(
        "the forge's answer is about another {0} than was asked for, or does not say about which; nothing of it is shown: \
         call again, and tell the forge's operator if it stays so"
    )]
    Foreign(What),
    /// F-015.
    #[error("{}", not_a_file(*.0))]
    NotFile(Kind),
    /// F-014, F-036.
    #[error(
        "the forge's bytes of the file are not the file that they are said to be: {0}; nothing of it is shown: call again, and \
         tell the forge's operator if it stays so"
    )]
    Content(object::Fault),
    /// F-057, F-061.
    #[error(
        "the directory at the commit that this walk is pinned to does not have the file as the walk began with it ({0}), so \
         nothing more of it is shown: start again without a cursor"
    )]
    NotListed(Listed),
    /// O-F3.
    #[error(
        "the forge's listing of the file's directory is larger than the 16 MiB that are read of it, so the file cannot be \
         checked before its next part is read; read the file in another way, for example with git"
    )]
    ListingTooLarge,
    /// An answer without end.
    #[error(
        "the forge's answer about the {0} is longer than what is read of one; nothing of it is shown: call again, and tell the \
         forge's operator if it stays so"
    )]
    AnswerTooLarge(What),
    /// A tree that was checked has no such entry.
    #[error(
        "there is nothing at `path` at this commit: its directories were read whole, and one of them has no entry of that name; \
         names are compared exactly, letter case included"
    )]
    NoEntry,
    /// A directory was asked for.
    #[error("what stands at `path` at this commit is no directory; read a file with get_file")]
    NotDirectory,
    /// A tree that cannot be had as it is.
    #[error(
        "the directory could not be checked against its object id, as the forge does not give the object itself and its \
         listing of it is not exact ({0}); nothing of it is shown: read it in another way, for example with git"
    )]
    Tree(object::Fault),
}

/// How a directory's entry differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Listed {
    /// None, or more than one, of that path.
    #[error("no one entry has its path")]
    Path,
    /// It is no regular file.
    #[error("it is no regular file")]
    Kind,
    /// Another object.
    #[error("it has another object id")]
    Blob,
    /// Another size.
    #[error("it has another size")]
    Size,
}

impl Fault {
    /// What is wrong with the forge's JSON about a directory, or about an object on the way to it.
    #[must_use]
    pub const fn of_tree(fault: object::Fault) -> Self {
        match fault {
            object::Fault::Json(json::Fault::TooMuch) => Self::AnswerTooLarge(What::Directory),
            other => Self::Tree(other),
        }
    }

    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Http(_, fault) => fault.code(),
            Self::NoRef | Self::NoEntry => "not_found",
            Self::ShortId | Self::NotCommit => "ref_not_commit",
            Self::NoDefault => "no_default_branch",
            Self::Empty => "repository_empty",
            Self::Malformed(_) => "answer_malformed",
            Self::Foreign(_) => "answer_foreign",
            Self::NotFile(_) => "not_a_file",
            Self::NotDirectory => "not_a_directory",
            Self::Content(_) => "content_mismatch",
            Self::NotListed(_) => "file_changed",
            Self::ListingTooLarge => "directory_too_large",
            Self::AnswerTooLarge(_) => "answer_too_large",
            Self::Tree(_) => "tree_unverified",
        }
    }
}

/// One sentence each: what is known, what is not, what to do.
fn said(what: What, fault: http::Fault) -> String {
    let name = what;
    match fault {
        http::Fault::Unauthorized => format!(
            "the forge refused the credential itself (HTTP 401), which says nothing about the {name}; the token is wrong, \
             expired or revoked: use a valid one"
        ),
        http::Fault::Forbidden => format!(
            "the forge knows the credential but does not let it do this (HTTP 403), which does not say whether the {name} \
             exists; the token needs the scope `read:repository`, and its owner may need access to the repository's code: \
             check both"
        ),
        http::Fault::NotFound => format!(
            "the forge shows no such {name} to this credential (HTTP 404): it does not exist, or the repository is hidden \
             from this token, and the forge does not say which; {}",
            what.to_check()
        ),
        http::Fault::RateLimited(status, wait) => format!(
            "the forge itself has had too many requests (HTTP {status}), which says nothing about the {name}; {}",
            wait.or("wait a minute and call again")
        ),
        other => other.to_string(),
    }
}

const fn not_a_file(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "what stands at `path` is a directory, not a regular file: list it with list_tree",
        Kind::Symlink => {
            "what stands at `path` is a symbolic link, not a regular file, and links are not followed: give the path of the \
             file itself"
        }
        Kind::Submodule => {
            "what stands at `path` is a submodule, a commit of another repository, not a regular file: read it in that \
             repository"
        }
        Kind::Other => "what stands at `path` is not a regular file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F-021, F-028, F-029: the sentences speak of files and of the scope, and never of a pull request.
    #[test]
    fn sentences_speak_of_files() {
        use http::Fault as Of;
        let wait = http::Wait::default();
        let all = [
            Of::Unauthorized,
            Of::Forbidden,
            Of::NotFound,
            Of::RateLimited(429, wait),
            Of::ServerError(500, wait),
            Of::RangeIgnored,
        ];
        for what in [What::Repository, What::Branch, What::Tag, What::Commit, What::File, What::Directory] {
            for fault in all.into_iter().chain([Of::Redirected(301), Of::UnexpectedStatus(304)]) {
                let text = Fault::Http(what, fault).to_string();
                assert!(!text.contains("pull request"), "{text}");
                assert_eq!(Fault::Http(what, fault).code(), fault.code());
            }
            assert!(Fault::Http(what, Of::Forbidden).to_string().contains("`read:repository`"));
            assert!(Fault::Http(what, Of::NotFound).to_string().contains(what.as_str()));
        }
    }
}
