//! A repository at one moment: its branches and tags, its pull requests, and what was said.

use std::sync::Arc;

use crate::{
    git::copy::Tip,
    pulls::numbers::{Numbered, Pull},
    repositories::tags::Tag,
    state::{tracker::Tracker, written::Ref},
};

/// A repository at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// Empty when there is no branch.
    pub(crate) default: Vec<u8>,
    /// By ref name.
    pub(crate) tips: Arc<Vec<Tip>>,
    /// The newest first.
    pub(crate) tags: Arc<Vec<Tag>>,
    /// The branches and tags of the source, which are not always the forge's.
    pub(crate) source: Arc<Vec<Ref>>,
    pub(crate) numbered: Numbered,
    pub(crate) tracker: Arc<Tracker>,
    /// Of the copy, in KiB.
    pub(crate) size: u64,
    /// Seconds since 1970 when the refs last changed.
    pub(crate) updated: i64,
}

impl Snapshot {
    /// Whether it has no branch.
    pub(crate) fn is_empty(&self) -> bool {
        self.branches().next().is_none()
    }

    /// Names and tips of the branches, by name.
    pub(crate) fn branches(&self) -> impl Iterator<Item = (&[u8], &Tip)> {
        self.tips.iter().filter_map(|tip| Some((tip.name.strip_prefix(b"refs/heads/")?, tip)))
    }

    /// The tip of one branch.
    pub(crate) fn branch(&self, name: &[u8]) -> Option<&Tip> {
        self.branches().find(|(own, _)| *own == name).map(|(_, tip)| tip)
    }

    /// All refs whose name goes on after `refs/` with `prefix`.
    pub(crate) fn refs<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = &'a Tip> {
        let goes_on = move |tip: &&Tip| tip.name.strip_prefix(b"refs/").is_some_and(|name| name.starts_with(prefix));
        self.tips.iter().filter(goes_on)
    }

    /// A pull request and the tip of its hidden ref.
    pub(crate) fn pull(&self, number: u64) -> Option<(&Pull, &Tip)> {
        let pull = self.numbered.pulls.get(&number)?;
        let name = format!("refs/pull/{number}/head");
        let tip = self.tips.iter().find(|tip| tip.name == name.as_bytes())?;
        Some((pull, tip))
    }

    /// Whether git can have a ref of this name beside those that are there: no other begins with it and a slash, nor it
    /// with another and a slash.
    pub(crate) fn has_room_for(&self, name: &[u8]) -> bool {
        let below = |a: &[u8], b: &[u8]| a.strip_prefix(b).is_some_and(|rest| rest.starts_with(b"/"));
        let tags = self.tags.iter().map(|tag| [b"refs/tags/", &tag.name[..]].concat());
        let mut there = self.tips.iter().map(|tip| tip.name.clone()).chain(tags);
        !there.any(|known| below(&known, name) || below(name, &known))
    }

    /// Whether the number is an issue's.
    pub(crate) fn is_issue(&self, number: u64) -> bool {
        self.tracker.posts.contains_key(&number) && !self.numbered.pulls.contains_key(&number)
    }

    /// How many issues are open.
    pub(crate) fn open_issues(&self) -> usize {
        self.tracker.posts.iter().filter(|(number, post)| post.closed.is_none() && self.is_issue(**number)).count()
    }

    /// How many pull requests are open.
    pub(crate) fn open_pulls(&self) -> usize {
        self.numbered.pulls.values().filter(|pull| pull.open).count()
    }
}
