//! A pull request's state as one answer of the forge shows it (G-150 to G-158).
//!
//! What is read is a handful of small members of an object that may be megabytes long, so the JSON is read as it streams
//! by and nothing else of it is kept. A member of the wrong type is null and never guessed from another one (G-154,
//! G-155). No receipt is claimed: the values are this one answer's (G-158). How much is read is bounded by the reader
//! that is passed in.

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::{
    Index,
    lenient::{Lenient, Object, Scalar, Title},
};

/// Why the forge's JSON is not about the pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not one whole JSON object, or one that has a member twice.
    #[error(
        "the forge's answer about the pull request is not one whole JSON object; nothing of it is shown: call again, and \
         check that the forge's address is its own"
    )]
    Malformed,
    /// Its `number` is missing or another one.
    #[error(
        "the forge's answer is about another pull request than was asked for, or does not say about which; nothing of it \
         is shown: call again, and tell the forge's operator if it stays so"
    )]
    Number,
}

impl Fault {
    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed => "answer_malformed",
            Self::Number => "answer_foreign",
        }
    }
}

/// What is shown, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    number: u64,
    title: Option<String>,
    /// Stands only on a title that is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    title_truncated: Option<bool>,
    state: Option<String>,
    merged: Option<bool>,
    mergeable: Option<bool>,
    merged_at: Option<String>,
    merge_commit_sha: Option<String>,
    head: Option<String>,
    base: Option<String>,
    head_sha: Option<String>,
    base_sha: Option<String>,
    head_repo_id: Option<u64>,
    base_repo_id: Option<u64>,
    html_url: Option<String>,
}

impl PullRequest {
    /// Reads the forge's JSON about pull request `expected` to its end.
    ///
    /// # Errors
    /// A [`Fault`] where it is no JSON object or about another pull request. A reader that fails makes the same of it as
    /// one that ends early: whoever passes it knows better what happened.
    pub fn read(json: impl Read, expected: Index) -> Result<Self, Fault> {
        let Object(forge): Object<Forge> = serde_json::from_reader(json).map_err(|_| Fault::Malformed)?;
        if forge.number != Scalar::Integer(expected.get()) {
            return Err(Fault::Number);
        }
        // G-154: a missing branch has nothing.
        let (head, base) = (forge.head.unwrap_or_default(), forge.base.unwrap_or_default());
        let (title, title_truncated) = forge.title.shown();
        Ok(Self {
            number: expected.get(),
            title,
            title_truncated,
            state: forge.state.text(),
            merged: forge.merged.boolean(),
            mergeable: forge.mergeable.boolean(),
            merged_at: forge.merged_at.moment(),
            merge_commit_sha: forge.merge_commit_sha.object_id(),
            head: head.name.text(),
            base: base.name.text(),
            head_sha: head.sha.object_id(),
            base_sha: base.sha.object_id(),
            head_repo_id: head.repo_id.id(),
            base_repo_id: base.repo_id.id(),
            html_url: forge.html_url.text(),
        })
    }

    /// Whether it was merged, where the forge says so or not (G-155).
    #[must_use]
    pub const fn merged(&self) -> Option<bool> {
        self.merged
    }

    /// Whether the forge would merge it. No says that it conflicts, or that the forge still looks.
    #[must_use]
    pub const fn mergeable(&self) -> Option<bool> {
        self.mergeable
    }

    /// `open` or `closed`.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Its title.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The tip of the head's branch.
    #[must_use]
    pub fn head_sha(&self) -> Option<&str> {
        self.head_sha.as_deref()
    }

    /// The commit that merged it.
    #[must_use]
    pub fn merge_commit_sha(&self) -> Option<&str> {
        self.merge_commit_sha.as_deref()
    }
}

