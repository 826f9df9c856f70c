//! `list_issues`: one of the forge's own pages of a repository's issues, small rows, strict about whether there are more
//! (G-120 to G-130, G-139 to G-146c).

use assay_envelope::{Arguments, Refusal, Row, fit_rows};
use assay_forge::{
    http::Subject,
    issue::IssueRow,
    listing::{Evidence, Expected, Fault, distinct, read_rows, strict},
};
use assay_origin::{RepoTarget, refuse};
use serde::Serialize;

use crate::{
    native_list::{read_json, take_page, too_large},
    ports::Ports,
    provenance::Provenance,
};

/// The requested width of a page, no cap on what comes (G-130).
const LIMIT: u64 = 30;
/// Rows on one page at the most, so that a forge that ignores the width cannot fill the memory with them.
const MOST_ROWS: usize = 200;

const STATES: &[(&str, &str)] = &[("open", "open"), ("closed", "closed"), ("all", "all")];

const ADVICE: &str = "Ask for another `state`, or read single issues with `get_issue`.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::take(&mut arguments)?;
    arguments.finish()?;
    let RepoTarget { owner, repo } = &request.repository;
    let (page, limit) = (request.page.to_string(), LIMIT.to_string());
    let path = request.repository.segments(&[b"issues"]);
    // G-122.
    let query = [("type", "issues"), ("state", request.state), ("page", &page), ("limit", &limit)];
    let pending = ports.origin.get(&path, &query, None);
    let read = |json: &mut dyn std::io::Read| read_rows::<IssueRow>(json, MOST_ROWS);
    let (rows, head) = read_json(pending, Subject::ISSUES, read)?;
    let is_other_state = |row: &IssueRow| request.state != "all" && row.state().is_some_and(|state| state != request.state);
    if rows.iter().any(|row| row.is_foreign(owner, repo) || is_other_state(row)) {
        return Err(refuse(Fault::ForeignRow));
    }
    distinct(rows.iter().map(|row| Some(row.number()))).map_err(refuse)?;
    distinct(rows.iter().map(|row| Some(row.id()))).map_err(refuse)?;
    let native_returned = rows.len();
    let mut origins: Vec<String> = rows.iter().filter_map(IssueRow::origin).collect();
    origins.dedup();
    let expected = Expected {
        path: &["repos", owner.as_str(), repo.as_str(), "issues"],
        query: &[("type", "issues"), ("state", request.state)],
        origins: &origins,
    };
    let continuation = strict(request.page, native_returned, &Evidence::of(&head), &expected).map_err(refuse)?;
    // G-123.
    let mut rows: Vec<Shown> = rows.into_iter().filter(|row| !row.is_pull_request()).map(Shown).collect();
    let provenance = Provenance::new(&request.repository, &path, &query, &head, &head);
    fit_rows(&mut rows, room, |issues, labels_left_out| {
        let answer = Answer {
            issues,
            requested: Requested {
                owner: owner.as_str(),
                repo: repo.as_str(),
                state: request.state,
                page: request.page,
            },
            page: request.page,
            limit: LIMIT,
            effective_limit: None,
            returned: issues.len(),
            native_returned,
            total: continuation.total,
            has_more: continuation.next_page.is_some(),
            next_page: continuation.next_page,
            snapshot: false,
            labels_left_out,
            provenance: &provenance,
        };
        serde_json::to_string(&answer).expect("its members have string keys")
    })
    .map_err(|_| too_large(ADVICE))
}

#[derive(Debug)]
struct Request {
    repository: RepoTarget,
    state: &'static str,
    page: u64,
}

impl Request {
    fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        Ok(Self {
            repository: RepoTarget::take(arguments)?,
            // G-120.
            state: arguments.optional_choice("state", STATES)?.unwrap_or("open"),
            page: take_page(arguments)?,
        })
    }
}

/// The members of the contract's output, in its order, and how many rows have no labels for want of room.
#[derive(Serialize)]
struct Answer<'a> {
    issues: &'a [Shown],
    requested: Requested<'a>,
    page: u64,
    limit: u64,
    /// Always null: no answer proves the width that a forge really uses (G-125).
    effective_limit: Option<u64>,
    returned: usize,
    native_returned: usize,
    total: Option<u64>,
    has_more: bool,
    next_page: Option<u64>,
    /// Always false: between two pages the list may change (G-145).
    snapshot: bool,
    labels_left_out: usize,
    provenance: &'a Provenance<'a>,
}

#[derive(Serialize)]
struct Requested<'a> {
    owner: &'a str,
    repo: &'a str,
    state: &'a str,
    page: u64,
}

/// A row, whose labels can give way.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(IssueRow);

impl Row for Shown {
    fn spare(&self) -> usize {
        self.0.label_bytes()
    }

    fn leave_out(&mut self) {
        self.0.labels = None;
    }
}
