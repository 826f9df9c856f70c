//! `list_branches`: a repository's branches by name, with their commits.

use assay_envelope::{Arguments, Refusal, escaped_len};
use assay_forge::{
    branch::BranchRow,
    http::Subject,
    listing::{Paging, distinct, read_rows},
};
use assay_origin::{RepoTarget, refuse};
use serde::Serialize;

use crate::{
    native_list::{Pages, read_page, too_large},
    ports::Ports,
};

/// Rows to a page, where a call does not say, and at the most.
const LIMITS: (u64, u64) = (30, 50);

const ADVICE: &str = "Begin again at page 1 with a smaller `limit`.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = RepoTarget::take(&mut arguments)?;
    let pages = Pages::take(&mut arguments, LIMITS.0, LIMITS.1)?;
    arguments.finish()?;
    let pending = ports.origin.get_following(&target.segments(&[b"branches"]), &pages.query(&[]));
    let (branches, evidence) =
        read_page(pending, Subject::REPOSITORY, |json| read_rows::<BranchRow>(json, pages.most()))?;
    distinct(branches.iter().map(BranchRow::name)).map_err(refuse)?;
    let paging = Paging::judge(pages.asked, branches.len(), branches.len(), &evidence);
    let answer = serde_json::to_string(&Answer { paging, branches }).expect("its members have string keys");
    if escaped_len(&answer) <= room { Ok(answer) } else { Err(too_large(ADVICE)) }
}

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    paging: Paging,
    branches: Vec<BranchRow>,
}
