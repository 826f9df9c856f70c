//! Issues: the list, one of them, a new one. A pull request is an issue too, with less to say for itself.

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::{
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, required, unprocessable},
        target::Query,
    },
    state::tracker::Post,
    wire::{
        answer::{Answer, json},
        shapes::{self, utc},
    },
};

/// The longest title, in bytes; a longer one is cut, as a real forge does.
const MAX_TITLE: usize = 255;

#[derive(Serialize)]
struct Shown {
    id: u64,
    url: String,
    html_url: String,
    number: u64,
    user: shapes::User,
    original_author: &'static str,
    original_author_id: u64,
    title: String,
    body: String,
    r#ref: &'static str,
    assets: [(); 0],
    labels: Vec<shapes::Label>,
    milestone: Option<()>,
    assignee: Option<()>,
    assignees: Option<()>,
    state: &'static str,
    is_locked: bool,
    comments: usize,
    created_at: String,
    updated_at: String,
    closed_at: Option<String>,
    due_date: Option<()>,
    pull_request: Option<PullMeta>,
    repository: RepositoryMeta,
    pin_order: u64,
}

#[derive(Serialize)]
struct PullMeta {
    merged: bool,
    merged_at: Option<String>,
}

#[derive(Serialize)]
struct RepositoryMeta {
    id: u64,
    name: String,
    owner: String,
    full_name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewIssue {
    title: Option<String>,
    body: Option<String>,
    closed: Option<bool>,
    /// Row ids.
    labels: Option<Vec<u64>>,
}

impl One<'_> {
    /// Newest first; both kinds unless `type` says which.
    pub(crate) fn issues(&self, query: &Query) -> Answer {
        let (wants_issues, wants_pulls) = match query.get("type") {
            Some("issues") => (true, false),
            Some("pulls") => (false, true),
            _ => (true, true),
        };
        let posts = self.snapshot.tracker.posts.keys().copied().filter(|&number| self.snapshot.is_issue(number));
        let pulls = self.snapshot.numbered.pulls.keys().copied();
        let mut numbers: Vec<u64> = Vec::new();
        numbers.extend(posts.filter(|_| wants_issues));
        numbers.extend(pulls.filter(|_| wants_pulls));
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        let words = query.get("q").map(str::to_lowercase).filter(|words| !words.trim().is_empty());
        let labels: Vec<&str> = query.get("labels").into_iter().flat_map(|names| names.split(',')).collect();
        let wanted = |post: &Post| {
            let says = |text: &Option<String>, words: &str| {
                text.as_ref().is_some_and(|text| text.to_lowercase().contains(words.trim()))
            };
            let stated = match query.get("state") {
                Some("all") => true,
                Some("closed") => post.closed.is_some(),
                _ => post.closed.is_none(),
            };
            let names: Vec<String> = self.labels_of(post).into_iter().map(|label| label.name).collect();
            stated
                && words.as_ref().is_none_or(|words| says(&post.title, words) || says(&post.body, words))
                && labels.iter().filter(|label| !label.is_empty()).all(|label| names.iter().any(|name| name == label))
        };
        let all = numbers.into_iter().filter_map(|number| Some((number, self.post(number)?)));
        let found: Vec<(u64, Post)> = all.filter(|(_, post)| wanted(post)).collect();
        let page = self.forge.page(query);
        let shown = page.cut(found.iter().map(|(number, post)| self.issue_shape(*number, post)));
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, found.len(), &format!("{}/issues", self.api()), query);
        answer
    }

    pub(crate) fn issue(&self, index: &[u8]) -> Answer {
        match self.post_at(index) {
            Some((number, post)) => json(StatusCode::OK, &self.issue_shape(number, &post)),
            None => self.forge.wording.not_found(),
        }
    }

    pub(crate) async fn create_issue(&self, sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let form: NewIssue = sent.json(wording)?;
        let title = cut_title(&required(form.title, "Title", wording)?);
        let may_label = self.may_write();
        let mut writing = self.writing().await?;
        let known = &writing.before.tracker.labels;
        let asked: Vec<Option<u64>> =
            form.labels.unwrap_or_default().into_iter().map(|row| self.repository.number_of(row)).collect();
        let labels: Option<Vec<u64>> =
            asked.into_iter().map(|id| id.filter(|id| known.iter().any(|label| label.id == *id))).collect();
        // Whoever may not write has their labels passed over, as on a real forge.
        let labels = match labels {
            _ if !may_label => Vec::new(),
            Some(labels) => labels,
            None => return Err(unprocessable(wording, "label does not exist")),
        };
        let at = now();
        let number = writing.numbered.next();
        let post = Post {
            author: sent.login.to_owned(),
            title: Some(title),
            body: Some(form.body.unwrap_or_default()),
            created: at,
            updated: at,
            closed: form.closed.unwrap_or(false).then_some(at),
            labels,
        };
        writing.tracker().posts.insert(number, post.clone());
        let after = writing.keep().await?;
        Ok(json(StatusCode::CREATED, &self.later(&after).issue_shape(number, &post)))
    }

    /// The issue or pull request whose number a path holds.
    pub(crate) fn post_at(&self, index: &[u8]) -> Option<(u64, Post)> {
        let number = std::str::from_utf8(index).ok()?.parse().ok()?;
        Some((number, self.post(number)?))
    }

    /// An issue, or what a pull request says of itself, with all that follows from its branch filled in.
    pub(crate) fn post(&self, number: u64) -> Option<Post> {
        let said = self.snapshot.tracker.posts.get(&number);
        if self.snapshot.is_issue(number) {
            return said.cloned();
        }
        let (pull, tip) = self.snapshot.pull(number)?;
        let said = said.cloned().unwrap_or_default();
        let branch = shapes::text(&pull.branch);
        let of_branch = said.created == 0;
        let closed = pull.merged.as_ref().map(|merged| merged.at).or(said.closed).unwrap_or(tip.committed);
        let updated = if of_branch { tip.committed.max(said.updated) } else { said.updated };
        Some(Post {
            author: if said.author.is_empty() { self.address.owner.clone() } else { said.author },
            title: Some(said.title.unwrap_or_else(|| crate::pulls::answers::title(tip, &branch))),
            body: Some(said.body.unwrap_or_else(|| crate::pulls::answers::body(tip))),
            created: if of_branch { tip.committed } else { said.created },
            updated,
            closed: (!self.is_open(number, pull)).then_some(closed),
            labels: said.labels,
        })
    }

    /// The page of an issue or a pull request.
    pub(crate) fn page_of(&self, number: u64) -> String {
        let kind = if self.snapshot.is_issue(number) { "issues" } else { "pulls" };
        format!("{}/{kind}/{number}", self.web())
    }

    pub(crate) fn issue_shape(&self, number: u64, post: &Post) -> impl Serialize + use<> {
        let pull = self.snapshot.numbered.pulls.get(&number);
        let pull_request = pull.map(|pull| PullMeta {
            merged: pull.merged.is_some(),
            merged_at: pull.merged.as_ref().map(|merged| utc(merged.at)),
        });
        Shown {
            id: self.repository.row_id(number),
            url: format!("{}/issues/{number}", self.api()),
            html_url: self.page_of(number),
            number,
            user: self.forge.account(&post.author),
            original_author: "",
            original_author_id: 0,
            title: post.title.clone().unwrap_or_default(),
            body: post.body.clone().unwrap_or_default(),
            r#ref: "",
            assets: [],
            labels: self.labels_of(post),
            milestone: None,
            assignee: None,
            assignees: None,
            state: if post.closed.is_none() { "open" } else { "closed" },
            is_locked: false,
            comments: self.snapshot.tracker.comments_about(number).len(),
            created_at: utc(post.created),
            updated_at: utc(post.updated),
            closed_at: post.closed.map(utc),
            due_date: None,
            pull_request,
            repository: RepositoryMeta {
                id: self.repository.id,
                name: self.address.name.clone(),
                owner: self.address.owner.clone(),
                full_name: format!("{}/{}", self.address.owner, self.address.name),
            },
            pin_order: 0,
        }
    }
}

/// A title as a forge keeps it.
pub(crate) fn cut_title(title: &str) -> String {
    if title.len() <= MAX_TITLE {
        return title.to_owned();
    }
    let end = title.floor_char_boundary(MAX_TITLE - '…'.len_utf8());
    format!("{}…", title.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_is_cut_between_characters() {
        assert_eq!(cut_title(&"a".repeat(255)), "a".repeat(255));
        assert_eq!(cut_title(&"a".repeat(256)), format!("{}…", "a".repeat(252)));
        let cut = cut_title(&"é".repeat(200));
        assert_eq!(cut, format!("{}…", "é".repeat(126)));
    }
}
