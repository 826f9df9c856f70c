//! One page of a list of repositories: read through the port that may list them, held against the operator's list, fitted.

use std::io::Read;

use assay_envelope::{Refusal, Row, fit_rows};
use assay_forge::{
    http::Subject,
    listing::{Asked, Fault, Paging, distinct, read_rows, read_rows_in},
    repository::RepositoryRow,
};
use assay_origin::{Pending, refuse};
use serde::Serialize;

use crate::{
    native_list::{read_page, too_large},
    ports::Ports,
};

/// Where an answer has its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rows {
    /// It is the array.
    Bare,
    /// In `data`, as a search has them.
    InData,
}

/// A page as it is shown.
pub(crate) struct Page {
    rows: Vec<Shown>,
    paging: Paging,
    hidden: usize,
}

/// The members that every list of repositories has, in this order, behind what is the tool's own.
#[derive(Serialize)]
pub(crate) struct Members<'a> {
    #[serde(flatten)]
    paging: Paging,
    /// Rows of this page that the operator's list of repositories keeps back (G-085).
    hidden: usize,
    descriptions_left_out: usize,
    repositories: &'a [Shown],
}

/// A row, whose description can give way.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Shown(RepositoryRow);

impl Row for Shown {
    fn spare(&self) -> usize {
        self.0.description.as_ref().map_or(0, String::len)
    }

    fn leave_out(&mut self) {
        self.0.description = None;
    }
}

impl Page {
    /// A page without rows, of which nothing is known.
    pub(crate) const fn empty(asked: Asked) -> Self {
        let Asked { page, limit } = asked;
        let paging = Paging { page, limit, returned: 0, total: None, has_more: false, next_page: None };
        Self { rows: Vec::new(), paging, hidden: 0 }
    }

    /// Reads the answer. Where `owner` is given, a row of another owner's refuses (G-093).
    pub(crate) fn read(
        ports: Ports<'_>,
        pending: Box<dyn Pending>,
        rows: Rows,
        asked: Asked,
        owner: Option<u64>,
    ) -> Result<Self, Refusal> {
        let most = usize::try_from(asked.limit).unwrap_or(usize::MAX);
        let read = |json: &mut dyn Read| match rows {
            Rows::Bare => read_rows::<RepositoryRow>(json, most),
            Rows::InData => read_rows_in::<RepositoryRow>(json, "data", most),
        };
        let (rows, evidence) = read_page(pending, Subject::REPOSITORIES, read)?;
        if owner.is_some() && rows.iter().any(|row| row.owner() != owner) {
            return Err(refuse(Fault::ForeignRow));
        }
        distinct(rows.iter().map(|row| Some(row.id()))).map_err(refuse)?;
        let native = rows.len();
        let rows = shown(ports, rows)?;
        let paging = Paging::judge(asked, native, rows.len(), &evidence);
        Ok(Self { hidden: native - rows.len(), rows, paging })
    }

    /// Fits it: `answer` writes the tool's own members before these.
    pub(crate) fn render(
        mut self,
        room: usize,
        advice: &str,
        answer: impl Fn(Members<'_>) -> String,
    ) -> Result<String, Refusal> {
        let (paging, hidden) = (self.paging, self.hidden);
        let lost = self.rows.iter().filter(|row| row.0.lost_description()).count();
        fit_rows(&mut self.rows, room, |repositories, left_out| {
            let descriptions_left_out = left_out + lost;
            answer(Members { paging, hidden, descriptions_left_out, repositories })
        })
        .map_err(|_| too_large(advice))
    }
}

/// The rows that may be shown, in their order.
fn shown(ports: Ports<'_>, rows: Vec<RepositoryRow>) -> Result<Vec<Shown>, Refusal> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<u64> = rows.iter().map(RepositoryRow::id).collect();
    let shows = ports.lists.shows(&ids)?;
    // A row without a verdict is none to show.
    Ok(rows.into_iter().zip(shows).filter(|(_, shown)| *shown).map(|(row, _)| Shown(row)).collect())
}
