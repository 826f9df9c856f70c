//! `update_file`: one file's new content, guarded by the id of the content that it replaces, and held against what the forge
//! says that it stored.
//!
//! What git would call the content is computed before it is sent; the id in the forge's answer must be that one (K-43).
//! Without a guard a file is created, by the route that refuses where one exists: never the one that would replace it.

mod content;
mod place;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    ObjectFormat, ObjectId, base64,
    written::{Fault, WrittenFile},
};
use assay_origin::{Method, RepoTarget, head};
use serde::Serialize;

use self::{content::Content, place::Place};
use crate::{
    answer,
    arguments::{branch, invalid, object_id, optional_branch},
    ports::Ports,
    status::{self, About},
};

/// Bounds of a commit's message in bytes.
const MESSAGE: (usize, usize) = (1, 65_536);

#[derive(Debug)]
struct Request {
    target: RepoTarget,
    place: Place,
    branch: String,
    new_branch: Option<String>,
    message: String,
    content: Content,
    /// The id of the content that is there now; nothing where there is none.
    guard: Option<ObjectId>,
}

/// What HTTP 500 to a guarded write may mean besides.
const NO_FILE: &str = " A forge also answers so where there is no file at `path` on `branch`: if `get_file` finds none there, \
                       leave `sha` out to create it.";

/// The forge's members.
#[derive(Serialize)]
struct Sent<'a> {
    branch: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_branch: Option<&'a str>,
    message: &'a str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    action: &'static str,
    path: &'a str,
    sha: String,
    size: usize,
    commit: Option<&'a str>,
    branch: &'a str,
    content_verified: bool,
}

pub(crate) fn call(ports: Ports<'_>, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let find_out = request.find_out();
    let about = About {
        scope: "write:repository",
        subject: "the repository, or the branch,",
        named_by: "owner, repo and branch",
        find_out: &find_out,
    };
    let (method, success) = if request.guard.is_some() { (Method::Put, 200) } else { (Method::Post, 201) };
    let mut below: Vec<&[u8]> = vec![b"contents"];
    below.extend(request.place.segments());
    let sent = ports.write.send(method, &request.target.segments(&below), &[], &request.body());
    let mut answered = sent.map_err(|fault| fault.refusal(&find_out))?;
    match answered.status() {
        status if status == success => {}
        status @ (409 | 422) => return Err(request.conflict(status)),
        // A forge fails where there is no file to replace, as with any other fault of its own.
        500 if request.guard.is_some() => {
            let mut refusal = status::refused(&head(answered.as_ref()), about);
            refusal.message.push_str(NO_FILE);
            return Err(refusal);
        }
        _ => return Err(status::refused(&head(answered.as_ref()), about)),
    }
    let file = answer::read(answered.as_mut(), &find_out, |json| {
        let file = WrittenFile::read(json)?;
        // `..` and the like are cleaned by a forge, not refused.
        let elsewhere = file.path.as_deref().is_some_and(|path| path != request.place.as_str());
        if elsewhere { Err(Fault::Foreign) } else { Ok(file) }
    })?;
    let stored = file.blob.filter(|blob| *blob == request.content.id(blob.format()));
    let Some(stored) = stored else { return Err(request.stored_otherwise(&file)) };
    let written = Written {
        action: if request.guard.is_some() { "updated" } else { "created" },
        path: request.place.as_str(),
        sha: stored.to_string(),
        size: request.content.bytes().len(),
        commit: file.commit.as_deref(),
        branch: request.branch(),
        content_verified: true,
    };
    answer::fitted(&written, room, &format!("the file was written, as blob {stored}"))
}

impl Request {
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let request = Self {
            target: RepoTarget::take(&mut arguments)?,
            place: Place::take(&mut arguments)?,
            branch: branch(&mut arguments, "branch")?,
            new_branch: optional_branch(&mut arguments, "new_branch")?,
            message: arguments.text("message", MESSAGE)?,
            content: Content::take(&mut arguments)?,
            guard: object_id(&mut arguments, "sha")?,
        };
        arguments.finish()?;
        if request.guard.is_some_and(|guard| request.content.id(guard.format()) == guard) {
            return Err(Refusal::new(
                "nothing_to_change",
                "The new content is the content that `sha` names, byte for byte; nothing was sent.",
            ));
        }
        if request.new_branch.as_ref() == Some(&request.branch) {
            return Err(invalid("`new_branch` must be another branch than `branch`: leave it out to commit to `branch`"));
        }
        Ok(request)
    }

    /// The branch that has the commit.
    fn branch(&self) -> &str {
        self.new_branch.as_deref().unwrap_or(&self.branch)
    }

    fn body(&self) -> Vec<u8> {
        answer::body(&Sent {
            branch: &self.branch,
            new_branch: self.new_branch.as_deref(),
            message: &self.message,
            content: base64::encode(self.content.bytes()),
            sha: self.guard.map(|guard| guard.to_string()),
        })
    }

    /// The id by which the content is known, in the formats that it may have.
    fn find_out(&self) -> String {
        let ids = match self.guard {
            Some(guard) => self.content.id(guard.format()).to_string(),
            None => {
                let [short, long] = [ObjectFormat::Sha1, ObjectFormat::Sha256].map(|format| self.content.id(format));
                format!("{short} (in a repository of the format sha256: {long})")
            }
        };
        format!(
            "Read the file with `get_file` on the branch that was to have it: if its `sha` is {ids}, it was written, and else \
             it was not."
        )
    }

    /// A guard that does not hold, in the two statuses that forges have for it; the second has further reasons.
    fn conflict(&self, status: u16) -> Refusal {
        let others = match (status, &self.new_branch) {
            (422, Some(_)) => " The same status says that `new_branch` exists already, or that the forge takes no such path or branch.",
            (422, None) => " The same status says that the forge takes no such path or branch.",
            _ => "",
        };
        if self.guard.is_some() {
            return Refusal::new(
                "guard_failed",
                format!(
                    "The file is no longer the one that `sha` names, or the branch moved in this moment (HTTP {status}); \
                     nothing was changed. Read it again with `get_file`, make the change anew on what is there now, and send \
                     that with its `sha`.{others}"
                ),
            );
        }
        Refusal::new(
            "already_exists",
            format!(
                "The forge does not create this file (HTTP {status}); nothing was changed. Something exists at this path \
                 already, or the branch moved in this moment. To replace a file, read it with `get_file` and pass its \
                 `sha`.{others}"
            ),
        )
    }

    fn stored_otherwise(&self, file: &WrittenFile) -> Refusal {
        let commit = file.commit.as_ref().map(|commit| format!(" as commit {commit}")).unwrap_or_default();
        let there = match file.blob {
            Some(blob) => format!("names {blob} as the content that is there now"),
            None => "does not name the content that is there now".to_owned(),
        };
        Refusal::new(
            "content_not_verified",
            format!(
                "The forge says that it wrote the file{commit}, but {there}, which is not what was sent. Either another writer \
                 came at once behind it, or the forge changed the content. It was not sent again. {}",
                self.find_out()
            ),
        )
    }
}
