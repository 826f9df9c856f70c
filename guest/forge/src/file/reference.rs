//! From a name to a commit's full id (F-007 to F-012), K-49 to K-51.

use std::io::Read;

use serde::Deserialize;

use super::{Fault, What};
use crate::{
    InvalidName, ObjectId,
    lenient::{Lenient, Object, Scalar},
};

/// What `ref` can stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The default branch.
    Default,
    /// A commit by its full id.
    Commit(ObjectId),
    /// Names, the first choice first.
    Named {
        /// At least one.
        names: Vec<Named>,
        /// Whether it can also be the beginning of an id.
        is_short_id: bool,
    },
}

/// A branch or a tag, without `refs/heads/` or `refs/tags/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A branch.
    Branch(String),
    /// A tag.
    Tag(String),
}

impl Reference {
    /// Reads `ref`. A bare name is a branch, then a tag (F-012); `heads/x` and `tags/x` are first what git takes them for.
    ///
    /// # Errors
    /// [`InvalidName::Ref`] for what can be neither a name nor a full id, [`InvalidName::RefKind`] for other refs.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        if text == "HEAD" {
            return Ok(Self::Default);
        }
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex && matches!(text.len(), 40 | 64) {
            return ObjectId::from_hex(&text.to_ascii_lowercase()).map(Self::Commit);
        }
        if !is_ref_name(text) {
            return Err(InvalidName::Ref);
        }
        let (branch, tag) = (|name: &str| Named::Branch(name.to_owned()), |name: &str| Named::Tag(name.to_owned()));
        let full = |rest: &str| if rest.is_empty() { Err(InvalidName::Ref) } else { Ok(()) };
        let names = if let Some(name) = text.strip_prefix("refs/heads/") {
            full(name)?;
            vec![branch(name)]
        } else if let Some(name) = text.strip_prefix("refs/tags/") {
            full(name)?;
            vec![tag(name)]
        } else if text.starts_with("refs/") {
            return Err(InvalidName::RefKind);
        } else if let Some(name) = text.strip_prefix("heads/") {
            vec![branch(name), branch(text), tag(text)]
        } else if let Some(name) = text.strip_prefix("tags/") {
            vec![tag(name), branch(text), tag(text)]
        } else {
            vec![branch(text), tag(text)]
        };
        Ok(Self::Named { names, is_short_id: is_hex && (4..64).contains(&text.len()) })
    }
}

/// Git's rules for a ref's name (`git check-ref-format`).
fn is_ref_name(text: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !text.bytes().any(|byte| byte.is_ascii_control() || b" ~^:?*[\\".contains(&byte))
        && text.split('/').all(part)
        && !text.contains("..")
        && !text.contains("@{")
        && !text.ends_with('.')
        && !text.starts_with('-')
        && text != "@"
}

/// The default branch's name out of the repository's JSON (F-009).
///
/// # Errors
/// [`Fault::NoDefault`] where none is named.
pub fn default_branch(json: impl Read) -> Result<String, Fault> {
    let Object(repository): Object<Repository> = read(json, What::Repository)?;
    let name = repository.default_branch.text().ok_or(Fault::NoDefault)?;
    if is_ref_name(&name) { Ok(name) } else { Err(Fault::NoDefault) }
}

/// The commit of branch `name` out of the forge's JSON about it.
///
/// # Errors
/// [`Fault`] where it is about another branch, or names no commit.
pub fn commit_of_branch(json: impl Read, name: &str) -> Result<ObjectId, Fault> {
    let Object(branch): Object<Branch> = read(json, What::Branch)?;
    named(&branch.name, name, What::Branch)?;
    id(branch.commit.unwrap_or_default().id, What::Branch)
}

/// The commit of tag `name`: its record's `commit.sha`, never its `id`, which is the tag's own object (F-010).
///
/// # Errors
/// [`Fault`] where it is about another tag, or names no commit.
pub fn commit_of_tag(json: impl Read, name: &str) -> Result<ObjectId, Fault> {
    let Object(tag): Object<Tag> = read(json, What::Tag)?;
    named(&tag.name, name, What::Tag)?;
    id(tag.commit.unwrap_or_default().sha, What::Tag)
}

/// The tree of commit `wanted` as the forge's JSON says it, once that is about this very commit (F-011). The tree's id is
/// the forge's word alone.
///
/// # Errors
/// [`Fault::NotCommit`] where it is about another one: the id was not a commit's.
pub fn tree_of_commit(json: impl Read, wanted: ObjectId) -> Result<ObjectId, Fault> {
    let Object(answer): Object<Commit> = read(json, What::Commit)?;
    if id(answer.sha, What::Commit)? != wanted {
        return Err(Fault::NotCommit);
    }
    let tree = answer.commit.unwrap_or_default().tree.unwrap_or_default().sha;
    id(tree, What::Commit)
}

fn read<T: for<'de> Deserialize<'de>>(json: impl Read, what: What) -> Result<T, Fault> {
    serde_json::from_reader(json).map_err(|_| Fault::Malformed(what))
}

fn named(name: &Scalar, wanted: &str, what: What) -> Result<(), Fault> {
    if name.is_text(wanted) { Ok(()) } else { Err(Fault::Foreign(what)) }
}

