//! Which repositories tools may reach (G-085): none but the listed ones, or all.
//!
//! The list holds names; what counts are the numbers that the forge gives for them. A name is asked for once, by whoever
//! needs it first, and keeps its number: a repository that is renamed later stays reachable under its new name, and one that
//! takes the old name does not become so.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use assay_policy::RepositoryName;

/// Names of one list at the most.
pub(super) const MOST: usize = 64;

/// A list of repositories, or no list. Cheap to clone; what is learned is shared.
#[derive(Clone, Debug, Default)]
pub struct Repositories(Option<Arc<List>>);

#[derive(Debug)]
struct List {
    names: BTreeSet<RepositoryName>,
    ids: Arc<Mutex<BTreeMap<RepositoryName, u64>>>,
}

/// A list that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoList {
    /// More names than [`MOST`].
    #[error("a list of repositories has at most {MOST} names")]
    Long,
    /// A list that narrows another names what that one has not.
    #[error("`{0}` is not among the repositories that this server is for")]
    Wider(RepositoryName),
}

impl Repositories {
    /// No list: all of them.
    #[must_use]
    pub fn all() -> Self {
        Self(None)
    }

    /// These alone; none at all where the list is empty.
    ///
    /// # Errors
    /// Where there are too many.
    pub fn only(names: impl IntoIterator<Item = RepositoryName>) -> Result<Self, NoList> {
        let names: BTreeSet<_> = names.into_iter().take(MOST + 1).collect();
        if names.len() > MOST {
            return Err(NoList::Long);
        }
        Ok(Self(Some(Arc::new(List { names, ids: Arc::default() }))))
    }

    /// These of mine alone.
    ///
    /// # Errors
    /// Where one of them is not among mine, or there are too many.
    pub fn narrowed(&self, names: impl IntoIterator<Item = RepositoryName>) -> Result<Self, NoList> {
        let Self(Some(narrow)) = Self::only(names)? else { return Ok(self.clone()) };
        let Some(own) = &self.0 else { return Ok(Self(Some(narrow))) };
        if let Some(foreign) = narrow.names.difference(&own.names).next() {
            return Err(NoList::Wider(foreign.clone()));
        }
        Ok(Self(Some(Arc::new(List { names: narrow.names.clone(), ids: Arc::clone(&own.ids) }))))
    }

    /// Whether there is a list.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.0.is_some()
    }

    /// The names, in order; none without a list.
    pub fn names(&self) -> impl Iterator<Item = &RepositoryName> {
        self.0.iter().flat_map(|list| &list.names)
    }

    /// The number of a listed name, as it was learned.
    pub(super) fn id(&self, name: &RepositoryName) -> Option<u64> {
        let ids = self.0.as_ref()?.ids.lock().unwrap_or_else(PoisonError::into_inner);
        ids.get(name).copied()
    }

    /// Keeps the number of a listed name; the first one stays. What is not listed is not kept, so strangers' names cannot
    /// fill the table.
    pub(super) fn learn(&self, name: &RepositoryName, id: u64) {
        let Some(list) = self.0.as_ref().filter(|list| list.names.contains(name)) else { return };
        list.ids.lock().unwrap_or_else(PoisonError::into_inner).entry(name.clone()).or_insert(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<RepositoryName> {
        names.iter().map(|name| name.parse().expect("a name")).collect()
    }

    /// G-085: a narrower list holds nothing that the wider one has not, and shares what is known of it.
    #[test]
    fn a_list_can_only_be_narrowed() {
        let own = Repositories::only(list(&["a/x", "A/Y"])).expect("short");
        let narrow = own.narrowed(list(&["A/X"])).expect("it is listed");
        assert_eq!(narrow.names().map(ToString::to_string).collect::<Vec<_>>(), ["a/x"]);
        let foreign = list(&["a/z"]).remove(0);
        assert_eq!(own.narrowed(list(&["a/x", "a/z"])).map(drop), Err(NoList::Wider(foreign)));
        own.learn(&list(&["a/x"])[0], 7);
        own.learn(&list(&["a/x"])[0], 8);
        own.learn(&list(&["b/z"])[0], 9);
        assert_eq!((narrow.id(&list(&["a/x"])[0]), own.id(&list(&["b/z"])[0])), (Some(7), None));
        let free = Repositories::all();
        assert!(!free.is_listed() && free.narrowed(list(&["a/z"])).is_ok_and(|narrow| narrow.is_listed()));
        assert!(Repositories::only([]).is_ok_and(|none| none.is_listed() && none.names().next().is_none()));
        let many = (0..=MOST).map(|n| format!("a/{n}").parse().expect("a name"));
        assert_eq!(Repositories::only(many).map(drop), Err(NoList::Long));
    }
}
