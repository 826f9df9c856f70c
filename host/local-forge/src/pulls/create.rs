//! `POST /pulls`: a pull request that somebody asks for, beside those that branches are of themselves.

use http::StatusCode;
use serde::Deserialize;

use crate::{
    issues::answers::cut_title,
    pulls::numbers::Pull,
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, required, unprocessable},
    },
    state::tracker::Post,
    wire::answer::{Answer, json},
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewPull {
    title: Option<String>,
    body: Option<String>,
    /// A branch, or `user:branch`.
    head: Option<String>,
    base: Option<String>,
}

impl One<'_> {
    pub(crate) async fn create_pull(&self, sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        if self.snapshot.is_empty() {
            return Err(wording.not_found().into());
        }
        let form: NewPull = sent.json(wording)?;
        let head = required(form.head, "Head", wording)?;
        let base = required(form.base, "Base", wording)?;
        let title = cut_title(&required(form.title, "Title", wording)?);
        // There are no forks here: whoever is named has to be the owner.
        let branch = match head.split_once(':') {
            None => &*head,
            Some((user, branch)) if user.eq_ignore_ascii_case(&self.address.owner) => branch,
            Some(_) => return Err(wording.not_found().into()),
        };
        if branch == base {
            let message = "Invalid PullRequest: There are no changes between the head and the base";
            return Err(unprocessable(wording, message));
        }
        let mut writing = self.writing().await?;
        let before = writing.before.clone();
        let tip = |name: &str| before.branch(name.as_bytes()).map(|tip| (name.as_bytes().to_vec(), tip.oid.clone()));
        let (Some(head), Some(base)) = (tip(branch), tip(&base)) else { return Err(wording.not_found().into()) };
        let same = |pull: &Pull| pull.open && pull.branch == head.0 && pull.base == base.0;
        if let Some((&number, pull)) = before.numbered.pulls.iter().find(|(_, pull)| same(pull)) {
            let (row, repository) = (self.repository.row_id(number), self.repository.id);
            let [head, base] = [&pull.branch, &pull.base].map(|name| crate::wire::shapes::text(name));
            let message = format!(
                "pull request already exists for these targets [id: {row}, issue_id: {row}, head_repo_id: {repository}, \
                 base_repo_id: {repository}, head_branch: {head}, base_branch: {base}]"
            );
            return Err(wording.refused(StatusCode::CONFLICT, &message).into());
        }
        let number = writing.numbered.add(Pull { asked: true, ..Pull::between(head, base) });
        let at = now();
        let post = Post {
            author: sent.login.to_owned(),
            title: Some(title),
            body: Some(form.body.unwrap_or_default()),
            created: at,
            updated: at,
            ..Post::default()
        };
        writing.tracker().posts.insert(number, post);
        let after = writing.keep().await?;
        match after.pull(number) {
            Some((pull, _)) => Ok(json(StatusCode::CREATED, &self.later(&after).pull_shape(number, pull).await?)),
            None => Err(wording.broken().into()),
        }
    }
}
