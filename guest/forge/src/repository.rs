//! Repositories as rows of a list: small, whatever the forge sends of them.

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::lenient::{Lenient, Object, Scalar, Title};

/// What is shown of a repository, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub struct RepositoryRow {
    id: u64,
    full_name: Option<String>,
    /// Whole, or null where a list leaves it out to have room.
    pub description: Option<String>,
    private: Option<bool>,
    default_branch: Option<String>,
    updated_at: Option<String>,
    html_url: Option<String>,
    #[serde(skip_serializing)]
    owner: Option<u64>,
    /// The forge's description is longer than any that a forge stores, and none of it is shown.
    #[serde(skip_serializing)]
    lost_description: bool,
}

impl RepositoryRow {
    /// As the forge numbers it.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Whether it has a description of which nothing is kept.
    #[must_use]
    pub const fn lost_description(&self) -> bool {
        self.lost_description
    }

    /// The owner's id, if the row has one.
    #[must_use]
    pub const fn owner(&self) -> Option<u64> {
        self.owner
    }
}

/// Whether the forge's JSON about one repository says that it has no commit.
#[must_use]
pub fn says_empty(json: impl Read) -> bool {
    let repository: Result<Object<Emptiness>, _> = serde_json::from_reader(json);
    repository.is_ok_and(|Object(repository)| repository.empty.boolean() == Some(true))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Emptiness {
    empty: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    id: Scalar,
    full_name: Scalar,
    description: Title,
    private: Scalar,
    default_branch: Scalar,
    updated_at: Scalar,
    html_url: Scalar,
    owner: Lenient<Owner>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Owner {
    id: Scalar,
}

impl TryFrom<Wire> for RepositoryRow {
    type Error = &'static str;

    /// A row without an id cannot be held against the operator's list of repositories (G-085), so it is none.
    fn try_from(wire: Wire) -> Result<Self, &'static str> {
        let (description, is_cut) = wire.description.shown();
        Ok(Self {
            id: wire.id.id().ok_or("a repository without an id")?,
            full_name: wire.full_name.text(),
            description: description.filter(|_| is_cut.is_none()),
            lost_description: is_cut.is_some(),
            private: wire.private.boolean(),
            default_branch: wire.default_branch.text(),
            updated_at: wire.updated_at.moment(),
            html_url: wire.html_url.text(),
            owner: wire.owner.unwrap_or_default().id.id(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-58, G-085: what is not sound is null, but the id must be there.
    #[test]
    fn a_row_is_small_and_has_an_id() {
        let row: RepositoryRow = serde_json::from_str(
            r#"{"id":9007199254740993,"full_name":"a/b","description":7,"private":false,"updated_at":"yesterday",
                "owner":{"id":4},"permissions":{"admin":true},"html_url":"u","default_branch":"main"}"#,
        )
        .expect("a row");
        assert_eq!((row.id(), row.owner()), (9_007_199_254_740_993, Some(4)));
        assert_eq!(
            serde_json::to_string(&row).expect("plain members"),
            r#"{"id":9007199254740993,"full_name":"a/b","description":null,"private":false,"default_branch":"main","updated_at":null,"html_url":"u"}"#
        );
        for json in [r#"{"full_name":"a/b"}"#, r#"{"id":0}"#, r#"{"id":-1}"#, r#"{"id":"1"}"#, r#"{"id":1.5}"#] {
            assert!(serde_json::from_str::<RepositoryRow>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn only_a_whole_answer_says_empty() {
        assert!(says_empty(&br#"{"id":1,"empty":true,"owner":{"empty":false}}"#[..]));
        for json in
            [r#"{"empty":false}"#, r#"{"empty":"true"}"#, r#"{"id":1}"#, r#"{"empty":true"#, "[true]", "null", ""]
        {
            assert!(!says_empty(json.as_bytes()), "{json}");
        }
    }
}
