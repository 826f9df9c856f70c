//! Objects of a repository as git holds them: what a name stands for, and the bytes, a piece at a time.
//!
//! No object is ever held whole here, because its size is for whoever made the repository to choose.

use std::{io, path::Path, process::Stdio};

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{ChildStdout, Command},
};

use crate::git::run::{Failure, Git, Running};

/// Bytes in one piece; a multiple of three, so that base64 pads at the very end alone.
const PIECE: usize = 48 << 10;
/// The longest line that git may say of an object: an id, a type and a size, or the name that it did not find.
const MAX_LINE: u64 = 64 << 10;
/// The longest name that is looked up.
const MAX_NAME: usize = 32 << 10;

/// The four kinds of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Blob,
    Commit,
    Tag,
    Tree,
}

/// What an object is, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// In full and in lower case.
    pub(crate) oid: String,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
}

/// The content of an object that is being read. Dropping it ends git.
#[derive(Debug)]
pub(crate) struct Content {
    /// Ends, with its output unread, when this is dropped.
    _running: Running,
    from: BufReader<ChildStdout>,
    left: u64,
    /// How many bytes from here the byte is that is to be another one.
    flip: Option<u64>,
}

/// What `name` stands for in the repository at `dir`: an id or any revision. `None` when it stands for nothing, or for
/// more than one object.
pub(crate) async fn find(git: &Git, dir: &Path, name: &[u8]) -> Result<Option<Found>, Failure> {
    if !is_name(name) {
        return Ok(None);
    }
    let mut command = git.at(dir);
    command.args(["cat-file", "--batch-check"]);
    let said = git.finish(command, "cat-file".into(), &[name, b"\n"].concat(), MAX_NAME * 2).await?;
    found(said.strip_suffix(b"\n").unwrap_or(&said))
}

/// The sizes of objects, in order; nothing for those that are not there.
pub(crate) async fn sizes(git: &Git, dir: &Path, oids: &[&str]) -> Result<Vec<Option<u64>>, Failure> {
    if oids.is_empty() {
        return Ok(Vec::new());
    }
    let mut command = git.at(dir);
    command.args(["cat-file", "--batch-check"]);
    let input: String = oids.iter().map(|oid| format!("{oid}\n")).collect();
    let said = git.finish(command, "cat-file".into(), input.as_bytes(), oids.len() * 256).await?;
    let lines: Vec<&[u8]> = said.split(|&b| b == b'\n').filter(|line| !line.is_empty()).collect();
    if lines.len() != oids.len() {
        return Err(Failure::Unexpected("cat-file"));
    }
    lines.into_iter().map(|line| Ok(found(line)?.map(|found| found.size))).collect()
}

/// Begins to read the object that `name` stands for.
pub(crate) async fn open(git: &Git, dir: &Path, name: &[u8]) -> Result<Option<(Found, Content)>, Failure> {
    if !is_name(name) {
        return Ok(None);
    }
    let mut command: Command = git.at(dir);
    command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null());
    let (mut running, stdout) = git.start(command)?;
    if let Some(mut stdin) = running.stdin() {
        stdin.write_all(&[name, b"\n"].concat()).await?;
    }
    let mut from = BufReader::with_capacity(PIECE, stdout);
    let mut line = Vec::new();
    (&mut from).take(MAX_LINE).read_until(b'\n', &mut line).await?;
    let line = line.strip_suffix(b"\n").ok_or(Failure::Unexpected("cat-file"))?;
    Ok(found(line)?.map(|found| {
        let left = found.size;
        (found, Content { _running: running, from, left, flip: None })
    }))
}

impl Content {
    /// How many bytes are left.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The same content with a bit of one byte changed, so that it is not what its id says any more.
    pub(crate) fn flipping(mut self, at: Option<u64>) -> Self {
        self.flip = at.and_then(|at| at.checked_rem(self.left));
        self
    }

    /// The next bytes, [`PIECE`] of them while there are as many; `None` at the end. Fewer than the object has is an
    /// error, so that what was cut is never taken for whole.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let want = usize::try_from(self.left).map_or(PIECE, |left| left.min(PIECE));
        if want == 0 {
            return Ok(None);
        }
        let mut piece = BytesMut::zeroed(want);
        self.from.read_exact(&mut piece).await?;
        self.left -= want as u64;
        if let Some(at) = self.flip {
            match usize::try_from(at).ok().and_then(|at| piece.get_mut(at)) {
                Some(byte) => {
                    *byte ^= 1;
                    self.flip = None;
                }
                None => self.flip = Some(at - want as u64),
            }
        }
        Ok(Some(piece.freeze()))
    }

    /// Leaves out the next `count` bytes.
    pub(crate) async fn skip(&mut self, count: u64) -> io::Result<()> {
        let count = count.min(self.left);
        let skipped = tokio::io::copy(&mut (&mut self.from).take(count), &mut tokio::io::sink()).await?;
        self.left -= skipped;
        self.flip = self.flip.and_then(|at| at.checked_sub(skipped));
        if skipped < count { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// git reads one name a line, so a name with a line feed would be two.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && !name.iter().any(|b| matches!(b, b'\n' | 0))
}

/// Reads `<id> <type> <size>`; anything that ends otherwise was not found.
fn found(line: &[u8]) -> Result<Option<Found>, Failure> {
    if [&b" missing"[..], b" ambiguous", b" submodule"].iter().any(|end| line.ends_with(end)) {
        return Ok(None);
    }
    let parse = || {
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let (oid, kind, size) = (words.next()?, words.next()?, words.next()?.parse().ok()?);
        let kind = match kind {
            "blob" => Kind::Blob,
            "commit" => Kind::Commit,
            "tag" => Kind::Tag,
            "tree" => Kind::Tree,
            _ => return None,
        };
        words.next().is_none().then(|| Found { oid: oid.to_owned(), kind, size })
    };
    parse().map(Some).ok_or(Failure::Unexpected("cat-file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_an_object_is_read_strictly() {
        let good = found(b"12ab tree 34").expect("it is well formed");
        assert_eq!(good, Some(Found { oid: "12ab".into(), kind: Kind::Tree, size: 34 }));
        for line in [&b"nope missing"[..], b"12 ambiguous", b"a b c missing"] {
            assert_eq!(found(line).expect("it is well formed"), None);
        }
        for line in [&b""[..], b"12", b"12 blob", b"12 blob x", b"12 blob 3 4", b"12 bulb 3", b"\xff blob 3"] {
            assert!(found(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn names_of_two_lines_are_none() {
        assert!(is_name(b"refs/heads/\xff x"));
        assert!(!is_name(b"main\nHEAD") && !is_name(b"") && !is_name(b"a\0b") && !is_name(&[b'a'; MAX_NAME + 1]));
    }
}
