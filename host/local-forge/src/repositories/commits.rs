//! Commits: one of them, a branch's, a pull request's.

use http::StatusCode;
use serde::Serialize;

use crate::{
    Error,
    content::revision::clean,
    git::{copy::Person, listing::as_text, run::Failure},
    serve::{
        routes::{One, is_true},
        target::Query,
    },
    wire::{
        answer::{Answer, json},
        shapes::{NEVER, Verification, text},
    },
};

/// The most that the commits of a page may say of themselves, or one of its files.
const MAX_SAID: usize = 64 << 20;
/// What is asked of a commit; each is ended by a NUL, which none of them can hold.
const FORMAT: &str = "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x00";
const FIELDS: usize = 9;

#[derive(Serialize)]
struct Shown {
    url: String,
    sha: String,
    created: String,
    html_url: String,
    commit: Said,
    author: Option<()>,
    committer: Option<()>,
    parents: Vec<Object>,
    files: Option<Vec<File>>,
    stats: Option<Stats>,
}

#[derive(Serialize)]
struct Said {
    url: String,
    author: Who,
    committer: Who,
    message: String,
    tree: Object,
    verification: Option<Verification>,
}

#[derive(Serialize)]
struct Who {
    name: String,
    email: String,
    date: String,
}

#[derive(Serialize)]
struct Object {
    url: String,
    sha: String,
    created: String,
}

#[derive(Serialize)]
struct File {
    filename: String,
    status: &'static str,
}

#[derive(Serialize)]
struct Stats {
    total: u64,
    additions: u64,
    deletions: u64,
}

/// A commit as git tells it.
struct Commit {
    oid: String,
    parents: Vec<String>,
    author: (Person, String),
    committer: (Person, String),
    message: String,
}

impl One<'_> {
    /// `name` is any revision.
    pub(crate) async fn git_commit(&self, name: &[u8], query: &Query) -> Result<Answer, Error> {
        if !is_name(name) {
            let message = format!("no valid ref or sha: {}", text(name));
            return Ok(self.forge.wording.refused(StatusCode::UNPROCESSABLE_ENTITY, &message));
        }
        let Some(oid) = self.commit_of(name).await? else {
            return Ok(self.forge.wording.not_found_as(&text(name), None));
        };
        let commits = self.read_commits(&["-1", "--end-of-options", &oid], None).await?;
        let commit = commits.into_iter().next().ok_or(Failure::Unexpected("log"))?;
        Ok(json(StatusCode::OK, &self.shown_commit(commit, query).await?))
    }

    /// The commits that `sha` leads to, a branch or any revision; the default branch without one.
    pub(crate) async fn commits(&self, query: &Query) -> Result<Answer, Error> {
        if self.snapshot.is_empty() {
            return Ok(self.forge.wording.refused(StatusCode::CONFLICT, "Git Repository is empty."));
        }
        let name = query.get("sha").filter(|sha| !sha.is_empty()).map_or(&self.snapshot.default[..], str::as_bytes);
        let from = match self.snapshot.branch(name) {
            Some(tip) => Some(tip.oid.clone()),
            None => self.commit_of(name).await?,
        };
        let Some(from) = from else { return Ok(json(StatusCode::NOT_FOUND, &None::<()>)) };
        let path = query.get("path").map(|path| clean(path.as_bytes())).filter(|path| !path.is_empty());
        self.commit_page(&[&from], path.as_deref(), "commits", query, true).await
    }

    /// The commits of a pull request, newest first.
    pub(crate) async fn pull_commits(&self, index: &[u8], query: &Query) -> Result<Answer, Error> {
        let Some((number, pull, _)) = self.find(index) else { return Ok(self.forge.wording.not_found()) };
        let range = self.range(number, pull).await?;
        let route = format!("pulls/{number}/commits");
        self.commit_page(&[&pull.head, "--not", &range.merge_base], None, &route, query, false).await
    }

    async fn commit_page(
        &self,
        which: &[&str],
        path: Option<&[u8]>,
        route: &str,
        query: &Query,
        names_total_twice: bool,
    ) -> Result<Answer, Error> {
        let page = self.forge.page(query);
        let mut command = self.forge.git.at(self.repository.dir());
        command.env("GIT_LITERAL_PATHSPECS", "1").args(["rev-list", "--count"]).args(which).arg("--");
        command.args(path.map(as_text));
        let said = self.forge.git.finish(command, "rev-list".into(), &[], 4096).await?;
        let total: usize = text(&said).trim().parse().map_err(|_| Failure::Unexpected("rev-list"))?;
        let (limit, skip) = (format!("--max-count={}", page.limit()), format!("--skip={}", page.start()));
        let arguments = [&[&*limit, &*skip], which].concat();
        let mut shown = Vec::new();
        if page.start() < total {
            for commit in self.read_commits(&arguments, path).await? {
                shown.push(self.shown_commit(commit, query).await?);
            }
        }
        let mut answer = json(StatusCode::OK, &shown);
        page.describe_twice(&mut answer, total, &format!("{}/{route}", self.api()), query, names_total_twice);
        Ok(answer)
    }

    async fn read_commits(&self, arguments: &[&str], path: Option<&[u8]>) -> Result<Vec<Commit>, Failure> {
        let mut command = self.forge.git.at(self.repository.dir());
        command.env("GIT_LITERAL_PATHSPECS", "1").args(["log", FORMAT, "--no-patch"]).args(arguments).arg("--");
        command.args(path.map(as_text));
        parse(&self.forge.git.finish(command, "log".into(), &[], MAX_SAID).await?)
    }

    async fn shown_commit(&self, commit: Commit, query: &Query) -> Result<Shown, Failure> {
        let (web, api) = (self.web(), self.api());
        let wants = |name| query.get(name).is_none_or(|value| value.is_empty() || is_true(value));
        let files = if wants("files") { Some(self.files_of(&commit).await?) } else { None };
        let stats = if wants("stat") { Some(self.stats_of(&commit).await?) } else { None };
        let Commit { oid, parents, author, committer, message } = commit;
        let url = format!("{api}/git/commits/{oid}");
        let created = committer.1.clone();
        let who = |(person, date): (Person, String)| Who { name: person.name, email: person.email, date };
        let parent = |sha: String| Object { url: format!("{api}/git/commits/{sha}"), sha, created: NEVER.to_owned() };
        // The recorded forge takes the commit's id for its tree's.
        let tree = Object { url: format!("{api}/git/trees/{oid}"), sha: oid.clone(), created: created.clone() };
        Ok(Shown {
            url: url.clone(),
            html_url: format!("{web}/commit/{oid}"),
            sha: oid,
            created,
            commit: Said {
                url,
                author: who(author),
                committer: who(committer),
                message,
                tree,
                verification: wants("verification").then(Verification::unsigned),
            },
            author: None,
            committer: None,
            parents: parents.into_iter().map(parent).collect(),
            files,
            stats,
        })
    }

    async fn files_of(&self, commit: &Commit) -> Result<Vec<File>, Failure> {
        let said = self.changes(commit, &["--no-renames", "--name-status"]).await?;
        let mut files = Vec::new();
        let mut fields = said.split(|&b| b == 0);
        while let (Some(status), Some(name)) = (fields.next(), fields.next()) {
            let status = match status {
                b"A" => "added",
                b"D" => "removed",
                b"M" => "modified",
                _ => continue,
            };
            files.push(File { filename: text(name), status });
        }
        // By kind, as a forge that keeps a list of each.
        files.sort_by_key(|file| ["added", "removed", "modified"].iter().position(|&status| status == file.status));
        Ok(files)
    }

    async fn stats_of(&self, commit: &Commit) -> Result<Stats, Failure> {
        let said = self.changes(commit, &["-M", "--shortstat"]).await?;
        let (additions, deletions) = totals(&text(&said));
        Ok(Stats { total: additions + deletions, additions, deletions })
    }

    /// What a commit changed in its first parent, or in nothing.
    async fn changes(&self, commit: &Commit, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        let mut command = self.forge.git.at(self.repository.dir());
        command.args(["diff-tree", "-r", "-z", "--root", "--no-commit-id"]).args(arguments);
        command.args(commit.parents.first()).arg(&commit.oid).arg("--");
        self.forge.git.finish(command, "diff-tree".into(), &[], MAX_SAID).await
    }
}

