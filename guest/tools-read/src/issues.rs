//! One issue as the tools about issues take and read it. Redirects refuse (G-141), and every GET is one (G-139).

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    Index,
    http::{Head, Subject},
    issue::Issue,
};
use assay_origin::{Origin, RepoTarget, refuse};

use crate::native_list::read_json;

/// The arguments.
#[derive(Debug)]
pub(crate) struct IssueTarget {
    pub(crate) repository: RepoTarget,
    pub(crate) index: Index,
    index_text: String,
}

impl IssueTarget {
    pub(crate) fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let repository = RepoTarget::take(arguments)?;
        let index = Index::new(arguments.integer("index", Index::BOUNDS)?).map_err(refuse)?;
        Ok(Self { repository, index, index_text: index.to_string() })
    }

    /// The path segments below the API root, with `rest` below the issue.
    pub(crate) fn segments<'a>(&'a self, rest: &[&'a [u8]]) -> Vec<&'a [u8]> {
        self.repository.segments(&[&[b"issues".as_slice(), self.index_text.as_bytes()], rest].concat())
    }

    /// Reads the issue; a pull request refuses (G-132).
    pub(crate) fn read(&self, origin: &dyn Origin) -> Result<(Issue, Head), Refusal> {
        let RepoTarget { owner, repo } = &self.repository;
        let pending = origin.get(&self.segments(&[]), &[], None);
        read_json(pending, Subject::ISSUE, |json| Issue::read(json, owner, repo, self.index))
    }
}
