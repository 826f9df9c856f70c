//! `merge_pull_request`: one request (G-160), and one look at what became of it.
//!
//! A forge's success has no body, and one of its statuses means half a dozen things, so the pull request is read back:
//! what is said is what was seen.

mod outcome;

use assay_envelope::{Arguments, Refusal};
use assay_forge::ObjectId;
use assay_origin::{Method, PullTarget, WriteFault, head};
use serde::Serialize;

use self::outcome::Look;
use crate::{
    answer,
    arguments::{TEXT, invalid, object_id},
    ports::Ports,
    pulls,
    status::{self, About},
};

const ABOUT: About<'_> = About {
    scope: "write:repository",
    subject: "the pull request",
    named_by: "owner, repo and index",
    find_out: "Read it with `get_pull_request` before you call again.",
};

/// G-159: the word of the call, and the forge's.
const STYLES: [(&str, Style); 4] = [
    ("merge", Style { word: "merge", native: "merge" }),
    ("rebase", Style { word: "rebase", native: "rebase" }),
    ("squash", Style { word: "squash", native: "squash" }),
    ("ff", Style { word: "ff", native: "fast-forward-only" }),
];

/// How to merge.
#[derive(Clone, Copy, Debug)]
struct Style {
    word: &'static str,
    native: &'static str,
}

/// What is asked for.
#[derive(Debug)]
struct Request {
    target: PullTarget,
    style: Style,
    title: Option<String>,
    message: Option<String>,
    head: Option<ObjectId>,
}

/// The forge's members.
#[derive(Serialize)]
struct Sent<'a> {
    #[serde(rename = "Do")]
    style: &'static str,
    #[serde(rename = "MergeTitleField", skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(rename = "MergeMessageField", skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_commit_id: Option<String>,
}

/// The contract's members; `scheduled` stands only where the forge said that it will merge later.
#[derive(Serialize)]
struct Merged {
    merged: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    scheduled: bool,
    style: &'static str,
    index: u64,
}

pub(crate) fn call(ports: Ports<'_>, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let index = request.target.index.to_string();
    let [repos, owner, repo, pulls, number] = request.target.segments(&index);
    let path = [repos, owner, repo, pulls, number, b"merge"];
    let sent = ports.write.send(Method::Post, &path, &[], &request.body());
    let look = || Look::of(pulls::state(ports.origin, &request.target));
    let head = match sent {
        Ok(answer) => head(answer.as_ref()),
        Err(WriteFault::Uncertain(what)) => return Err(look().uncertain(&format!("no answer came: {what}"))),
        Err(fault) => return Err(fault.refusal(ABOUT.find_out)),
    };
    let (merged, scheduled) = match head.status {
        200 => {
            look().confirms()?;
            (true, false)
        }
        201 => {
            let merged = look().by_now()?;
            (merged, !merged)
        }
        404 => return Err(look().after_404(status::refused(&head, ABOUT))),
        405 => return Err(look().after_405()),
        409 => return Err(look().after_409(request.head, request.style.word)),
        status @ (202..=299 | 500..=599) => return Err(look().uncertain(&format!("the forge answered HTTP {status}"))),
        _ => return Err(status::refused(&head, ABOUT)),
    };
    let answer = Merged { merged, scheduled, style: request.style.word, index: request.target.index.get() };
    answer::fitted(&answer, room, "the pull request was merged, or its merge was scheduled")
}

impl Request {
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let request = Self {
            target: PullTarget::take(&mut arguments)?,
            style: arguments.optional_choice("style", &STYLES)?.unwrap_or(STYLES[0].1),
            title: arguments.optional_characters("title", (0, 255))?,
            message: arguments.optional_text("message", TEXT)?,
            head: object_id(&mut arguments, "head_commit_id")?,
        };
        arguments.finish()?;
        if request.style.word == "ff" && (request.title.is_some() || request.message.is_some()) {
            return Err(invalid(
                "`title` and `message` cannot be kept with `style` \"ff\": a fast-forward makes no commit that could have \
                 them",
            ));
        }
        Ok(request)
    }

    fn body(&self) -> Vec<u8> {
        answer::body(&Sent {
            style: self.style.native,
            title: self.title.as_deref(),
            message: self.message.as_deref(),
            head_commit_id: self.head.map(|id| id.to_string()),
        })
    }
}
