//! `GET /contents/{path}`: a file with its content, or what is in a directory, all of it at once.

use std::{borrow::Cow, collections::HashSet};

use http::StatusCode;
use serde::Serialize;

use crate::{
    Error,
    content::{
        blobs::missing,
        revision::{At, clean},
    },
    git::{
        history::{last_change, last_changes},
        listing::{Entry, Listing, entry_at},
        objects::{self, Content},
        run::Failure,
    },
    operator::{live::ObjectFault, stock::Flavour},
    serve::{
        routes::One,
        target::{Query, encode, path_escape},
    },
    wire::{
        answer::{Answer, json},
        base64_body::with_content,
        shapes::text,
    },
};

/// The most entries of a directory that are listed; the listing of more would not fit into memory with any certainty.
const MAX_ENTRIES: usize = 20_000;
/// Bytes of a link's target that are shown.
const MAX_TARGET: usize = 1024;

#[derive(Serialize)]
pub(crate) struct Shown {
    name: String,
    path: String,
    sha: String,
    last_commit_sha: String,
    r#type: &'static str,
    size: u64,
    pub(crate) encoding: Option<&'static str>,
    pub(crate) content: Option<Cow<'static, str>>,
    target: Option<String>,
    url: String,
    html_url: Option<String>,
    git_url: Option<String>,
    download_url: Option<String>,
    submodule_git_url: Option<String>,
    _links: Links,
}

#[derive(Serialize)]
struct Links {
    #[serde(rename = "self")]
    own: String,
    git: Option<String>,
    html: Option<String>,
}

