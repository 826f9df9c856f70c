//! What the forge says of a pull request before or after a write.

use assay_envelope::Refusal;
use assay_forge::{
    ObjectId,
    observed::{PullInputs, head_of},
    pull::PullRequest,
};
use assay_origin::{Origin, PullTarget};

use crate::answer::get_json;

/// Its state.
pub(crate) fn state(origin: &dyn Origin, target: &PullTarget) -> Result<PullRequest, Refusal> {
    let index = target.index.to_string();
    get_json(origin, &target.segments(&index), |json| PullRequest::read(json, target.index))
}

/// The commit that the forge makes its diff from: what its hidden ref names, not a branch's tip (O-003).
pub(crate) fn head(origin: &dyn Origin, target: &PullTarget) -> Result<ObjectId, Refusal> {
    let index = target.index.to_string();
    let [repos, owner, repo, ..] = target.segments("");
    let path = [repos, owner, repo, b"git", b"refs", b"pull", index.as_bytes(), b"head"];
    get_json(origin, &path, |json| head_of(json, target.index))
}

/// Both commits that the diff lies between, with what else a later look is compared by.
pub(crate) fn inputs(origin: &dyn Origin, target: &PullTarget) -> Result<(PullInputs, ObjectId), Refusal> {
    let index = target.index.to_string();
    let pull = get_json(origin, &target.segments(&index), |json| PullInputs::read(json, target.index))?;
    Ok((pull, head(origin, target)?))
}
