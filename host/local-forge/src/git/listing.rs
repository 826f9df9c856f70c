//! The entries of a tree, one at a time as git lists them, so that no tree is too big to be counted.

use std::{io, path::Path, process::Stdio};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::ChildStdout,
    time::{Instant, timeout_at},
};

use crate::git::run::{Failure, Git, Running, TIME};

/// The longest line: a mode, a type, an id and a path.
const MAX_LINE: usize = 64 << 10;

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Six octal digits.
    pub(crate) mode: String,
    /// `blob`, `tree` or, for a submodule, `commit`.
    pub(crate) kind: &'static str,
    pub(crate) oid: String,
    /// From the tree's top, as bytes.
    pub(crate) path: Vec<u8>,
}

/// A listing that goes on. Dropping it ends git.
pub(crate) struct Listing {
    running: Running,
    from: BufReader<ChildStdout>,
    until: Instant,
}

impl Listing {
    /// Lists the tree that `oid` is or names; with all below it, directories included, when `recursive`.
    pub(crate) fn start(git: &Git, dir: &Path, oid: &str, recursive: bool) -> io::Result<Self> {
        let mut command = git.at(dir);
        command.args(["ls-tree", "-z", "--full-tree"]);
        if recursive {
            command.args(["-r", "-t"]);
        }
        command.args(["--end-of-options", oid]).stdin(Stdio::null()).stderr(Stdio::null());
        let (running, stdout) = git.start(command)?;
        Ok(Self { running, from: BufReader::new(stdout), until: Instant::now() + TIME })
    }

    /// The next entry; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Entry>, Failure> {
        let next = timeout_at(self.until, self.read()).await;
        next.unwrap_or_else(|_| Err(Failure::Late("ls-tree".into())))
    }

    async fn read(&mut self) -> Result<Option<Entry>, Failure> {
        let mut line = Vec::new();
        (&mut self.from).take(MAX_LINE as u64).read_until(0, &mut line).await?;
        if line.is_empty() {
            let status = self.running.wait().await?;
            let (command, code, complaint) = ("ls-tree".into(), status.code(), "it cannot list a tree".into());
            return if status.success() { Ok(None) } else { Err(Failure::Refused { command, code, complaint }) };
        }
        let line = line.strip_suffix(b"\0").ok_or(Failure::TooMuch("ls-tree".into()))?;
        entry(line).map(Some).ok_or(Failure::Unexpected("ls-tree"))
    }
}

/// The entry at `path` below the tree that `oid` is or names. The path is taken as it stands: nothing in it is a
/// pattern.
pub(crate) async fn entry_at(git: &Git, dir: &Path, oid: &str, path: &[u8]) -> Result<Option<Entry>, Failure> {
    if path.is_empty() || path.len() > MAX_LINE / 2 || path.contains(&0) {
        return Ok(None);
    }
    let mut command = git.at(dir);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["ls-tree", "-z", "--full-tree", "--end-of-options", oid]);
    command.arg(as_text(path));
    let said = git.finish(command, "ls-tree".into(), &[], MAX_LINE).await?;
    let Some(line) = said.split(|&b| b == 0).find(|line| !line.is_empty()) else { return Ok(None) };
    let entry = entry(line).ok_or(Failure::Unexpected("ls-tree"))?;
    Ok(Some(entry).filter(|entry| entry.path == path))
}

/// Bytes as an argument.
pub(crate) fn as_text(bytes: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

/// Reads `<mode> <type> <id>\t<path>`.
fn entry(line: &[u8]) -> Option<Entry> {
    let (head, path) = line.split_at_checked(line.iter().position(|&b| b == b'\t')?)?;
    let mut words = std::str::from_utf8(head).ok()?.split(' ');
    let (mode, kind, oid) = (words.next()?, words.next()?, words.next()?);
    let kind = ["blob", "tree", "commit"].into_iter().find(|&known| known == kind)?;
    Some(Entry { mode: mode.to_owned(), kind, oid: oid.to_owned(), path: path.get(1..)?.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_to_the_byte() {
        let read = entry(b"100644 blob 12ab\ta\t\xff b\n").expect("it is an entry");
        let path = b"a\t\xff b\n".to_vec();
        assert_eq!(read, Entry { mode: "100644".into(), kind: "blob", oid: "12ab".into(), path });
        for line in [&b""[..], b"100644 blob 12ab", b"100644 bulb 12ab\tx", b"100644\tx"] {
            assert_eq!(entry(line), None, "{line:?}");
        }
    }
}
