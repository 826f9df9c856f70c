//! What one call may reach: requests on its caller's account, within the lists of repositories, and after a rename.
//!
//! Each request spends a unit before it is sent, those that the host asks on its own for the call among them (G-061).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use assay_policy::{About, RepositoryName, about};
use reqwest::{Method, Url};
use serde::Deserialize;

use super::{Answer, Fault, Forge, Origin, Repositories, Target, Told, WriteFault, moved};
use crate::{
    budget::{Budget, Class},
    caller::Caller,
    metrics,
};

/// Hops of one chain of redirects (G-056).
const HOPS: usize = 5;

/// Bytes of a repository's description that are read for its number.
const REPOSITORY_BYTES: usize = 1 << 20;

/// Whether a renamed repository is looked for under its new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// A redirect is told as one.
    Never,
    /// Another name on this forge is asked (G-053).
    Renames,
}

/// One caller on one forge. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    pub(super) origin: Arc<Origin>,
    budget: Arc<Budget>,
    caller: Arc<Caller>,
    /// The numbers of the repositories that were asked for, so that a call asks once.
    known: Arc<Mutex<BTreeMap<RepositoryName, Option<u64>>>>,
}

impl Reach {
    pub(crate) fn new(origin: Arc<Origin>, budget: Arc<Budget>, caller: Arc<Caller>) -> Self {
        Self { origin, budget, caller, known: Arc::default() }
    }

    /// Reads one path.
    pub(crate) async fn read(&self, target: Target, follow: Follow) -> Result<Answer, Fault> {
        self.allow(&target).await?;
        let follow = if self.caller.is_basic() { Follow::Never } else { follow };
        self.fetch(target, follow, true).await
    }

    /// Reads a list of repositories, whose rows are judged by [`Reach::shows`].
    pub(crate) async fn list(&self, target: Target) -> Result<Answer, Fault> {
        let path: Vec<&[u8]> = target.path.iter().map(Vec::as_slice).collect();
        if !matches!(path.as_slice(), [b"user", b"repos"] | [b"repos", b"search"] | [b"users", _]) {
            return Err(Fault::denied("this is no list of repositories"));
        }
        self.fetch(target, Follow::Never, false).await
    }

    /// Which of the repositories with these numbers may be shown.
    pub(crate) async fn shows(&self, repositories: &[u64]) -> Result<Vec<bool>, Fault> {
        let mut shown = vec![true; repositories.len()];
        for list in self.lists() {
            let ids = self.ids(list).await?;
            for (shown, id) in shown.iter_mut().zip(repositories) {
                *shown &= ids.contains(id);
            }
        }
        Ok(shown)
    }

    /// Writes, once.
    pub(crate) async fn write(&self, method: Method, target: Target, body: Vec<u8>) -> Result<Answer, WriteFault> {
        self.allow(&target).await.map_err(WriteFault::Unsent)?;
        let forge = self.origin.forge().map_err(WriteFault::Unsent)?;
        self.spend(Class::Write).map_err(WriteFault::Unsent)?;
        let told = forge.write(&self.caller, method, &target, body).await;
        metrics::forge_asked("write", if told.is_ok() { "answered" } else { "failed" });
        told
    }

    fn lists(&self) -> impl Iterator<Item = &Repositories> {
        [self.origin.repositories(), self.caller.repositories()].into_iter().filter(|list| list.is_listed())
    }

    /// G-085: while there is a list, a route is about one of its repositories or it is closed.
    async fn allow(&self, target: &Target) -> Result<(), Fault> {
        for list in self.lists() {
            let About::Repository(name) = about(&target.path) else {
                return Err(Fault::denied(
                    "this server is limited to a list of repositories, and what was asked for belongs to none",
                ));
            };
            if !self.is_listed(list, &name).await? {
                return Err(Fault::Denied(
                    "the repository is not among those that this server, or this session, is limited to".to_owned(),
                ));
            }
        }
        Ok(())
    }

    async fn is_listed(&self, list: &Repositories, name: &RepositoryName) -> Result<bool, Fault> {
        let Some(id) = self.id(name).await? else { return Ok(false) };
        if list.names().any(|listed| listed == name) {
            list.learn(name, id);
            return Ok(list.id(name) == Some(id));
        }
        Ok(self.ids(list).await?.contains(&id))
    }

