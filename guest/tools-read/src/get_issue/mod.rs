//! `get_issue`: one issue with its whole text (G-131 to G-133, G-139 to G-146c).

use assay_envelope::{Arguments, Refusal, escaped_len};
use assay_forge::issue::IssueRow;
use serde::Serialize;

use crate::{issues::IssueTarget, ports::Ports, provenance::Provenance};

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = IssueTarget::take(&mut arguments)?;
    arguments.finish()?;
    let (issue, head) = target.read(ports.origin)?;
    let body = issue.body.map_err(|bytes| too_large(&target, bytes))?;
    let answer = Answer {
        row: &issue.row,
        body: &body,
        provenance: Provenance::new(&target.repository, &target.segments(&[]), &[], &head, &head),
    };
    let answer = serde_json::to_string(&answer).expect("its members have string keys");
    if escaped_len(&answer) <= room { Ok(answer) } else { Err(too_large(&target, body.len())) }
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    row: &'a IssueRow,
    body: &'a str,
    provenance: Provenance<'a>,
}

fn too_large(target: &IssueTarget, bytes: usize) -> Refusal {
    Refusal::new(
        "answer_too_large",
        format!(
            "Issue {} was found and its text has {bytes} bytes, which do not fit into the answer's bound; it is shown whole or \
             not at all. `list_issues` shows everything of it but the text, which is on the issue's page at the forge.",
            target.index
        ),
    )
}
