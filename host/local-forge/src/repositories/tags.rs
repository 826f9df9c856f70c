//! Tags: those of the source and those that were made with a release; and the tag objects behind them.

use http::StatusCode;
use serde::Serialize;

use crate::{
    Error,
    git::{
        copy::Copy,
        objects::{self, Kind},
        run::{Failure, Git},
    },
    serve::{
        routes::One,
        target::{Query, encode},
    },
    wire::{
        answer::{Answer, json},
        shapes::{NEVER, Verification, text},
    },
};

/// The most that all tags may say of themselves, messages included.
const MAX_TAGS: usize = 64 << 20;
/// The most of a tag object that is read; only its head is shown beside its message.
const MAX_TAG: u64 = 1 << 20;
const FIELDS: [&str; 6] = [
    "%(refname:lstrip=2)",
    "%(objectname)",
    "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)",
    "%(if)%(*objecttype)%(then)%(*objecttype)%(else)%(objecttype)%(end)",
    "%(if)%(*committerdate)%(then)%(*committerdate:iso-strict)%(else)%(committerdate:iso-strict)%(end)",
    "%(contents)",
];

/// A tag that leads to a commit.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub(crate) name: Vec<u8>,
    /// Of the tag object, or of the commit where there is none.
    pub(crate) oid: String,
    pub(crate) commit: String,
    /// RFC 3339: when the commit was made.
    committed: String,
    message: String,
}

impl Copy {
    /// The tags that lead to commits, the newest first.
    pub(crate) async fn tags(&self, git: &Git) -> Result<Vec<Tag>, Failure> {
        let format: String = FIELDS.iter().flat_map(|field| [field, "%00"]).collect();
        let arguments = ["for-each-ref", "--sort=-refname", "--sort=-creatordate", &format!("--format={format}")];
        let said = git.ask(self.dir(), arguments.into_iter().chain(["refs/tags/"]), MAX_TAGS).await?;
        let mut fields = said.split(|&b| b == 0);
        let mut tags = Vec::new();
        loop {
            let first = fields.next().ok_or(Failure::Unexpected("for-each-ref"))?;
            let name = first.strip_prefix(b"\n").unwrap_or(first);
            if name.is_empty() {
                return Ok(tags);
            }
            let mut rest = [&[][..]; FIELDS.len() - 1];
            for field in &mut rest {
                *field = fields.next().ok_or(Failure::Unexpected("for-each-ref"))?;
            }
            let [oid, commit, target, committed, message] = rest;
            if target == b"commit" {
                tags.push(Tag {
                    name: name.to_vec(),
                    oid: text(oid),
                    commit: text(commit),
                    committed: text(committed).replace("+00:00", "Z"),
                    message: text(message).trim_end().to_owned(),
                });
            }
        }
    }
}

#[derive(Serialize)]
struct Shown {
    name: String,
    message: String,
    id: String,
    commit: Object,
    zipball_url: String,
    tarball_url: String,
}

#[derive(Serialize)]
struct Object {
    url: String,
    sha: String,
    created: String,
}

#[derive(Serialize)]
struct Annotated {
    tag: String,
    sha: String,
    url: String,
    message: String,
    tagger: Tagger,
    object: Target,
    verification: Verification,
}

#[derive(Serialize)]
struct Tagger {
    name: String,
    email: String,
    date: String,
}

#[derive(Serialize)]
struct Target {
    r#type: String,
    url: String,
    sha: String,
}

