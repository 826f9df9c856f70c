//! `POST` and `PUT /contents/{path}`: one file's new content, as a commit on a branch of the forge's copy.
//!
//! `PUT` is guarded by the id of the content that it replaces, `POST` makes what is not there. The guard, the commit and
//! the branch's move are one change, so that no update of somebody else's is lost between them.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};

use crate::{
    content::{
        contents::Shown,
        revision::{At, clean},
    },
    git::{
        listing::{Entry, entry_at},
        replay::{Author, Plumbing},
    },
    operator::stock::WrongSha,
    repositories::commits::is_name,
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, required, unprocessable},
    },
    state::snapshot::Snapshot,
    wire::{
        answer::{Answer, json},
        shapes::{NEVER, Verification, text, utc},
    },
};

/// The longest path, in bytes.
const MAX_PATH: usize = 4096;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Change {
    content: Option<String>,
    message: Option<String>,
    branch: Option<String>,
    new_branch: Option<String>,
    sha: Option<String>,
    author: Option<Identity>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Identity {
    name: Option<String>,
    email: Option<String>,
}

#[derive(Serialize)]
struct Written {
    content: Shown,
    commit: Commit,
    verification: Verification,
}

#[derive(Serialize)]
struct Commit {
    url: String,
    sha: String,
    created: &'static str,
    html_url: String,
    author: Who,
    committer: Who,
    parents: Vec<Object>,
    message: String,
    tree: Object,
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
    created: &'static str,
}

/// Where the commit goes.
struct Place {
    path: Vec<u8>,
    /// The branch that has it in the end.
    branch: Vec<u8>,
    /// Nothing in an empty repository.
    parent: Option<String>,
}

impl One<'_> {
    pub(crate) async fn write_contents(&self, path: &[u8], method: &Method, sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let form: Change = sent.json(wording)?;
        let creates = method == Method::POST;
        let Some(content) = form.content.clone() else { return Err(unprocessable(wording, "[Content]: Required")) };
        let guard = if creates { None } else { Some(required(form.sha.clone(), "SHA", wording)?) };
        if !self.may_write() {
            let message = "user should have a permission to write to this branch";
            return Err(wording.refused(StatusCode::FORBIDDEN, message).into());
        }
        let content = decode(&content).map_err(|complaint| unprocessable(wording, &complaint))?;
        let mut writing = self.writing().await?;
        let before = writing.before.clone();
        let then = self.later(&before);
        let place = then.place(path, &form)?;
        let there = then.guarded(&place, guard.as_deref()).await?;
        let name = text(&place.path);
        let message = form.message.filter(|message| !message.trim().is_empty());
        let message = message.unwrap_or_else(|| format!("{} {name}", if creates { "Add" } else { "Update" }));
        let message = if message.ends_with('\n') { message } else { message + "\n" };
        let at = now();
        let date = Some(format!("{at} +0000"));
        let committer = Author { date: date.clone(), ..Author::of(sent.login) };
        let author = match form.author {
            Some(Identity { name: Some(name), email: Some(email) }) if is_plain(&name) && is_plain(&email) => {
                Author { name, email, date }
            }
            _ => committer.clone(),
        };
        if message.contains('\0') {
            return Err(unprocessable(wording, "a NUL byte in commit log message not allowed"));
        }
        let plumbing = Plumbing::new(&self.forge.git, self.repository.dir(), committer.clone());
        let blob = plumbing.blob(&content).await?;
        let folder = tempfile::tempdir_in(&self.forge.spool)?;
        // Whoever could be run keeps its bit.
        let mode = there.map_or_else(|| "100644".to_owned(), |entry| entry.mode);
        let index = folder.path().join("index");
        let tree = plumbing.tree_with(place.parent.as_deref(), (&mode, &blob, &place.path), &index).await?;
        let parents: Vec<&str> = place.parent.as_deref().into_iter().collect();
        let commit = plumbing.commit(&tree, &parents, &message, &author).await?;
        writing.set(&[b"refs/heads/", &place.branch[..]].concat(), Some(commit.clone()));
        let after = writing.keep().await?;
        let later = self.later(&after);
        let entry = Entry { mode, kind: "blob", oid: blob, path: place.path };
        let at_branch = At { name: place.branch, commit: commit.clone(), path: entry.path.clone() };
        let mut shown = later.shown_entry(&at_branch, &entry, commit.clone(), content.len() as u64);
        (shown.encoding, shown.content) = (Some("base64"), Some(STANDARD.encode(&content).into()));
        let (web, api) = (self.web(), self.api());
        let object = |kind: &str, sha: &str| Object {
            url: format!("{api}/git/{kind}/{sha}"),
            sha: sha.to_owned(),
            created: NEVER,
        };
        let who = |author: &Author| Who { name: author.name.clone(), email: author.email.clone(), date: utc(at) };
        let written = Written {
            content: shown,
            commit: Commit {
                url: format!("{api}/git/commits/{commit}"),
                html_url: format!("{web}/commit/{commit}"),
                created: NEVER,
                author: who(&author),
                committer: who(&committer),
                parents: place.parent.iter().map(|parent| object("commits", parent)).collect(),
                message,
                tree: object("trees", &tree),
                sha: commit,
            },
            verification: Verification::unsigned(),
        };
        Ok(json(if creates { StatusCode::CREATED } else { StatusCode::OK }, &written))
    }

    /// Where this is to go, or why it cannot.
    fn place(&self, path: &[u8], form: &Change) -> Result<Place, Stop> {
        let wording = &self.forge.wording;
        let (path, snapshot): (Vec<u8>, &Snapshot) = (clean(path), self.snapshot);
        let is_git = |part: &[u8]| {
            let end = part.iter().rposition(|b| !matches!(b, b'.' | b' ')).map_or(0, |last| last + 1);
            let part = part.get(..end).unwrap_or_default();
            part.eq_ignore_ascii_case(b".git") || part.eq_ignore_ascii_case(b"git~1")
        };
        if path.is_empty() || path.len() > MAX_PATH || path.contains(&0) || path.split(|&b| b == b'/').any(is_git) {
            let message = format!("path contains a malformed path component [path: {}]", text(&path));
            return Err(unprocessable(wording, &message));
        }
        let given = |name: &Option<String>| name.clone().filter(|name| !name.is_empty()).map(String::into_bytes);
        let default = if snapshot.default.is_empty() { b"main".to_vec() } else { snapshot.default.clone() };
        let from = given(&form.branch).unwrap_or(default);
        let parent = snapshot.branch(&from).map(|tip| tip.oid.clone());
        if parent.is_none() && !snapshot.is_empty() {
            let message = format!("branch does not exist [name: {}]", text(&from));
            return Err(wording.refused(StatusCode::NOT_FOUND, &message).into());
        }
        let branch = given(&form.new_branch).unwrap_or_else(|| from.clone());
        if branch != from && snapshot.branch(&branch).is_some() {
            let message = format!("branch already exists [name: {}]", text(&branch));
            return Err(unprocessable(wording, &message));
        }
        let is_new = snapshot.branch(&branch).is_none();
        if is_new && (!is_branch(&branch) || !snapshot.has_room_for(&[b"refs/heads/", &branch[..]].concat())) {
            let message = format!("branch name is invalid or conflicts [name: {}]", text(&branch));
            return Err(unprocessable(wording, &message));
        }
        Ok(Place { path, branch, parent })
    }

    /// What is at the place now, once it is as the caller thinks: this content with a guard, nothing without.
    async fn guarded(&self, place: &Place, guard: Option<&str>) -> Result<Option<Entry>, Stop> {
        let wording = &self.forge.wording;
        let Place { path, parent: Some(parent), .. } = place else {
            return if guard.is_some() { Err(wording.broken().into()) } else { Ok(None) };
        };
        let (git, dir) = (&self.forge.git, self.repository.dir());
        for (at, _) in path.iter().enumerate().filter(|&(_, &b)| b == b'/') {
            let above = path.get(..at).unwrap_or_default();
            if entry_at(git, dir, parent, above).await?.is_some_and(|entry| entry.kind != "tree") {
                let message =
                    format!("a file exists where you’re trying to create a subdirectory [path: {}]", text(above));
                return Err(unprocessable(wording, &message));
            }
        }
        let there = entry_at(git, dir, parent, path).await?;
        match (there, guard) {
            (None, None) => Ok(None),
            (Some(_), None) => {
                let message = format!("repository file already exists [path: {}]", text(path));
                Err(unprocessable(wording, &message))
            }
            // Recording 257: nothing better is said of a file that is not there.
            (None, Some(_)) => Err(wording.broken().into()),
            (Some(entry), Some(_)) if entry.kind != "blob" || entry.mode == "120000" => {
                let message =
                    format!("a directory or a link exists where you’re trying to create a file [path: {}]", text(path));
                Err(unprocessable(wording, &message))
            }
            (Some(entry), Some(guard)) if entry.oid != guard => {
                let guard: String = guard.chars().take(64).collect();
                let message = format!("sha does not match [given: {guard}, expected: {}]", entry.oid);
                let status = match self.forge.stock.wrong_sha {
                    WrongSha::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
                    WrongSha::Conflict => StatusCode::CONFLICT,
                };
                Err(wording.refused(status, &message).into())
            }
            (Some(entry), Some(_)) => Ok(Some(entry)),
        }
    }
}

/// Go names the first byte that is no base64, and passes over the ends of lines.
fn decode(content: &str) -> Result<Vec<u8>, String> {
    let bytes: Vec<u8> = content.bytes().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    STANDARD.decode(&bytes).map_err(|_| {
        let odd = |b: &u8| !b.is_ascii_alphanumeric() && !b"+/=".contains(b);
        let at = bytes.iter().position(odd).unwrap_or(bytes.len());
        format!("illegal base64 data at input byte {at}")
    })
}

/// Whether git takes it for the name of a branch.
fn is_branch(name: &[u8]) -> bool {
    is_name(name) && !name.starts_with(b"-") && name != b"HEAD" && name != b"@"
}

/// Whether git can put it into a commit as it stands.
fn is_plain(text: &str) -> bool {
    let text = text.trim();
    text.chars().any(char::is_alphanumeric) && !text.contains(['<', '>']) && !text.chars().any(char::is_control)
}
