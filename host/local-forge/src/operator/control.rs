//! What tests do to a forge while it serves: hold merge bases, break answers, move and delete what is read.
//!
//! None of it touches the served repositories; pushes are made there, with git.

use std::{collections::HashMap, fmt, sync::Arc, time::SystemTime};

use crate::{
    Error,
    operator::live::{Cut, Cutting, ObjectFault, PullKey, Stored},
    serve::routes::Forge,
    state::repository::{Address, Repository},
};

/// A handle on a running forge. Cheap to clone; it keeps the forge's memory, but not its listening, alive.
///
/// A repository is meant by the owner and the name that it has now, without regard to case.
#[derive(Clone)]
pub struct Control {
    forge: Arc<Forge>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("base", &self.forge.wording.base).finish_non_exhaustive()
    }
}

impl Control {
    pub(crate) fn new(forge: Arc<Forge>) -> Self {
        Self { forge }
    }

    /// From now on the merge base of every pull request stays what it is, in its JSON and in its diff, while its head
    /// and its ref follow pushes at once. `mergeable` is false as long as the merge base lags.
    ///
    /// # Errors
    /// [`Error::Git`] or [`Error::State`] when a served repository cannot be read.
    pub async fn hold_merge_bases(&self) -> Result<(), Error> {
        let mut bases = HashMap::new();
        for repository in &self.forge.repositories {
            let snapshot = repository.now(&self.forge.git, &self.forge.ledger).await?;
            for (&number, pull) in &snapshot.numbered.pulls {
                let range = repository.range(&self.forge.git, pull).await?;
                bases.insert((repository.id, number), Stored::of(pull, &range));
            }
        }
        self.forge.live.hold(bases);
        Ok(())
    }

    /// Takes the merge bases of this moment and holds those.
    ///
    /// # Errors
    /// As [`Control::hold_merge_bases`].
    pub async fn refresh_merge_bases(&self) -> Result<(), Error> {
        self.hold_merge_bases().await
    }

    /// Lets merge bases follow at once again, as at the start.
    pub fn release_merge_bases(&self) {
        self.forge.live.release();
    }

    /// Says that the pull request was updated at `at`, whatever happens to it later.
    ///
    /// # Errors
    /// [`Error::NotServed`] when there is no such pull request.
    pub fn touch(&self, owner: &str, repo: &str, index: u64, at: SystemTime) -> Result<(), Error> {
        let pull = self.pull(owner, repo, index)?;
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.forge.live.touch(pull, i64::try_from(since.as_secs()).unwrap_or(i64::MAX));
        Ok(())
    }

    /// Cuts the next `times` stock diffs there, as if git had failed: the forge's error body follows under a perfect
    /// framing. Replaces an earlier cut that has not been met.
    pub fn break_diffs(&self, times: u32, at: Cut) {
        self.forge.live.cut(times, Cutting { at, appended: true });
    }

    /// Cuts the next `times` stock diffs there with nothing to show for it. Replaces an earlier cut.
    pub fn shorten_diffs(&self, times: u32, at: Cut) {
        self.forge.live.cut(times, Cutting { at, appended: false });
    }

    /// Changes one bit of the byte at `at` (counted on from the end to the start) in the next answer with the content
    /// of this object, from `/git/blobs`, `/raw` or `/contents`.
    pub fn flip_byte(&self, oid: &str, at: u64) {
        self.forge.live.flip(oid, at);
    }

    /// Lets every answer of `/git/blobs`, `/raw` and `/contents` for this object fail until [`Control::heal`].
    pub fn fail_object(&self, oid: &str, fault: ObjectFault) {
        self.forge.live.fail(oid, fault);
    }

    /// Takes back all cuts, flips and failures.
    pub fn heal(&self) {
        self.forge.live.heal();
    }

    /// Calls a repository otherwise. Its old name leads to the new one (see [`Renamed`](crate::Renamed)); access to it
    /// goes by the name in the configuration for ever.
    ///
    /// # Errors
    /// [`Error::NotServed`] when there is no such repository, [`Error::Name`] when the new name is taken or none,
    /// [`Error::State`] when the state folder cannot be written.
    pub fn rename(&self, owner: &str, repo: &str, new_owner: &str, new_repo: &str) -> Result<(), Error> {
        let repository = self.repository(owner, repo)?;
        for name in [new_owner, new_repo] {
            crate::operator::config::check(name)?;
        }
        if self.repository(new_owner, new_repo).is_ok_and(|other| other.id != repository.id) {
            return Err(Error::Name(new_repo.to_owned()));
        }
        repository.rename(&self.forge.ledger, Address { owner: new_owner.to_owned(), name: new_repo.to_owned() })
    }

    /// Deletes the repository that a pull request came from: it is closed, and its head has no repository any more.
    /// Its diff and its ref stay. A deleted head branch needs no more than `git branch -D`.
    ///
    /// # Errors
    /// [`Error::NotServed`] when there is no such pull request.
    pub fn delete_fork(&self, owner: &str, repo: &str, index: u64) -> Result<(), Error> {
        let pull = self.pull(owner, repo, index)?;
        self.forge.live.lose_fork(pull);
        Ok(())
    }

    /// From now on the token opens nothing and is answered like one that never was.
    pub fn revoke(&self, token: &str) {
        self.forge.access.revoke(token);
    }

    /// From now on the account may not read the private repository, even when it owns it.
    ///
    /// # Errors
    /// [`Error::NotServed`] when there is no such repository.
    pub fn withdraw(&self, login: &str, owner: &str, repo: &str) -> Result<(), Error> {
        let repository = self.repository(owner, repo)?;
        self.forge.access.withdraw(login, &repository.owner, &repository.name);
        Ok(())
    }

    fn repository(&self, owner: &str, repo: &str) -> Result<&Repository, Error> {
        let named = |r: &&Arc<Repository>| r.address().is(owner.as_bytes(), repo.as_bytes());
        let found = self.forge.repositories.iter().find(named);
        found.map(|r| &**r).ok_or_else(|| Error::NotServed(format!("{owner}/{repo}")))
    }

    fn pull(&self, owner: &str, repo: &str, index: u64) -> Result<PullKey, Error> {
        let repository = self.repository(owner, repo)?;
        let known = repository.latest().numbered.pulls.contains_key(&index);
        known.then_some((repository.id, index)).ok_or_else(|| Error::NotServed(format!("{owner}/{repo}#{index}")))
    }
}
