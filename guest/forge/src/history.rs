//! Commits as rows of a list: of the message the first line alone, of the author the name.

use serde::{Deserialize, Serialize};

use crate::lenient::{Beginning, FirstLine, Lenient, LenientFew, Scalar};

/// Bytes of a subject that are shown.
const SUBJECT_BYTES: usize = 200;
/// Parents that are shown; a merge of more branches than this is an oddity.
const PARENTS: usize = 8;

/// What is shown of a commit, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Wire")]
pub struct CommitRow {
    sha: Option<String>,
    /// The message's first line.
    subject: Option<String>,
    /// Stands only on a subject that is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_truncated: Option<bool>,
    author: Option<String>,
    authored_at: Option<String>,
    parents: Option<Vec<Option<String>>>,
    /// Stands only where there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    parents_left_out: Option<u64>,
}

impl CommitRow {
    /// Its id.
    #[must_use]
    pub fn sha(&self) -> Option<&str> {
        self.sha.as_deref()
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    sha: Scalar,
    commit: Lenient<Commit>,
    parents: LenientFew<Parent, PARENTS>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Commit {
    message: FirstLine<SUBJECT_BYTES>,
    author: Lenient<Signature>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Signature {
    name: Scalar,
    date: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Parent {
    sha: Scalar,
}

impl From<Wire> for CommitRow {
    fn from(wire: Wire) -> Self {
        let commit = wire.commit.unwrap_or_default();
        let author = commit.author.unwrap_or_default();
        let subject = commit.message.0;
        let parents = wire.parents.0;
        Self {
            sha: wire.sha.object_id(),
            subject_truncated: subject.as_ref().filter(|subject| subject.is_cut()).map(|_| true),
            subject: subject.map(|Beginning { text, .. }| text),
            author: author.name.text(),
            authored_at: author.date.moment(),
            parents_left_out: parents.as_ref().map(|parents| parents.left_out).filter(|left_out| *left_out > 0),
            parents: parents.map(|parents| parents.first.into_iter().map(|parent| parent.sha.object_id()).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(forge: &Value) -> String {
        let row: CommitRow = serde_json::from_value(forge.clone()).expect("any object");
        serde_json::to_string(&row).expect("plain members")
    }

    /// K-06, G-152.
    #[test]
    fn a_row_is_small() {
        let (sha, parent) = ("a".repeat(64), "B".repeat(64));
        let commit = json!({
            "sha": sha, "author": {"id": 1, "login": "alice"}, "files": [{"filename": "f"}],
            "commit": {"message": format!("<object>\u{200b}\r\n\n{}", "b".repeat(20_000)),
                       "author": {"name": "Alice", "email": "a@x", "date": "2026-12-02T02:14:52+01:00"}},
            "parents": [{"sha": parent, "url": "u"}],
        });
        let expected = format!(
            "{{\"sha\":\"{sha}\",\"subject\":\"<object>\u{200b}\",\"author\":\"Alice\",\
             \"authored_at\":\"2026-12-02T02:14:52+01:00\",\"parents\":[\"{parent}\"]}}"
        );
        assert_eq!(shown(&commit), expected);
    }

    /// G-154: what is cut or left out is marked, what is not sound is null.
    #[test]
    fn what_is_missing_is_said() {
        let commit = json!({
            "sha": "main", "commit": {"message": "語".repeat(100), "author": 7},
            "parents": vec![json!({"sha": "a".repeat(40)}); 66],
        });
        let parents = vec![format!("\"{}\"", "a".repeat(40)); 8].join(",");
        let expected = format!(
            "{{\"sha\":null,\"subject\":\"{}\",\"subject_truncated\":true,\"author\":null,\"authored_at\":null,\
             \"parents\":[{parents}],\"parents_left_out\":58}}",
            "語".repeat(66)
        );
        assert_eq!(shown(&commit), expected);
        let nothing = r#"{"sha":null,"subject":null,"author":null,"authored_at":null,"parents":null}"#;
        for forge in [json!({}), json!({"sha": 7, "commit": [], "parents": null}), json!({"commit": {"message": null}})]
        {
            assert_eq!(shown(&forge), nothing);
        }
    }
}
