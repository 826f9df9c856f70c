//! Reviews of a pull request and the comments of one review, with their texts.
//!
//! Texts may be long and many, so a list of them goes on by bytes: what is kept is what can be in one answer, from behind
//! the row that was shown last. Of a text that is longer than any answer the beginning is kept, and it says so.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};

use crate::{
    account::{self, Author},
    lenient::{Beginning, Lenient, LongBeginning, Scalar},
    listing::{Fault, for_each_row},
};

/// Bytes of texts that are kept beside the first one: more than fit into any answer.
const KEPT_BYTES: usize = 64 * 1024;
/// What a row counts beside its text, so that many empty ones are bounded too.
const OVERHEAD: usize = 128;

/// What is shown of a review, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WireReview")]
pub struct ReviewRow {
    id: u64,
    state: Option<String>,
    author: Author,
    /// Stands only on a review that a team was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    team: Option<String>,
    submitted_at: Option<String>,
    commit_id: Option<String>,
    stale: Option<bool>,
    official: Option<bool>,
    dismissed: Option<bool>,
    comments_count: Option<u64>,
    #[serde(flatten)]
    body: Body,
}

/// What is shown of a comment on a line, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WireComment")]
pub struct CommentRow {
    id: u64,
    path: Option<String>,
    /// In the new file; null where it is on a line of the old one.
    line: Option<u64>,
    old_line: Option<u64>,
    author: Author,
    created_at: Option<String>,
    commit_id: Option<String>,
    /// Who marked the conversation as resolved.
    resolved_by: Option<String>,
    #[serde(flatten)]
    body: Body,
}

/// A text as `body`; where it is cut, `body_truncated` and the whole one's `body_bytes` stand beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Body(Option<Beginning>);

impl Body {
    fn cut(&self, most: usize) -> Self {
        Self(self.0.as_ref().map(|text| text.cut(most)))
    }

    fn kept_bytes(&self) -> usize {
        OVERHEAD + self.0.as_ref().map_or(0, |text| text.text.len())
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("body", &self.0.as_ref().map(|text| &text.text))?;
        if let Some(text) = self.0.as_ref().filter(|text| text.is_cut()) {
            members.serialize_entry("body_truncated", &true)?;
            members.serialize_entry("body_bytes", &text.whole_bytes)?;
        }
        members.end()
    }
}

impl ReviewRow {
    /// As the forge numbers it.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// With at most `most` bytes of its text.
    #[must_use]
    pub fn cut(&self, most: usize) -> Self {
        Self { body: self.body.cut(most), ..self.clone() }
    }
}

impl CommentRow {
    /// As the forge numbers it.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// With at most `most` bytes of its text.
    #[must_use]
    pub fn cut(&self, most: usize) -> Self {
        Self { body: self.body.cut(most), ..self.clone() }
    }
}

/// One of the forge's pages of reviews, from behind the review that was shown last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviews {
    /// Rows on the forge's page.
    pub native: usize,
    /// Rows behind the one that was shown last: all, where none was; nothing, where it is not on this page.
    pub behind: Option<usize>,
    /// As many of those as can be in one answer, and at least one.
    pub rows: Vec<ReviewRow>,
}

