//! `POST /pulls/{i}/merge` and the question whether it was merged.
//!
//! The commits are made by git's plumbing in the forge's own copy, and nothing of a source is written to. A real forge
//! asks for patience while it checks whether a pull request merges; this one is never in the middle of that.

use http::StatusCode;
use serde::Deserialize;

use crate::{
    git::replay::{Author, Joined, Plumbing},
    pulls::numbers::{Merged, Pull},
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, required, unprocessable},
    },
    state::tracker::Post,
    wire::{
        answer::{Answer, empty},
        shapes::text,
    },
};

/// What a forge has in front of a title that is not to be merged yet.
const IN_PROGRESS: [&str; 2] = ["wip:", "[wip]"];
/// Recordings 259 and 263: the answer to all that does not merge now.
const LATER: &str = "Please try again later";

#[derive(Default, Deserialize)]
#[serde(default)]
#[allow(non_snake_case, reason = "they are the forge's own words")]
struct Merge {
    Do: Option<String>,
    MergeTitleField: Option<String>,
    MergeMessageField: Option<String>,
    head_commit_id: Option<String>,
    delete_branch_after_merge: Option<bool>,
}

impl One<'_> {
    /// Whether it was merged: 204, or 404.
    pub(crate) fn is_merged(&self, index: &[u8]) -> Answer {
        match self.find(index) {
            Some((_, pull, _)) if pull.merged.is_some() => empty(StatusCode::NO_CONTENT),
            _ => self.forge.wording.not_found(),
        }
    }

    pub(crate) async fn merge(&self, index: &[u8], sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let refuse = |status, message: &str| Err(Stop::from(wording.refused(status, message)));
        let form: Merge = sent.json(wording)?;
        let style = required(form.Do.clone(), "Do", wording)?;
        if !["merge", "rebase", "rebase-merge", "squash", "fast-forward-only", "manually-merged"].contains(&&*style) {
            return Err(unprocessable(wording, "[Do]: In"));
        }
        let mut writing = self.writing().await?;
        let before = writing.before.clone();
        let then = self.later(&before);
        let Some((number, pull, _)) = then.find(index) else { return Err(wording.not_found().into()) };
        let Some(post) = then.post(number) else { return Err(wording.not_found().into()) };
        if pull.merged.is_some() {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "");
        }
        if !then.is_open(number, pull) {
            return Err(wording.not_found().into());
        }
        if !self.may_write() {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "User not allowed to merge PR");
        }
        let title = post.title.as_deref().unwrap_or_default().trim_start().to_lowercase();
        if IN_PROGRESS.iter().any(|mark| title.starts_with(mark)) {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "Work in progress PRs cannot be merged");
        }
        let range = then.range(number, pull).await?;
        if !range.mergeable || style == "manually-merged" {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, LATER);
        }
        if form.head_commit_id.as_ref().is_some_and(|guard| !guard.is_empty() && *guard != pull.head) {
            return refuse(StatusCode::CONFLICT, "head out of date");
        }
        let plumbing = Plumbing::new(&self.forge.git, self.repository.dir(), Author::of(sent.login));
        let message = message(number, pull, &post, &form, &style);
        if message.contains('\0') {
            return Err(unprocessable(wording, "a NUL byte in commit log message not allowed"));
        }
        let joined = match &*style {
            "merge" => plumbing.merge(&pull.base_tip, &pull.head, &message).await?,
            "squash" => plumbing.squash(&pull.base_tip, &pull.head, &message).await?,
            "rebase" => plumbing.rebase(&pull.base_tip, &pull.head).await?,
            "rebase-merge" => match plumbing.rebase(&pull.base_tip, &pull.head).await? {
                Joined::At(tip) => plumbing.merge(&pull.base_tip, &tip, &message).await?,
                conflict => conflict,
            },
            _ if range.merge_base == pull.base_tip => Joined::At(pull.head.clone()),
            _ => return refuse(StatusCode::CONFLICT, "Merge DivergingFastForwardOnly Error"),
        };
        let Joined::At(commit) = joined else { return refuse(StatusCode::CONFLICT, "Merge Conflict Error") };
        let base = [b"refs/heads/", &pull.base[..]].concat();
        writing.set(&base, Some(commit.clone()));
        if form.delete_branch_after_merge.unwrap_or(false) && pull.branch != before.default {
            writing.set(&[b"refs/heads/", &pull.branch[..]].concat(), None);
        }
        let at = now();
        if let Some(pull) = writing.numbered.pulls.get_mut(&number) {
            pull.merged = Some(Merged { commit, at, by: sent.login.to_owned() });
            pull.open = false;
        }
        writing.tracker().posts.insert(number, Post { updated: at, closed: Some(at), ..post });
        writing.keep().await?;
        Ok(empty(StatusCode::OK))
    }
}

/// What the commit says: as asked for, or as a forge proposes it.
fn message(number: u64, pull: &Pull, post: &Post, form: &Merge, style: &str) -> String {
    let said =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let about = post.title.as_deref().unwrap_or_default();
    let title = said(&form.MergeTitleField).unwrap_or_else(|| match style {
        "squash" => format!("{about} (#{number})"),
        _ => {
            let (head, base) = (text(&pull.branch), text(&pull.base));
            format!("Merge pull request '{about}' (#{number}) from {head} into {base}")
        }
    });
    match said(&form.MergeMessageField) {
        Some(body) => format!("{title}\n\n{body}\n"),
        None => format!("{title}\n"),
    }
}
