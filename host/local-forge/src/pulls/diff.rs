//! A pull request's diff as a stock forge sends it: straight from git to the client, with whatever comes of that.
//!
//! The status is decided when the first bytes are there. If git fails later, the forge's error body follows the bytes
//! that are gone already, under perfect framing; that is what readers have to cope with, so it is kept.

use std::{io, path::Path, process::Stdio};

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::StreamBody;
use tokio::{
    io::AsyncReadExt,
    process::{ChildStdout, Command},
};

use crate::{
    git::run::{Git, Running},
    operator::{live::Cutting, scissors::Scissors},
    wire::answer::{Answer, BUFFER, Wording, boxed, empty, whole},
};

/// How much is read from git at a time.
const CHUNK: usize = 64 << 10;
/// How much Go looks at to guess a type.
const SNIFFED: usize = 512;

/// The arguments of the profile `pr-diff-binary.v1`, as its evidence names them.
pub(crate) const BINARY: [&str; 4] = ["diff", "-p", "--binary", "--histogram"];
const PLAIN: [&str; 2] = ["diff", "-p"];

/// Two commits of one repository, by full id.
#[derive(Debug, Clone)]
pub(crate) struct Inputs {
    pub(crate) from: String,
    pub(crate) to: String,
}

/// The git command that makes the diff.
pub(crate) fn command(git: &Git, dir: &Path, inputs: &Inputs, binary: bool) -> Command {
    let mut command = git.at(dir);
    command.args(if binary { &BINARY[..] } else { &PLAIN[..] });
    command.args(["--no-ext-diff", "--no-textconv", &inputs.from, &inputs.to, "--"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// The answer, begun: what is below Go's buffer is whole, the rest follows as git makes it.
///
/// With a `cutting` the diff ends early, as if git had failed there.
pub(crate) async fn stock(
    git: &Git,
    command: Command,
    wording: &Wording,
    cutting: Option<Cutting>,
) -> io::Result<Answer> {
    let (running, stdout) = git.start(command)?;
    let tail = if cutting.is_none_or(|cutting| cutting.appended) { wording.broken_tail() } else { Bytes::new() };
    let scissors = cutting.map(|cutting| Scissors::new(cutting.at));
    let mut rest = Rest { stdout, running: Some(running), scissors, tail };
    let mut first = BytesMut::with_capacity(BUFFER);
    while first.len() < BUFFER {
        match rest.read().await? {
            Read::Bytes(bytes) => first.extend_from_slice(&bytes),
            Read::Ended(ended_well) => return Ok(short(first, ended_well, wording, &rest.tail)),
        }
    }
    let kind = sniff(&first);
    let first = stream::once(std::future::ready(Ok(Frame::data(first.freeze()))));
    let mut answer = empty(StatusCode::OK);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    *answer.body_mut() = boxed(StreamBody::new(stream::StreamExt::chain(first, rest.into_stream())));
    Ok(answer)
}

/// A diff that ended within the buffer.
fn short(mut diff: BytesMut, ended_well: bool, wording: &Wording, tail: &[u8]) -> Answer {
    if diff.is_empty() {
        return if ended_well { whole(StatusCode::OK, Bytes::new()) } else { wording.broken() };
    }
    let kind = sniff(&diff);
    if !ended_well {
        diff.extend_from_slice(tail);
    }
    let mut answer = whole(StatusCode::OK, diff.freeze());
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

/// What git has yet to say. Dropping it ends git.
struct Rest {
    stdout: ChildStdout,
    /// `None` once git has ended.
    running: Option<Running>,
    scissors: Option<Scissors>,
    /// What follows a diff that breaks off.
    tail: Bytes,
}

enum Read {
    Bytes(Bytes),
    /// And whether it ended well.
    Ended(bool),
}

impl Rest {
    fn into_stream(self) -> impl Stream<Item = io::Result<Frame<Bytes>>> + Send {
        stream::unfold(self, |mut rest| async move { Some((rest.next().await.transpose()?.map(Frame::data), rest)) })
    }

    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        if self.running.is_none() {
            return Ok(None);
        }
        Ok(match self.read().await? {
            Read::Bytes(bytes) => Some(bytes),
            Read::Ended(ended_well) => (!ended_well && !self.tail.is_empty()).then(|| self.tail.clone()),
        })
    }

    async fn read(&mut self) -> io::Result<Read> {
        loop {
            let Some(running) = &mut self.running else { return Ok(Read::Ended(true)) };
            if self.scissors.as_ref().is_some_and(Scissors::done) {
                self.running = None;
                return Ok(Read::Ended(false));
            }
            let mut chunk = BytesMut::with_capacity(CHUNK);
            if self.stdout.read_buf(&mut chunk).await? == 0 {
                let ended_well = running.wait().await?.success();
                self.running = None;
                return Ok(Read::Ended(ended_well && self.scissors.is_none()));
            }
            let mut chunk = chunk.freeze();
            if let Some(scissors) = &mut self.scissors {
                chunk = scissors.cut(&chunk);
            }
            if !chunk.is_empty() {
                return Ok(Read::Bytes(chunk));
            }
        }
    }
}

/// Go's guess, of which only two outcomes are possible for what starts with `diff --git`.
fn sniff(diff: &[u8]) -> HeaderValue {
    let control = |b: &u8| matches!(b, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let kind =
        if diff.iter().take(SNIFFED).any(control) { "application/octet-stream" } else { "text/plain; charset=utf-8" };
    HeaderValue::from_static(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recording 452: control bytes near the start change the type; later ones, and those of text, do not.
    #[test]
    fn the_type_is_guessed_from_the_first_512_bytes() {
        let mut late = vec![b'x'; SNIFFED];
        late.push(0);
        for (diff, kind) in [
            (&b"diff --git a/a b/a\n+\x01"[..], "application/octet-stream"),
            (b"diff --git a/a b/a\n+\x0b", "application/octet-stream"),
            (b"diff --git a/a b/a\r\n+\t\x0c\x1b\xff", "text/plain; charset=utf-8"),
            (&late, "text/plain; charset=utf-8"),
        ] {
            assert_eq!(sniff(diff), kind);
        }
    }
}
