//! Which pull requests there are: every branch but the default one, under a number that it keeps.
//!
//! Pure: it is told the branches and says what the pull requests are. A branch that went away closes its pull request,
//! which stays readable; one that comes back opens it again. Reading and writing refs is left to `copy`.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

mod base64_bytes {
    //! Branch names are bytes, JSON strings are not.

    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// The numbered pull requests of one repository.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Numbered {
    /// By number, from 1.
    pub(crate) pulls: BTreeMap<u64, Pull>,
}

/// One pull request: a branch against the default branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pull {
    /// The branch whose number it is.
    #[serde(with = "base64_bytes")]
    pub(crate) branch: Vec<u8>,
    /// The branch it would be merged into.
    #[serde(with = "base64_bytes")]
    pub(crate) base: Vec<u8>,
    /// The branch's commit: now while open, the last one after.
    pub(crate) head: String,
    /// The base's commit at the same time.
    pub(crate) base_tip: String,
    /// Whether the branch is there and is not the default one.
    pub(crate) open: bool,
}

impl Numbered {
    /// Takes note of the branches as they are now. `branches` is sorted by name; `default` is one of them.
    ///
    /// Returns the numbers whose head is another commit than before, new ones included.
    pub(crate) fn follow(&mut self, branches: &[(Vec<u8>, String)], default: &[u8]) -> Vec<(u64, String)> {
        let tips: HashMap<&[u8], &str> = branches.iter().map(|(name, oid)| (&name[..], &oid[..])).collect();
        let base_tip = tips.get(default).copied().unwrap_or_default();
        let mut moved = Vec::new();
        for (&number, pull) in &mut self.pulls {
            let tip = tips.get(&pull.branch[..]).filter(|_| pull.branch != default);
            pull.open = tip.is_some();
            let Some(&tip) = tip else { continue };
            if pull.head != tip {
                moved.push((number, tip.to_owned()));
            }
            (pull.head, pull.base_tip, pull.base) = (tip.into(), base_tip.into(), default.into());
        }
        let known: HashSet<Vec<u8>> = self.pulls.values().map(|pull| pull.branch.clone()).collect();
        for (name, oid) in branches.iter().filter(|(name, _)| name != default && !known.contains(name)) {
            let number = self.pulls.last_key_value().map_or(0, |(&last, _)| last) + 1;
            let (branch, base) = (name.clone(), default.to_vec());
            let pull = Pull { branch, base, head: oid.clone(), base_tip: base_tip.to_owned(), open: true };
            self.pulls.insert(number, pull);
            moved.push((number, oid.clone()));
        }
        moved
    }
}

/// What HEAD says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Head<'a> {
    /// A bare repository's HEAD names its default branch.
    Default(&'a [u8]),
    /// In a work tree HEAD is where somebody stands, which is most often on what is to become a pull request.
    CheckedOut(&'a [u8]),
    /// Nothing that exists.
    Unborn,
}

/// The default branch: what a bare repository's HEAD names, else `main`, `master`, the branch that is checked out, or the
/// first by name. `None` without branches.
pub(crate) fn default_branch<'a>(branches: &'a [(Vec<u8>, String)], head: Head<'_>) -> Option<&'a [u8]> {
    let wanted: [&[u8]; 3] = match head {
        Head::Default(name) => [name, b"main", b"master"],
        Head::CheckedOut(name) => [b"main", b"master", name],
        Head::Unborn => [b"main", b"master", b""],
    };
    let named = |name: &&[u8]| branches.iter().find(|(own, _)| own == name);
    wanted.iter().find_map(named).or(branches.first()).map(|(name, _)| &name[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branches(list: &[(&str, &str)]) -> Vec<(Vec<u8>, String)> {
        list.iter().map(|(name, oid)| (name.as_bytes().to_vec(), (*oid).to_owned())).collect()
    }

    fn heads(numbered: &Numbered) -> Vec<(u64, String, String, bool)> {
        let show = |(&n, p): (&u64, &Pull)| (n, String::from_utf8_lossy(&p.branch).into(), p.head.clone(), p.open);
        numbered.pulls.iter().map(show).collect()
    }

    #[test]
    fn numbers_go_by_name_at_first_and_stay() {
        let mut numbered = Numbered::default();
        numbered.follow(&branches(&[("b", "1"), ("c", "2"), ("main", "0")]), b"main");
        let moved = numbered.follow(&branches(&[("a", "5"), ("c", "3"), ("main", "0")]), b"main");
        assert_eq!(moved, [(2, "3".to_owned()), (3, "5".to_owned())]);
        let expected = [(1, "b", "1", false), (2, "c", "3", true), (3, "a", "5", true)];
        assert_eq!(heads(&numbered), expected.map(|(n, b, h, o)| (n, b.to_owned(), h.to_owned(), o)));
        assert_eq!(numbered.follow(&branches(&[("b", "9"), ("main", "0")]), b"main"), [(1, "9".to_owned())]);
    }

    #[test]
    fn a_closed_pull_request_keeps_its_last_inputs() {
        let mut numbered = Numbered::default();
        numbered.follow(&branches(&[("f", "1"), ("main", "0")]), b"main");
        numbered.follow(&branches(&[("main", "7")]), b"main");
        let pull = numbered.pulls.get(&1).expect("it is remembered");
        assert_eq!((&*pull.head, &*pull.base_tip, pull.open), ("1", "0", false));
    }

    #[test]
    fn the_default_branch_is_never_a_pull_request() {
        let mut numbered = Numbered::default();
        numbered.follow(&branches(&[("f", "1"), ("main", "0")]), b"main");
        numbered.follow(&branches(&[("f", "1"), ("main", "0")]), b"f");
        assert_eq!(heads(&numbered), [(1, "f".into(), "1".into(), false), (2, "main".into(), "0".into(), true)]);
    }

    #[test]
    fn the_default_branch_is_a_bare_heads_then_main_then_master_then_the_checked_out_then_the_first() {
        let list = branches(&[("a", "1"), ("main", "2"), ("master", "3")]);
        assert_eq!(default_branch(&list, Head::Default(b"a")), Some(&b"a"[..]));
        assert_eq!(default_branch(&list, Head::CheckedOut(b"a")), Some(&b"main"[..]));
        assert_eq!(default_branch(&branches(&[("a", "1"), ("master", "3")]), Head::Unborn), Some(&b"master"[..]));
        assert_eq!(default_branch(&branches(&[("a", "1"), ("b", "3")]), Head::CheckedOut(b"b")), Some(&b"b"[..]));
        assert_eq!(default_branch(&[], Head::Default(b"main")), None);
    }

    #[test]
    fn names_that_are_not_utf_8_survive_the_ledger() {
        let mut numbered = Numbered::default();
        numbered.follow(&[(b"\xff".to_vec(), "1".into()), (b"main".to_vec(), "0".into())], b"main");
        let json = serde_json::to_string(&numbered).expect("it is plain data");
        let again: Numbered = serde_json::from_str(&json).expect("it was just written");
        assert_eq!(again.pulls, numbered.pulls);
    }
}
