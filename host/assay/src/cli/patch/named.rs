//! Which document a person means: by its id, or by the path of the file that it was made of.

use std::{
    env,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use anyhow::anyhow;
use assay_documents::{Fault, Head};
use assay_workspace::Workspace;

use crate::{
    cli::{Failed, shown::quoted},
    editing::{Editing, NOBODY},
};

/// Documents that are looked at together.
const PAGE: u32 = 500;

/// A document that was found.
pub(super) struct Named {
    pub(super) head: Head,
    /// What a person calls it.
    pub(super) name: String,
}

/// Finds each of them, and says where there were several of one path.
pub(super) async fn find_all(editing: &Editing, files: &[String]) -> Result<Vec<Named>, Failed> {
    let mut found: Vec<Named> = Vec::with_capacity(files.len());
    for file in files {
        let named = find(editing, file).await?;
        if found.iter().all(|other| other.head.id != named.head.id) {
            found.push(named);
        }
    }
    Ok(found)
}

/// Finds one.
pub(super) async fn find(editing: &Editing, file: &str) -> Result<Named, Failed> {
    let mut view = editing.documents().view().await.map_err(faulty)?;
    if let Some(head) = view.head(NOBODY, &file.to_ascii_lowercase()).await.map_err(faulty)? {
        return Ok(Named { name: name_of(&head), head });
    }
    drop(view);
    let mut elsewhere = 0;
    for path in paths(file, editing.workspace()) {
        let (mut here, others) = at(editing, &path).await?;
        elsewhere += others;
        if here.is_empty() {
            continue;
        }
        let older = here.len() - 1;
        let head = here.remove(0);
        if older > 0 {
            eprintln!(
                "assay: {} documents were made of {}; this is the newest, {}; `assay patch list` shows the others",
                older + 1,
                quoted(path.as_bytes()),
                head.id
            );
        }
        return Ok(Named { name: name_of(&head), head });
    }
    let why = match elsewhere {
        0 => "`assay patch list` shows those there are".to_owned(),
        _ => format!(
            "{elsewhere} were made of that path in another workspace: name one by its id, which `assay patch list` shows"
        ),
    };
    Err(Failed::Configuration(anyhow!("there is no document of {}; {why}", quoted(file.as_bytes()))))
}

/// What a person calls a document.
pub(super) fn name_of(head: &Head) -> String {
    head.workspace_path.as_deref().map_or_else(|| head.id.clone(), |path| quoted(path.as_bytes()))
}

/// Every document of an owner, newest first.
pub(super) async fn all(editing: &Editing) -> Result<Vec<Head>, Failed> {
    let mut view = editing.documents().view().await.map_err(faulty)?;
    let mut heads: Vec<Head> = Vec::new();
    loop {
        let after = heads.last().map(|head| head.id.clone());
        let page = view.targets(NOBODY, after.as_deref(), PAGE).await.map_err(faulty)?;
        let is_last = page.len() <= PAGE as usize;
        heads.extend(page.into_iter().take(PAGE as usize));
        if is_last {
            return Ok(heads);
        }
    }
}

/// The documents of this path, newest first, and how many another workspace has of it.
async fn at(editing: &Editing, path: &str) -> Result<(Vec<Head>, usize), Failed> {
    let identity = editing.workspace().map(|workspace| workspace.identity().to_string());
    let of_path = all(editing).await?.into_iter().filter(|head| head.workspace_path.as_deref() == Some(path));
    let is_here = |head: &Head| identity.is_none() || head.workspace_root_identity == identity;
    let (here, others): (Vec<_>, Vec<_>) = of_path.partition(is_here);
    Ok((here, others.len()))
}

/// The paths in a workspace that may be meant: from the current folder, then from the workspace's root.
fn paths(file: &str, workspace: Option<&Arc<Workspace>>) -> Vec<String> {
    let from_here = workspace.and_then(|workspace| {
        let here = env::current_dir().ok()?;
        let path = plain(&here.join(file))?;
        // A link on the way to the workspace is no other place; the file itself need not be there any more.
        let (folder, name) = (path.parent()?, path.file_name()?);
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        folder.join(name).strip_prefix(workspace.root()).ok()?.to_str().map(str::to_owned)
    });
    let from_root = plain(Path::new(file)).filter(|path| path.is_relative());
    let from_root = from_root.and_then(|path| path.to_str().map(str::to_owned));
    let mut paths: Vec<String> = from_here.into_iter().chain(from_root).filter(|path| !path.is_empty()).collect();
    paths.dedup();
    paths
}

/// The path without `.` and `..`; nothing where it leads above where it begins.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// The database failed: that says nothing about what was asked for (P-112).
pub(super) fn faulty(fault: Fault) -> Failed {
    Failed::Fault(fault.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_plain_by_its_spelling() {
        for (given, expected) in [
            ("a/b", Some("a/b")),
            ("./a//b/", Some("a/b")),
            ("a/../b", Some("b")),
            ("/a/./b/../c", Some("/a/c")),
            ("../a", None),
            ("a/../../b", None),
        ] {
            assert_eq!(plain(Path::new(given)), expected.map(PathBuf::from), "{given}");
        }
        assert_eq!(paths("./a.txt", None), ["a.txt"]);
        assert_eq!(paths("/a.txt", None), [""; 0]);
        assert_eq!(paths("..", None), [""; 0]);
    }
}
