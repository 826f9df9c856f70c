//! One repository of the forge, asked with the caller's credential; every answer's head is judged before its body is read.

use std::io::BufReader;

use assay_envelope::Refusal;
use assay_forge::{
    ObjectId,
    file::{Fault, Part, What},
    http,
};
use assay_origin::{Answer, Body, Origin, RepoTarget, feed, head, refuse};

/// Bytes of an answer that are read at the most (O-F3). What is not asked for is passed over, not kept.
const ENTITY_BYTES: u64 = 16 * 1024 * 1024;

/// The repository that a call is about.
#[derive(Clone, Copy)]
pub(crate) struct Forge<'a> {
    pub(crate) origin: &'a dyn Origin,
    pub(crate) target: &'a RepoTarget,
}

/// Why there is nothing of an answer: the forge said so, or something that ends the call.
pub(crate) enum Missing {
    /// The status or a field of the answer.
    Said(http::Fault),
    /// The port's fault.
    Ended(Refusal),
}

impl Missing {
    pub(crate) fn refusal(self, what: What) -> Refusal {
        match self {
            Self::Said(fault) => refuse(Fault::Http(what, fault)),
            Self::Ended(refusal) => refusal,
        }
    }

    /// Whether the forge has nothing there: 404, or 400 and 422 where a route takes the name for malformed.
    pub(crate) const fn is_absence(&self) -> bool {
        matches!(self, Self::Said(http::Fault::NotFound | http::Fault::UnexpectedStatus(400 | 422)))
    }
}

impl Forge<'_> {
    /// An answer with JSON, its body unread. `rest` are the segments below the repository. A redirect is not followed
    /// (F-027).
    pub(crate) fn json(&self, rest: &[&[u8]], query: &[(&str, &str)]) -> Result<Box<dyn Answer>, Missing> {
        let pending = self.origin.get(&self.target.segments(rest), query, None);
        let answer = pending.wait().map_err(|fault| Missing::Ended(fault.into()))?;
        http::judge_json(&head(answer.as_ref())).map_err(Missing::Said)?;
        Ok(answer)
    }

    /// Exactly the bytes `first..=last` of the file at `path` (F-020), not yet known to be anything else.
    pub(crate) fn part(
        &self,
        path: &[u8],
        commit: ObjectId,
        (first, last): (u64, u64),
        (blob, size): (ObjectId, u64),
    ) -> Result<Part, Refusal> {
        let commit = commit.to_string();
        let rest: Vec<&[u8]> = std::iter::once(&b"raw"[..]).chain(segments(path)).collect();
        let query = [("ref", commit.as_str())];
        let mut answer = self.origin.get(&self.target.segments(&rest), &query, Some((first, last))).wait()?;
        let judged = http::judge_range(&head(answer.as_ref()), (first, last), size, blob);
        judged.map_err(|fault| refuse(Fault::Http(What::File, fault)))?;
        let mut part = Part::new(usize::try_from(last - first + 1).expect("a window is small"));
        feed(answer.as_mut(), |bytes| Ok(part.feed(bytes)?))?;
        Ok(part)
    }
}

/// Reads an answer's JSON to its end.
pub(crate) fn read<T>(
    mut answer: Box<dyn Answer>,
    parse: impl FnOnce(BufReader<&mut Body<'_>>) -> Result<T, Fault>,
) -> Result<T, Refusal> {
    let mut body = Body::new(answer.as_mut(), ENTITY_BYTES);
    let parsed = parse(BufReader::new(&mut body));
    match parsed {
        Err(Fault::Malformed(What::Directory)) if body.is_too_long() => Err(refuse(Fault::ListingTooLarge)),
        parsed => body.outcome(parsed),
    }
}

/// The names of a path.
pub(crate) fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}
