//! `get_pull_request_diff`: one window of a diff that was verified whole (D, S).
//!
//! One evidence request a call, whatever window was asked: nothing is answered from an earlier call (D-006, D-016).

mod page;
mod selection;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    InvalidName, RepoPath, Verified,
    cursor::Cursor,
    diff::unquoted_bytes,
    evidence::{Evidence, Verifier},
    http::{self, Served},
};

use crate::{
    entity::{feed, head, refuse},
    origin::Origin,
    target::PullTarget,
};

use self::selection::{Selected, Selection};

/// Bounds of `cursor` and `file_path` in bytes.
const CURSOR: (usize, usize) = (1, 8_192);
const FILE_PATH: (usize, usize) = (0, 4_096);

pub(crate) fn call(origin: &dyn Origin, arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let evidence = request.fetch(origin)?;
    page::render(&request, &evidence, room)
}

/// The arguments, parsed and agreeing with each other.
#[derive(Debug)]
struct Request {
    target: PullTarget,
    /// `file_path` as it was given, and the name it stands for.
    file_path: Option<String>,
    path: Option<RepoPath>,
    cursor: Option<Cursor>,
}

impl Request {
    /// Everything that can be refused without a request is refused here (D-012, D-013, D-048, D-054).
    fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let target = PullTarget::take(&mut arguments)?;
        let cursor = arguments.optional_text("cursor", CURSOR)?;
        let file_path = arguments.optional_text("file_path", FILE_PATH)?.filter(|path| !path.is_empty());
        arguments.finish()?;
        let path = file_path.as_deref().map(path).transpose().map_err(refuse)?;
        let cursor = cursor.map(|text| Cursor::decode(&text)).transpose().map_err(refuse)?;
        if let Some(cursor) = &cursor {
            cursor.check_call(&target.owner, &target.repo, target.index, path.as_ref()).map_err(refuse)?;
        }
        Ok(Self { target, file_path, path, cursor })
    }

    /// Reads the evidence, whole, and holds the cursor against it.
    fn fetch(&self, origin: &dyn Origin) -> Result<Verified<Evidence<Selected>>, Refusal> {
        let last = format!("{}.diff", self.target.index);
        let query = [("binary", "true"), ("evidence", "v1")];
        let mut answer = origin.get(&self.target.segments(&last), &query).wait()?;
        let content_length = match http::judge_evidence(&head(answer.as_ref())).map_err(refuse)? {
            Served::Evidence { content_length } => content_length,
            Served::Stock => return Err(without_evidence()),
        };
        let offset = self.cursor.as_ref().map_or(0, Cursor::offset);
        let selection = Selection::new(self.path.clone(), offset);
        let mut verifier = Verifier::new(self.target.index, content_length, selection);
        feed(answer.as_mut(), |bytes| verifier.feed(bytes))?;
        let evidence = verifier.finish().map_err(refuse)?;
        if let Some(cursor) = &self.cursor {
            cursor.check_manifest(&evidence.manifest, evidence.output.bound()).map_err(refuse)?;
        }
        Ok(evidence)
    }
}

/// The name as it stands; one that is no UTF-8 can be given as git quotes it, since a JSON string cannot hold it.
fn path(file_path: &str) -> Result<RepoPath, InvalidName> {
    unquoted_bytes(file_path).map_or_else(|| RepoPath::new(file_path), RepoPath::new)
}

/// O-001 and D-079: a plain diff proves nothing by itself, and is not shown in place of one that does.
fn without_evidence() -> Refusal {
    Refusal::new(
        "evidence_unavailable",
        "This forge answered with a plain diff, without the evidence (forgejo.pr-diff-evidence.v1) that a verified read \
         needs, and a plain diff is never shown as a verified one. Ask the forge's operator for the evidence route, or \
         serve a clone of the repository with `assay local-forge`, which has it.",
    )
}
