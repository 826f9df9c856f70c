//! One served repository as the forge sees it: what its branches and pull requests are at this moment.
//!
//! Before an answer is made, the source's refs are listed (one cheap git run) and the copy follows when they changed.
//! What was seen is an immutable [`Snapshot`], so an answer is of one moment even while the source moves.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use time::OffsetDateTime;
use tokio::sync::Mutex as AsyncMutex;

use crate::{
    Error, Source,
    copy::{Copy, Range, Tip},
    follow,
    git::{Failure, Git},
    ledger::Ledger,
    pulls::{Numbered, Pull, default_branch},
    source::{ObjectFormat, Origin, Refs},
};

/// Row ids of pull requests: repositories are this far apart, so that they are unique and no number is its own row id.
const IDS_PER_REPOSITORY: u64 = 1 << 20;

/// What a repository is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) owner: String,
    pub(crate) name: String,
}

impl Address {
    /// Whether a request for this owner and name means it; forges compare names without case.
    pub(crate) fn is(&self, owner: &[u8], name: &[u8]) -> bool {
        self.owner.as_bytes().eq_ignore_ascii_case(owner) && self.name.as_bytes().eq_ignore_ascii_case(name)
    }
}

/// A repository that is served.
#[derive(Debug)]
pub(crate) struct Repository {
    /// As configured; access goes by these even when it is called otherwise now.
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) private: bool,
    /// The row id, from 1.
    pub(crate) id: u64,
    /// Seconds since 1970.
    pub(crate) first_seen: i64,
    key: String,
    origin: Origin,
    copy: Copy,
    /// The refs that `latest` was made from; also the lock under which the copy follows the source.
    seen: AsyncMutex<Option<Refs>>,
    latest: RwLock<Arc<Snapshot>>,
    /// What it is called now, and was before.
    names: RwLock<(Arc<Address>, Vec<Address>)>,
    /// Seconds since 1970 when the heads of pull requests were seen to move.
    moved: Mutex<HashMap<u64, i64>>,
    /// Pure functions of two commits, by base tip and head.
    ranges: Mutex<HashMap<(String, String), Range>>,
}

/// A repository at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Empty when there is no branch.
    pub(crate) default: Vec<u8>,
    /// By ref name.
    tips: Vec<Tip>,
    pub(crate) numbered: Numbered,
    /// Of the copy, in KiB.
    pub(crate) size: u64,
    /// Seconds since 1970 when the refs last changed.
    pub(crate) updated: i64,
}

impl Repository {
    /// Opens the source and its copy below `folder`, and looks at it once.
    pub(crate) async fn open(git: &Git, ledger: &Ledger, folder: &Path, source: Source) -> Result<Self, Error> {
        let origin = Origin::open(git, &source.path).await?;
        let key = format!("{}/{}", source.owner, source.name).to_ascii_lowercase();
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let entry = ledger.repository(&key, &origin.git_dir, origin.format, now)?;
        let copy = Copy::open(git, folder.join(format!("{}.git", entry.id)), origin.format).await?;
        let address = Address { owner: source.owner.clone(), name: source.name.clone() };
        let repository = Self {
            names: RwLock::new((Arc::new(address), Vec::new())),
            moved: Mutex::default(),
            owner: source.owner,
            name: source.name,
            private: source.private,
            id: entry.id,
            first_seen: entry.first_seen,
            key,
            origin,
            copy,
            seen: AsyncMutex::new(None),
            latest: RwLock::new(Arc::new(Snapshot { numbered: entry.pulls, ..Snapshot::default() })),
            ranges: Mutex::default(),
        };
        match repository.now(git, ledger).await {
            Ok(_) => Ok(repository),
            Err(Error::Git(e)) => Err(Error::NotARepository { path: source.path, detail: e.to_string() }),
            Err(other) => Err(other),
        }
    }

