//! The bare copy of one served repository: the only place where git writes, and the only one that is asked for diffs.
//!
//! It is made without a template, so it has no hooks and no attributes, and its configuration is what git itself puts
//! into a new repository. How the source's refs come over is `follow`'s; the forge's own branches and tags, and the heads
//! of pull requests, are written beside them.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use crate::{
    git::{
        run::{Failure, Git},
        source::{MAX_REFS, ObjectFormat},
    },
    state::written::Ref,
};

/// The most that the tips of all branches may say of themselves, messages included.
const MAX_TIPS: usize = 64 << 20;
/// What is asked of every tip; each is ended by a NUL, which none of them can hold.
const TIP_FIELDS: [&str; 10] = [
    "%(objectname)",
    "%(refname)",
    "%(committerdate:unix)",
    "%(authordate:iso-strict)",
    "%(authorname)",
    "%(authoremail:trim)",
    "%(committername)",
    "%(committeremail:trim)",
    "%(contents:subject)",
    "%(contents)",
];

/// A bare copy that exists.
#[derive(Debug)]
pub(crate) struct Copy {
    dir: PathBuf,
    format: ObjectFormat,
}

/// A ref of the copy and the commit it names, with what the forge shows of it. Texts are lossy where they are not
/// UTF-8, as a forge's JSON is; the ref's name is not.
#[derive(Debug, Clone)]
pub(crate) struct Tip {
    pub(crate) oid: String,
    /// In full: `refs/heads/main`.
    pub(crate) name: Vec<u8>,
    /// Seconds since 1970.
    pub(crate) committed: i64,
    /// RFC 3339, in the author's own zone.
    pub(crate) authored: String,
    pub(crate) author: Person,
    pub(crate) committer: Person,
    /// The first paragraph, on one line.
    pub(crate) subject: String,
    /// The whole message.
    pub(crate) message: String,
}

/// Who is named in a commit.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) email: String,
}

/// What two commits have to do with each other.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    /// The commit from which the diff is taken: a common ancestor, or the base's tip when there is none.
    pub(crate) merge_base: String,
    /// Whether the two merge without conflict. False also where this git cannot tell.
    pub(crate) mergeable: bool,
}

impl Copy {
    /// Opens the copy at `dir`, making it when it is not there.
    pub(crate) async fn open(git: &Git, dir: PathBuf, format: ObjectFormat) -> Result<Self, Failure> {
        if !dir.join("HEAD").exists() {
            let mut command = git.anywhere();
            command.args(["init", "--quiet", "--bare", "--template="]);
            command.arg(format!("--object-format={}", format.name())).arg(&dir);
            git.finish(command, "init".into(), &[], 4096).await?;
        }
        Ok(Self { dir, format })
    }

    /// Where it lies.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What was brought over from the source, under the names that it has there: `refs/heads/main`.
    pub(crate) async fn source(&self, git: &Git) -> Result<Vec<Ref>, Failure> {
        let refs = self.list(git, &["refs/source/"]).await?;
        let there = |(name, oid): Ref| Some(([b"refs/", name.strip_prefix(b"refs/source/")?].concat(), oid));
        Ok(refs.into_iter().filter_map(there).collect())
    }

    /// Makes the branches and tags here these.
    pub(crate) async fn set(&self, git: &Git, wanted: &[Ref]) -> Result<(), Failure> {
        let have = self.list(git, &["refs/heads/", "refs/tags/"]).await?;
        let named = |refs: &[Ref]| refs.iter().map(|(name, _)| name.clone()).collect::<HashSet<_>>();
        let (here, kept) = (named(&have), named(wanted));
        let known: HashSet<&Ref> = have.iter().collect();
        // Apart, because a branch `a` must be gone before there can be an `a/b`.
        let gone = here.difference(&kept).flat_map(|name| [b"delete ", &name[..], b"\n"].concat()).collect();
        let moved = wanted.iter().filter(|one| !known.contains(one));
        let line = |(name, oid): &Ref| [b"update ", &name[..], b" ", oid.as_bytes(), b"\n"].concat();
        self.update(git, gone).await?;
        self.update(git, moved.flat_map(line).collect()).await
    }

