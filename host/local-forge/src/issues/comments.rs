//! The ordinary comments of an issue or a pull request: all of them at once, as a real forge gives them, and a new one.

use http::{HeaderName, HeaderValue, StatusCode, header::ACCESS_CONTROL_EXPOSE_HEADERS};
use serde::{Deserialize, Serialize};

use crate::{
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, required},
    },
    state::tracker::Comment,
    wire::{
        answer::{Answer, json},
        shapes::{self, utc},
    },
};

#[derive(Serialize)]
struct Shown {
    id: u64,
    html_url: String,
    pull_request_url: String,
    issue_url: String,
    user: shapes::User,
    original_author: &'static str,
    original_author_id: u64,
    body: String,
    assets: [(); 0],
    created_at: String,
    updated_at: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewComment {
    body: Option<String>,
}

impl One<'_> {
    /// Recordings 245 and 246: `page` and `limit` mean nothing here.
    pub(crate) fn comments(&self, index: &[u8]) -> Answer {
        let Some((number, _)) = self.post_at(index) else { return self.forge.wording.not_found() };
        let comments = self.snapshot.tracker.comments_about(number);
        let shown: Vec<Shown> = comments.iter().map(|comment| self.comment_shape(number, comment)).collect();
        let mut answer = json(StatusCode::OK, &shown);
        count(&mut answer, shown.len());
        answer
    }

    pub(crate) async fn create_comment(&self, index: &[u8], sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let form: NewComment = sent.json(wording)?;
        let body = required(form.body, "Body", wording)?;
        let mut writing = self.writing().await?;
        let before = writing.before.clone();
        let Some((number, _)) = self.later(&before).post_at(index) else { return Err(wording.not_found().into()) };
        let comment = writing.tracker().comment(number, sent.login, body, now());
        let after = writing.keep().await?;
        Ok(json(StatusCode::CREATED, &self.later(&after).comment_shape(number, &comment)))
    }

    fn comment_shape(&self, number: u64, comment: &Comment) -> Shown {
        let (id, page) = (self.repository.row_id(comment.id), self.page_of(number));
        let html_url = format!("{page}#issuecomment-{id}");
        let (issue_url, pull_request_url) =
            if self.snapshot.is_issue(number) { (page, String::new()) } else { (String::new(), page) };
        Shown {
            id,
            html_url,
            pull_request_url,
            issue_url,
            user: self.forge.account(&comment.author),
            original_author: "",
            original_author_id: 0,
            body: comment.body.clone(),
            assets: [],
            created_at: utc(comment.created),
            updated_at: utc(comment.created),
        }
    }
}

/// The total without links, as lists have it that are not paged or do not say so.
pub(crate) fn count(answer: &mut Answer, total: usize) {
    let headers = answer.headers_mut();
    headers.insert(HeaderName::from_static("x-total-count"), HeaderValue::from(total));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("X-Total-Count"));
}
