//! The two commits that a stock forge makes the diff from, asked for with the caller's credential (O-003).

use std::io::BufReader;

use assay_envelope::Refusal;
use assay_forge::{
    Error, Index, ObjectId, http,
    observed::{PullInputs, head_of},
};
use assay_origin::{Body, Pending, PullTarget, head, refuse};
use time::{Duration, OffsetDateTime};

use super::objects::Counted;
/// Bytes of either answer that are read at the most. A pull request's text is passed over, not kept.
const ENTITY_BYTES: u64 = 32 * 1024 * 1024;

/// O-014: how long a forge may take to work out a merge base.
const SETTLING: Duration = Duration::seconds(30);

/// One look at what the diff is made from.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) pull: PullInputs,
    pub(super) head: ObjectId,
    /// When the forge answered.
    date: Option<OffsetDateTime>,
}

impl Look {
    /// Two requests, under way at once.
    pub(super) fn take(origin: &Counted<'_>, target: &PullTarget) -> Result<Self, Refusal> {
        let index = target.index.to_string();
        let pull = origin.get(&target.segments(&index), &[], None);
        let [repos, owner, repo, ..] = target.segments("");
        let refs = origin.get(&[repos, owner, repo, b"git", b"refs", b"pull", index.as_bytes(), b"head"], &[], None);
        let (pull, date) = read(pull, target.index, |body, index| PullInputs::read(body, index))?;
        let (head, _) = read(refs, target.index, |body, index| head_of(body, index))?;
        if head.format() != pull.object_format() {
            return Err(refuse(assay_forge::observed::Fault::Identity));
        }
        Ok(Self { pull, head, date })
    }

    pub(super) const fn bound(&self) -> (&PullInputs, ObjectId) {
        (&self.pull, self.head)
    }

    /// Whether the forge may still be working out the merge base: of an open pull request that changed just now.
    pub(super) fn is_fresh(&self) -> bool {
        let Some((updated, now)) = self.pull.updated_at.zip(self.date) else { return false };
        self.pull.is_open && now - updated < SETTLING
    }
}

fn read<T>(
    pending: Box<dyn Pending>,
    index: Index,
    parse: impl FnOnce(BufReader<&mut Body<'_>>, Index) -> Result<T, Error>,
) -> Result<(T, Option<OffsetDateTime>), Refusal> {
    let mut answer = pending.wait()?;
    let head = head(answer.as_ref());
    http::judge_json(&head).map_err(refuse)?;
    let mut body = Body::new(answer.as_mut(), ENTITY_BYTES);
    let parsed = parse(BufReader::new(&mut body), index);
    Ok((body.outcome(parsed)?, head.date()))
}
