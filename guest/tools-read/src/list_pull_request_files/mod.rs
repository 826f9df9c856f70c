//! `list_pull_request_files`: the index of a diff that was judged whole, one row a section (O-016).

mod page;

use assay_envelope::{Arguments, Refusal};
use assay_forge::cursor::Walk;
use assay_origin::PullTarget;

use crate::{
    diff::{self, Ask},
    paging::Paging,
    ports::Ports,
};

pub(crate) fn call(ports: Ports<'_>, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let judged = diff::read(ports, request.ask())?;
    page::render(&request, &judged, request.paging.room(room, &ports.reading.settings()))
}

/// The arguments, parsed and agreeing with each other.
#[derive(Debug)]
struct Request {
    target: PullTarget,
    paging: Paging,
}

impl Request {
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let target = PullTarget::take(&mut arguments)?;
        let paging = Paging::take(&mut arguments)?;
        arguments.finish()?;
        let request = Self { target, paging };
        request.paging.check(&request.ask().call())?;
        Ok(request)
    }

    const fn ask(&self) -> Ask<'_> {
        Ask { target: &self.target, walk: Walk::Files, cursor: self.paging.cursor.as_ref() }
    }
}
