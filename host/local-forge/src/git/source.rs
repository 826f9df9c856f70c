//! A served repository as it lies on the disk: found, named by git, and only ever read.
//!
//! Two questions are put to it: where its git directory is (once), and what its branches are (before every answer).
//! Copying is `copy`'s work.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::{
    Error,
    git::run::{Failure, Git},
    pulls::numbers::Head,
};

/// The most that a listing of refs may take. A branch takes about a hundred bytes.
pub(crate) const MAX_REFS: usize = 16 << 20;

/// Which hash names the objects of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    /// git's and the forge's word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    /// How many hexadecimal digits a full id has.
    pub(crate) fn digits(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 => 64,
        }
    }

    /// Whether `text` is a full object id of this format, in lower case.
    pub(crate) fn is_id(self, text: &[u8]) -> bool {
        text.len() == self.digits() && text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    }
}

/// A repository that git opened.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The directory that holds the refs: for a linked worktree that of its main repository.
    pub(crate) git_dir: PathBuf,
    pub(crate) format: ObjectFormat,
    /// Says that the repository may be read although it may be somebody else's.
    trust: NamedTempFile,
}

/// The refs of a source, as git listed them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Refs {
    listing: Vec<u8>,
}

/// A branch that cannot be had, and what git says of it, one line.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// Without `refs/heads/`.
    pub(crate) branch: Vec<u8>,
    pub(crate) complaint: String,
}

impl Origin {
    /// Opens the repository at `path`, a work tree's top, a linked worktree's top, or a git directory.
    pub(crate) async fn open(git: &Git, path: &Path) -> Result<Self, Error> {
        let refuse = |detail: String| Error::NotARepository { path: path.to_owned(), detail };
        let folder = path.canonicalize().map_err(|e| refuse(e.to_string()))?;
        if !folder.is_dir() {
            return Err(refuse("it is not a folder".into()));
        }
        // Without this, a folder inside a work tree would quietly serve the repository around it.
        if !folder.join(".git").exists() && !folder.join("HEAD").exists() {
            return Err(refuse("it holds neither `.git` nor `HEAD`".into()));
        }
        let trust = git.trusting(&[&folder, &folder.join(".git")]).map_err(|e| refuse(e.to_string()))?;
        let mut command = git.anywhere();
        command.env("GIT_CONFIG_GLOBAL", trust.path());
        command.current_dir(&folder).args(["rev-parse", "--git-common-dir", "--show-object-format"]);
        if let Some(parent) = folder.parent() {
            command.env("GIT_CEILING_DIRECTORIES", parent);
        }
        let said = git.finish(command, "rev-parse".into(), &[], 64 << 10).await.map_err(|e| refuse(e.to_string()))?;
        let (directory, format) = two_lines(&said).ok_or_else(|| refuse("git does not say where it is".into()))?;
        let format = match format {
            b"sha1" => ObjectFormat::Sha1,
            b"sha256" => ObjectFormat::Sha256,
            _ => return Err(refuse("its object format is unknown".into())),
        };
        let git_dir = folder.join(as_path(directory)).canonicalize().map_err(|e| refuse(e.to_string()))?;
        // Without its history a clone cannot say where a branch left another, and would answer with a wrong diff.
        if git_dir.join("shallow").exists() {
            return Err(refuse("it is a shallow clone: run `git fetch --unshallow` in it first".into()));
        }
        let trust = git.trusting(&[&folder, &folder.join(".git"), &git_dir]).map_err(|e| refuse(e.to_string()))?;
        let origin = Self { git_dir, format, trust };
        if origin.is_partial(git).await.map_err(|e| refuse(e.to_string()))? {
            let advice =
                "it is a partial clone, which lacks objects: make a full one with `git clone` without `--filter`";
            return Err(refuse(advice.into()));
        }
        Ok(origin)
    }

    /// The configuration under which git reads it.
    pub(crate) fn trust(&self) -> &Path {
        self.trust.path()
    }

