//! `get_file`: a file at one commit, whole where it is small text, else window by window (F).

mod page;
mod read;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    InvalidName, RepoPath,
    cursor::{Over, PlaceCursor},
};
use assay_origin::refuse;

use crate::{paging::take_cursor, places::Where, ports::Ports};

pub(crate) fn call(ports: Ports<'_>, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let found = read::read(ports.origin, &request)?;
    page::render(&request, &found, room)
}

/// The arguments, parsed and agreeing with each other.
#[derive(Debug)]
struct Request {
    at: Where,
    /// What the file is called, in bytes: the first choice first.
    names: Vec<RepoPath>,
    cursor: Option<PlaceCursor>,
}

impl Request {
    /// Everything that can be refused without a request is refused here (F-052, F-054 to F-056).
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let at = Where::take(&mut arguments, 1)?;
        let cursor = take_cursor(&mut arguments, |text| PlaceCursor::decode(Over::File, text))?;
        arguments.finish()?;
        let path = at.path.as_ref().ok_or_else(|| refuse(InvalidName::TreePath))?;
        let names = match &cursor {
            Some(cursor) => cursor.check(&at.place()).map_err(refuse)?.into_iter().cloned().collect(),
            None => path.names().to_vec(),
        };
        Ok(Self { at, names, cursor })
    }

    /// F-052: `ref` as the walk began with it.
    fn requested_ref(&self) -> Option<&str> {
        self.cursor.as_ref().map_or(self.at.requested.as_deref(), PlaceCursor::reference)
    }
}
