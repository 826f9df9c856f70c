//! `list_issue_comments`: every ordinary comment of one issue in one answer (G-132 to G-146c).
//!
//! The forge's route does not page (G-135a), so neither does this: it is complete, or it refuses.

use assay_envelope::{Arguments, Refusal, escaped_len};
use assay_forge::{
    http::Subject,
    issue::{Comment, Comments},
    listing::Evidence,
};
use assay_origin::RepoTarget;
use serde::Serialize;

use crate::{issues::IssueTarget, native_list::read_json, ports::Ports, provenance::Provenance};

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = IssueTarget::take(&mut arguments)?;
    // G-136: `page`, `limit` and `cursor` are no arguments of this tool.
    arguments.finish()?;
    // G-134: the issue first, by the same right.
    let (issue, first) = target.read(ports.origin)?;
    let RepoTarget { owner, repo } = &target.repository;
    let path = target.segments(&[b"comments"]);
    let pending = ports.origin.get(&path, &[], None);
    let read = |json: &mut dyn std::io::Read| Comments::read(json, owner, repo, target.index);
    let (found, last) = read_json(pending, Subject::ISSUE, read)?;
    let Some(comments) = &found.rows else { return Err(too_large(&target, &found)) };
    let answer = Answer {
        issue: Numbers { id: issue.row.id(), number: target.index.get() },
        kind: "ordinary_comments",
        pagination: "none",
        has_more: false,
        next_page: None,
        returned: comments.len(),
        native_total: Evidence::of(&last).total,
        comments,
        provenance: Provenance::new(&target.repository, &path, &[], &first, &last),
    };
    let answer = serde_json::to_string(&answer).expect("its members have string keys");
    if escaped_len(&answer) <= room { Ok(answer) } else { Err(too_large(&target, &found)) }
}

/// Exactly the members of the contract's output, in its order.
#[derive(Serialize)]
struct Answer<'a> {
    issue: Numbers,
    kind: &'static str,
    pagination: &'static str,
    has_more: bool,
    next_page: Option<u64>,
    returned: usize,
    native_total: Option<u64>,
    comments: &'a [Comment],
    provenance: Provenance<'a>,
}

/// The id among all issues of the forge, and the number in the repository (G-133).
#[derive(Serialize)]
struct Numbers {
    id: u64,
    number: u64,
}

fn too_large(target: &IssueTarget, found: &Comments) -> Refusal {
    let RepoTarget { owner, repo } = &target.repository;
    let (owner, repo, index) = (owner.as_str(), repo.as_str(), target.index);
    let Comments { count, text_bytes, .. } = found;
    Refusal::new(
        "answer_too_large",
        format!(
            "Issue {index} has {count} comments with {text_bytes} bytes of text, which do not fit into the answer's bound; they \
             are shown whole and all together or not at all, and nothing is shown. `get_issue` still reads the issue itself; \
             the comments are on its page at the forge ({owner}/{repo}, issue {index})."
        ),
    )
}
