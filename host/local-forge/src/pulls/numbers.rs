//! Which pull requests there are: every branch but the default one, under a number that it keeps, and those that were
//! asked for.
//!
//! Pure: it is told the branches and says what the pull requests are. A branch that went away closes its pull request,
//! which stays readable; one that comes back opens it again, unless it was closed by hand or merged. Issues take their
//! numbers from the same sequence. Reading and writing refs is left to `copy`.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

/// The numbered pull requests of one repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Numbered {
    /// By number, from 1.
    pub(crate) pulls: BTreeMap<u64, Pull>,
    /// The highest number that anything has, issues included; zero in a ledger from before there were any.
    #[serde(default)]
    pub(crate) last: u64,
}

/// One pull request: a branch against the default branch, or against the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pull {
    /// The branch whose number it is.
    #[serde(with = "crate::state::base64_bytes")]
    pub(crate) branch: Vec<u8>,
    /// The branch it would be merged into.
    #[serde(with = "crate::state::base64_bytes")]
    pub(crate) base: Vec<u8>,
    /// The branch's commit: now while open, the last one after.
    pub(crate) head: String,
    /// The base's commit at the same time.
    pub(crate) base_tip: String,
    /// Whether it can be merged: the branch is there, is not the base, and nobody closed or merged it.
    pub(crate) open: bool,
    /// Whether somebody asked for it; then its base stays what it is.
    #[serde(default)]
    pub(crate) asked: bool,
    /// Whether somebody closed it.
    #[serde(default)]
    pub(crate) closed: bool,
    #[serde(default)]
    pub(crate) merged: Option<Merged>,
}

/// How a pull request was merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Merged {
    /// The commit that the base had then.
    pub(crate) commit: String,
    /// Seconds since 1970.
    pub(crate) at: i64,
    /// The account.
    pub(crate) by: String,
}

impl Numbered {
    /// Takes note of the branches as they are now. `branches` is sorted by name; `default` is one of them, and those
    /// that `opens` says yes to become pull requests of themselves.
    ///
    /// Returns the numbers whose head is another commit than before, new ones included.
    pub(crate) fn follow(
        &mut self,
        branches: &[(Vec<u8>, String)],
        default: &[u8],
        opens: impl Fn(&[u8]) -> bool,
    ) -> Vec<(u64, String)> {
        let tips: HashMap<&[u8], &str> = branches.iter().map(|(name, oid)| (&name[..], &oid[..])).collect();
        let mut moved = Vec::new();
        for (&number, pull) in &mut self.pulls {
            let base = if pull.asked { &pull.base[..] } else { default };
            let sides = tips.get(&pull.branch[..]).zip(tips.get(base)).filter(|_| pull.branch != base);
            pull.open = sides.is_some() && !pull.closed && pull.merged.is_none();
            let Some((&tip, &base_tip)) = sides.filter(|_| pull.open) else { continue };
            if pull.head != tip {
                moved.push((number, tip.to_owned()));
            }
            (pull.head, pull.base_tip, pull.base) = (tip.into(), base_tip.into(), base.to_vec());
        }
        let base_tip = tips.get(default).copied().unwrap_or_default();
        let known: HashSet<Vec<u8>> = self.pulls.values().map(|pull| pull.branch.clone()).collect();
        let opens = |name: &[u8]| name != default && !known.contains(name) && opens(name);
        for (name, oid) in branches.iter().filter(|(name, _)| opens(name)) {
            let (branch, base) = (name.clone(), default.to_vec());
            let pull = Pull::between((branch, oid.clone()), (base, base_tip.to_owned()));
            moved.push((self.add(pull), oid.clone()));
        }
        moved
    }

    /// Gives a number to a pull request.
    pub(crate) fn add(&mut self, pull: Pull) -> u64 {
        let number = self.next();
        self.pulls.insert(number, pull);
        number
    }

    /// A number that nothing has yet.
    pub(crate) fn next(&mut self) -> u64 {
        let last = self.pulls.last_key_value().map_or(0, |(&last, _)| last);
        self.last = self.last.max(last) + 1;
        self.last
    }
}

