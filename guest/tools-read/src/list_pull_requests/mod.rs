//! `list_pull_requests`: a repository's pull requests without their texts (K-06).

use assay_envelope::{Arguments, Refusal, Row, fit_rows};
use assay_forge::{
    http::Subject,
    listing::{self, Evidence, Fault, Links, Paging, distinct, read_rows},
    pull_row::PullRow,
    repository::says_empty,
};
use assay_origin::{Origin, RepoTarget, refuse};
use serde::Serialize;

use crate::{
    native_list::{Pages, read_answer, read_json, too_large},
    ports::Ports,
};

/// Rows to a page, where a call does not say, and at the most.
const LIMITS: (u64, u64) = (20, 50);

const STATES: &[(&str, &str)] = &[("open", "open"), ("closed", "closed"), ("all", "all")];

const ADVICE: &str = "Begin again at page 1 with a smaller `limit`.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = RepoTarget::take(&mut arguments)?;
    let state = arguments.optional_choice("state", STATES)?.unwrap_or("open");
    let pages = Pages::take(&mut arguments, LIMITS.0, LIMITS.1)?;
    arguments.finish()?;
    let pending = ports.origin.get_following(&target.segments(&[b"pulls"]), &pages.query(&[("state", state)]));
    let answer = pending.wait()?;
    let repository_empty = answer.status() == 404 && is_empty(ports.origin, &target)?;
    let (rows, evidence) = if repository_empty {
        (Vec::new(), Evidence { total: Some(0), links: Links::Absent })
    } else {
        let (rows, head) = read_answer(answer, Subject::PULLS, |json| read_rows(json, pages.most()))?;
        (rows, Evidence::of(&head))
    };
    let is_foreign = |row: &PullRow| row.is_issue() || (state != "all" && row.state().is_some_and(|said| said != state));
    if rows.iter().any(is_foreign) {
        return Err(refuse(Fault::ForeignRow));
    }
    distinct(rows.iter().map(PullRow::number)).map_err(refuse)?;
    let mut rows: Vec<Shown> = rows.into_iter().map(Shown).collect();
    let paging = Paging::judge(pages.asked, rows.len(), rows.len(), &evidence);
    fit_rows(&mut rows, room, |pull_requests, _| {
        // Those, too, that a row has none of because the forge gave too many.
        let labels_left_out = pull_requests.iter().filter(|row| row.0.labels.is_none()).count();
        serde_json::to_string(&Answer { paging, repository_empty, labels_left_out, pull_requests })
            .expect("its members have string keys")
    })
    .map_err(|_| too_large(ADVICE))
}

/// Whether the repository, of which the forge shows no list of pull requests, is there and has no commit. A forge answers so
/// to both (404); one more request tells.
fn is_empty(origin: &dyn Origin, target: &RepoTarget) -> Result<bool, Refusal> {
    let pending = origin.get_following(&target.segments(&[]), &[]);
    let (empty, _) = read_json(pending, Subject::PULLS, |json| Ok::<_, listing::Fault>(says_empty(json)))?;
    if empty {
        return Ok(true);
    }
    Err(Refusal::new(
        "no_pull_requests",
        "The repository is there, but the forge shows no list of its pull requests (HTTP 404): it has them switched off, it is \
         a mirror, or this token's owner may not read them.",
    ))
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    paging: Paging,
    repository_empty: bool,
    labels_left_out: usize,
    pull_requests: &'a [Shown],
}

/// A row, whose labels can give way.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(PullRow);

impl Row for Shown {
    fn spare(&self) -> usize {
        self.0.label_bytes()
    }

    fn leave_out(&mut self) {
        self.0.labels = None;
    }
}
