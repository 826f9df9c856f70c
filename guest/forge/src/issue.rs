//! Issues and their comments as one answer of the forge shows them (G-131 to G-143).
//!
//! A row of a list has no text but its title and its labels. One issue and each comment have their whole text, kept up to
//! more than any answer can hold; past that only its size is known. A pull request is told by its marker alone.

use std::{fmt, io::Read};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, IgnoredAny, SeqAccess, Visitor},
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    Index, Owner, RepoName,
    account::{self, Author},
    lenient::{Lenient, LongText, Object, Scalar, Title},
    listing::{self, Target, distinct, for_each_row},
};

/// Bytes of the names of one issue's labels that are kept; no forge lets an issue have as many.
const LABEL_BYTES: usize = 16 * 1024;
/// Bytes of comments that are kept: more than fit into any answer.
const COMMENT_BYTES: usize = 128 * 1024;
/// What a comment counts beside its text, so that many empty ones are bounded too.
const COMMENT_OVERHEAD: usize = 128;

/// Why the forge's JSON is not about the issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not one whole JSON object with ids and a text.
    #[error(
        "the forge's answer about the issue is not one whole JSON object with its ids and its text; nothing of it is shown: \
         call again, and check that the forge's address is its own"
    )]
    Malformed,
    /// Another number, or another repository (G-146).
    #[error(
        "the forge's answer is about another issue or another repository than was asked for; nothing of it is shown: call \
         again, and tell the forge's operator if it stays so"
    )]
    Foreign,
    /// G-132.
    #[error(
        "this number is a pull request's, and this tool reads issues alone: use `get_pull_request` with the same index"
    )]
    PullRequest,
}

impl Fault {
    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed => "answer_malformed",
            Self::Foreign => "answer_foreign",
            Self::PullRequest => "not_an_issue",
        }
    }
}

/// What is shown of every issue, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IssueRow {
    id: u64,
    number: u64,
    title: Option<String>,
    /// Stands only on a title that is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    title_truncated: Option<bool>,
    state: Option<String>,
    /// Null where the forge gave none, too many, or a list leaves them out to have room.
    pub labels: Option<Vec<Label>>,
    author: Author,
    comments: Option<u64>,
    created_at: Option<String>,
    updated_at: Option<String>,
    closed_at: Option<String>,
    html_url: Option<String>,
    repository: NativeRepository,
    #[serde(skip)]
    is_pull_request: bool,
}

/// A label's id and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    id: Option<u64>,
    name: Option<String>,
}

/// The repository as the issue's own answer names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct NativeRepository {
    id: Option<u64>,
    full_name: Option<String>,
    owner: Option<String>,
    name: Option<String>,
    /// Always null: no answer of these routes says it (G-142).
    private: (),
}

impl IssueRow {
    /// As the forge numbers it among all issues; not its number in the repository (G-133).
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Its number in the repository.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// As the forge says it.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Whether it has a pull request's marker (G-123).
    #[must_use]
    pub const fn is_pull_request(&self) -> bool {
        self.is_pull_request
    }

    /// Whether it says to belong to another repository (G-146). Letter case does not count: a forge shows the stored one.
    #[must_use]
    pub fn is_foreign(&self, owner: &Owner, repo: &RepoName) -> bool {
        let (owner, repo) = (owner.as_str().to_lowercase(), repo.as_str().to_lowercase());
        let differs =
            |have: &Option<String>, wanted: &str| have.as_ref().is_some_and(|have| have.to_lowercase() != wanted);
        let native = &self.repository;
        differs(&native.owner, &owner)
            || differs(&native.name, &repo)
            || differs(&native.full_name, &format!("{owner}/{repo}"))
    }

    /// Scheme and authority of its address, in lower case.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        Target::parse(self.html_url.as_deref()?)?.origin
    }

    /// Bytes of the labels' names.
    #[must_use]
    pub fn label_bytes(&self) -> usize {
        let labels = self.labels.iter().flatten();
        labels.map(|label| label.name.as_ref().map_or(0, String::len) + 16).sum()
    }
}

