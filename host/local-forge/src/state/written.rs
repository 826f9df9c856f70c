//! Which refs the forge itself wrote, and when the source has a say in them again.
//!
//! The served repository is never written to, so a merge or a commit made through the API is known to the forge's copy
//! alone. Such a ref keeps the forge's tip while the source's has not moved since; when the source moves and contains
//! what the forge wrote, it leads again; when it moves elsewhere, the forge's tip stays. Pure but for one question.

use serde::{Deserialize, Serialize};

/// A ref in full and its object.
pub(crate) type Ref = (Vec<u8>, String);

/// The refs of one repository that the forge wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written(Vec<WrittenRef>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct WrittenRef {
    /// In full: `refs/heads/main`.
    #[serde(with = "crate::state::base64_bytes")]
    name: Vec<u8>,
    /// What it is here; `None` when the forge deleted it.
    tip: Option<String>,
    /// What it was in the source when somebody last looked.
    source: Option<String>,
}

/// A question that only git can answer: whether the source's new tip contains the forge's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) name: Vec<u8>,
    pub(crate) ours: Option<String>,
    pub(crate) theirs: Option<String>,
}

impl Written {
    /// Takes note of what the forge made of a ref. A ref that is as in the source is nobody's but the source's.
    pub(crate) fn note(&mut self, name: &[u8], tip: Option<String>, source: &[Ref]) {
        self.0.retain(|own| own.name != name);
        let source = find(source, name);
        if tip != source {
            self.0.push(WrittenRef { name: name.to_vec(), tip, source });
        }
    }

    /// The refs whose tip in the source is another one than it was.
    pub(crate) fn moved(&self, source: &[Ref]) -> Vec<Moved> {
        let moved = |own: &WrittenRef| {
            let theirs = find(source, &own.name);
            (theirs != own.source).then(|| Moved { name: own.name.clone(), ours: own.tip.clone(), theirs })
        };
        self.0.iter().filter_map(moved).collect()
    }

    /// Settles one of [`Written::moved`]: the source leads again, or it is passed over until it moves once more.
    pub(crate) fn settle(&mut self, moved: Moved, follows: bool) {
        if follows {
            self.0.retain(|own| own.name != moved.name);
        } else if let Some(own) = self.0.iter_mut().find(|own| own.name == moved.name) {
            own.source = moved.theirs;
        }
    }

    /// What the forge has: the source's refs, and in place of those that it wrote its own. Sorted by name.
    pub(crate) fn over(&self, source: &[Ref]) -> Vec<Ref> {
        let is_ours = |name: &[u8]| self.0.iter().any(|own| own.name == name);
        let theirs = source.iter().filter(|(name, _)| !is_ours(name)).cloned();
        let ours = self.0.iter().filter_map(|own| Some((own.name.clone(), own.tip.clone()?)));
        let mut refs: Vec<Ref> = theirs.chain(ours).collect();
        refs.sort();
        refs
    }

    /// The objects that the copy must have.
    pub(crate) fn tips(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|own| own.tip.as_deref())
    }

    /// Forgets what names one of these objects, which a copy that was made anew does not have.
    pub(crate) fn forget(&mut self, lost: &[String]) {
        self.0.retain(|own| own.tip.as_ref().is_none_or(|tip| !lost.contains(tip)));
    }
}

fn find(refs: &[Ref], name: &[u8]) -> Option<String> {
    refs.iter().find(|(own, _)| own == name).map(|(_, oid)| oid.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refs(list: &[(&str, &str)]) -> Vec<Ref> {
        list.iter().map(|(name, oid)| (name.as_bytes().to_vec(), (*oid).to_owned())).collect()
    }

    #[test]
    fn the_forges_tip_stays_until_the_source_contains_it() {
        let mut written = Written::default();
        let before = refs(&[("main", "1"), ("x", "7")]);
        written.note(b"main", Some("2".into()), &before);
        assert_eq!(written.moved(&before), []);
        assert_eq!(written.over(&before), refs(&[("main", "2"), ("x", "7")]));

        let elsewhere = refs(&[("main", "3"), ("x", "7")]);
        let moved = written.moved(&elsewhere).pop().expect("it moved");
        assert_eq!((moved.ours.as_deref(), moved.theirs.as_deref()), (Some("2"), Some("3")));
        written.settle(moved, false);
        assert_eq!(written.moved(&elsewhere), [], "it is asked once");
        assert_eq!(written.over(&elsewhere), refs(&[("main", "2"), ("x", "7")]));

        let merged = refs(&[("main", "4"), ("x", "7")]);
        let moved = written.moved(&merged).pop().expect("it moved again");
        written.settle(moved, true);
        assert_eq!(written.over(&merged), merged);
        assert_eq!(written, Written::default());
    }

    #[test]
    fn a_deleted_branch_stays_away_and_a_new_one_stays() {
        let mut written = Written::default();
        let source = refs(&[("gone", "1"), ("main", "2")]);
        written.note(b"gone", None, &source);
        written.note(b"new", Some("3".into()), &source);
        assert_eq!(written.over(&source), refs(&[("main", "2"), ("new", "3")]));
        written.forget(&["3".into()]);
        assert_eq!(written.over(&source), refs(&[("main", "2")]));
        written.note(b"gone", Some("1".into()), &source);
        assert_eq!(written, Written::default(), "it is as in the source");
    }
}