impl One<'_> {
    pub(crate) async fn contents(&self, path: &[u8], query: &Query) -> Result<Answer, Error> {
        if self.snapshot.is_empty() {
            return Ok(json(StatusCode::OK, &[(); 0]));
        }
        let Some(at) = self.at(path, query).await? else {
            return Ok(self.no_contents(missing(query.get("ref").unwrap_or_default())));
        };
        if at.path.split(|&b| b == b'/').any(|part| part.eq_ignore_ascii_case(b".git")) {
            return Ok(self.forge.wording.broken());
        }
        if at.path.is_empty() {
            return self.directory(&at, at.commit.clone()).await;
        }
        match entry_at(&self.forge.git, self.repository.dir(), &at.commit, &at.path).await? {
            None => Ok(self.no_contents(format!("object does not exist [id: , rel_path: {}]", text(&at.path)))),
            Some(entry) if entry.kind == "tree" => self.directory(&at, entry.oid).await,
            Some(entry) => self.one_entry(&at, &entry).await,
        }
    }

    fn no_contents(&self, reason: String) -> Answer {
        self.forge.wording.not_found_as("GetContentsOrList", Some(&[reason]))
    }

    async fn directory(&self, at: &At, tree: String) -> Result<Answer, Error> {
        let (git, dir) = (&self.forge.git, self.repository.dir());
        let mut listing = Listing::start(git, dir, &tree, false).map_err(Failure::from)?;
        let mut entries = Vec::new();
        while let Some(entry) = listing.next().await? {
            if entries.len() == MAX_ENTRIES {
                return Err(Failure::TooMuch("ls-tree".into()).into());
            }
            entries.push(entry);
        }
        let names: HashSet<Vec<u8>> = entries.iter().map(|entry| entry.path.clone()).collect();
        let commits = last_changes(git, dir, &at.commit, &at.path, names).await?;
        let blobs: Vec<&str> = entries.iter().filter(|e| e.kind == "blob").map(|e| &*e.oid).collect();
        let mut sizes = objects::sizes(git, dir, &blobs).await?.into_iter();
        let mut shown = Vec::with_capacity(entries.len());
        for entry in entries {
            let commit = commits.get(&entry.path).unwrap_or(&at.commit).clone();
            let size = if entry.kind == "blob" { sizes.next().flatten().unwrap_or(0) } else { 0 };
            let path = [&at.path[..], b"/", &entry.path].concat();
            let entry = Entry { path: clean(&path), ..entry };
            let mut one = self.shown_entry(at, &entry, commit, size);
            if entry.kind == "commit" {
                one.submodule_git_url = self.submodule(&at.commit, &entry.path).await?;
            }
            if one.r#type == "symlink"
                && let Some((_, content)) = objects::open(git, dir, entry.oid.as_bytes()).await?
            {
                one.target = Some(target(content).await?);
            }
            shown.push(one);
        }
        Ok(json(StatusCode::OK, &shown))
    }

    async fn one_entry(&self, at: &At, entry: &Entry) -> Result<Answer, Error> {
        let (git, dir) = (&self.forge.git, self.repository.dir());
        let (commit, _) = last_change(git, dir, &at.commit, &at.path).await?;
        if entry.kind == "commit" {
            let mut shown = self.shown_entry(at, entry, commit, 0);
            shown.submodule_git_url = self.submodule(&at.commit, &entry.path).await?;
            return Ok(json(StatusCode::OK, &shown));
        }
        let opened = match self.forge.live.fault(&entry.oid) {
            Some(ObjectFault::Broken) => return Ok(self.forge.wording.broken()),
            Some(ObjectFault::Missing | ObjectFault::NotFound) => None,
            None => objects::open(git, dir, entry.oid.as_bytes()).await?,
        };
        let Some((found, content)) = opened else { return Ok(self.no_contents(missing(&entry.oid))) };
        let mut shown = self.shown_entry(at, entry, commit, found.size);
        if shown.r#type == "symlink" {
            shown.target = Some(target(content).await?);
            return Ok(json(StatusCode::OK, &shown));
        }
        let stock = &self.forge.stock;
        let fits = found.size <= stock.max_blob_size;
        if fits || stock.flavour == Flavour::Forgejo {
            (shown.encoding, shown.content) = (Some("base64"), Some(Cow::Borrowed("")));
        }
        if !fits {
            return Ok(json(StatusCode::OK, &shown));
        }
        let content = content.flipping(self.forge.live.next_flip(&found.oid));
        Ok(with_content(&shown, content).await.map_err(Failure::from)?)
    }

    /// What is said of an entry without looking at its content. Its path is from the top.
    pub(crate) fn shown_entry(&self, at: &At, entry: &Entry, last_commit_sha: String, size: u64) -> Shown {
        let (web, api) = (self.web(), self.api());
        let kind = if self.snapshot.branch(&at.name).is_some() { "branch" } else { "commit" };
        let (name, path) = (escaped(&at.name), escaped(&entry.path));
        let url = format!("{api}/contents/{path}?ref={}", encode(&at.name));
        let is_blob = entry.kind == "blob";
        let git = match entry.kind {
            "blob" => Some(format!("{api}/git/blobs/{}", entry.oid)),
            "tree" => Some(format!("{api}/git/trees/{}", entry.oid)),
            _ => None,
        };
        let html = (entry.kind != "commit").then(|| format!("{web}/src/{kind}/{name}/{path}"));
        Shown {
            name: text(entry.path.rsplit(|&b| b == b'/').next().unwrap_or_default()),
            path: text(&entry.path),
            sha: entry.oid.clone(),
            last_commit_sha,
            r#type: match (entry.kind, &*entry.mode) {
                ("blob", "120000") => "symlink",
                ("blob", _) => "file",
                ("tree", _) => "dir",
                _ => "submodule",
            },
            size,
            encoding: None,
            content: None,
            target: None,
            url: url.clone(),
            html_url: html.clone(),
            git_url: git.clone(),
            download_url: is_blob.then(|| format!("{web}/raw/{kind}/{name}/{path}")),
            submodule_git_url: None,
            _links: Links { own: url, git, html },
        }
    }

    /// Where the submodule at `path` comes from, as `.gitmodules` says. Nothing of it is followed.
    async fn submodule(&self, commit: &str, path: &[u8]) -> Result<Option<String>, Failure> {
        let blob = format!("--blob={commit}:.gitmodules");
        let arguments = ["config", &blob, "--no-includes", "-z", "--get-regexp", r"^submodule\..*\.(path|url)$"];
        let said = match self.forge.git.ask(self.repository.dir(), arguments, 1 << 20).await {
            Ok(said) => said,
            // There is no such file, or nothing in it.
            Err(Failure::Refused { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        Ok(submodule_url(&said, path))
    }
}

/// Where a link leads: the start of its content.
async fn target(mut content: Content) -> Result<String, Failure> {
    let start = content.next().await?.unwrap_or_default();
    Ok(text(start.get(..MAX_TARGET).unwrap_or(&start)))
}

/// Reads `<key>\n<value>\0` for the section whose `path` is this one.
fn submodule_url(said: &[u8], path: &[u8]) -> Option<String> {
    let pairs =
        said.split(|&b| b == 0).filter_map(|pair| pair.split_at_checked(pair.iter().position(|&b| b == b'\n')?));
    let pairs: Vec<(&[u8], &[u8])> = pairs.map(|(key, value)| (key, value.get(1..).unwrap_or_default())).collect();
    let section = pairs.iter().find_map(|(key, value)| key.strip_suffix(b".path").filter(|_| *value == path))?;
    pairs.iter().find(|(key, _)| key.strip_suffix(b".url") == Some(section)).map(|(_, url)| text(url))
}

/// Segment by segment, so that slashes stay.
pub(crate) fn escaped(path: &[u8]) -> String {
    path.split(|&b| b == b'/').map(path_escape).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submodule_is_found_by_its_path() {
        let said = b"submodule.a.path\nx/sub\0submodule.a.url\nhttps://example.org/a\0\
            submodule.b.c.url\n../b\0submodule.b.c.path\nsub\0";
        assert_eq!(submodule_url(said, b"sub"), Some("../b".into()));
        assert_eq!(submodule_url(said, b"x/sub"), Some("https://example.org/a".into()));
        assert_eq!(submodule_url(said, b"nope"), None);
        assert_eq!(submodule_url(b"", b""), None);
    }
}
