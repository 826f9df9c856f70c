//! `list_releases`: a repository's releases without their notes.

use assay_envelope::{Arguments, Refusal, Row, fit_rows};
use assay_forge::{
    http::Subject,
    listing::{Paging, distinct, read_rows},
    release::ReleaseRow,
};
use assay_origin::{RepoTarget, refuse};
use serde::Serialize;

use crate::{
    native_list::{Pages, read_page, too_large},
    ports::Ports,
};

/// Rows to a page, where a call does not say, and at the most.
const LIMITS: (u64, u64) = (10, 50);

const ADVICE: &str = "Begin again at page 1 with a smaller `limit`.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = RepoTarget::take(&mut arguments)?;
    let pages = Pages::take(&mut arguments, LIMITS.0, LIMITS.1)?;
    arguments.finish()?;
    let pending = ports.origin.get_following(&target.segments(&[b"releases"]), &pages.query(&[]));
    let (rows, evidence) =
        read_page(pending, Subject::RELEASES, |json| read_rows::<ReleaseRow>(json, pages.most()))?;
    distinct(rows.iter().map(ReleaseRow::id)).map_err(refuse)?;
    distinct(rows.iter().map(ReleaseRow::tag_name)).map_err(refuse)?;
    let mut rows: Vec<Shown> = rows.into_iter().map(Shown).collect();
    let paging = Paging::judge(pages.asked, rows.len(), rows.len(), &evidence);
    fit_rows(&mut rows, room, |releases, _| {
        serde_json::to_string(&Answer { paging, releases }).expect("its members have string keys")
    })
    .map_err(|_| too_large(ADVICE))
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    paging: Paging,
    releases: &'a [Shown],
}

/// A row, whose assets can give way; it counts them itself.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(ReleaseRow);

impl Row for Shown {
    fn spare(&self) -> usize {
        self.0.asset_bytes()
    }

    fn leave_out(&mut self) {
        self.0.leave_assets_out();
    }
}