impl<'de> Deserialize<'de> for IssueRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::<Skipped>::deserialize(deserializer)?;
        wire.into_row().map(|(row, _)| row).ok_or_else(|| D::Error::custom("an issue without ids"))
    }
}

/// One issue with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// As in a list.
    #[serde(flatten)]
    pub row: IssueRow,
    /// The whole text as it was written (G-131), or its size in bytes where no answer can hold it.
    #[serde(skip)]
    pub body: Result<String, usize>,
}

impl Issue {
    /// Reads the forge's JSON about issue `index` of a repository to its end.
    ///
    /// # Errors
    /// A [`Fault`] where it is none, about something else, or a pull request's.
    pub fn read(json: impl Read, owner: &Owner, repo: &RepoName, index: Index) -> Result<Self, Fault> {
        let Object(wire): Object<Wire<LongText>> = serde_json::from_reader(json).map_err(|_| Fault::Malformed)?;
        let (row, body) = wire.into_row().ok_or(Fault::Malformed)?;
        if row.number != index.get() || row.is_foreign(owner, repo) {
            return Err(Fault::Foreign);
        }
        if row.is_pull_request {
            return Err(Fault::PullRequest);
        }
        Ok(Self { row, body: body.text().ok_or(Fault::Malformed)? })
    }
}

/// One comment with its whole text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comment {
    id: u64,
    body: String,
    author: Author,
    created_at: Option<String>,
    updated_at: Option<String>,
    html_url: Option<String>,
}

/// Every ordinary comment of one issue, or how much there is where no answer can hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comments {
    /// In ascending order of their creation, then of their ids (G-135); null where there is more than is kept.
    pub rows: Option<Vec<Comment>>,
    /// How many the forge sent.
    pub count: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
}

impl Comments {
    /// Reads the forge's list of the comments of issue `index` to its end.
    ///
    /// # Errors
    /// [`listing::Fault`] where it is none, a comment is another issue's (G-146), or one comes twice.
    pub fn read(json: impl Read, owner: &Owner, repo: &RepoName, index: Index) -> Result<Self, listing::Fault> {
        let mut rows = Some(Vec::new());
        let (mut count, mut text_bytes, mut kept) = (0, 0_u64, 0_usize);
        for_each_row(json, &mut |mut wire: WireComment| {
            if wire.is_foreign(owner, repo, index) {
                return Err(listing::Fault::ForeignRow);
            }
            let body = std::mem::take(&mut wire.body).text().ok_or(listing::Fault::Malformed)?;
            let bytes = body.as_ref().map_or_else(|bytes| *bytes, String::len);
            count += 1;
            text_bytes = text_bytes.saturating_add(bytes as u64);
            kept = kept.saturating_add(bytes).saturating_add(COMMENT_OVERHEAD);
            let comment = body.ok().filter(|_| kept <= COMMENT_BYTES).map(|body| wire.into_comment(body));
            match (&mut rows, comment) {
                (Some(rows), Some(comment)) => rows.push(comment.ok_or(listing::Fault::Malformed)?),
                _ => rows = None,
            }
            Ok(())
        })?;
        if let Some(rows) = &mut rows {
            distinct(rows.iter().map(|comment| Some(comment.id)))?;
            let moment = |comment: &Comment| OffsetDateTime::parse(comment.created_at.as_deref()?, &Rfc3339).ok();
            rows.sort_by_cached_key(|comment| (moment(comment), comment.id));
        }
        Ok(Self { rows, count, text_bytes })
    }
}

/// The members that are read of an issue; others are passed over.
#[derive(Default, Deserialize)]
#[serde(default, bound = "B: Default + Deserialize<'de>")]
struct Wire<B> {
    id: Scalar,
    number: Scalar,
    title: Title,
    state: Scalar,
    labels: Labels,
    user: Lenient<account::Wire>,
    comments: Scalar,
    created_at: Scalar,
    updated_at: Scalar,
    closed_at: Scalar,
    html_url: Scalar,
    repository: Lenient<WireRepository>,
    /// Null marks an issue; anything else a pull request.
    pull_request: Option<IgnoredAny>,
    body: B,
}

