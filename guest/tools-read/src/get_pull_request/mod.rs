//! `get_pull_request`: one pull request's state as this one answer shows it (G-150 to G-158).

use std::io::BufReader;

use assay_envelope::{Arguments, Refusal, escaped_len};
use assay_forge::{http, pull::PullRequest};
use assay_origin::{Body, Origin, PullTarget, head, refuse};

use crate::{
    ports::Ports,
};

/// Bytes of the forge's answer that are read at the most. Its long members (the body) are passed over, not kept.
const ENTITY_BYTES: u64 = 32 * 1024 * 1024;

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let target = PullTarget::take(&mut arguments)?;
    arguments.finish()?;
    let pull = fetch(ports.origin, &target)?;
    let answer = serde_json::to_string(&pull).expect("its members have string keys");
    if escaped_len(&answer) <= room {
        return Ok(answer);
    }
    Err(Refusal::new(
        "answer_too_large",
        "The pull request's state does not fit into the answer's bound and is never cut. Use a shorter request id.",
    ))
}

fn fetch(origin: &dyn Origin, target: &PullTarget) -> Result<PullRequest, Refusal> {
    let index = target.index.to_string();
    let mut answer = origin.get_following(&target.segments(&index), &[]).wait()?;
    http::judge_json(&head(answer.as_ref())).map_err(refuse)?;
    let mut body = Body::new(answer.as_mut(), ENTITY_BYTES);
    let pull = PullRequest::read(BufReader::new(&mut body), target.index);
    body.outcome(pull)
}