    /// Whether it says that some of its objects are to be had elsewhere. Nobody is asked for them here.
    async fn is_partial(&self, git: &Git) -> Result<bool, Failure> {
        let key = r"^(extensions\.partialclone|remote\..*\.promisor)$";
        match git.ask(&self.git_dir, ["config", "--local", "--name-only", "--get-regexp", key], 64 << 10).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused { code: Some(1), .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// What the branches, the tags and HEAD are now.
    pub(crate) async fn refs(&self, git: &Git) -> Result<Refs, Failure> {
        let arguments = ["for-each-ref", "--format=%(HEAD)%(objectname) %(refname)", "refs/heads/", "refs/tags/"];
        Ok(Refs { listing: git.ask(&self.git_dir, arguments, MAX_REFS).await? })
    }

    /// The branches that git does not list because they are broken.
    pub(crate) async fn ignored(&self, git: &Git) -> Result<Vec<Unreadable>, Failure> {
        let mut command = git.at(&self.git_dir);
        command.args(["for-each-ref", "--format=", "refs/heads/"]);
        let (_, complaint) = git.finish_aloud(command, "for-each-ref".into(), &[], MAX_REFS).await?;
        let lines = complaint.split("warning: ").map(str::trim);
        let broken = lines.filter_map(|line| {
            let (_, branch) = line.split_once("refs/heads/")?;
            Some(Unreadable { branch: branch.as_bytes().to_vec(), complaint: line.to_owned() })
        });
        Ok(broken.collect())
    }

    /// What HEAD says about the default branch.
    pub(crate) fn head<'a>(&self, refs: &'a Refs) -> Head<'a> {
        let has_work_tree = self.git_dir.file_name().is_some_and(|name| name == ".git");
        match refs.head() {
            Some(name) if has_work_tree => Head::CheckedOut(name),
            Some(name) => Head::Default(name),
            None => Head::Unborn,
        }
    }
}

impl Refs {
    /// The names of the branches, without `refs/heads/`.
    pub(crate) fn branches(&self) -> impl Iterator<Item = &[u8]> {
        let name = |line: &'_ [u8]| line.iter().position(|&b| b == b' ').map(|at| at + 1);
        let lines = self.listing.split(|&b| b == b'\n');
        // A space may stand before the id, where another branch has its star.
        lines.filter_map(move |line| {
            let line = line.get(1..)?;
            line.get(name(line)?..)?.strip_prefix(b"refs/heads/")
        })
    }

    /// The branch that HEAD names, where it has a commit.
    fn head(&self) -> Option<&[u8]> {
        let line = self.listing.split(|&b| b == b'\n').find(|line| line.starts_with(b"*"))?;
        let (_, name) = line.split_at_checked(line.iter().position(|&b| b == b' ')? + 1)?;
        name.strip_prefix(b"refs/heads/")
    }
}

/// A path may hold line feeds, the format cannot: so the last line is the format.
fn two_lines(said: &[u8]) -> Option<(&[u8], &[u8])> {
    let said = said.strip_suffix(b"\n")?;
    let at = said.iter().rposition(|&b| b == b'\n')?;
    let (directory, format) = said.split_at_checked(at)?;
    Some((directory, format.get(1..)?))
}

#[cfg(unix)]
fn as_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;

    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_of_head_is_the_one_with_the_star() {
        let refs = |text: &str| Refs { listing: text.as_bytes().to_vec() };
        assert_eq!(refs(" 12 refs/heads/a\n*34 refs/heads/b/c\n").head(), Some(&b"b/c"[..]));
        assert_eq!(refs(" 12 refs/heads/a\n").head(), None);
        for odd in ["", "*", "* ", "*12 refs/tags/x\n"] {
            assert_eq!(refs(odd).head(), None, "{odd}");
        }
    }

    #[test]
    fn branches_are_listed_by_name() {
        let refs = Refs { listing: b" 12 refs/heads/a b\n*34 refs/heads/c/\xff\n 56 refs/tags/x\n\n".to_vec() };
        assert_eq!(refs.branches().collect::<Vec<_>>(), [&b"a b"[..], b"c/\xff"]);
    }

    /// What belongs to somebody else is read all the same: its owner named it on purpose, and nothing in it is run.
    #[tokio::test]
    async fn a_repository_of_another_user_is_read() {
        let (home, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("another"));
        let path = folder.path().join("a \"quoted\" name");
        let mut git = Git::find(home.path()).await.expect("git is installed");
        let mut command = git.anywhere();
        command.args(["init", "--quiet"]).arg(&path);
        git.finish(command, "init".into(), &[], 4096).await.expect("the folder is empty");
        git.strangers = true;
        let mut command = git.anywhere();
        command.current_dir(&path).args(["rev-parse", "--git-dir"]);
        let refused = git.finish(command, "rev-parse".into(), &[], 4096).await.expect_err("it is not ours");
        assert!(refused.to_string().contains("dubious ownership"), "{refused}");

        let origin = Origin::open(&git, &path).await.expect("it is read all the same");
        let copy =
            crate::git::copy::Copy::open(&git, home.path().join("copy.git"), origin.format).await.expect("it is made");
        let refs = origin.refs(&git).await.expect("it is listed");
        crate::git::follow::fetch(&git, copy.dir(), &origin, &refs).await.expect("it is copied");
    }

    #[test]
    fn object_ids_are_full_and_in_lower_case() {
        assert!(ObjectFormat::Sha1.is_id(&[b'a'; 40]));
        assert!(ObjectFormat::Sha256.is_id(&[b'0'; 64]));
        assert!(!ObjectFormat::Sha1.is_id(&[b'A'; 40]));
        assert!(!ObjectFormat::Sha1.is_id(&[b'a'; 64]));
    }
}