impl<B> Wire<B> {
    fn into_row(self) -> Option<(IssueRow, B)> {
        let repository = self.repository.unwrap_or_default();
        let (title, title_truncated) = self.title.shown();
        let row = IssueRow {
            id: self.id.id()?,
            number: self.number.id()?,
            title,
            title_truncated,
            state: self.state.text(),
            labels: self.labels.0,
            author: self.user.unwrap_or_default().into(),
            comments: if let Scalar::Integer(count) = self.comments { Some(count) } else { None },
            created_at: self.created_at.moment(),
            updated_at: self.updated_at.moment(),
            closed_at: self.closed_at.moment(),
            html_url: self.html_url.text(),
            repository: NativeRepository {
                id: repository.id.id(),
                full_name: repository.full_name.text(),
                owner: repository.owner.text(),
                name: repository.name.text(),
                private: (),
            },
            is_pull_request: self.pull_request.is_some(),
        };
        Some((row, self.body))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireRepository {
    id: Scalar,
    full_name: Scalar,
    owner: Scalar,
    name: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireComment {
    id: Scalar,
    body: LongText,
    user: Lenient<account::Wire>,
    created_at: Scalar,
    updated_at: Scalar,
    html_url: Scalar,
    issue_url: Scalar,
    pull_request_url: Scalar,
}

impl WireComment {
    /// Whether one of its addresses says that it belongs to something else. A forge gives the address of the issue's page or
    /// of its API, and an empty one for what it is not.
    fn is_foreign(&self, owner: &Owner, repo: &RepoName, index: Index) -> bool {
        let issue = [owner.as_str().to_lowercase(), repo.as_str().to_lowercase(), "issues".into(), index.to_string()];
        let leads_elsewhere = |url: &str| {
            let segments = Target::parse(url).map(|target| target.segments).unwrap_or_default();
            let at = segments.len().saturating_sub(issue.len());
            !segments.iter().skip(at).map(|segment| segment.to_lowercase()).eq(issue.iter().cloned())
        };
        let said = |url: &Scalar| if let Scalar::Text(url) = url { Some(url.clone()) } else { None };
        said(&self.issue_url).is_some_and(|url| !url.is_empty() && leads_elsewhere(&url))
            || said(&self.pull_request_url).is_some_and(|url| !url.is_empty())
    }

    fn into_comment(self, body: String) -> Option<Comment> {
        Some(Comment {
            id: self.id.id()?,
            body,
            author: self.user.unwrap_or_default().into(),
            created_at: self.created_at.moment(),
            updated_at: self.updated_at.moment(),
            html_url: self.html_url.text(),
        })
    }
}

/// Passed over, whatever it is.
#[derive(Default)]
struct Skipped;

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// An array of labels whose names have no more than [`LABEL_BYTES`].
#[derive(Default)]
struct Labels(Option<Vec<Label>>);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Array;

        impl<'de> Visitor<'de> for Array {
            type Value = Labels;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of labels")
            }

            fn visit_unit<E>(self) -> Result<Labels, E> {
                Ok(Labels(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Labels, A::Error> {
                let mut labels = Some(Vec::new());
                let mut left = LABEL_BYTES;
                while let Some(Object(wire)) = elements.next_element::<Object<WireLabel>>()? {
                    let label = Label { id: wire.id.id(), name: wire.name.text() };
                    let bytes = label.name.as_ref().map_or(0, String::len) + 16;
                    match left.checked_sub(bytes) {
                        Some(rest) => left = rest,
                        None => labels = None,
                    }
                    if let Some(labels) = &mut labels {
                        labels.push(label);
                    }
                }
                Ok(Labels(labels))
            }
        }

        deserializer.deserialize_any(Array)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireLabel {
    id: Scalar,
    name: Scalar,
}

#[cfg(test)]
mod tests;
