//! `create_pull_request`: one request (G-160); what a forge says against it is told in a sentence each.

use assay_envelope::{Arguments, Refusal};
use assay_forge::written::Opened;
use assay_origin::RepoTarget;
use serde::Serialize;

use crate::{
    answer::{self, create},
    arguments::{TEXT, TITLE, branch, invalid, is_branch},
    ports::Ports,
    status::About,
};

const ABOUT: About<'_> = About {
    scope: "write:repository",
    subject: "the repository, or one of the two branches,",
    named_by: "owner, repo, head and base",
    find_out: "Look for it with `list_pull_requests`; a second open pull request for the same two branches is refused by the \
               forge, so a further call makes no second one while the first is open.",
};

/// Bounds of `head`, which may name a user before the branch.
const HEAD: (usize, usize) = (1, 512);

/// What is asked for, as the forge takes it.
#[derive(Debug, Serialize)]
struct Request {
    title: String,
    head: String,
    base: String,
    body: String,
}

/// Exactly the members of the contract's output; `differs` stands only where the forge stored something else.
#[derive(Serialize)]
struct Created<'a> {
    number: u64,
    state: Option<&'a str>,
    title: Option<&'a str>,
    head: Option<&'a str>,
    base: Option<&'a str>,
    html_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs: Vec<&'a str>,
}

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = RepoTarget::take(&mut arguments)?;
    let request = Request::take(&mut arguments)?;
    arguments.finish()?;
    let own = |status| match status {
        409 => Some(exists()),
        422 => Some(nothing_between()),
        _ => None,
    };
    let path = target.segments(&[b"pulls"]);
    let pull = create(ports.write, &path, &request, ABOUT, own, |json| {
        Opened::read(json, &target.owner, &target.repo)
    })?;
    // A branch of the same name in another repository is another head.
    let is_from = |owner: &str| owner.eq_ignore_ascii_case(request.user().unwrap_or(target.owner.as_str()));
    let head = pull.head.as_deref().filter(|_| pull.head_owner.as_deref().is_none_or(is_from));
    let created = Created {
        number: pull.number,
        state: pull.state.as_deref(),
        title: pull.title.as_deref(),
        head: pull.head.as_deref(),
        base: pull.base.as_deref(),
        html_url: pull.html_url.as_deref(),
        differs: answer::differing(&[
            ("title", pull.title.as_deref(), &request.title),
            ("head", head, request.branch()),
            ("base", pull.base.as_deref(), &request.base),
            ("body", Some(pull.body.as_deref().unwrap_or_default()), &request.body),
        ]),
    };
    answer::fitted(&created, room, &format!("pull request {} was created", pull.number))
}

impl Request {
    fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let request = Self {
            title: arguments.characters("title", TITLE)?,
            head: arguments.characters("head", HEAD)?,
            base: branch(arguments, "base")?,
            body: arguments.optional_text("body", TEXT)?.unwrap_or_default(),
        };
        if !is_branch(request.branch()) || request.user().is_some_and(|user| !is_branch(user)) {
            return Err(invalid("`head` must be a branch, or `user:branch` for a branch of a user's fork"));
        }
        Ok(request)
    }

    /// Who has the head's branch, where the call says it.
    fn user(&self) -> Option<&str> {
        self.head.split_once(':').map(|(user, _)| user)
    }

    /// The head's branch, without the user before it.
    fn branch(&self) -> &str {
        self.head.split_once(':').map_or(self.head.as_str(), |(_, branch)| branch)
    }
}

fn exists() -> Refusal {
    Refusal::new(
        "already_exists",
        "An open pull request from this head to this base exists already (HTTP 409); nothing was created. Find it with \
         `list_pull_requests`, and push to its head branch to change what it proposes.",
    )
}

fn nothing_between() -> Refusal {
    Refusal::new(
        "invalid_request",
        "The forge finds nothing to propose (HTTP 422): head and base are the same branch, or nothing lies between them; \
         nothing was created. Check head and base, and that the head's commits were pushed.",
    )
}
