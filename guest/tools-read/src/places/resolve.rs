//! From `ref` to a commit's full id, before anything is read at it (F-007 to F-012).

use assay_envelope::Refusal;
use assay_forge::{
    ObjectId,
    file::{self, Fault, Named, Reference, What},
    http,
};
use assay_origin::refuse;

use super::ask::{Forge, Missing, read, segments};

/// Leaves out what the forge would work out for nothing.
const PLAIN: [(&str, &str); 3] = [("stat", "false"), ("verification", "false"), ("files", "false")];

/// The commit that `reference` names now.
pub(crate) fn resolve(forge: Forge<'_>, reference: &Reference) -> Result<ObjectId, Refusal> {
    match reference {
        Reference::Default => default(forge),
        Reference::Commit(id) => said_tree_of(forge, *id).map(|_| *id),
        Reference::Named { names, is_short_id } => {
            for name in names {
                if let Some(commit) = named(forge, name)? {
                    return Ok(commit);
                }
            }
            Err(refuse(if *is_short_id { Fault::ShortId } else { Fault::NoRef }))
        }
    }
}

/// The tree of a commit as the forge says it, which is also the forge's word that there is such a commit.
pub(crate) fn said_tree_of(forge: Forge<'_>, commit: ObjectId) -> Result<ObjectId, Refusal> {
    let id = commit.to_string();
    match forge.json(&[b"git", b"commits", id.as_bytes()], &PLAIN) {
        Ok(answer) => read(answer, |json| file::tree_of_commit(json, commit)),
        Err(Missing::Said(http::Fault::UnexpectedStatus(400 | 422))) => Err(refuse(Fault::NotCommit)),
        Err(missing) => Err(missing.refusal(What::Commit)),
    }
}

/// The commit of the default branch, which the repository names.
fn default(forge: Forge<'_>) -> Result<ObjectId, Refusal> {
    let answer = forge.json(&[], &[]).map_err(|missing| missing.refusal(What::Repository))?;
    let name = read(answer, |json| file::default_branch(json))?;
    named(forge, &Named::Branch(name))?.ok_or_else(|| refuse(Fault::Empty))
}

/// The commit of a branch or a tag; nothing where the forge shows none.
fn named(forge: Forge<'_>, named: &Named) -> Result<Option<ObjectId>, Refusal> {
    let (route, name, what) = match named {
        Named::Branch(name) => ("branches", name, What::Branch),
        Named::Tag(name) => ("tags", name, What::Tag),
    };
    let rest: Vec<&[u8]> = std::iter::once(route.as_bytes()).chain(segments(name.as_bytes())).collect();
    let answer = match forge.json(&rest, &[]) {
        Ok(answer) => answer,
        Err(missing) if missing.is_absence() => return Ok(None),
        Err(missing) => return Err(missing.refusal(what)),
    };
    read(answer, |json| match named {
        Named::Branch(name) => file::commit_of_branch(json, name),
        Named::Tag(name) => file::commit_of_tag(json, name),
    })
    .map(Some)
}
