//! What a second look at the pull request says about a merge that was not simply done.

use assay_envelope::Refusal;
use assay_forge::{ObjectId, pull::PullRequest};

/// Titles that begin so are not merged: the marks that a forge has by default.
const WORK_IN_PROGRESS: [&str; 2] = ["wip:", "[wip]"];

/// What HTTP 405 may mean.
const UNKNOWN: &str = "The reasons may be: it is merged already, it conflicts or is still being checked, it is work in \
                       progress, the token's owner may not merge it, a protection of the base branch stands against it, or \
                       the repository does not allow this style. Reading it back did not say which: call \
                       `get_pull_request`.";

/// The pull request as it was read after the request, or why it could not be.
pub(super) struct Look(Result<PullRequest, Refusal>);

impl Look {
    pub(super) const fn of(read: Result<PullRequest, Refusal>) -> Self {
        Self(read)
    }

    /// The forge said that it merged: so must the pull request.
    pub(super) fn confirms(&self) -> Result<(), Refusal> {
        match &self.0 {
            Ok(pull) if pull.merged() == Some(true) => Ok(()),
            _ => Err(self.uncertain("the forge answered HTTP 200, that it merged, which reading it back does not confirm")),
        }
    }

    /// The forge said that it will merge later: whether it has by now, as there may have been nothing to wait for.
    pub(super) fn by_now(&self) -> Result<bool, Refusal> {
        let merged = self.0.as_ref().ok().and_then(PullRequest::merged);
        merged.ok_or_else(|| self.uncertain("the forge answered HTTP 201, that it will merge it later"))
    }

    /// Whether it was done is not known from the answer; what was seen is told.
    pub(super) fn uncertain(&self, what: &str) -> Refusal {
        Refusal::new(
            "delivery_uncertain",
            format!("The request to merge was sent once and will not be sent again; {what}. {}", self.told()),
        )
    }

    /// A closed pull request is not found by this route, nor is one of an archived repository.
    pub(super) fn after_404(&self, not_found: Refusal) -> Refusal {
        match &self.0 {
            Ok(pull) if pull.merged() == Some(true) => already_merged(pull, 404),
            Ok(pull) if is_abandoned(pull) => closed(404),
            Ok(_) => Refusal::new(
                "not_mergeable",
                "The forge shows the pull request to this credential, but takes no merge of it (HTTP 404); nothing was \
                 changed. The repository may be archived, or the token's owner may not write to it: check both.",
            ),
            Err(_) => not_found,
        }
    }

    /// The status that means many things.
    pub(super) fn after_405(&self) -> Refusal {
        let reasons = match &self.0 {
            Ok(pull) if pull.merged() == Some(true) => return already_merged(pull, 405),
            Ok(pull) if is_abandoned(pull) => return closed(405),
            Ok(pull) if pull.merged().is_none() => UNKNOWN,
            Ok(pull) if is_work_in_progress(pull) => {
                "Its title marks it as work in progress, which a forge does not merge: change the title first."
            }
            Ok(pull) if pull.mergeable() == Some(false) => {
                "Read back, it is not merged and not mergeable: it conflicts with its base, or the forge is still checking it \
                 after a change. Wait some seconds and read it with `get_pull_request`; if `mergeable` stays false, the \
                 conflict has to be resolved on its head branch."
            }
            Ok(pull) if pull.mergeable() == Some(true) => {
                "Read back, it is not merged and has no conflict, so what is left is: the token's owner may not merge it, a \
                 protection of the base branch asks for approvals or checks, the repository does not allow this style, or \
                 the forge was checking it just now. Check these; in the last case call again in some seconds."
            }
            _ => UNKNOWN,
        };
        Refusal::new("not_mergeable", format!("The forge does not merge this now (HTTP 405); nothing was merged. {reasons}"))
    }

    /// A conflict: with the guard, or of commits. Another may have merged it meanwhile, with another head.
    pub(super) fn after_409(&self, guard: Option<ObjectId>, style: &str) -> Refusal {
        if let Ok(pull) = &self.0
            && pull.merged() == Some(true)
        {
            return already_merged(pull, 409);
        }
        let head = self.0.as_ref().ok().and_then(PullRequest::head_sha);
        let guard = guard.map(|guard| guard.to_string());
        match (guard, head) {
            (Some(guard), Some(head)) if !head.eq_ignore_ascii_case(&guard) => Refusal::new(
                "guard_failed",
                format!(
                    "The head is no longer `head_commit_id` (HTTP 409): it is {head} now; nothing was merged. Read what \
                     changed, then merge with that commit as the guard; wait some seconds first, as the forge checks it anew."
                ),
            ),
            _ if style == "ff" && self.is_mergeable() => Refusal::new(
                "not_mergeable",
                "The base branch has commits that the head has not, so this is no fast-forward (HTTP 409); nothing was merged. \
                 Choose another `style`, or bring the head branch up to its base first.",
            ),
            (guard, _) => {
                let moved = if guard.is_some() { "the head moved away from `head_commit_id` just now, " } else { "" };
                Refusal::new(
                    "merge_conflict",
                    format!(
                        "The forge could not merge this (HTTP 409): {moved}the commits conflict, or the base branch moved \
                         meanwhile; nothing was merged. {} Wait some seconds before you call again, as the forge checks it \
                         anew.",
                        self.told()
                    ),
                )
            }
        }
    }

    fn is_mergeable(&self) -> bool {
        self.0.as_ref().ok().and_then(PullRequest::mergeable) == Some(true)
    }

    /// What was seen, in a sentence or two.
    fn told(&self) -> String {
        let pull = match &self.0 {
            Ok(pull) => pull,
            Err(refusal) => {
                let code = &refusal.code;
                return format!("Reading it back failed ({code}): call `get_pull_request` before anything else.");
            }
        };
        match (pull.merged(), pull.state()) {
            (Some(true), _) => {
                format!("Read back, it is merged{}, by this request or another: nothing is left to do.", commit(pull))
            }
            (Some(false), Some("open")) => {
                "Read back, it is open and not merged; the forge may still be working on it, so call `get_pull_request` \
                 again before you decide."
                    .to_owned()
            }
            (Some(false), Some("closed")) => "Read back, it is closed and not merged.".to_owned(),
            (Some(false), _) => {
                "Read back, it is not merged, and does not say whether it is open: look at its page on the forge.".to_owned()
            }
            (None, _) => "Read back, it does not say whether it is merged: look at its page on the forge.".to_owned(),
        }
    }
}

/// Closed, and not by a merge.
fn is_abandoned(pull: &PullRequest) -> bool {
    pull.state() == Some("closed") && pull.merged() == Some(false)
}

fn closed(status: u16) -> Refusal {
    Refusal::new(
        "not_mergeable",
        format!(
            "The pull request is closed and was not merged (the forge answered HTTP {status}); nothing was changed. It has to \
             be opened again before it can be merged."
        ),
    )
}

fn already_merged(pull: &PullRequest, status: u16) -> Refusal {
    Refusal::new(
        "already_merged",
        format!(
            "The pull request is merged already{} (the forge answered HTTP {status}); this call changed nothing, and nothing \
             is left to do.",
            commit(pull)
        ),
    )
}

fn commit(pull: &PullRequest) -> String {
    pull.merge_commit_sha().map(|sha| format!(" as commit {sha}")).unwrap_or_default()
}

fn is_work_in_progress(pull: &PullRequest) -> bool {
    let title = pull.title().unwrap_or_default().trim_start().to_ascii_lowercase();
    WORK_IN_PROGRESS.iter().any(|mark| title.starts_with(mark))
}
