//! What stands at a path of one commit: what the tools on files and directories share.

pub(crate) mod ask;
mod resolve;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    cursor::Place,
    file::{Reference, TreePath},
};
use assay_origin::{RepoTarget, refuse};

pub(crate) use self::{
    ask::Forge,
    resolve::{resolve, said_tree_of},
};

/// Bytes of a path.
const PATH_BYTES: usize = 4_096;
/// Bounds of `ref` in bytes.
const REF: (usize, usize) = (1, 255);

/// Where a call reads, as its arguments say it.
#[derive(Debug)]
pub(crate) struct Where {
    pub(crate) target: RepoTarget,
    /// Nothing for the root.
    pub(crate) path: Option<TreePath>,
    /// `ref` as it was given, and what it can stand for.
    pub(crate) requested: Option<String>,
    pub(crate) reference: Reference,
}

impl Where {
    /// Takes `owner`, `repo`, `path` and `ref`; what can be refused without a request is refused here. An empty path, where
    /// `least` lets it be, is the root.
    pub(crate) fn take(arguments: &mut Arguments, least: usize) -> Result<Self, Refusal> {
        let target = RepoTarget::take(arguments)?;
        let path = arguments.optional_text("path", (least, PATH_BYTES))?.filter(|path| !path.is_empty());
        let path = path.map(TreePath::new).transpose().map_err(refuse)?;
        let requested = arguments.optional_text("ref", REF)?;
        let reference = requested.as_deref().map_or(Ok(Reference::Default), Reference::new).map_err(refuse)?;
        Ok(Self { target, path, requested, reference })
    }

    /// What a cursor binds of it.
    pub(crate) fn place(&self) -> Place<'_> {
        Place {
            owner: &self.target.owner,
            repo: &self.target.repo,
            path: self.path.as_ref(),
            reference: self.requested.as_deref(),
        }
    }
}
