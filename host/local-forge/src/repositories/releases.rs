//! Releases: the list, one of them, a new one, which may make its tag.

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::{
    repositories::commits::is_name,
    serve::{
        routes::{One, is_true, now},
        sent::{Sent, Stop, required, unprocessable},
        target::{Query, encode},
    },
    state::tracker::Release,
    wire::{
        answer::{Answer, json},
        shapes::{self, utc},
    },
};

#[derive(Serialize)]
struct Shown {
    id: u64,
    tag_name: String,
    target_commitish: String,
    name: String,
    body: String,
    url: String,
    html_url: String,
    tarball_url: String,
    zipball_url: String,
    upload_url: String,
    draft: bool,
    prerelease: bool,
    created_at: String,
    published_at: String,
    author: shapes::User,
    assets: [(); 0],
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewRelease {
    tag_name: Option<String>,
    target_commitish: Option<String>,
    name: Option<String>,
    body: Option<String>,
    draft: Option<bool>,
    prerelease: Option<bool>,
}

impl One<'_> {
    /// Newest first. Drafts are for those who write.
    pub(crate) fn releases(&self, query: &Query) -> Answer {
        let is = |name: &str, value: bool| {
            query.get(name).filter(|asked| !asked.is_empty()).is_none_or(|asked| is_true(asked) == value)
        };
        let wanted = |release: &&Release| is("draft", release.draft) && is("pre-release", release.prerelease);
        let found: Vec<&Release> = self.visible_releases().filter(wanted).collect();
        let page = self.forge.page(query);
        let shown = page.cut(found.iter().map(|release| self.release_shape(release)));
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, found.len(), &format!("{}/releases", self.api()), query);
        answer
    }

    /// By its row id, or the `latest` that is whole.
    pub(crate) fn release(&self, which: &[u8]) -> Answer {
        let id = std::str::from_utf8(which).ok().and_then(|id| id.parse().ok());
        let id = id.and_then(|row| self.repository.number_of(row));
        let mut releases = self.visible_releases();
        self.found_release(match which {
            b"latest" => releases.find(|release| !release.draft && !release.prerelease),
            _ => releases.find(|release| Some(release.id) == id),
        })
    }

    pub(crate) fn release_of_tag(&self, tag: &[u8]) -> Answer {
        self.found_release(self.visible_releases().find(|release| release.tag.as_bytes() == tag))
    }

    pub(crate) async fn create_release(&self, sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        if !self.may_write() {
            let message = "user should have a permission to write to a repo";
            return Err(wording.refused(StatusCode::FORBIDDEN, message).into());
        }
        let form: NewRelease = sent.json(wording)?;
        let tag = required(form.tag_name, "TagName", wording)?;
        if !is_name(tag.as_bytes()) || tag.starts_with('-') {
            return Err(unprocessable(wording, "tag name is not valid"));
        }
        let mut writing = self.writing().await?;
        let before = writing.before.clone();
        let then = self.later(&before);
        if before.tracker.releases.iter().any(|release| release.tag == tag) {
            return Err(wording.refused(StatusCode::CONFLICT, "Release is has no Tag").into());
        }
        let target = form.target_commitish.filter(|target| !target.is_empty());
        let target = target.unwrap_or_else(|| shapes::text(&before.default));
        let draft = form.draft.unwrap_or(false);
        if !draft && !before.tags.iter().any(|known| known.name == tag.as_bytes()) {
            let commit = match before.branch(target.as_bytes()) {
                Some(tip) => Some(tip.oid.clone()),
                None => then.commit_of(target.as_bytes()).await?,
            };
            let Some(commit) = commit else { return Err(wording.not_found().into()) };
            let name = format!("refs/tags/{tag}");
            if !before.has_room_for(name.as_bytes()) {
                return Err(unprocessable(wording, "tag name conflicts with another one"));
            }
            writing.set(name.as_bytes(), Some(commit));
        }
        let release = Release {
            id: writing.tracker().next(),
            author: sent.login.to_owned(),
            tag,
            target,
            name: form.name.unwrap_or_default(),
            body: form.body.unwrap_or_default(),
            draft,
            prerelease: form.prerelease.unwrap_or(false),
            created: now(),
        };
        writing.tracker().releases.insert(0, release.clone());
        let after = writing.keep().await?;
        Ok(json(StatusCode::CREATED, &self.later(&after).release_shape(&release)))
    }

    fn visible_releases(&self) -> impl Iterator<Item = &Release> {
        let drafts = self.may_write();
        self.snapshot.tracker.releases.iter().filter(move |release| drafts || !release.draft)
    }

    fn found_release(&self, found: Option<&Release>) -> Answer {
        match found {
            Some(release) => json(StatusCode::OK, &self.release_shape(release)),
            None => self.forge.wording.not_found(),
        }
    }

    fn release_shape(&self, release: &Release) -> Shown {
        let (web, id, tag) = (self.web(), self.repository.row_id(release.id), encode(&release.tag));
        let url = format!("{}/releases/{id}", self.api());
        Shown {
            id,
            tag_name: release.tag.clone(),
            target_commitish: release.target.clone(),
            name: release.name.clone(),
            body: release.body.clone(),
            upload_url: format!("{url}/assets"),
            url,
            html_url: format!("{web}/releases/tag/{tag}"),
            tarball_url: format!("{web}/archive/{tag}.tar.gz"),
            zipball_url: format!("{web}/archive/{tag}.zip"),
            draft: release.draft,
            prerelease: release.prerelease,
            created_at: utc(release.created),
            published_at: utc(release.created),
            author: self.forge.account(&release.author),
            assets: [],
        }
    }
}
