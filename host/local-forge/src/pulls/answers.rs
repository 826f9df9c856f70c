//! The answers about pull requests: the list, one of them, its diff.

use http::StatusCode;

use crate::{
    Error,
    git::{
        copy::{Range, Tip},
        run::Failure,
    },
    operator::live::Stored,
    pulls::{
        diff::{self, Inputs},
        evidence::{self, Observed},
        numbers::Pull,
    },
    serve::{
        routes::{One, is_true, rfc3339_now},
        target::Query,
    },
    wire::{
        answer::{Answer, json},
        shapes::{self, utc},
    },
};

/// The longest title of a pull request, in characters.
const MAX_TITLE: usize = 255;

impl One<'_> {
    pub(crate) async fn pulls(&self, query: &Query) -> Result<Answer, Error> {
        if self.snapshot.is_empty() {
            return Ok(self.forge.wording.not_found());
        }
        let wanted = |&(&number, pull): &(&u64, &Pull)| match query.get("state") {
            Some("all") => true,
            Some("closed") => !self.is_open(number, pull),
            _ => self.is_open(number, pull),
        };
        let newest_first = self.snapshot.numbered.pulls.iter().rev();
        let numbers: Vec<u64> = newest_first.filter(wanted).map(|(&number, _)| number).collect();
        let page = self.forge.page(query);
        let mut shown = Vec::new();
        for number in page.cut(numbers.iter().copied()) {
            if let Some((pull, _)) = self.snapshot.pull(number) {
                shown.push(self.pull_shape(number, pull).await?);
            }
        }
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, numbers.len(), &format!("{}/pulls", self.api()), query);
        Ok(answer)
    }

    pub(crate) async fn pull(&self, index: &[u8]) -> Result<Answer, Error> {
        let Some((number, pull, _)) = self.find(index) else { return Ok(self.forge.wording.not_found()) };
        Ok(json(StatusCode::OK, &self.pull_shape(number, pull).await?))
    }

    pub(crate) async fn diff(&self, index: &[u8], query: &Query) -> Result<Answer, Error> {
        let Some((number, pull, _)) = self.find(index) else { return Ok(self.forge.wording.not_found()) };
        let captured_at = rfc3339_now();
        let git = &self.forge.git;
        let range = self.range(number, pull).await?;
        let inputs = Inputs { from: range.merge_base, to: pull.head.clone() };
        let binary = query.get("binary").is_some_and(is_true);
        let command = diff::command(git, self.repository.dir(), &inputs, binary);
        if !(self.forge.native_evidence && binary && query.get("evidence") == Some("v1")) {
            let cutting = self.forge.live.next_cut();
            return Ok(diff::stock(git, command, &self.forge.wording, cutting).await.map_err(Failure::from)?);
        }
        let observed = Observed {
            repository: self.repository.id,
            object_format: self.repository.format().name(),
            pull: self.repository.row_id(number),
            index: number,
            merge_base: &inputs.from,
            head: &inputs.to,
            base: (&pull.base, self.snapshot.branch(&pull.base).map(|tip| &*tip.oid)),
            branch: &pull.branch,
            captured_at,
        };
        Ok(evidence::native(git, command, &self.forge.spool, observed, rfc3339_now).await?)
    }

    /// A number that is none is zero, and zero is nobody's, as in a real forge.
    pub(crate) fn find(&self, index: &[u8]) -> Option<(u64, &Pull, &Tip)> {
        let number = std::str::from_utf8(index).ok()?.parse().ok()?;
        let (pull, tip) = self.snapshot.pull(number)?;
        Some((number, pull, tip))
    }

    /// What a pull request's diff goes from, which lags behind while merge bases are held.
    pub(crate) async fn range(&self, number: u64, pull: &Pull) -> Result<Range, Failure> {
        let key = (self.repository.id, number);
        if let Some(stored) = self.forge.live.stored(key)
            && (&stored.base_tip, &stored.head) != (&pull.base_tip, &pull.head)
        {
            // A forge that has yet to look says that it does not merge.
            return Ok(Range { merge_base: stored.merge_base, mergeable: false });
        }
        let range = self.repository.range(&self.forge.git, pull).await?;
        if self.forge.live.holds() {
            self.forge.live.store(key, Stored::of(pull, &range));
        }
        Ok(range)
    }

    /// Whether the pull request can still be merged, which it cannot without its head's repository.
    pub(crate) fn is_open(&self, number: u64, pull: &Pull) -> bool {
        pull.open && !self.forge.live.is_forkless((self.repository.id, number))
    }

    pub(crate) async fn pull_shape(&self, number: u64, pull: &Pull) -> Result<shapes::PullRequest, Error> {
        let key = (self.repository.id, number);
        let (open, forkless) = (self.is_open(number, pull), self.forge.live.is_forkless(key));
        let range = self.range(number, pull).await?;
        let page = format!("{}/pulls/{number}", self.web());
        let repo = self.shape();
        let base = shapes::text(&pull.base);
        let branch = shapes::text(&pull.branch);
        let hidden = || format!("refs/pull/{number}/head");
        let post = self.post(number).ok_or(Failure::Unexpected("for-each-ref"))?;
        let seen = || self.repository.moved(number).filter(|_| self.forge.stock.updated_when_seen);
        let updated = utc(self.forge.live.updated(key).or_else(seen).unwrap_or(post.updated));
        // Closed or merged, a pull request names its branch for as long as that is there.
        let has_branch = !forkless && self.snapshot.branch(&pull.branch).is_some();
        let merged = pull.merged.as_ref();
        let repo_id = i64::try_from(repo.id).unwrap_or(i64::MAX);
        Ok(shapes::PullRequest {
            id: self.repository.row_id(number),
            url: page.clone(),
            number,
            user: self.forge.account(&post.author),
            labels: self.labels_of(&post),
            milestone: None,
            assignee: None,
            assignees: None,
            requested_reviewers: None,
            state: if open { "open" } else { "closed" },
            is_locked: false,
            comments: self.snapshot.tracker.comments_about(number).len(),
            html_url: page.clone(),
            diff_url: format!("{page}.diff"),
            patch_url: format!("{page}.patch"),
            mergeable: merged.is_some() || (open && range.mergeable),
            merged: merged.is_some(),
            merged_at: merged.map(|merged| utc(merged.at)),
            merge_commit_sha: merged.map(|merged| merged.commit.clone()),
            merged_by: merged.map(|merged| self.forge.account(&merged.by)),
            allow_maintainer_edit: false,
            base: shapes::Side {
                label: base.clone(),
                r#ref: base,
                // The branch's tip now, empty when it is gone: never an input of the diff.
                sha: self.snapshot.branch(&pull.base).map(|tip| tip.oid.clone()).unwrap_or_default(),
                repo_id,
                repo: Some(repo.clone()),
            },
            head: shapes::Side {
                label: branch.clone(),
                r#ref: if has_branch { branch } else { hidden() },
                sha: pull.head.clone(),
                repo_id: if forkless { -1 } else { repo_id },
                repo: (!forkless).then_some(repo),
            },
            merge_base: range.merge_base,
            due_date: None,
            created_at: utc(post.created),
            updated_at: updated,
            closed_at: post.closed.map(utc),
            title: post.title.unwrap_or_default(),
            body: post.body.unwrap_or_default(),
            pin_order: 0,
        })
    }
}

/// The subject of the branch's last commit, as a forge proposes it; the branch's name when there is none.
pub(crate) fn title(tip: &Tip, branch: &str) -> String {
    let title = if tip.subject.is_empty() { branch } else { &tip.subject };
    title.chars().take(MAX_TITLE).collect()
}

/// What the message says after its subject.
pub(crate) fn body(tip: &Tip) -> String {
    tip.message.split_once("\n\n").map(|(_, body)| body.trim_end().to_owned()).unwrap_or_default()
}
