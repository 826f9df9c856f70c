//! `create_comment`: one comment below an issue or a pull request.

use assay_envelope::{Arguments, Refusal};
use assay_forge::written::Commented;
use assay_origin::{PullTarget, RepoTarget};
use serde::Serialize;

use crate::{
    answer::{self, create},
    arguments::TEXT,
    ports::Ports,
    status::About,
};

const ABOUT: About<'_> = About {
    scope: "write:issue",
    subject: "the issue or pull request",
    named_by: "owner, repo and index",
    find_out: "Read the comments (`list_issue_comments`, or the pull request's page on the forge) before you call again: a \
               forge keeps two comments that are the same.",
};

#[derive(Serialize)]
struct Request<'a> {
    body: &'a str,
}

#[derive(Serialize)]
struct Created<'a> {
    id: u64,
    index: u64,
    html_url: Option<&'a str>,
    created_at: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs: Vec<&'a str>,
}

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let PullTarget { owner, repo, index } = PullTarget::take(&mut arguments)?;
    let target = RepoTarget { owner, repo };
    let body = arguments.text("body", (1, TEXT.1))?;
    arguments.finish()?;
    let number = index.to_string();
    let path = target.segments(&[b"issues", number.as_bytes(), b"comments"]);
    let request = Request { body: &body };
    let comment = create(ports.write, &path, &request, ABOUT, |_| None, |json| {
        Commented::read(json, &target.owner, &target.repo, index)
    })?;
    let created = Created {
        id: comment.id,
        index: index.get(),
        html_url: comment.html_url.as_deref(),
        created_at: comment.created_at.as_deref(),
        differs: answer::differing(&[("body", comment.body.as_deref(), &body)]),
    };
    answer::fitted(&created, room, &format!("comment {} was created", comment.id))
}