impl Pull {
    /// An open one, from a branch and its tip to another.
    pub(crate) fn between((branch, head): (Vec<u8>, String), (base, base_tip): (Vec<u8>, String)) -> Self {
        Self { branch, base, head, base_tip, open: true, asked: false, closed: false, merged: None }
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
        numbered.follow(&branches(&[("b", "1"), ("c", "2"), ("main", "0")]), b"main", |_| true);
        let moved = numbered.follow(&branches(&[("a", "5"), ("c", "3"), ("main", "0")]), b"main", |_| true);
        assert_eq!(moved, [(2, "3".to_owned()), (3, "5".to_owned())]);
        let expected = [(1, "b", "1", false), (2, "c", "3", true), (3, "a", "5", true)];
        assert_eq!(heads(&numbered), expected.map(|(n, b, h, o)| (n, b.to_owned(), h.to_owned(), o)));
        assert_eq!(numbered.follow(&branches(&[("b", "9"), ("main", "0")]), b"main", |_| true), [(1, "9".to_owned())]);
    }

    #[test]
    fn a_closed_pull_request_keeps_its_last_inputs() {
        let mut numbered = Numbered::default();
        numbered.follow(&branches(&[("f", "1"), ("main", "0")]), b"main", |_| true);
        numbered.follow(&branches(&[("main", "7")]), b"main", |_| true);
        let pull = numbered.pulls.get(&1).expect("it is remembered");
        assert_eq!((&*pull.head, &*pull.base_tip, pull.open), ("1", "0", false));
    }

    #[test]
    fn what_was_closed_or_merged_stays_so_and_keeps_its_inputs() {
        let mut numbered = Numbered::default();
        numbered.follow(&branches(&[("a", "1"), ("b", "2"), ("main", "0")]), b"main", |_| true);
        numbered.pulls.get_mut(&1).expect("it is there").closed = true;
        let merged = Merged { commit: "3".into(), at: 7, by: "alice".into() };
        numbered.pulls.get_mut(&2).expect("it is there").merged = Some(merged);
        let moved = numbered.follow(&branches(&[("a", "8"), ("b", "9"), ("main", "3")]), b"main", |_| true);
        assert_eq!(moved, []);
        let expected = [(1, "a", "1", false), (2, "b", "2", false)];
        assert_eq!(heads(&numbered), expected.map(|(n, b, h, o)| (n, b.to_owned(), h.to_owned(), o)));
        assert!(numbered.pulls.values().all(|pull| pull.base_tip == "0"));
    }

    #[test]
    fn what_was_asked_for_keeps_its_base_and_what_was_not_is_not_opened() {
        let mut numbered = Numbered::default();
        let base = (b"main".to_vec(), "0".to_owned());
        let asked = Pull { asked: true, ..Pull::between(base, (b"stable".to_vec(), "5".into())) };
        assert_eq!((numbered.next(), numbered.add(asked)), (1, 2), "an issue took the first number");
        let now = branches(&[("main", "1"), ("stable", "6"), ("x", "3")]);
        assert_eq!(numbered.follow(&now, b"main", |_| false), [(2, "1".to_owned())]);
        let pull = numbered.pulls.get(&2).expect("it is there");
        assert_eq!((&*pull.base, &*pull.base_tip, pull.open), (&b"stable"[..], "6", true));
        numbered.follow(&branches(&[("main", "1")]), b"main", |_| false);
        assert!(!numbered.pulls.get(&2).expect("it is there").open, "its base is gone");
    }

    #[test]
    fn a_ledger_from_before_there_were_issues_is_read() {
        let old = r#"{"pulls":{"3":{"branch":"Zg==","base":"bWFpbg==","head":"1","base_tip":"0","open":true}}}"#;
        let mut numbered: Numbered = serde_json::from_str(old).expect("it is a ledger's");
        assert_eq!(numbered.next(), 4);
    }

    #[test]
    fn the_default_branch_is_never_a_pull_request() {
        let mut numbered = Numbered::default();
        numbered.follow(&branches(&[("f", "1"), ("main", "0")]), b"main", |_| true);
        numbered.follow(&branches(&[("f", "1"), ("main", "0")]), b"f", |_| true);
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
        numbered.follow(&[(b"\xff".to_vec(), "1".into()), (b"main".to_vec(), "0".into())], b"main", |_| true);
        let json = serde_json::to_string(&numbered).expect("it is plain data");
        let again: Numbered = serde_json::from_str(&json).expect("it was just written");
        assert_eq!(again.pulls, numbered.pulls);
    }
}
