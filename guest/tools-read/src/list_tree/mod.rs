//! `list_tree`: what is in one directory at one commit, checked against the directory's object id (K-89).

mod page;
mod walk;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    RepoPath,
    cursor::{Over, PlaceCursor},
};
use assay_origin::refuse;

use crate::{paging::Paging, places::Where, ports::Ports};

pub(crate) fn call(ports: Ports<'_>, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let found = walk::read(ports.origin, &request)?;
    page::render(&request, &found, request.paging.room(room, &ports.reading.settings()))
}

/// The arguments, parsed and agreeing with each other.
#[derive(Debug)]
struct Request {
    at: Where,
    /// What the directory is called, in bytes: the first choice first; none for the root.
    names: Vec<RepoPath>,
    paging: Paging<PlaceCursor>,
}

impl Request {
    /// Everything that can be refused without a request is refused here.
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let at = Where::take(&mut arguments, 0)?;
        let paging = Paging::take_as(&mut arguments, |text| PlaceCursor::decode(Over::Directory, text))?;
        arguments.finish()?;
        let names = match &paging.cursor {
            Some(cursor) => cursor.check(&at.place()).map_err(refuse)?.into_iter().cloned().collect(),
            None => at.path.as_ref().map(|path| path.names().to_vec()).unwrap_or_default(),
        };
        Ok(Self { at, names, paging })
    }

    fn requested_ref(&self) -> Option<&str> {
        self.paging.cursor.as_ref().map_or(self.at.requested.as_deref(), PlaceCursor::reference)
    }
}
