//! `create_issue`: one request, answered from what the forge says that it stored (G-110, G-111).

use assay_envelope::{Arguments, Refusal};
use assay_forge::written::Opened;
use assay_origin::RepoTarget;
use serde::Serialize;

use crate::{
    answer::{self, create},
    arguments::{TEXT, TITLE},
    ports::Ports,
    status::About,
};

const ABOUT: About<'_> = About {
    scope: "write:issue",
    subject: "the repository with its issues",
    named_by: "owner and repo",
    find_out: "Look for the title with `list_issues` before you call again: a forge keeps two issues that are the same.",
};

#[derive(Serialize)]
struct Request<'a> {
    title: &'a str,
    body: &'a str,
}

/// Exactly the members of the contract's output; `differs` stands only where the forge stored something else.
#[derive(Serialize)]
struct Created<'a> {
    id: u64,
    number: u64,
    title: Option<&'a str>,
    state: Option<&'a str>,
    html_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs: Vec<&'a str>,
}

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = RepoTarget::take(&mut arguments)?;
    let title = arguments.characters("title", TITLE)?;
    let body = arguments.optional_text("body", TEXT)?.unwrap_or_default();
    arguments.finish()?;
    let request = Request { title: &title, body: &body };
    let path = target.segments(&[b"issues"]);
    let issue = create(ports.write, &path, &request, ABOUT, |_| None, |json| {
        Opened::read(json, &target.owner, &target.repo)
    })?;
    let differs = answer::differing(&[
        ("title", issue.title.as_deref(), &title),
        ("body", Some(issue.body.as_deref().unwrap_or_default()), &body),
    ]);
    let created = Created {
        id: issue.id,
        number: issue.number,
        title: issue.title.as_deref(),
        state: issue.state.as_deref(),
        html_url: issue.html_url.as_deref(),
        differs,
    };
    answer::fitted(&created, room, &format!("issue {} was created", issue.number))
}