/// The members that are read; others are passed over.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Forge {
    number: Scalar,
    title: Title,
    state: Scalar,
    merged: Scalar,
    mergeable: Scalar,
    merged_at: Scalar,
    merge_commit_sha: Scalar,
    head: Lenient<Branch>,
    base: Lenient<Branch>,
    html_url: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Branch {
    #[serde(rename = "ref")]
    name: Scalar,
    sha: Scalar,
    repo_id: Scalar,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const SHA1: &str = "d79b27265d2ee6fc7f47df91e0ff9543dc734e30";
    const NAMES: [&str; 14] = [
        "number",
        "title",
        "state",
        "merged",
        "mergeable",
        "merged_at",
        "merge_commit_sha",
        "head",
        "base",
        "head_sha",
        "base_sha",
        "head_repo_id",
        "base_repo_id",
        "html_url",
    ];

    fn read(forge: &Value) -> Result<Value, Fault> {
        let seven = Index::new(7).expect("within bounds");
        let pull = PullRequest::read(forge.to_string().as_bytes(), seven)?;
        let shown = serde_json::to_string(&pull).expect("plain members");
        let at: Vec<_> = NAMES.iter().map(|name| shown.find(&format!("\"{name}\":")).expect("every member")).collect();
        assert!(at.is_sorted(), "in the contract's order: {shown}");
        let value: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(NAMES.len()));
        Ok(value)
    }

    fn forge() -> Value {
        json!({
            "id": 1, "number": 7, "title": "a \u{fc} title", "body": "x".repeat(100), "state": "closed", "merged": true,
            "mergeable": false, "merged_at": "2026-12-02T01:14:52+01:00", "merge_commit_sha": SHA1,
            "head": {"label": "l", "ref": "feature", "sha": SHA1.to_uppercase(), "repo_id": 3, "repo": {"id": 99, "sha": "no"}},
            "base": {"ref": "main", "sha": "0a".repeat(32), "repo_id": 1, "repo": null},
            "html_url": "https://forge.example/a/b/pulls/7", "merge_base": SHA1,
        })
    }

    /// G-150, G-151, G-152: strings stay, ids come from the branches, hex keeps its case and length.
    #[test]
    fn shows_what_the_forge_said() {
        assert_eq!(
            read(&forge()),
            Ok(json!({
                "number": 7, "title": "a \u{fc} title", "state": "closed", "merged": true, "mergeable": false,
                "merged_at": "2026-12-02T01:14:52+01:00", "merge_commit_sha": SHA1, "head": "feature", "base": "main",
                "head_sha": SHA1.to_uppercase(), "base_sha": "0a".repeat(32), "head_repo_id": 3, "base_repo_id": 1,
                "html_url": "https://forge.example/a/b/pulls/7",
            }))
        );
    }

    /// G-153, G-154, G-155, G-156: what is not sound is null, whatever else the answer says.
    #[test]
    fn guesses_nothing() {
        let cases: [(&str, &str, &[Value]); 10] = [
            ("/merged", "merged", &[json!(null), json!("true"), json!(1), json!([]), json!({})]),
            ("/mergeable", "mergeable", &[json!(null), json!(0), json!("")]),
            (
                "/merged_at",
                "merged_at",
                &[json!(null), json!(""), json!("yesterday"), json!("2026-13-01T00:00:00Z"), json!(1)],
            ),
            (
                "/merge_commit_sha",
                "merge_commit_sha",
                &[json!(null), json!(""), json!(&SHA1[1..]), json!("g".repeat(40)), json!([SHA1])],
            ),
            (
                "/head/sha",
                "head_sha",
                &[json!(null), json!(""), json!(&SHA1[..7]), json!(format!("{SHA1}0")), json!(4)],
            ),
            (
                "/head/repo_id",
                "head_repo_id",
                &[json!(null), json!(-1), json!(0), json!("3"), json!(true), json!(3.0), json!({"id": 3})],
            ),
            ("/base/repo_id", "base_repo_id", &[json!(1e300), json!([1])]),
            ("/base/ref", "base", &[json!(null), json!(7)]),
            ("/title", "title", &[json!(null), json!(7)]),
            ("/html_url", "html_url", &[json!(false)]),
        ];
        for (place, shown, values) in cases {
            for value in values {
                let mut changed = forge();
                *changed.pointer_mut(place).expect("a member") = value.clone();
                let mut expected = read(&forge()).expect("sound");
                expected[shown] = Value::Null;
                assert_eq!(read(&changed), Ok(expected), "{place}: {value:.40}");
            }
        }
    }

    /// A title that no forge stores is cut, and says so.
    #[test]
    fn a_long_title_is_cut() {
        let mut long = forge();
        long["title"] = json!("x".repeat(8 * 1024 + 1));
        let index = Index::new(7).expect("within bounds");
        let pull = PullRequest::read(long.to_string().as_bytes(), index).expect("sound");
        let shown = serde_json::to_value(pull).expect("plain members");
        assert_eq!((&shown["title"], &shown["title_truncated"]), (&json!("x".repeat(200)), &json!(true)));
    }

    /// G-154: missing members and branches that are no objects.
    #[test]
    fn missing_is_null() {
        for branch in [json!(null), json!([1, 2]), json!("feature"), json!(1), json!(-1), json!(1.5), json!(true)] {
            let shown = read(&json!({"number": 7, "state": "open", "head": branch, "repo_id": 9})).expect("enough");
            for name in NAMES.iter().filter(|name| !["number", "state"].contains(*name)) {
                assert_eq!(shown[*name], Value::Null, "{name} of {branch}");
            }
        }
    }

    /// Only an answer about the pull request is one.
    #[test]
    fn refuses_another_number_and_other_json() {
        for number in [json!(null), json!(8), json!(-7), json!("7"), json!(7.0), json!(true)] {
            let mut changed = forge();
            changed["number"] = number;
            assert_eq!(read(&changed), Err(Fault::Number));
        }
        assert_eq!(read(&json!({})), Err(Fault::Number));
        let seven = Index::new(7).expect("within bounds");
        for text in [
            "",
            "[]",
            "null",
            "7",
            "\"7\"",
            "[7,\"t\"]",
            "{\"number\":7",
            "{\"number\":7}{}",
            "{\"number\":7,\"number\":7}",
            "<html>",
            "{\"number\":7,}",
            "\u{feff}{\"number\":7}",
        ] {
            assert_eq!(PullRequest::read(text.as_bytes(), seven), Err(Fault::Malformed), "{text}");
        }
        let deep = format!("{{\"number\":7,\"title\":{}", "[".repeat(1_000_000));
        assert_eq!(PullRequest::read(deep.as_bytes(), seven), Err(Fault::Malformed));
    }

    /// D-010 holds here too: a body of any length is passed over.
    #[test]
    fn long_members_are_passed_over() {
        let mut long = forge();
        long["body"] = json!("\u{1F600}\"\\".repeat(1_000_000));
        assert_eq!(read(&long), read(&forge()));
    }
}
