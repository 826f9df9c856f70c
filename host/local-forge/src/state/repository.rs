//! One served repository as the forge sees it: what its branches and pull requests are at this moment.
//!
//! Before an answer is made, the source's refs are listed (one cheap git run) and the copy follows when they changed.
//! What was seen is an immutable [`Snapshot`], so an answer is of one moment even while the source moves. What changes
//! a repository from this side is `writing`.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard};

use crate::{
    Error, Source,
    git::{
        copy::{Copy, Range},
        follow, objects,
        run::{Failure, Git},
        source::{ObjectFormat, Origin, Refs},
    },
    pulls::numbers::{Pull, default_branch},
    state::{
        ledger::{Entry, Ledger},
        snapshot::Snapshot,
        written::Ref,
    },
};

/// Row ids of what is in a repository: repositories are this far apart, so that they are unique and no number is its own row id.
const IDS_PER_REPOSITORY: u64 = 1 << 20;

/// What a repository is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Whether a branch of the source is a pull request of itself.
    opens: bool,
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

impl Repository {
    /// Opens the source and its copy below `folder`, and looks at it once.
    pub(crate) async fn open(
        git: &Git,
        ledger: &Ledger,
        folder: &Path,
        source: Source,
        opens: bool,
    ) -> Result<Self, Error> {
        let origin = Origin::open(git, &source.path).await?;
        let key = format!("{}/{}", source.owner, source.name).to_ascii_lowercase();
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let entry = ledger.repository(&key, &origin.git_dir, origin.format, now)?;
        let copy = Copy::open(git, folder.join(format!("{}.git", entry.id)), origin.format).await?;
        let configured = Address { owner: source.owner.clone(), name: source.name.clone() };
        let repository = Self {
            names: RwLock::new((Arc::new(entry.now.unwrap_or(configured)), entry.before)),
            moved: Mutex::default(),
            owner: source.owner,
            name: source.name,
            private: source.private,
            id: entry.id,
            first_seen: entry.first_seen,
            opens,
            key,
            origin,
            copy,
            seen: AsyncMutex::new(None),
            latest: RwLock::new(Arc::new(Snapshot {
                numbered: entry.pulls,
                tracker: Arc::new(ledger.tracker(entry.id)?),
                ..Snapshot::default()
            })),
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
        self.locked(git, ledger).await.map(|(_, snapshot)| snapshot)
    }

    /// The same, and the lock under which it stays so.
    pub(crate) async fn locked(
        &self,
        git: &Git,
        ledger: &Ledger,
    ) -> Result<(MutexGuard<'_, Option<Refs>>, Arc<Snapshot>), Error> {
        let mut seen = self.seen.lock().await;
        let refs = self.origin.refs(git).await?;
        if seen.as_ref() == Some(&refs) {
            return Ok((seen, self.latest()));
        }
        let unreadable = follow::fetch(git, self.copy.dir(), &self.origin, &refs).await?;
        let source = self.copy.source(git).await?;
        let mut entry = self.entry(ledger)?;
        if seen.is_none() {
            let lost = self.lost(git, entry.written.tips()).await?;
            entry.written.forget(&lost);
        }
        for moved in entry.written.moved(&source) {
            let follows = match (&moved.ours, &moved.theirs) {
                (Some(ours), Some(theirs)) => self.copy.contains(git, theirs, ours).await?,
                (Some(_), None) => false,
                (None, _) => true,
            };
            entry.written.settle(moved, follows);
        }
        // Among all that there should be: another base in the place of a broken one would make other diffs of everything.
        let broken = unreadable.iter().map(|unreadable| (unreadable.branch.clone(), String::new()));
        let all: Vec<_> = heads(&entry.written.over(&source)).into_iter().chain(broken).collect();
        let default = default_branch(&all, self.origin.head(&refs)).unwrap_or_default().to_vec();
        if let Some(broken) = unreadable.into_iter().find(|unreadable| unreadable.branch == default) {
            return Err(Error::BrokenDefault {
                branch: String::from_utf8_lossy(&default).into_owned(),
                path: self.origin.git_dir.clone(),
                detail: broken.complaint,
            });
        }
        let old = self.latest();
        let next = Snapshot { default, source: Arc::new(source), ..Snapshot::clone(&old) };
        let snapshot = self.settle(git, ledger, entry, next, seen.is_none()).await?;
        *seen = Some(refs);
        Ok((seen, snapshot))
    }

    /// Makes the copy, the ledger and what is answered from now on what `next` and `entry` say. The caller holds the
    /// lock.
    pub(crate) async fn settle(
        &self,
        git: &Git,
        ledger: &Ledger,
        mut entry: Entry,
        mut next: Snapshot,
        is_first: bool,
    ) -> Result<Arc<Snapshot>, Error> {
        let wanted = entry.written.over(&next.source);
        self.copy.set(git, &wanted).await?;
        let branches = heads(&wanted);
        if next.default.is_empty() {
            // The first branch of an empty repository.
            next.default = branches.first().map(|(name, _)| name.clone()).unwrap_or_default();
        }
        let of_source: HashSet<&[u8]> =
            next.source.iter().filter_map(|(name, _)| name.strip_prefix(b"refs/heads/")).collect();
        let known: HashSet<u64> = self.latest().numbered.pulls.keys().copied().collect();
        let mut numbered = next.numbered;
        let mut heads = numbered.follow(&branches, &next.default, |name| self.opens && of_source.contains(name));
        // The copy may be younger than the numbers, and those that were asked for are in it for the first time.
        let fresh = numbered.pulls.iter().filter(|(number, pull)| pull.open && (is_first || !known.contains(number)));
        heads.extend(fresh.map(|(&number, pull)| (number, pull.head.clone())));
        heads.sort();
        heads.dedup();
        self.copy.set_pull_heads(git, &heads).await?;
        let now = OffsetDateTime::now_utc().unix_timestamp();
        if !is_first {
            let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
            moved.extend(heads.iter().map(|(number, _)| (*number, now)));
        }
        entry.pulls = numbered.clone();
        self.remember(ledger, entry)?;
        (next.numbered, next.updated) = (numbered, now);
        (next.tips, next.tags) = (Arc::new(self.copy.tips(git).await?), Arc::new(self.copy.tags(git).await?));
        next.size = self.copy.size(git).await?;
        self.forget_ranges_but(&next);
        Ok(self.publish(next))
    }

    /// Answers from now on what this says.
    pub(crate) fn publish(&self, next: Snapshot) -> Arc<Snapshot> {
        let snapshot = Arc::new(next);
        *self.latest.write().unwrap_or_else(PoisonError::into_inner) = snapshot.clone();
        snapshot
    }

    /// What the ledger has of it.
    pub(crate) fn entry(&self, ledger: &Ledger) -> Result<Entry, Error> {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        ledger.repository(&self.key, &self.origin.git_dir, self.origin.format, now)
    }

    /// Puts this into the ledger.
    pub(crate) fn remember(&self, ledger: &Ledger, entry: Entry) -> Result<(), Error> {
        ledger.remember(&self.key, entry)
    }

    /// Which of these objects the copy does not have.
    async fn lost(&self, git: &Git, oids: impl Iterator<Item = &str>) -> Result<Vec<String>, Failure> {
        let oids: Vec<&str> = oids.collect();
        let sizes = objects::sizes(git, self.copy.dir(), &oids).await?;
        let lost = oids.into_iter().zip(sizes).filter(|(_, size)| size.is_none());
        Ok(lost.map(|(oid, _)| oid.to_owned()).collect())
    }

    /// What it is called now.
    pub(crate) fn address(&self) -> Arc<Address> {
        self.names.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Calls it otherwise from now on, after a restart too. The old name leads to the new one.
    pub(crate) fn rename(&self, ledger: &Ledger, to: Address) -> Result<(), Error> {
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut names.0, Arc::new(to));
        names.1.push(Address::clone(&old));
        ledger.rename(&self.key, &names.0, &names.1)
    }

    /// Goes by the name of the configuration again when another one has its new name now.
    pub(crate) fn make_way(&self, others: &[Arc<Self>]) {
        let now = self.address();
        let configured = Address { owner: self.owner.clone(), name: self.name.clone() };
        let is_taken =
            |other: &Arc<Self>| other.id != self.id && other.address().is(now.owner.as_bytes(), now.name.as_bytes());
        if *now != configured && others.iter().any(is_taken) {
            self.names.write().unwrap_or_else(PoisonError::into_inner).0 = Arc::new(configured);
        }
    }

    /// Whether it was called so once.
    pub(crate) fn was(&self, owner: &[u8], name: &[u8]) -> bool {
        self.names.read().unwrap_or_else(PoisonError::into_inner).1.iter().any(|old| old.is(owner, name))
    }

    /// Whether it once was this owner's.
    pub(crate) fn was_of(&self, owner: &[u8]) -> bool {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.1.iter().any(|old| old.owner.as_bytes().eq_ignore_ascii_case(owner))
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

    /// The row id of what has this number: a pull request, an issue, or, in a sequence of their own, what was said of
    /// them.
    pub(crate) fn row_id(&self, number: u64) -> u64 {
        self.id * IDS_PER_REPOSITORY + number
    }

    /// The number behind one of [`Repository::row_id`].
    pub(crate) fn number_of(&self, row: u64) -> Option<u64> {
        row.checked_sub(self.id * IDS_PER_REPOSITORY)
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

/// The branches among refs, without `refs/heads/`.
fn heads(refs: &[Ref]) -> Vec<Ref> {
    let branch = |(name, oid): &Ref| Some((name.strip_prefix(b"refs/heads/")?.to_vec(), oid.clone()));
    refs.iter().filter_map(branch).collect()
}