    /// Whether `commit` is `ancestor` or comes after it.
    pub(crate) async fn contains(&self, git: &Git, commit: &str, ancestor: &str) -> Result<bool, Failure> {
        match git.ask(&self.dir, ["merge-base", "--is-ancestor", ancestor, commit], 4096).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused { code: Some(1), .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    async fn update(&self, git: &Git, input: Vec<u8>) -> Result<(), Failure> {
        if input.is_empty() {
            return Ok(());
        }
        let mut command = git.at(&self.dir);
        command.args(["update-ref", "--no-deref", "--stdin"]);
        git.finish(command, "update-ref".into(), &input, 4096).await?;
        Ok(())
    }

    async fn list(&self, git: &Git, below: &[&str]) -> Result<Vec<Ref>, Failure> {
        let arguments = [&["for-each-ref", "--format=%(objectname) %(refname)"], below].concat();
        let said = git.ask(&self.dir, arguments, MAX_REFS).await?;
        let mut refs = Vec::new();
        for line in said.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            let at = line.iter().position(|&b| b == b' ').ok_or(Failure::Unexpected("for-each-ref"))?;
            let (oid, name) = line.split_at_checked(at).ok_or(Failure::Unexpected("for-each-ref"))?;
            refs.push((name.get(1..).unwrap_or_default().to_vec(), self.id(oid, "for-each-ref")?));
        }
        Ok(refs)
    }

    /// Sets `refs/pull/N/head` for each `(N, commit)`, all or none.
    pub(crate) async fn set_pull_heads(&self, git: &Git, heads: &[(u64, String)]) -> Result<(), Failure> {
        let input: String = heads.iter().map(|(n, oid)| format!("update refs/pull/{n}/head {oid}\n")).collect();
        self.update(git, input.into_bytes()).await
    }

    /// The tips of all branches and pull request heads, by ref name.
    pub(crate) async fn tips(&self, git: &Git) -> Result<Vec<Tip>, Failure> {
        let format: String = TIP_FIELDS.iter().flat_map(|field| [field, "%00"]).collect();
        let arguments = ["for-each-ref", &format!("--format={format}"), "refs/heads/", "refs/pull/"];
        let said = git.ask(&self.dir, arguments, MAX_TIPS).await?;
        let mut fields = said.split(|&b| b == 0);
        let mut tips = Vec::new();
        loop {
            // The line feed that ends a record starts the next one's first field.
            let first = fields.next().ok_or(Failure::Unexpected("for-each-ref"))?;
            let first = if tips.is_empty() { first } else { first.strip_prefix(b"\n").unwrap_or(first) };
            if first.is_empty() {
                return Ok(tips);
            }
            let mut rest = [&[][..]; TIP_FIELDS.len() - 1];
            for field in &mut rest {
                *field = fields.next().ok_or(Failure::Unexpected("for-each-ref"))?;
            }
            let [name, committed, authored, author, author_email, committer, committer_email, subject, message] = rest;
            tips.push(Tip {
                oid: self.id(first, "for-each-ref")?,
                name: name.to_vec(),
                committed: text(committed).parse().unwrap_or(0),
                authored: text(authored).replace("+00:00", "Z"),
                author: Person { name: text(author), email: text(author_email) },
                committer: Person { name: text(committer), email: text(committer_email) },
                subject: text(subject),
                message: text(message),
            });
        }
    }

    /// Where the diff of `head` against `base` starts, and whether the two merge.
    pub(crate) async fn range(&self, git: &Git, base: &str, head: &str) -> Result<Range, Failure> {
        let merge_base = match git.ask(&self.dir, ["merge-base", base, head], 4096).await {
            Ok(said) => self.id(said.strip_suffix(b"\n").unwrap_or(&said), "merge-base")?,
            // No common ancestor: released forges then take the base's tip.
            Err(Failure::Refused { code: Some(1), .. }) => base.to_owned(),
            Err(other) => return Err(other),
        };
        let merge = ["merge-tree", "--write-tree", "--no-messages", "--name-only", base, head];
        let mergeable = git.ask(&self.dir, merge, MAX_REFS).await.is_ok();
        Ok(Range { merge_base, mergeable })
    }

    /// What it takes on the disk, in KiB.
    pub(crate) async fn size(&self, git: &Git) -> Result<u64, Failure> {
        let said = git.ask(&self.dir, ["count-objects", "-v"], 4096).await?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let number = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            matches!(name, "size" | "size-pack").then(|| value.parse::<u64>().ok()).flatten()
        };
        Ok(said.lines().filter_map(number).sum())
    }

    fn id(&self, text: &[u8], command: &'static str) -> Result<String, Failure> {
        if !self.format.is_id(text) {
            return Err(Failure::Unexpected(command));
        }
        Ok(String::from_utf8_lossy(text).into_owned())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