    /// The numbers of a list's repositories, as far as the caller may see them.
    async fn ids(&self, list: &Repositories) -> Result<Vec<u64>, Fault> {
        let mut ids = Vec::new();
        for name in list.names() {
            let id = match list.id(name) {
                Some(id) => Some(id),
                None => self.id(name).await?.inspect(|id| list.learn(name, *id)),
            };
            ids.extend(id);
        }
        Ok(ids)
    }

    /// The number that the forge gives for a name now; none where the caller may not see it.
    async fn id(&self, name: &RepositoryName) -> Result<Option<u64>, Fault> {
        #[derive(Deserialize)]
        struct Row {
            id: u64,
        }
        if let Some(known) = self.known().get(name) {
            return Ok(*known);
        }
        let (owner, repository) = name.segments();
        let target = self.origin.target(&[b"repos", owner.as_bytes(), repository.as_bytes()], &[], None)?;
        let follow = if self.caller.is_basic() { Follow::Never } else { Follow::Renames };
        // Without the lists, or this would ask itself; nothing of the answer but the number leaves here.
        let mut answer = Box::pin(self.fetch(target, follow, false)).await?;
        let id = match answer.status() {
            200 => {
                let mut json = Vec::new();
                loop {
                    let bytes = answer.read(u32::MAX).await?;
                    if bytes.is_empty() {
                        break;
                    }
                    json.extend_from_slice(&bytes);
                    if json.len() > REPOSITORY_BYTES {
                        return Err(Fault::Transport("the answer about the repository is too long".to_owned()));
                    }
                }
                let row: Row = serde_json::from_slice(&json)
                    .map_err(|_| Fault::Transport("the answer about the repository is not sound".to_owned()))?;
                Some(row.id)
            }
            403 | 404 => None,
            status => return Err(Fault::Transport(format!("the repository could not be looked up (HTTP {status})"))),
        };
        self.known().insert(name.clone(), id);
        Ok(id)
    }

    /// The matrix of G-053: a moved target is asked without the credential, and once with it where that is denied. Every hop
    /// is judged and counted, and none is made twice (G-055).
    async fn fetch(&self, target: Target, follow: Follow, listed: bool) -> Result<Answer, Fault> {
        let forge = self.origin.forge()?;
        let mut been: Vec<Url> = vec![target.url.clone()];
        let mut target = target;
        let mut told = self.ask(forge, &self.caller, &target).await?;
        loop {
            let (status, location) = match told {
                Told::Answer(answer) => return Ok(answer),
                Told::Redirect { status, location } => (status, location),
            };
            let next = match follow {
                Follow::Renames if been.len() <= HOPS => location
                    .and_then(|location| moved::renamed(&forge.address, &target.url, &target.path, &location))
                    .and_then(|path| forge.target(path, target.query.clone(), target.range).ok()),
                _ => None,
            };
            let Some(next) = next.filter(|next| !been.contains(&next.url)) else { return Err(Fault::Moved(status)) };
            if listed {
                Box::pin(self.allow(&next)).await?;
            }
            been.push(next.url.clone());
            told = self.ask(forge, &Caller::anonymous(), &next).await?;
            let denied = matches!(&told, Told::Answer(answer) if matches!(answer.status(), 401 | 403 | 404));
            if denied {
                told = self.ask(forge, &self.caller, &next).await?;
            }
            target = next;
        }
    }

    async fn ask(&self, forge: &Forge, caller: &Caller, target: &Target) -> Result<Told, Fault> {
        self.spend(Class::Read)?;
        let told = forge.read(caller, target).await;
        metrics::forge_asked("read", if told.is_ok() { "answered" } else { "failed" });
        told
    }

    fn spend(&self, class: Class) -> Result<(), Fault> {
        self.budget.take(self.caller.key(), class, Instant::now()).map_err(|seconds| {
            metrics::budget_refused(class.name());
            Fault::Budget(seconds)
        })
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<RepositoryName, Option<u64>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
