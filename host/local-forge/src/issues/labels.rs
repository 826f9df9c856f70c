//! The labels of a repository: the list, a new one, and those on an issue.

use http::StatusCode;
use serde::Deserialize;

use crate::{
    serve::{
        routes::One,
        sent::{Sent, Stop, required, unprocessable},
        target::Query,
    },
    state::tracker::{Label, Post},
    wire::{
        answer::{Answer, json},
        shapes,
    },
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewLabel {
    name: Option<String>,
    color: Option<String>,
    description: Option<String>,
    exclusive: Option<bool>,
}

impl One<'_> {
    pub(crate) fn labels(&self, query: &Query) -> Answer {
        let labels = &self.snapshot.tracker.labels;
        let page = self.forge.page(query);
        let shown = page.cut(labels.iter().map(|label| self.label_shape(label)));
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, labels.len(), &format!("{}/labels", self.api()), query);
        answer
    }

    pub(crate) async fn create_label(&self, sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let form: NewLabel = sent.json(wording)?;
        let name = required(form.name, "Name", wording)?;
        let color = required(form.color, "Color", wording)?;
        if !self.may_write() {
            let message = "user should have a permission to write to a repo";
            return Err(wording.refused(StatusCode::FORBIDDEN, message).into());
        }
        let digits = color.strip_prefix('#').unwrap_or(&color).to_ascii_lowercase();
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(unprocessable(wording, &format!("invalid color format: {digits}")));
        }
        let mut writing = self.writing().await?;
        let label = Label {
            id: writing.tracker().next(),
            name,
            color: digits,
            description: form.description.unwrap_or_default(),
            exclusive: form.exclusive.unwrap_or(false),
        };
        writing.tracker().labels.push(label.clone());
        writing.keep().await?;
        Ok(json(StatusCode::CREATED, &self.label_shape(&label)))
    }

    /// The labels on an issue or a pull request.
    pub(crate) fn labels_of(&self, post: &Post) -> Vec<shapes::Label> {
        let on = |label: &&Label| post.labels.contains(&label.id);
        self.snapshot.tracker.labels.iter().filter(on).map(|label| self.label_shape(label)).collect()
    }

    fn label_shape(&self, label: &Label) -> shapes::Label {
        let id = self.repository.row_id(label.id);
        shapes::Label {
            id,
            name: label.name.clone(),
            exclusive: label.exclusive,
            color: label.color.clone(),
            description: label.description.clone(),
            url: format!("{}/labels/{id}", self.api()),
        }
    }
}
