//! Which commit last touched what, as a forge shows it beside a directory's entries.
//!
//! git is read only until every entry has its commit. First parents are followed, so that each has one at the latest
//! where the history begins.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    process::Stdio,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::ChildStdout,
    time::timeout,
};

use crate::git::{
    listing::as_text,
    run::{Failure, Git, TIME},
};

/// The longest name, or anything else that git says at once.
const MAX_FIELD: u64 = 64 << 10;

/// The last commit that touched `path`, in full, and when it was made in seconds since 1970; below `commit`.
pub(crate) async fn last_change(git: &Git, dir: &Path, commit: &str, path: &[u8]) -> Result<(String, u64), Failure> {
    let mut command = git.at(dir);
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.args(["log", "-1", "--format=%H %ct", "--end-of-options", commit, "--"]).arg(as_text(path));
    let said = git.finish(command, "log".into(), &[], 4096).await?;
    let said = String::from_utf8_lossy(&said);
    let (oid, seconds) = said.trim().split_once(' ').unwrap_or((commit, "0"));
    Ok((oid.to_owned(), seconds.parse().unwrap_or(0)))
}

/// The same for the entries `names` of the directory at `path`, the top where that is empty. An entry that none of the
/// commits touched is left out.
pub(crate) async fn last_changes(
    git: &Git,
    dir: &Path,
    commit: &str,
    path: &[u8],
    names: HashSet<Vec<u8>>,
) -> Result<HashMap<Vec<u8>, String>, Failure> {
    let mut command = git.at(dir);
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.args(["log", "-m", "--first-parent", "--no-renames", "--raw", "-z", "--format=%H"]);
    command.args(["--end-of-options", commit, "--"]).stdin(Stdio::null()).stderr(Stdio::null());
    if !path.is_empty() {
        command.arg(as_text(path));
    }
    let (_running, stdout) = git.start(command)?;
    let found = timeout(TIME, walk(BufReader::new(stdout), path, names)).await;
    found.map_err(|_| Failure::Late("log".into()))?
}

async fn walk(
    mut from: BufReader<ChildStdout>,
    path: &[u8],
    mut names: HashSet<Vec<u8>>,
) -> Result<HashMap<Vec<u8>, String>, Failure> {
    let (mut found, mut commit, mut field) = (HashMap::new(), String::new(), Vec::new());
    while !names.is_empty() {
        if next(&mut from, &mut field).await?.is_none() {
            break;
        }
        // A line feed stands between a commit and its first change.
        if field.strip_prefix(b"\n").unwrap_or(&field).starts_with(b":") {
            next(&mut from, &mut field).await?.ok_or(Failure::Unexpected("log"))?;
            if let Some(name) = entry_of(path, &field)
                && let Some(name) = names.take(name)
            {
                found.insert(name, commit.clone());
            }
        } else {
            commit = String::from_utf8_lossy(&field).trim().to_owned();
        }
    }
    Ok(found)
}

async fn next(from: &mut BufReader<ChildStdout>, field: &mut Vec<u8>) -> Result<Option<()>, Failure> {
    field.clear();
    from.take(MAX_FIELD).read_until(0, field).await?;
    if field.is_empty() {
        return Ok(None);
    }
    if field.pop() != Some(0) {
        return Err(Failure::TooMuch("log".into()));
    }
    Ok(Some(()))
}

/// The name of the entry of the directory at `path` that `changed` is, or lies below.
fn entry_of<'a>(path: &[u8], changed: &'a [u8]) -> Option<&'a [u8]> {
    let below = match path {
        b"" => changed,
        _ => changed.strip_prefix(path)?.strip_prefix(b"/")?,
    };
    below.split(|&b| b == b'/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_belongs_to_the_entry_above_it() {
        for (path, changed, entry) in [
            ("", "a", Some("a")),
            ("", "a/b/c", Some("a")),
            ("a", "a/b/c", Some("b")),
            ("a", "ab/c", None),
            ("a", "a", None),
        ] {
            assert_eq!(entry_of(path.as_bytes(), changed.as_bytes()), entry.map(str::as_bytes), "{path} {changed}");
        }
    }
}
