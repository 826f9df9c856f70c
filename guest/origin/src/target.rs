//! What a call is about: the arguments that every tool on a repository, or on one of its pull requests or issues, takes.

use assay_envelope::{Arguments, Refusal};
use assay_forge::{Index, Owner, RepoName};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use crate::{Origin, Pending, refuse};

/// Bounds of `owner` and `repo` in bytes.
const SEGMENT: (usize, usize) = (1, 255);

/// One repository.
#[derive(Clone, Debug)]
pub struct RepoTarget {
    /// Who owns it.
    pub owner: Owner,
    /// Its name.
    pub repo: RepoName,
}

impl RepoTarget {
    /// Takes `owner` and `repo` (G-082).
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument.
    pub fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        Ok(Self {
            owner: Owner::new(arguments.text("owner", SEGMENT)?).map_err(refuse)?,
            repo: RepoName::new(arguments.text("repo", SEGMENT)?).map_err(refuse)?,
        })
    }

    /// The path segments below the API root, with `rest` below the repository.
    #[must_use]
    pub fn segments<'a>(&'a self, rest: &[&'a [u8]]) -> Vec<&'a [u8]> {
        let mut segments: Vec<&[u8]> = vec![b"repos", self.owner.as_str().as_bytes(), self.repo.as_str().as_bytes()];
        segments.extend_from_slice(rest);
        segments
    }
}

/// One pull request or issue of one repository.
#[derive(Clone, Debug)]
pub struct PullTarget {
    /// Who owns the repository.
    pub owner: Owner,
    /// The repository's name.
    pub repo: RepoName,
    /// Its number.
    pub index: Index,
}

impl PullTarget {
    /// Takes `owner`, `repo` and `index` (D-012, D-013).
    ///
    /// # Errors
    /// `invalid_argument`, naming the argument.
    pub fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let RepoTarget { owner, repo } = RepoTarget::take(arguments)?;
        let index = Index::new(arguments.integer("index", Index::BOUNDS)?).map_err(refuse)?;
        Ok(Self { owner, repo, index })
    }

    /// The path segments below the API root; `last` names the pull request, with or without an ending.
    #[must_use]
    pub fn segments<'a>(&'a self, last: &'a str) -> [&'a [u8]; 5] {
        [b"repos", self.owner.as_str().as_bytes(), self.repo.as_str().as_bytes(), b"pulls", last.as_bytes()]
    }
}

impl PullTarget {
    /// Asks for the diff: with `evidence`, for native evidence of it, which a stock forge ignores (O-001).
    pub fn diff(&self, origin: &dyn Origin, evidence: bool) -> Box<dyn Pending> {
        let last = format!("{}.diff", self.index);
        let query: &[_] = if evidence { &[("binary", "true"), ("evidence", "v1")] } else { &[("binary", "true")] };
        origin.get(&self.segments(&last), query, None)
    }
}

impl Serialize for PullTarget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("PullTarget", 3)?;
        object.serialize_field("owner", self.owner.as_str())?;
        object.serialize_field("repo", self.repo.as_str())?;
        object.serialize_field("index", &self.index.get())?;
        object.end()
    }
}
