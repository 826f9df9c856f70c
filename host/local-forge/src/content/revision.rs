//! What a request means by `ref` and a path: a commit and a clean path in it.

use crate::{
    Error,
    git::{
        objects::{self, Kind},
        run::Failure,
    },
    serve::{routes::One, target::Query},
};

/// A commit, as it was asked for and as it was found, and a path in it.
#[derive(Debug)]
pub(crate) struct At {
    /// The name that answers repeat.
    pub(crate) name: Vec<u8>,
    pub(crate) commit: String,
    /// Without empty, `.` and `..` segments; empty for the top.
    pub(crate) path: Vec<u8>,
}

impl One<'_> {
    /// The commit that `name` stands for, in full.
    pub(crate) async fn commit_of(&self, name: &[u8]) -> Result<Option<String>, Failure> {
        // A commit or an annotated tag; a tree is no commit even when it is one's tree.
        let peeled = [name, b"^{commit}"].concat();
        let found = objects::find(&self.forge.git, self.repository.dir(), &peeled).await?;
        Ok(found.filter(|found| found.kind == Kind::Commit).map(|found| found.oid))
    }

    /// What the query's `ref` and `path` mean: without a `ref` the default branch.
    pub(crate) async fn at(&self, path: &[u8], query: &Query) -> Result<Option<At>, Error> {
        let name = match query.get("ref").map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => name.as_bytes().to_vec(),
            None => self.snapshot.default.clone(),
        };
        let commit = match self.snapshot.branch(&name) {
            Some(tip) => Some(tip.oid.clone()),
            None => self.commit_of(&name).await?,
        };
        Ok(commit.map(|commit| At { name, commit, path: clean(path) }))
    }

    /// The same where the path may begin with the revision: a branch's name, the shortest that fits, or a full id.
    pub(crate) async fn at_in_path(&self, path: &[u8], query: &Query) -> Result<Option<At>, Error> {
        if query.get("ref").is_some_and(|name| !name.trim().is_empty()) {
            return self.at(path, query).await;
        }
        let ends = path.iter().enumerate().filter(|&(_, &b)| b == b'/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let Some((name, rest)) = path.split_at_checked(end) else { continue };
            if let Some(tip) = self.snapshot.branch(name) {
                return Ok(Some(At { name: name.to_vec(), commit: tip.oid.clone(), path: clean(rest) }));
            }
        }
        let first = path.split(|&b| b == b'/').next().unwrap_or_default();
        if self.repository.format().is_id(first) {
            let rest = path.get(first.len()..).unwrap_or_default();
            let commit = self.commit_of(first).await?;
            return Ok(commit.map(|commit| At { name: first.to_vec(), commit, path: clean(rest) }));
        }
        self.at(path, query).await
    }
}

/// Go's `path.Clean` below a root, without its slash.
pub(crate) fn clean(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    kept.join(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recording 163.
    #[test]
    fn paths_are_cleaned_not_refused() {
        for (path, cleaned) in
            [("../../README.md", "README.md"), ("a//b/./c/", "a/b/c"), ("a/../..", ""), ("", ""), ("..a", "..a")]
        {
            assert_eq!(clean(path.as_bytes()), cleaned.as_bytes(), "{path}");
        }
    }
}
