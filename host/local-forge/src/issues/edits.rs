//! `PATCH` of an issue or a pull request: its title, its text, and whether it is open.

use http::StatusCode;
use serde::Deserialize;

use crate::{
    issues::answers::cut_title,
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, unprocessable},
    },
    wire::answer::{Answer, json},
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Edit {
    title: Option<String>,
    body: Option<String>,
    state: Option<String>,
}

impl One<'_> {
    /// With `of_pulls` under the route of pull requests, where no issue is found and a pull request is shown as one.
    pub(crate) async fn edit(&self, index: &[u8], sent: &Sent<'_>, of_pulls: bool) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let edit: Edit = sent.json(wording)?;
        let mut writing = self.writing().await?;
        let before = writing.before.clone();
        let found = self.later(&before).post_at(index).filter(|(number, _)| !of_pulls || !before.is_issue(*number));
        let Some((number, mut post)) = found else { return Err(wording.not_found().into()) };
        if !self.may_write() && !self.caller.is(&post.author) {
            return Err(wording.refused(StatusCode::FORBIDDEN, "").into());
        }
        let at = now();
        post.closed = match edit.state.as_deref() {
            None | Some("") => post.closed,
            Some("open") => None,
            Some("closed") => post.closed.or(Some(at)),
            Some(other) => {
                let other: String = other.chars().take(64).collect();
                return Err(unprocessable(wording, &format!("unknown state: {other}")));
            }
        };
        if let Some(pull) = writing.numbered.pulls.get_mut(&number) {
            if pull.merged.is_some() && post.closed.is_none() {
                let message = "cannot change state of this pull request, it was already merged";
                return Err(wording.refused(StatusCode::PRECONDITION_FAILED, message).into());
            }
            // One that is closed because its branch is gone is not closed by hand, and comes back with it.
            if edit.state.is_some() {
                pull.closed = post.closed.is_some();
            }
        }
        if let Some(title) = edit.title.filter(|title| !title.is_empty()) {
            post.title = Some(cut_title(&title));
        }
        post.body = edit.body.or(post.body);
        post.updated = at;
        writing.tracker().posts.insert(number, post);
        let after = writing.keep().await?;
        let later = self.later(&after);
        if let (true, Some((pull, _))) = (of_pulls, after.pull(number)) {
            return Ok(json(StatusCode::CREATED, &later.pull_shape(number, pull).await?));
        }
        match later.post(number) {
            Some(post) => Ok(json(StatusCode::CREATED, &later.issue_shape(number, &post))),
            None => Err(wording.not_found().into()),
        }
    }
}
