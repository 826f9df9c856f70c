//! A pull request's diff, read whole and judged, for every tool that shows something of it.
//!
//! Native evidence is judged by itself (D). A stock forge's plain diff is proven against git objects (O), and a proven one
//! may be kept: a later page then costs two requests. Whatever the way, what comes out was judged to its last byte.

mod inputs;
mod kept;
mod native;
mod objects;
mod observed;
mod rows;

use assay_envelope::Refusal;
use assay_forge::{
    Captured, Slice,
    cursor::{Binding, Call, Cursor, Extent, Fault, Walk},
    files::Totals,
};
use assay_origin::{PullTarget, refuse};

use crate::ports::{Ports, Source};

pub(crate) use self::rows::Rows;

/// What a call wants of a diff.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) target: &'a PullTarget,
    pub(crate) walk: Walk<'a>,
    pub(crate) cursor: Option<&'a Cursor>,
}

impl<'a> Ask<'a> {
    pub(crate) const fn call(&self) -> Call<'a> {
        Call { owner: &self.target.owner, repo: &self.target.repo, index: self.target.index, walk: self.walk }
    }

    fn offset(&self) -> u64 {
        self.cursor.map_or(0, Cursor::offset)
    }

    /// O-018, D-052: what was found now is what the walk began with.
    fn continues(&self, found: &Found, binding: &Binding) -> Result<(), Refusal> {
        self.cursor.map_or(Ok(()), |cursor| cursor.check(binding, found.extent()).map_err(refuse))
    }
}

/// What came of it: judged whole.
pub(crate) struct Judged {
    /// The receipt's JSON.
    pub(crate) manifest: String,
    /// What a cursor binds of it.
    pub(crate) binding: Binding,
    /// D-046, O-009.
    pub(crate) whole_diff_verified: bool,
    pub(crate) found: Found,
}

pub(crate) enum Found {
    /// A window of the diff.
    Diff(Captured),
    /// A window of one file's sections.
    File(Slice),
    /// Rows of the index.
    Files(Rows, Totals),
}

impl Found {
    pub(crate) const fn extent(&self) -> Extent<'_> {
        match self {
            Self::Diff(_) => Extent::Diff,
            Self::File(slice) => Extent::File(slice),
            Self::Files(_, totals) => Extent::Files(totals.files),
        }
    }
}

/// Reads the diff that is asked for.
pub(crate) fn read(ports: Ports<'_>, ask: Ask<'_>) -> Result<Judged, Refusal> {
    let source = ports.reading.settings().source;
    let continues_evidence = ask.cursor.is_some_and(|cursor| cursor.binding().is_native());
    match source {
        Source::Evidence => native::read(ports, ask),
        Source::Observed if continues_evidence => Err(refuse(Fault::Downgraded)),
        Source::Auto if continues_evidence => native::read(ports, ask),
        Source::Auto | Source::Observed => match kept::read(ports, ask)? {
            Some(judged) => Ok(judged),
            None => observed::read(ports, ask),
        },
    }
}
