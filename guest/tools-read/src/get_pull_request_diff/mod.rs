//! `get_pull_request_diff`: one window of a diff that was judged whole (D, S, O).

mod page;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{FilePath, cursor::Walk};
use assay_origin::{PullTarget, refuse};

use crate::{
    diff::{self, Ask},
    paging::Paging,
    ports::{Encoding, Ports},
};

/// Bounds of `file_path` in bytes.
const FILE_PATH: (usize, usize) = (0, 4_096);

pub(crate) fn call(ports: Ports<'_>, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let judged = diff::read(ports, request.ask())?;
    let settings = ports.reading.settings();
    let encoding = request.encoding.unwrap_or(settings.encoding);
    page::render(&request, &judged, encoding, request.paging.room(room, &settings))
}

/// The arguments, parsed and agreeing with each other.
#[derive(Debug)]
struct Request {
    target: PullTarget,
    /// `file_path` as it was given, and the names it can stand for.
    file_path: Option<String>,
    path: Option<FilePath>,
    paging: Paging,
    encoding: Option<Encoding>,
}

impl Request {
    /// Everything that can be refused without a request is refused here (D-012, D-013, D-048, D-054).
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let target = PullTarget::take(&mut arguments)?;
        let paging = Paging::take(&mut arguments)?;
        let file_path = arguments.optional_text("file_path", FILE_PATH)?.filter(|path| !path.is_empty());
        let encoding = arguments.optional_choice(
            "encoding",
            &[("base64", Encoding::Base64), ("text", Encoding::Text), ("auto", Encoding::Auto)],
        )?;
        arguments.finish()?;
        let path = file_path.as_deref().map(FilePath::new).transpose().map_err(refuse)?;
        let request = Self { target, file_path, path, paging, encoding };
        request.paging.check(&request.ask().call())?;
        Ok(request)
    }

    fn ask(&self) -> Ask<'_> {
        let walk = self.path.as_ref().map_or(Walk::Diff, Walk::File);
        Ask { target: &self.target, walk, cursor: self.paging.cursor.as_ref() }
    }
}