impl One<'_> {
    pub(crate) fn tags(&self, query: &Query) -> Answer {
        let page = self.forge.page(query);
        let shown = page.cut(self.snapshot.tags.iter().map(|tag| self.tag_shape(tag)));
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, self.snapshot.tags.len(), &format!("{}/tags", self.api()), query);
        answer
    }

    pub(crate) fn tag(&self, name: &[u8]) -> Answer {
        match self.snapshot.tags.iter().find(|tag| tag.name == name) {
            Some(tag) => json(StatusCode::OK, &self.tag_shape(tag)),
            // The recorded forge has nothing else to say than the name.
            None => self.forge.wording.not_found_as(&text(name), None),
        }
    }

    /// The tag object with this id. A tag without an object has none to show.
    pub(crate) async fn git_tag(&self, sha: &[u8]) -> Result<Answer, Error> {
        let wording = &self.forge.wording;
        if !self.repository.format().is_id(sha) {
            return Ok(wording.refused(StatusCode::BAD_REQUEST, "object does not exist"));
        }
        let opened = objects::open(&self.forge.git, self.repository.dir(), sha).await?;
        let Some((found, mut content)) = opened.filter(|(found, _)| found.kind == Kind::Tag && found.size < MAX_TAG)
        else {
            let message = format!("object does not exist [id: {}, rel_path: ]", text(sha));
            return Ok(wording.refused(StatusCode::BAD_REQUEST, &message));
        };
        let mut bytes = Vec::new();
        while let Some(piece) = content.next().await.map_err(Failure::from)? {
            bytes.extend_from_slice(&piece);
        }
        let shown = annotated(&text(&bytes), found.oid, &self.api()).ok_or(Failure::Unexpected("cat-file"))?;
        Ok(json(StatusCode::OK, &shown))
    }

    fn tag_shape(&self, tag: &Tag) -> Shown {
        let (web, api) = (self.web(), self.api());
        let archive = |kind: &str| format!("{web}/archive/{}.{kind}", encode(&tag.name));
        Shown {
            name: text(&tag.name),
            message: tag.message.clone(),
            id: tag.oid.clone(),
            commit: Object {
                // The recorded forge takes the tag's id for its commit's here.
                url: format!("{api}/git/commits/{}", tag.oid),
                sha: tag.commit.clone(),
                created: tag.committed.clone(),
            },
            zipball_url: archive("zip"),
            tarball_url: archive("tar.gz"),
        }
    }
}

/// Reads a tag object: `name: value` lines, an empty one, the message.
fn annotated(object: &str, sha: String, api: &str) -> Option<Annotated> {
    let (head, message) = object.split_once("\n\n").unwrap_or((object, ""));
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let (target, kind) = (field("object")?, field("type")?);
    let tagger = field("tagger").and_then(|line| {
        let (name, rest) = line.split_once(" <")?;
        let (email, when) = rest.split_once("> ")?;
        let seconds = when.split(' ').next()?.parse().ok()?;
        Some(Tagger { name: name.to_owned(), email: email.to_owned(), date: crate::wire::shapes::utc(seconds) })
    });
    Some(Annotated {
        tag: field("tag")?.to_owned(),
        url: format!("{api}/git/tags/{sha}"),
        sha,
        message: message.trim_end().to_owned(),
        tagger: tagger.unwrap_or(Tagger { name: String::new(), email: String::new(), date: NEVER.to_owned() }),
        object: Target { r#type: kind.to_owned(), url: format!("{api}/git/{kind}s/{target}"), sha: target.to_owned() },
        verification: Verification::unsigned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_object_is_read_with_and_without_a_tagger() {
        let object = "object 12\ntype commit\ntag v1\ntagger A B <a@b> 1767225600 +0100\n\nFirst\n\nMore\n";
        let shown = annotated(object, "34".into(), "/api").expect("it is a tag");
        assert_eq!((&*shown.tag, &*shown.object.url, &*shown.message), ("v1", "/api/git/commits/12", "First\n\nMore"));
        assert_eq!((&*shown.tagger.name, &*shown.tagger.date), ("A B", "2026-01-01T00:00:00Z"));
        let bare = annotated("object 12\ntype tree\ntag v1\n", "34".into(), "/api").expect("it is a tag");
        assert_eq!(bare.tagger.date, NEVER);
        assert!(annotated("type commit\n\n", "34".into(), "/api").is_none());
    }
}