fn parse(said: &[u8]) -> Result<Vec<Commit>, Failure> {
    let mut fields = said.split(|&b| b == 0);
    let mut commits = Vec::new();
    loop {
        // The line feed that ends a record starts the next one's first field.
        let first = fields.next().ok_or(Failure::Unexpected("log"))?;
        let oid = first.strip_prefix(b"\n").unwrap_or(first);
        if oid.is_empty() {
            return Ok(commits);
        }
        let mut rest = [&[][..]; FIELDS - 1];
        for field in &mut rest {
            *field = fields.next().ok_or(Failure::Unexpected("log"))?;
        }
        let [parents, author, author_email, authored, committer, committer_email, committed, message] = rest;
        let person = |name, email| Person { name: text(name), email: text(email) };
        let date = |date| text(date).replace("+00:00", "Z");
        commits.push(Commit {
            oid: text(oid),
            parents: text(parents).split_whitespace().map(str::to_owned).collect(),
            author: (person(author, author_email), date(authored)),
            committer: (person(committer, committer_email), date(committed)),
            message: text(message),
        });
    }
}

/// Reads ` 3 files changed, 5 insertions(+), 1 deletion(-)`, of which any part may be missing.
fn totals(said: &str) -> (u64, u64) {
    let number = |word: &str| {
        let part = said.split(',').find(|part| part.contains(word))?;
        part.split_whitespace().next()?.parse().ok()
    };
    (number("insertion").unwrap_or(0), number("deletion").unwrap_or(0))
}

/// Whether git would take it for a name at all.
pub(crate) fn is_name(name: &[u8]) -> bool {
    let odd = |&b: &u8| b <= b' ' || b == 0x7f || b"~^:?*[\\".contains(&b);
    let has = |what: &[u8]| name.windows(what.len()).any(|window| window == what);
    !name.is_empty()
        && !name.iter().any(odd)
        && !has(b"..")
        && !has(b"//")
        && !has(b"/.")
        && !has(b"@{")
        && !name.starts_with(b"/")
        && !name.starts_with(b".")
        && !name.ends_with(b"/")
        && !name.ends_with(b".")
        && !name.ends_with(b".lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_whatever_is_missing() {
        assert_eq!(totals(" 3 files changed, 5 insertions(+), 1 deletion(-)\n"), (5, 1));
        assert_eq!(totals(" 1 file changed, 2 deletions(-)\n"), (0, 2));
        assert_eq!(totals(" 1 file changed, 1 insertion(+)\0"), (1, 0));
        assert_eq!(totals(""), (0, 0));
    }

    /// Recording 095.
    #[test]
    fn what_cannot_be_a_name_is_told_from_what_is_none() {
        for name in ["main", "refs/pull/1/head", "a.b", "eeee"] {
            assert!(is_name(name.as_bytes()), "{name}");
        }
        for name in ["..bad..", "", "a b", "HEAD~1", "a:b", "a@{1}", "a//b", ".a", "a.lock", "a\n"] {
            assert!(!is_name(name.as_bytes()), "{name}");
        }
    }
}