impl Reviews {
    /// Reads a list of at most `most` reviews to its end.
    ///
    /// # Errors
    /// [`Fault`] where it is none, or a review has no id or another one's.
    pub fn read(json: impl Read, most: usize, after: Option<u64>) -> Result<Self, Fault> {
        let mut found = Self { native: 0, behind: after.is_none().then_some(0), rows: Vec::new() };
        let mut kept = 0_usize;
        let mut ids = BTreeSet::new();
        for_each_row(json, &mut |row: ReviewRow| {
            if found.native == most {
                return Err(Fault::TooManyRows);
            }
            if !ids.insert(row.id) {
                return Err(Fault::RepeatedRow);
            }
            found.native += 1;
            match &mut found.behind {
                Some(behind) => {
                    *behind += 1;
                    if kept < KEPT_BYTES {
                        kept += row.body.kept_bytes();
                        found.rows.push(row);
                    }
                }
                None => found.behind = (after == Some(row.id)).then_some(0),
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// The comments of one review in the order of their ids, as a forge gives them in any order and all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comments {
    /// How many there are.
    pub total: u64,
    /// How many have a greater id than the one that was shown last.
    pub behind: u64,
    /// The first of those, as many as can be in one answer, and at least one.
    pub rows: Vec<CommentRow>,
}

impl Comments {
    /// Reads the list to its end and keeps what comes behind id `after`.
    ///
    /// # Errors
    /// [`Fault`] where it is none, or a comment has no id or another one's.
    pub fn read(json: impl Read, after: u64) -> Result<Self, Fault> {
        let (mut total, mut behind) = (0, 0);
        let (mut rows, mut kept, mut end) = (BTreeMap::new(), 0_usize, u64::MAX);
        for_each_row(json, &mut |row: CommentRow| {
            total += 1;
            if row.id <= after {
                return Ok(());
            }
            behind += 1;
            if row.id >= end {
                return Ok(());
            }
            kept += row.body.kept_bytes();
            if rows.insert(row.id, row).is_some() {
                return Err(Fault::RepeatedRow);
            }
            while kept > KEPT_BYTES && rows.len() > 1 {
                // Nothing behind a row that was dropped may be shown before it.
                let Some((id, dropped)) = rows.pop_last() else { break };
                (kept, end) = (kept.saturating_sub(dropped.body.kept_bytes()), id);
            }
            Ok(())
        })?;
        Ok(Self { total, behind, rows: rows.into_values().collect() })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireReview {
    id: Scalar,
    state: Scalar,
    user: Lenient<account::Wire>,
    team: Lenient<Team>,
    submitted_at: Scalar,
    commit_id: Scalar,
    stale: Scalar,
    official: Scalar,
    dismissed: Scalar,
    comments_count: Scalar,
    body: LongBeginning,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Team {
    name: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireComment {
    id: Scalar,
    path: Scalar,
    position: Scalar,
    original_position: Scalar,
    user: Lenient<account::Wire>,
    created_at: Scalar,
    commit_id: Scalar,
    resolver: Lenient<Resolver>,
    body: LongBeginning,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resolver {
    login: Scalar,
}

impl TryFrom<WireReview> for ReviewRow {
    type Error = &'static str;

    /// A list goes on behind an id, so a row without one is none.
    fn try_from(wire: WireReview) -> Result<Self, &'static str> {
        Ok(Self {
            id: wire.id.id().ok_or("a review without an id")?,
            state: wire.state.text(),
            author: wire.user.unwrap_or_default().into(),
            team: wire.team.unwrap_or_default().name.text(),
            submitted_at: wire.submitted_at.moment(),
            commit_id: wire.commit_id.object_id(),
            stale: wire.stale.boolean(),
            official: wire.official.boolean(),
            dismissed: wire.dismissed.boolean(),
            comments_count: wire.comments_count.count(),
            body: Body(wire.body.0),
        })
    }
}

impl TryFrom<WireComment> for CommentRow {
    type Error = &'static str;

    fn try_from(wire: WireComment) -> Result<Self, &'static str> {
        Ok(Self {
            id: wire.id.id().ok_or("a comment without an id")?,
            path: wire.path.text(),
            line: wire.position.id(),
            old_line: wire.original_position.id(),
            author: wire.user.unwrap_or_default().into(),
            created_at: wire.created_at.moment(),
            commit_id: wire.commit_id.object_id(),
            resolved_by: wire.resolver.unwrap_or_default().login.text(),
            body: Body(wire.body.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(row: &impl Serialize) -> String {
        serde_json::to_string(row).expect("plain members")
    }

    fn reviews(rows: &Value, after: Option<u64>) -> Result<Reviews, Fault> {
        Reviews::read(rows.to_string().as_bytes(), 50, after)
    }

    fn comments(rows: &Value, after: u64) -> Result<(u64, u64, Vec<u64>), Fault> {
        let found = Comments::read(rows.to_string().as_bytes(), after)?;
        Ok((found.total, found.behind, found.rows.iter().map(CommentRow::id).collect()))
    }

    /// K-10, K-58, G-154: members as the forge has them, what is not sound is null.
    #[test]
    fn a_row_shows_what_is_sound() {
        let sha = "ab".repeat(20);
        let review = json!([{
            "id": 9_007_199_254_740_993_u64, "state": "APPROVED", "user": {"id": 2, "login": "alice"}, "team": null,
            "submitted_at": "2026-12-02T01:14:52Z", "commit_id": sha, "stale": false, "official": true, "dismissed": false,
            "comments_count": 0, "body": "\u{200b}\u{202e}<object>/<id> → 語", "html_url": "u",
        }]);
        let expected = format!(
            "{{\"id\":9007199254740993,\"state\":\"APPROVED\",\"author\":{{\"id\":2,\"login\":\"alice\"}},\
             \"submitted_at\":\"2026-12-02T01:14:52Z\",\"commit_id\":\"{sha}\",\"stale\":false,\"official\":true,\
             \"dismissed\":false,\"comments_count\":0,\"body\":\"\u{200b}\u{202e}<object>/<id> → 語\"}}"
        );
        assert_eq!(shown(&reviews(&review, None).expect("a list").rows[0]), expected);
        let bare =
            json!([{"id": 1, "state": 7, "stale": "no", "commit_id": "main", "team": {"name": "core"}, "body": 7}]);
        assert_eq!(
            shown(&reviews(&bare, None).expect("a list").rows[0]),
            r#"{"id":1,"state":null,"author":{"id":null,"login":null},"team":"core","submitted_at":null,"commit_id":null,"stale":null,"official":null,"dismissed":null,"comments_count":null,"body":null}"#
        );
        let comment = json!([{"id": 3, "path": "a b.rs", "position": 0, "original_position": 7, "user": {"login": "bob"},
                              "resolver": {"login": "eve"}, "diff_hunk": "@@", "body": null}]);
        let found = Comments::read(comment.to_string().as_bytes(), 0).expect("a list");
        assert_eq!(
            shown(&found.rows[0]),
            r#"{"id":3,"path":"a b.rs","line":null,"old_line":7,"author":{"id":null,"login":"bob"},"created_at":null,"commit_id":null,"resolved_by":"eve","body":""}"#
        );
    }

    /// A text is cut between characters, and says so.
    #[test]
    fn a_cut_text_says_so() {
        let found = reviews(&json!([{"id": 1, "body": "語".repeat(30_000)}]), None).expect("a list");
        for (most, kept) in [(usize::MAX, 65_535), (7, 6), (0, 0)] {
            let row: Value = serde_json::from_str(&shown(&found.rows[0].cut(most))).expect("JSON");
            assert_eq!(row["body"].as_str().map(str::len), Some(kept));
            assert_eq!((&row["body_truncated"], &row["body_bytes"]), (&json!(true), &json!(90_000)));
        }
    }

    /// K-05, K-87: what comes behind a row is known by its id.
    #[test]
    fn reviews_go_on_behind_an_id() {
        let ids = |found: &Reviews| found.rows.iter().map(ReviewRow::id).collect::<Vec<_>>();
        let rows = json!([{"id": 5}, {"id": 4}, {"id": 9}]);
        for (after, behind, left) in [
            (None, Some(3), &[5, 4, 9][..]),
            (Some(5), Some(2), &[4, 9]),
            (Some(9), Some(0), &[]),
            (Some(7), None, &[]),
        ] {
            let found = reviews(&rows, after).expect("a list");
            assert_eq!((found.native, found.behind, ids(&found)), (3, behind, left.to_vec()));
        }
        let long = json!((1..=50).map(|id| json!({"id": id, "body": "b".repeat(60_000)})).collect::<Vec<_>>());
        let found = reviews(&long, Some(10)).expect("a list");
        assert_eq!((found.behind, ids(&found)), (Some(40), vec![11, 12]));
        assert_eq!(reviews(&json!([{"id": "1"}]), None), Err(Fault::Malformed));
        let many: Vec<Value> = (1..=51).map(|id| json!({"id": id})).collect();
        assert_eq!(reviews(&json!(many), None), Err(Fault::TooManyRows));
        assert_eq!(reviews(&json!([{"id": 1}, {"id": 2}, {"id": 1}]), Some(1)), Err(Fault::RepeatedRow));
    }

    /// A forge gives them in no order; nothing is skipped, however much there is.
    #[test]
    fn comments_are_sorted_and_bounded() {
        let rows = |ids: &[u64], bytes| {
            json!(ids.iter().map(|id| json!({"id": id, "body": "b".repeat(bytes)})).collect::<Vec<_>>())
        };
        assert_eq!(comments(&rows(&[7, 3, 5], 1), 0), Ok((3, 3, vec![3, 5, 7])));
        assert_eq!(comments(&rows(&[7, 3, 5], 1), 3), Ok((3, 2, vec![5, 7])));
        assert_eq!(comments(&rows(&[7, 3, 5], 1), 7), Ok((3, 0, vec![])));
        assert_eq!(comments(&json!(null), 0), Ok((0, 0, vec![])));
        assert_eq!(comments(&rows(&[1, 5, 3, 9, 7, 2], 30_000), 0), Ok((6, 6, vec![1, 2])));
        assert_eq!(comments(&rows(&[9, 8, 1], 70_000), 0), Ok((3, 3, vec![1])));
        let many: Vec<u64> = (1..=10_000).rev().collect();
        let (total, behind, kept) = comments(&rows(&many, 0), 0).expect("a list");
        assert_eq!((total, behind, kept), (10_000, 10_000, (1..=512).collect()));
        assert_eq!(comments(&rows(&[3, 3], 1), 0), Err(Fault::RepeatedRow));
        assert_eq!(comments(&json!([{"body": "no id"}]), 0), Err(Fault::Malformed));
    }
}
