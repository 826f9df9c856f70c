//! Brings the branches and tags of a source into its copy, but for those that cannot be had.
//!
//! They land below `refs/source/`: what of it the forge shows, and what it has written itself, is `written`'s to say.
//!
//! One branch that names nothing, or an object that is not there, must not keep the others from being served. The usual
//! way is one fetch of everything; only when git refuses that, the branches are halved until the bad ones stand alone.
//! Which those are is told, as the default branch may be one.

use std::path::Path;

use crate::git::{
    run::{Failure, Git, UPLOAD_PACK},
    source::{MAX_REFS, Origin, Refs, Unreadable},
};

const HEADS: &[u8] = b"+refs/heads/*:refs/source/heads/*\n";
const TAGS: &[u8] = b"+refs/tags/*:refs/source/tags/*\n";

/// Makes `refs/source/` of the bare repository `dir` the branches and tags of `origin`, which may move meanwhile. `refs`
/// are its refs as they were a moment ago.
pub(crate) async fn fetch(git: &Git, dir: &Path, origin: &Origin, refs: &Refs) -> Result<Vec<Unreadable>, Failure> {
    let everything = [HEADS, TAGS].concat();
    let mut unreadable = origin.ignored(git).await?;
    match run(git, dir, origin, &everything, true).await {
        Ok(()) => {}
        Err(refused @ Failure::Refused { .. }) => {
            unreadable.extend(one_by_one(git, dir, origin, refs, refused).await?);
            if let Err(complaint) = run(git, dir, origin, TAGS, true).await {
                tracing::warn!(%complaint, "the tags are left as they were: they cannot be read");
            }
        }
        Err(other) => return Err(other),
    }
    for Unreadable { branch, complaint } in &unreadable {
        tracing::warn!(branch = %String::from_utf8_lossy(branch), complaint, "a branch is left out: it cannot be read");
    }
    Ok(unreadable)
}

/// Brings over what can be had, and gives the rest.
async fn one_by_one(
    git: &Git,
    dir: &Path,
    origin: &Origin,
    refs: &Refs,
    refused: Failure,
) -> Result<Vec<Unreadable>, Failure> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let branches: Vec<&[u8]> = refs.branches().collect();
    let mut groups = vec![&branches[..]];
    while let Some(group) = groups.pop() {
        match run(git, dir, origin, &refspecs(group), false).await {
            Ok(()) => good.extend(group),
            Err(Failure::Refused { complaint, .. }) => match group {
                [] => {}
                [one] => bad.push(Unreadable { branch: one.to_vec(), complaint }),
                more => groups.extend(<[_; 2]>::from(more.split_at(more.len() / 2))),
            },
            Err(other) => return Err(other),
        }
    }
    if good.is_empty() {
        // Then it is not for a branch.
        return Err(refused);
    }
    drop_others(git, dir, &good).await?;
    Ok(bad)
}

async fn run(git: &Git, dir: &Path, origin: &Origin, refspecs: &[u8], prune: bool) -> Result<(), Failure> {
    if refspecs.is_empty() {
        return Ok(());
    }
    let mut command = git.at(dir);
    command.env("GIT_CONFIG_GLOBAL", origin.trust());
    command.args(["fetch", "--quiet", "--force", "--no-tags", "--update-shallow", "--no-write-fetch-head"]);
    command.args(["--no-recurse-submodules", "--upload-pack", UPLOAD_PACK]);
    if prune {
        command.arg("--prune");
    }
    command.args(["--stdin", "--"]).arg(&origin.git_dir);
    git.finish(command, "fetch".into(), refspecs, 64 << 10).await?;
    Ok(())
}

/// What brings each of these branches over.
fn refspecs(branches: &[&[u8]]) -> Vec<u8> {
    let line = |branch: &&[u8]| [b"+refs/heads/", *branch, b":refs/source/heads/", *branch, b"\n"].concat();
    branches.iter().flat_map(line).collect()
}

/// Deletes the branches of the copy that are not among `good`.
async fn drop_others(git: &Git, dir: &Path, good: &[&[u8]]) -> Result<(), Failure> {
    let said = git.ask(dir, ["for-each-ref", "--format=%(refname:lstrip=3)", "refs/source/heads/"], MAX_REFS).await?;
    let others = said.split(|&b| b == b'\n').filter(|name| !name.is_empty() && !good.contains(name));
    let input: Vec<u8> = others.flat_map(|name| [b"delete refs/source/heads/", name, b"\n"].concat()).collect();
    if input.is_empty() {
        return Ok(());
    }
    let mut command = git.at(dir);
    command.args(["update-ref", "--stdin"]);
    git.finish(command, "update-ref".into(), &input, 4096).await?;
    Ok(())
}
