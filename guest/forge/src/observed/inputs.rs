//! The two commits that a stock forge makes a diff from, and the ids around them (O-003).
//!
//! The merge base is a stored value in the pull request's JSON; the head is what `refs/pull/N/head` names. The branch tips
//! in the same JSON are not what was diffed: they are kept as observations.

use std::{fmt, io::Read};

use serde::{
    Deserialize, Deserializer as _,
    de::{SeqAccess, Visitor},
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::Fault;
use crate::{
    Error, Index, ObjectFormat, ObjectId,
    lenient::{Lenient, Object, Scalar},
    proof::{Level, Reached},
    pull,
};

/// What the pull request's JSON says that a receipt needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullInputs {
    /// Numeric id of the repository that the pull request belongs to.
    pub repository: u64,
    /// Its owner and name as the forge stores them.
    pub full_name: String,
    /// Numeric id of the pull request.
    pub pull: u64,
    /// Its number.
    pub index: Index,
    /// The stored merge base: an input.
    pub merge_base: ObjectId,
    /// The tip of the head's branch: no input.
    pub head_branch: Option<String>,
    /// The tip of the base's branch: no input.
    pub target_tip: Option<String>,
    /// Whether it is open: a closed one is not checked again by the forge.
    pub is_open: bool,
    /// When the forge last changed something about it.
    pub updated_at: Option<OffsetDateTime>,
}

impl PullInputs {
    /// Reads the forge's JSON about pull request `expected` to its end.
    ///
    /// # Errors
    /// [`pull::Fault`] where it is no JSON object or about another pull request, [`Fault`] where it says too little.
    pub fn read(json: impl Read, expected: Index) -> Result<Self, Error> {
        let Object(pull): Object<Pull> = serde_json::from_reader(json).map_err(|_| pull::Fault::Malformed)?;
        if pull.number != Scalar::Integer(expected.get()) {
            return Err(pull::Fault::Number.into());
        }
        let (base, head) = (pull.base.unwrap_or_default(), pull.head.unwrap_or_default());
        let repo = base.repo.unwrap_or_default();
        // Named twice, and the same or nothing.
        let ids = (repo.id.id(), base.repo_id.id());
        let repository = match ids {
            (Some(id), Some(same)) if id == same => id,
            _ => return Err(Fault::Identity.into()),
        };
        let merge_base = pull.merge_base.text().filter(|text| !text.is_empty()).ok_or(Fault::MergeBase)?;
        let merge_base = ObjectId::from_hex(&merge_base).ok().filter(|id| !id.is_zero()).ok_or(Fault::MergeBase)?;
        let stated = repo.object_format_name.text();
        if stated.is_some_and(|format| format != merge_base.format().as_str()) {
            return Err(Fault::Identity.into());
        }
        Ok(Self {
            repository,
            full_name: repo.full_name.text().ok_or(Fault::Identity)?,
            pull: pull.id.id().ok_or(Fault::Identity)?,
            index: expected,
            merge_base,
            head_branch: head.sha.object_id(),
            target_tip: base.sha.object_id(),
            is_open: pull.state.text().as_deref() == Some("open"),
            updated_at: pull.updated_at.text().and_then(|text| OffsetDateTime::parse(&text, &Rfc3339).ok()),
        })
    }

    /// How the repository names its objects.
    #[must_use]
    pub const fn object_format(&self) -> ObjectFormat {
        self.merge_base.format()
    }
}

/// What two equal looks at the inputs, one before and one after the diff, establish (O-006).
///
/// # Errors
/// [`Fault::Moved`] where they differ.
pub fn bracket(before: (&PullInputs, ObjectId), after: (&PullInputs, ObjectId)) -> Result<Reached, Fault> {
    let bound = |(pull, head): (&PullInputs, ObjectId)| (pull.repository, pull.pull, pull.merge_base, head);
    if bound(before) == bound(after) { Ok(Reached::at(Level::Bracketed)) } else { Err(Fault::Moved) }
}

/// Reads the forge's list of refs that begin like `refs/pull/<index>/head`, and gives the commit of that very one: the
/// route matches prefixes.
///
/// # Errors
/// [`Fault::Head`] where it is not there once, or is no commit.
pub fn head_of(json: impl Read, index: Index) -> Result<ObjectId, Error> {
    let wanted = format!("refs/pull/{index}/head");
    let mut json = serde_json::Deserializer::from_reader(json);
    let found = json.deserialize_seq(Named(&wanted)).and_then(|found| json.end().map(|()| found));
    let mut found = found.map_err(|_| pull::Fault::Malformed)?.into_iter();
    let (Some(object), None) = (found.next(), found.next()) else { return Err(Fault::Head.into()) };
    let is_commit = object.kind.text().as_deref() == Some("commit");
    let id = object.sha.text().and_then(|sha| ObjectId::from_hex(&sha).ok());
    id.filter(|id| is_commit && !id.is_zero()).ok_or(Fault::Head.into())
}

/// Takes the targets of the refs of one name, two at the most, out of a list of any length.
struct Named<'a>(&'a str);

impl<'de> Visitor<'de> for Named<'_> {
    type Value = Vec<Target>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of refs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut refs: A) -> Result<Vec<Target>, A::Error> {
        let mut found = Vec::new();
        while let Some(entry) = refs.next_element::<Lenient<Ref>>()? {
            let named = entry.into_object().filter(|entry| entry.name.is_text(self.0));
            if let Some(entry) = named.filter(|_| found.len() < 2) {
                found.push(entry.object.unwrap_or_default());
            }
        }
        Ok(found)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pull {
    id: Scalar,
    number: Scalar,
    state: Scalar,
    updated_at: Scalar,
    merge_base: Scalar,
    base: Lenient<Side>,
    head: Lenient<Side>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Side {
    sha: Scalar,
    repo_id: Scalar,
    repo: Lenient<Repo>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Repo {
    id: Scalar,
    full_name: Scalar,
    object_format_name: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Ref {
    #[serde(rename = "ref")]
    name: Scalar,
    object: Lenient<Target>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Target {
    #[serde(rename = "type")]
    kind: Scalar,
    sha: Scalar,
}
