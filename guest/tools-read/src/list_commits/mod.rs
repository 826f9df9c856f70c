//! `list_commits`: the history of a ref, or of what it has at a path, one small row a commit (K-06).

use assay_envelope::{Arguments, Refusal, escaped_len};
use assay_forge::{
    history::CommitRow,
    http::{Fault, Head, Subject},
    listing::{Evidence, Links, Paging, distinct, read_rows},
};
use assay_origin::{RepoTarget, head, refuse};
use serde::Serialize;

use crate::{
    native_list::{Pages, read_answer, too_large},
    ports::Ports,
};

/// Rows to a page, where a call does not say, and at the most.
const LIMITS: (u64, u64) = (20, 50);
/// Rows to a page of a path's history: many forges ignore the limit there, count by it all the same, and give so many.
const PATH_LIMIT: u64 = 50;
/// Rows on such a page at the most: an operator may set more.
const MOST_PATH_ROWS: usize = 1_000;

/// Bounds in bytes.
const REF: (usize, usize) = (1, 255);
const PATH: (usize, usize) = (1, 4_096);

const ADVICE: &str = "Begin again at page 1 with a smaller `limit`, or without `path`.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::take(&mut arguments)?;
    arguments.finish()?;
    let answer = ports.origin.get_following(&request.target.segments(&[b"commits"]), &request.query()).wait()?;
    let status = answer.status();
    // The one meaning of a conflict on this route.
    let repository_empty = status == 409;
    let (commits, evidence) = if repository_empty {
        (Vec::new(), Evidence { total: Some(0), links: Links::Absent })
    } else if request.names_something() && matches!(status, 500..=599) {
        return Err(unread(&head(answer.as_ref())));
    } else {
        let read = |json: &mut dyn std::io::Read| read_rows::<CommitRow>(json, request.most());
        let (rows, head) = read_answer(answer, Subject::COMMITS, read)?;
        (rows, Evidence::of(&head))
    };
    distinct(commits.iter().map(CommitRow::sha)).map_err(refuse)?;
    let paging = Paging::judge(request.pages.asked, commits.len(), commits.len(), &evidence);
    let answer = serde_json::to_string(&Answer { paging, repository_empty, commits }).expect("its members have string keys");
    if escaped_len(&answer) <= room { Ok(answer) } else { Err(too_large(ADVICE)) }
}

#[derive(Debug)]
struct Request {
    target: RepoTarget,
    name: Option<String>,
    path: Option<String>,
    pages: Pages,
}

impl Request {
    fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let target = RepoTarget::take(arguments)?;
        let name = arguments.optional_text("ref", REF)?;
        let path = arguments.optional_text("path", PATH)?;
        let pages = Pages::take(arguments, LIMITS.0, LIMITS.1)?;
        let pages = if path.is_some() { Pages::of(pages.asked.page, PATH_LIMIT) } else { pages };
        Ok(Self { target, name, path, pages })
    }

    fn query(&self) -> Vec<(&str, &str)> {
        let mut own = vec![("stat", "false"), ("files", "false"), ("verification", "false")];
        own.extend(self.name.as_deref().map(|name| ("sha", name)));
        own.extend(self.path.as_deref().map(|path| ("path", path)));
        self.pages.query(&own)
    }

    fn most(&self) -> usize {
        if self.path.is_some() { MOST_PATH_ROWS } else { self.pages.most() }
    }

    const fn names_something(&self) -> bool {
        self.name.is_some() || self.path.is_some()
    }
}

/// Older forges fail where a ref or a path is not there.
fn unread(head: &Head) -> Refusal {
    let mut refusal = refuse(Fault::ServerError(head.status, head.wait()));
    refusal.message += ". Some forges fail like this where there is no such `ref` or `path`: list_branches tells the branches";
    refusal
}

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    paging: Paging,
    repository_empty: bool,
    commits: Vec<CommitRow>,
}