fn id(value: Scalar, what: What) -> Result<ObjectId, Fault> {
    let id = value.text().and_then(|text| ObjectId::from_hex(&text).ok());
    id.filter(|id| !id.is_zero()).ok_or(Fault::Malformed(what))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Repository {
    default_branch: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Branch {
    name: Scalar,
    commit: Lenient<BranchCommit>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BranchCommit {
    id: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tag {
    name: Scalar,
    commit: Lenient<Sha>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Commit {
    sha: Scalar,
    commit: Lenient<CommitText>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CommitText {
    tree: Lenient<Sha>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sha {
    sha: Scalar,
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const B: &str = "2222222222222222222222222222222222222222";

    fn names(text: &str) -> Vec<(char, String)> {
        let Ok(Reference::Named { names, .. }) = Reference::new(text) else { panic!("{text} is a name") };
        let told = |named| match named {
            Named::Branch(name) => ('b', name),
            Named::Tag(name) => ('t', name),
        };
        names.into_iter().map(told).collect()
    }

    /// F-012, K-49, K-50.
    #[test]
    fn a_ref_is_read_as_git_reads_it() {
        let told = |all: &[(char, &str)]| all.iter().map(|(c, n)| (*c, (*n).to_owned())).collect::<Vec<_>>();
        assert_eq!(names("main"), told(&[('b', "main"), ('t', "main")]));
        assert_eq!(names("a/b"), told(&[('b', "a/b"), ('t', "a/b")]));
        assert_eq!(names("refs/heads/a/b"), told(&[('b', "a/b")]));
        assert_eq!(names("heads/main"), told(&[('b', "main"), ('b', "heads/main"), ('t', "heads/main")]));
        assert_eq!(names("refs/tags/v1"), told(&[('t', "v1")]));
        assert_eq!(names("tags/v1"), told(&[('t', "v1"), ('b', "tags/v1"), ('t', "tags/v1")]));
        assert_eq!(Reference::new("HEAD"), Ok(Reference::Default));
        for hex in [A, &A.to_uppercase(), &"ab".repeat(32)] {
            assert!(matches!(Reference::new(hex), Ok(Reference::Commit(id)) if id.to_string() == hex.to_lowercase()));
        }
        for (text, short) in [("abc1", true), ("2024", true), (&A[1..], true), ("abc", false), ("main", false)] {
            let read = Reference::new(text);
            assert!(matches!(read, Ok(Reference::Named { is_short_id, .. }) if is_short_id == short), "{text}");
        }
        for bad in
            ["HEAD~1", "a^{tree}", "a..b", "a b", "a:b", "@", "a@{1}", "/a", "a/", "a//b", ".a", "a.lock", "a\\b", "-a"]
        {
            assert_eq!(Reference::new(bad), Err(InvalidName::Ref), "{bad}");
        }
        assert_eq!(Reference::new("refs/pull/7/head"), Err(InvalidName::RefKind));
    }

    /// F-008 to F-011, K-51.
    #[test]
    fn commits_are_read_where_they_stand() {
        let id = ObjectId::from_hex(A).expect("an id");
        let branch = format!(r#"{{"name":"main","commit":{{"id":"{A}","sha":"{B}"}},"protected":false}}"#);
        assert_eq!(commit_of_branch(branch.as_bytes(), "main"), Ok(id));
        assert_eq!(commit_of_branch(branch.as_bytes(), "Main"), Err(Fault::Foreign(What::Branch)));
        let tag = format!(r#"{{"name":"v1","id":"{B}","commit":{{"sha":"{A}","url":""}}}}"#);
        assert_eq!(commit_of_tag(tag.as_bytes(), "v1"), Ok(id));
        assert_eq!(commit_of_tag(tag.as_bytes(), "v2"), Err(Fault::Foreign(What::Tag)));
        let commit = format!(r#"{{"sha":"{A}","commit":{{"tree":{{"sha":"{B}"}}}}}}"#);
        assert_eq!(tree_of_commit(commit.as_bytes(), id).map(|id| id.to_string()), Ok(B.to_owned()));
        let other = ObjectId::from_hex(B).expect("an id");
        assert_eq!(tree_of_commit(commit.as_bytes(), other), Err(Fault::NotCommit));
        assert_eq!(default_branch(&br#"{"default_branch":"trunk"}"#[..]), Ok("trunk".to_owned()));
        for none in [r"{}", r#"{"default_branch":""}"#, r#"{"default_branch":null}"#, r#"{"default_branch":"../x"}"#] {
            assert_eq!(default_branch(none.as_bytes()), Err(Fault::NoDefault), "{none}");
        }
        for broken in ["[]", "null", "", r#"{"name":"main""#, r#"{"name":"main","name":"main"}"#] {
            assert_eq!(commit_of_branch(broken.as_bytes(), "main"), Err(Fault::Malformed(What::Branch)), "{broken}");
        }
        for broken in [r#"{"name":"main"}"#, r#"{"name":"main","commit":{"id":"1111"}}"#] {
            assert_eq!(commit_of_branch(broken.as_bytes(), "main"), Err(Fault::Malformed(What::Branch)), "{broken}");
        }
    }
}
