//! Pull requests as rows of a list: some hundred bytes each, whatever their texts have.

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

use crate::{
    account::{self, Author},
    lenient::{Lenient, LenientFew, Scalar, Title},
};

/// Labels of one pull request that are kept; where it has more, none is shown.
const LABELS: usize = 32;

/// What is shown of a pull request, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Wire")]
pub struct PullRow {
    number: Option<u64>,
    title: Option<String>,
    /// Stands only on a title that is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    title_truncated: Option<bool>,
    state: Option<String>,
    /// The native boolean, never inferred (G-155).
    merged: Option<bool>,
    draft: Option<bool>,
    author: Author,
    head: Option<String>,
    base: Option<String>,
    head_sha: Option<String>,
    base_sha: Option<String>,
    /// Null, too, where the fork was deleted.
    head_repo: Option<String>,
    /// Null, too, where there are too many or a list leaves them out to have room.
    pub labels: Option<Vec<Option<String>>>,
    comments: Option<u64>,
    created_at: Option<String>,
    updated_at: Option<String>,
    #[serde(skip)]
    is_issue: bool,
}

impl PullRow {
    /// Its number in the repository.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        self.number
    }

    /// As the forge says it.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Whether it has the mark of an issue that is no pull request, which no row of a list of pull requests has.
    #[must_use]
    pub const fn is_issue(&self) -> bool {
        self.is_issue
    }

    /// Bytes of the labels' names.
    #[must_use]
    pub fn label_bytes(&self) -> usize {
        self.labels.iter().flatten().map(|name| name.as_ref().map_or(4, String::len) + 3).sum()
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    number: Scalar,
    title: Title,
    state: Scalar,
    merged: Scalar,
    draft: Scalar,
    user: Lenient<account::Wire>,
    head: Lenient<Branch>,
    base: Lenient<Branch>,
    labels: LenientFew<Label, LABELS>,
    comments: Scalar,
    created_at: Scalar,
    updated_at: Scalar,
    pull_request: Marker,
}

/// What a list of issues marks pull requests by: null of an issue. A list of pull requests has no such member.
#[derive(Default, PartialEq, Eq)]
enum Marker {
    #[default]
    Absent,
    Null,
    Given,
}

impl<'de> Deserialize<'de> for Marker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let marker = Option::<IgnoredAny>::deserialize(deserializer)?;
        Ok(if marker.is_some() { Self::Given } else { Self::Null })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Branch {
    #[serde(rename = "ref")]
    name: Scalar,
    sha: Scalar,
    repo: Lenient<Repository>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Repository {
    full_name: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Label {
    name: Scalar,
}

impl From<Wire> for PullRow {
    fn from(wire: Wire) -> Self {
        let (head, base) = (wire.head.unwrap_or_default(), wire.base.unwrap_or_default());
        let (title, title_truncated) = wire.title.shown();
        let labels = wire.labels.0.filter(|labels| labels.left_out == 0);
        Self {
            number: wire.number.id(),
            title,
            title_truncated,
            state: wire.state.text(),
            merged: wire.merged.boolean(),
            draft: wire.draft.boolean(),
            author: wire.user.unwrap_or_default().into(),
            head: head.name.text(),
            base: base.name.text(),
            head_sha: head.sha.object_id(),
            base_sha: base.sha.object_id(),
            head_repo: head.repo.unwrap_or_default().full_name.text(),
            labels: labels.map(|labels| labels.first.into_iter().map(|label| label.name.text()).collect()),
            comments: wire.comments.count(),
            created_at: wire.created_at.moment(),
            updated_at: wire.updated_at.moment(),
            is_issue: wire.pull_request == Marker::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(forge: &Value) -> String {
        let row: PullRow = serde_json::from_value(forge.clone()).expect("any object");
        serde_json::to_string(&row).expect("plain members")
    }

    /// K-06, G-151, G-152: a long text leaves no trace, ids and hex stay as they are.
    #[test]
    fn a_row_is_small() {
        let sha = "AB".repeat(20);
        let pull = json!({
            "id": 1, "number": 9_007_199_254_740_993_u64, "title": "\u{202e}t", "body": "b".repeat(20_000), "state": "closed",
            "merged": true, "draft": false, "user": {"id": 2, "login": "alice", "email": "x"}, "comments": 0,
            "labels": [{"id": 1, "name": "bug", "color": "f00"}, {"id": 2}], "created_at": "2026-12-02T01:14:52Z",
            "updated_at": "yesterday", "head": {"ref": "f", "sha": sha, "repo": {"full_name": "bob/r", "id": 7}},
            "base": {"ref": "main", "sha": "ab", "repo": null},
        });
        let expected = format!(
            "{{\"number\":9007199254740993,\"title\":\"\u{202e}t\",\"state\":\"closed\",\"merged\":true,\"draft\":false,\
             \"author\":{{\"id\":2,\"login\":\"alice\"}},\"head\":\"f\",\"base\":\"main\",\"head_sha\":\"{sha}\",\
             \"base_sha\":null,\"head_repo\":\"bob/r\",\"labels\":[\"bug\",null],\"comments\":0,\
             \"created_at\":\"2026-12-02T01:14:52Z\",\"updated_at\":null}}"
        );
        assert_eq!(shown(&pull), expected);
    }

    /// An issue among pull requests is told by its marker.
    #[test]
    fn an_issue_is_none() {
        let is_issue = |json: &str| serde_json::from_str::<PullRow>(json).expect("any object").is_issue();
        assert!(is_issue(r#"{"number":1,"pull_request":null}"#));
        assert!(!is_issue(r#"{"number":1}"#) && !is_issue(r#"{"number":1,"pull_request":{"merged":false}}"#));
    }

    /// G-154, G-155: what is not sound is null and inferred from nothing; a deleted fork has no repository.
    #[test]
    fn guesses_nothing() {
        let names = ["number", "title", "state", "merged", "draft", "head", "base", "head_sha", "head_repo", "labels"];
        for forge in [
            json!({}),
            json!({"number": "7", "title": 7, "state": null, "merged": "true", "draft": 1, "head": [], "base": "main",
                   "merged_at": "2026-12-02T01:14:52Z", "labels": {}, "user": null}),
            json!({"number": 0, "head": {"ref": 7, "sha": "main", "repo_id": -1, "repo": null}, "labels": null}),
            json!({"labels": vec![json!({"name": "x"}); LABELS + 1]}),
        ] {
            let row: Value = serde_json::from_str(&shown(&forge)).expect("JSON");
            assert!(names.iter().all(|name| row[*name].is_null()), "{row} of {forge}");
            assert_eq!(row["author"], json!({"id": null, "login": null}));
        }
    }
}
