//! New commits in the forge's copy: two histories joined, a branch put on top of another, a tree with its parents.
//!
//! Plumbing alone: no work tree, no index but a temporary one, no hook, nobody's configuration.

use std::path::Path;

use tokio::process::Command;

use crate::git::{
    run::{Failure, Git},
    source::MAX_REFS,
};

/// The most commits that are put on top of another branch.
const MAX_REPLAYED: usize = 1000;

/// Who a commit is by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Author {
    pub(crate) name: String,
    pub(crate) email: String,
    /// As git takes it; now when there is none.
    pub(crate) date: Option<String>,
}

impl Author {
    /// An account, by the address that it is shown under.
    pub(crate) fn of(login: &str) -> Self {
        Self { name: login.to_owned(), email: format!("{login}@noreply.localhost"), date: None }
    }
}

/// What became of joining two histories.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// The commit that has both.
    At(String),
    Conflict,
}

/// git in one copy, for one account.
pub(crate) struct Plumbing<'a> {
    git: &'a Git,
    dir: &'a Path,
    committer: Author,
}

impl<'a> Plumbing<'a> {
    pub(crate) fn new(git: &'a Git, dir: &'a Path, committer: Author) -> Self {
        Self { git, dir, committer }
    }

    /// A commit of this tree, by this author.
    pub(crate) async fn commit(
        &self,
        tree: &str,
        parents: &[&str],
        message: &str,
        author: &Author,
    ) -> Result<String, Failure> {
        let mut command = self.git.at(self.dir);
        for (role, who) in [("AUTHOR", author), ("COMMITTER", &self.committer)] {
            command.env(format!("GIT_{role}_NAME"), &who.name).env(format!("GIT_{role}_EMAIL"), &who.email);
            command.envs(who.date.as_ref().map(|date| (format!("GIT_{role}_DATE"), date)));
        }
        command.args(["-c", "commit.gpgSign=false", "-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree]);
        for parent in parents {
            command.args(["-p", parent]);
        }
        // Without standard input git would read an empty message, which is one too.
        self.id(command, "commit-tree", message.as_bytes()).await
    }

    /// Both, under a commit of two parents.
    pub(crate) async fn merge(&self, base: &str, head: &str, message: &str) -> Result<Joined, Failure> {
        match self.join(&[base, head]).await? {
            Some(tree) => Ok(Joined::At(self.commit(&tree, &[base, head], message, &self.committer).await?)),
            None => Ok(Joined::Conflict),
        }
    }

    /// All that `head` has beyond `base`, as one commit.
    pub(crate) async fn squash(&self, base: &str, head: &str, message: &str) -> Result<Joined, Failure> {
        match self.join(&[base, head]).await? {
            Some(tree) => Ok(Joined::At(self.commit(&tree, &[base], message, &self.committer).await?)),
            None => Ok(Joined::Conflict),
        }
    }

    /// The commits of `head` again, one by one, on top of `base`. Merges among them are left out.
    pub(crate) async fn rebase(&self, base: &str, head: &str) -> Result<Joined, Failure> {
        let arguments = ["rev-list", "--reverse", "--topo-order", "--no-merges", "--parents", head, "--not", base];
        let said = self.git.ask(self.dir, arguments, MAX_REFS).await?;
        let said = String::from_utf8_lossy(&said).into_owned();
        if said.lines().count() > MAX_REPLAYED {
            return Err(Failure::TooMuch("rev-list".into()));
        }
        let mut tip = base.to_owned();
        for line in said.lines() {
            let (commit, parent) = line.split_once(' ').unwrap_or((line, ""));
            if parent == tip {
                // It stands there already.
                commit.clone_into(&mut tip);
                continue;
            }
            let tree = if parent.is_empty() {
                self.join(&[&tip, commit]).await?
            } else {
                self.join(&[&format!("--merge-base={parent}"), &tip, commit]).await?
            };
            let Some(tree) = tree else { return Ok(Joined::Conflict) };
            let (author, message) = self.author_of(commit).await?;
            tip = self.commit(&tree, &[&tip], &message, &author).await?;
        }
        Ok(Joined::At(tip))
    }

    /// Puts bytes into the copy and gives their id.
    pub(crate) async fn blob(&self, content: &[u8]) -> Result<String, Failure> {
        let mut command = self.git.at(self.dir);
        command.args(["hash-object", "-w", "--no-filters", "--stdin"]);
        self.id(command, "hash-object", content).await
    }

    /// The tree of `commit` with one entry set. `index` is where no file is yet.
    pub(crate) async fn tree_with(
        &self,
        commit: Option<&str>,
        (mode, oid, path): (&str, &str, &[u8]),
        index: &Path,
    ) -> Result<String, Failure> {
        let at = || {
            let mut command = self.git.at(self.dir);
            command.env("GIT_INDEX_FILE", index);
            command
        };
        if let Some(commit) = commit {
            let mut command = at();
            command.args(["read-tree", commit]);
            self.git.finish(command, "read-tree".into(), &[], 4096).await?;
        }
        let mut command = at();
        command.args(["update-index", "-z", "--index-info"]);
        let line = [mode.as_bytes(), b" ", oid.as_bytes(), b"\t", path, b"\0"].concat();
        self.git.finish(command, "update-index".into(), &line, 4096).await?;
        let mut command = at();
        command.arg("write-tree");
        self.id(command, "write-tree", &[]).await
    }

    /// The tree that two commits join to, if they do without conflict.
    async fn join(&self, sides: &[&str]) -> Result<Option<String>, Failure> {
        let arguments =
            [&["merge-tree", "--write-tree", "--no-messages", "--allow-unrelated-histories"], sides].concat();
        match self.git.ask(self.dir, arguments, MAX_REFS).await {
            Ok(said) => Ok(Some(one_id(&said, "merge-tree")?)),
            Err(Failure::Refused { code: Some(1), .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    async fn author_of(&self, commit: &str) -> Result<(Author, String), Failure> {
        let arguments =
            ["log", "-1", "--no-patch", "--format=%an%x00%ae%x00%ad%x00%B", "--date=raw", "--end-of-options", commit];
        let said = self.git.ask(self.dir, arguments, MAX_REFS).await?;
        let mut fields = said.splitn(4, |&b| b == 0).map(|field| String::from_utf8_lossy(field).into_owned());
        let mut next = || fields.next().ok_or(Failure::Unexpected("log"));
        let (name, email, date, message) = (next()?, next()?, next()?, next()?);
        Ok((Author { name, email, date: Some(date) }, message.trim_end().to_owned() + "\n"))
    }

    async fn id(&self, command: Command, name: &'static str, input: &[u8]) -> Result<String, Failure> {
        one_id(&self.git.finish(command, name.into(), input, 4096).await?, name)
    }
}

/// The id that is all that git said.
fn one_id(said: &[u8], command: &'static str) -> Result<String, Failure> {
    let id = said.trim_ascii();
    if !matches!(id.len(), 40 | 64) || !id.iter().all(u8::is_ascii_hexdigit) {
        return Err(Failure::Unexpected(command));
    }
    Ok(String::from_utf8_lossy(id).into_owned())
}
