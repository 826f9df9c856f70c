//! A forge's list answers: rows as they stream by, and what the answer's head says of further pages.
//!
//! Three things make a list complete or show that it is not: the rows themselves ([`read_rows`]), `X-Total-Count` and the
//! `Link` field ([`Evidence`]). [`Paging`] is what most lists say of them; [`strict`] is the harder rule of the issue list,
//! which refuses what does not agree. No target of a `Link` is ever requested (G-126).

mod evidence;
mod link;
mod paging;
mod rows;
mod strict;

pub use evidence::Evidence;
pub use link::{Links, Target};
pub use paging::{Asked, MOST_PAGE, Paging};
pub use rows::{distinct, for_each_row, read_rows, read_rows_in};
pub use strict::{Continuation, Expected, strict};

/// Why a list is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not one whole JSON array of objects.
    #[error(
        "the forge's list is not one whole JSON array of objects; nothing of it is shown: call again, and check that the \
         forge's address is its own"
    )]
    Malformed,
    /// More rows on a page than any forge gives.
    #[error(
        "the forge's list has more rows on one page than were asked for and any forge gives; nothing of it is shown: tell \
         the forge's operator"
    )]
    TooManyRows,
    /// A row that does not belong to what was asked for.
    #[error(
        "a row of the forge's list belongs to something else than was asked for, or does not say to what; nothing of it is \
         shown: call again, and tell the forge's operator if it stays so"
    )]
    ForeignRow,
    /// One thing twice on a page.
    #[error(
        "a row stands twice on this page of the forge's list; nothing of it is shown: begin again at page 1, and tell the \
         forge's operator if it stays so"
    )]
    RepeatedRow,
    /// The paging evidence of a strict list.
    #[error(
        "whether the forge's list goes on cannot be told: {0}; nothing of it is shown: begin again at page 1, and tell the \
         forge's operator if it stays so"
    )]
    Paging(Inconsistent),
}

/// What does not agree in a strict list's paging evidence (G-127, G-128).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inconsistent {
    /// No `Link`, and the count is not the rows'.
    #[error("it has no Link field, and its X-Total-Count is not the number of its rows")]
    NoLink,
    /// No `Link` on a later page.
    #[error("a later page has no Link field, so it may lie past the end")]
    NoLinkLater,
    /// The field cannot be read.
    #[error("its Link field cannot be read")]
    MalformedLink,
    /// `rel="next"` is not the page after this one.
    #[error("its next page is not the one after this page")]
    NotNext,
    /// `rel="last"` lies before the next page, or says that there is one where there is none.
    #[error("its last page does not agree with its next page")]
    Last,
    /// Another repository, or another origin than the rows'.
    #[error("its Link field leads to another list or another place than its rows")]
    Foreign,
    /// Another filter.
    #[error("its Link field has another state or type than was asked for")]
    OtherFilter,
    /// Fewer in all than on this page.
    #[error("its X-Total-Count is smaller than the number of its rows")]
    TotalTooSmall,
    /// A first page that has a `Link` without a next page, and not all the rows.
    #[error("its first page has no next one, and its X-Total-Count is not the number of its rows")]
    FirstWithoutNext,
    /// No row, yet a next page.
    #[error("a page without rows promises a next one")]
    EmptyWithNext,
}

impl Fault {
    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed | Self::TooManyRows | Self::RepeatedRow => "answer_malformed",
            Self::ForeignRow => "answer_foreign",
            Self::Paging(_) => "paging_inconsistent",
        }
    }
}