    /// What the repository is now.
    pub(crate) async fn now(&self, git: &Git, ledger: &Ledger) -> Result<Arc<Snapshot>, Error> {
        let mut seen = self.seen.lock().await;
        let refs = self.origin.refs(git).await?;
        if seen.as_ref() == Some(&refs) {
            return Ok(self.latest());
        }
        let unreadable = follow::fetch(git, self.copy.dir(), &self.origin, &refs).await?;
        let branches = self.copy.branches(git).await?;
        // Among all that there should be: another base in the place of a broken one would make other diffs of everything.
        let broken = unreadable.iter().map(|unreadable| (unreadable.branch.clone(), String::new()));
        let all: Vec<_> = branches.iter().cloned().chain(broken).collect();
        let default = default_branch(&all, self.origin.head(&refs)).unwrap_or_default().to_vec();
        if let Some(broken) = unreadable.into_iter().find(|unreadable| unreadable.branch == default) {
            return Err(Error::BrokenDefault {
                branch: String::from_utf8_lossy(&default).into_owned(),
                path: self.origin.git_dir.clone(),
                detail: broken.complaint,
            });
        }
        let mut numbered = self.latest().numbered.clone();
        let mut heads = numbered.follow(&branches, &default);
        if seen.is_none() {
            // The copy may be younger than the numbers.
            let open = numbered.pulls.iter().filter(|(_, pull)| pull.open);
            heads = open.map(|(&number, pull)| (number, pull.head.clone())).collect();
        }
        self.copy.set_pull_heads(git, &heads).await?;
        let now = OffsetDateTime::now_utc().unix_timestamp();
        if seen.is_some() {
            let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
            moved.extend(heads.iter().map(|(number, _)| (*number, now)));
        }
        let mut entry = ledger.repository(&self.key, &self.origin.git_dir, self.origin.format, now)?;
        entry.pulls = numbered.clone();
        ledger.remember(&self.key, entry)?;
        let (tips, size) = (self.copy.tips(git).await?, self.copy.size(git).await?);
        let snapshot = Arc::new(Snapshot { default, tips, numbered, size, updated: now });
        self.forget_ranges_but(&snapshot);
        *self.latest.write().unwrap_or_else(PoisonError::into_inner) = snapshot.clone();
        *seen = Some(refs);
        Ok(snapshot)
    }

    /// What it is called now.
    pub(crate) fn address(&self) -> Arc<Address> {
        self.names.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Calls it otherwise from now on. The old name leads to the new one.
    pub(crate) fn rename(&self, to: Address) {
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut names.0, Arc::new(to));
        names.1.push(Address::clone(&old));
    }

    /// Whether it was called so once.
    pub(crate) fn was(&self, owner: &[u8], name: &[u8]) -> bool {
        self.names.read().unwrap_or_else(PoisonError::into_inner).1.iter().any(|old| old.is(owner, name))
    }

    /// When the head of a pull request was seen to move, in seconds since 1970; `None` when it has been where it is
    /// since this forge looked first.
    pub(crate) fn moved(&self, number: u64) -> Option<i64> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).get(&number).copied()
    }

    /// What it was when somebody last asked.
    pub(crate) fn latest(&self) -> Arc<Snapshot> {
        self.latest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The stored merge base of a pull request, found when it is first asked for since either side moved.
    pub(crate) async fn range(&self, git: &Git, pull: &Pull) -> Result<Range, Failure> {
        let key = (pull.base_tip.clone(), pull.head.clone());
        if let Some(range) = self.ranges().get(&key) {
            return Ok(range.clone());
        }
        let range = self.copy.range(git, &pull.base_tip, &pull.head).await?;
        self.ranges().insert(key, range.clone());
        Ok(range)
    }

    /// The folder in which git makes the diffs.
    pub(crate) fn dir(&self) -> &Path {
        self.copy.dir()
    }

    /// Which hash its object ids are of.
    pub(crate) fn format(&self) -> ObjectFormat {
        self.origin.format
    }

    /// The row id of the pull request with this number.
    pub(crate) fn pull_id(&self, number: u64) -> u64 {
        self.id * IDS_PER_REPOSITORY + number
    }

    fn forget_ranges_but(&self, snapshot: &Snapshot) {
        let pulls = snapshot.numbered.pulls.values();
        let live: HashSet<(&str, &str)> = pulls.map(|pull| (&*pull.base_tip, &*pull.head)).collect();
        self.ranges().retain(|(base, head), _| live.contains(&(&**base, &**head)));
    }

    fn ranges(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Range>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

    /// How many pull requests are open.
    pub(crate) fn open_pulls(&self) -> usize {
        self.numbered.pulls.values().filter(|pull| pull.open).count()
    }
}
