//! Native evidence: the entity `forgejo.pr-diff-evidence.v1` (D-033), which says of a diff what it is and its hash.
//!
//! The hash comes before the bytes, so the diff is spooled to an unlinked file first; then it goes out as base64, a
//! chunk at a time, under a `Content-Length` that is known to the byte. Memory does not depend on the diff's size.

use std::{io, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use http::{
    HeaderValue, StatusCode,
    header::{ACCEPT_RANGES, CACHE_CONTROL, CONTENT_TYPE},
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt},
    process::Command,
};

use crate::{
    git::run::{Failure, Git},
    pulls::diff::BINARY,
    wire::{
        answer::{Answer, boxed, empty},
        exact::Exact,
    },
};

/// Bytes of diff in one piece of the answer; a multiple of three, so that base64 pads at the very end alone.
const CHUNK: usize = 48 << 10;

/// What the entity says of its inputs. All of it was observed before the diff was made.
pub(crate) struct Observed<'a> {
    pub(crate) repository: u64,
    pub(crate) object_format: &'static str,
    pub(crate) pull: u64,
    pub(crate) index: u64,
    pub(crate) merge_base: &'a str,
    pub(crate) head: &'a str,
    /// The base branch and its commit, `None` when it is gone.
    pub(crate) base: (&'a [u8], Option<&'a str>),
    /// The branch that was proposed.
    pub(crate) branch: &'a [u8],
    /// RFC 3339, UTC.
    pub(crate) captured_at: String,
}

/// Runs `diff` to its end and begins the answer.
pub(crate) async fn native(
    git: &Git,
    diff: Command,
    spool: &Path,
    observed: Observed<'_>,
    now: impl FnOnce() -> String,
) -> Result<Answer, Failure> {
    let spooled = Spooled::make(git, diff, spool).await?;
    let prefix = prefix(&observed, git.version(), &spooled, now());
    let base64_bytes = spooled.bytes.div_ceil(3) * 4;
    let length = prefix.len() as u64 + base64_bytes + SUFFIX.len() as u64;
    let mut answer = empty(StatusCode::OK);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("none"));
    *answer.body_mut() = boxed(Exact::new(Box::pin(Sent::stream(prefix, spooled)), length));
    Ok(answer)
}

const SUFFIX: &str = "\"}";

/// A whole diff on the disk, at its start.
struct Spooled {
    file: File,
    bytes: u64,
    sha256: String,
}

impl Spooled {
    async fn make(git: &Git, diff: Command, folder: &Path) -> Result<Self, Failure> {
        let mut file = File::from_std(tempfile::tempfile_in(folder)?);
        let (mut running, mut stdout) = git.start(diff)?;
        let (mut bytes, mut hash) = (0, Sha256::new());
        let mut chunk = BytesMut::with_capacity(CHUNK);
        while stdout.read_buf(&mut chunk).await? > 0 {
            hash.update(&chunk);
            bytes += chunk.len() as u64;
            file.write_all(&chunk).await?;
            chunk.clear();
        }
        let status = running.wait().await?;
        if !status.success() {
            let (command, complaint) = ("diff".into(), "it is not told what of".into());
            return Err(Failure::Refused { command, code: status.code(), complaint });
        }
        file.flush().await?;
        file.rewind().await?;
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { file, bytes, sha256 })
    }
}

/// What has been sent so far decides what comes next.
enum Sent {
    Nothing(String, Spooled),
    /// With what is left of the diff.
    Prefix(File, u64),
    All,
}

impl Sent {
    fn stream(prefix: String, spooled: Spooled) -> impl Stream<Item = io::Result<Bytes>> + Send {
        stream::unfold(Self::Nothing(prefix, spooled), |sent| async move {
            match sent {
                Self::Nothing(prefix, Spooled { file, bytes, .. }) => {
                    Some((Ok(Bytes::from(prefix)), Self::Prefix(file, bytes)))
                }
                Self::Prefix(_, 0) => Some((Ok(Bytes::from_static(SUFFIX.as_bytes())), Self::All)),
                Self::Prefix(mut file, left) => {
                    let mut chunk = vec![0; usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK))];
                    Some(match file.read_exact(&mut chunk).await {
                        Ok(read) => (Ok(STANDARD.encode(&chunk).into()), Self::Prefix(file, left - read as u64)),
                        Err(e) => (Err(e), Self::All),
                    })
                }
                Self::All => None,
            }
        })
    }
}

/// Everything before the base64, in the order in which a reader can check the most before the first byte of data.
fn prefix(observed: &Observed<'_>, git_version: &str, spooled: &Spooled, generated_at: String) -> String {
    let repository_id = observed.repository;
    let (base, base_tip) = observed.base;
    let label = |name: &[u8]| Label { encoding: "base64", data: STANDARD.encode(name) };
    let base_ref = [b"refs/heads/", base].concat();
    let manifest = Manifest {
        contract: "observed_input_range",
        atomic_latest_pr_snapshot: false,
        repository: Repository { id: repository_id, object_format: observed.object_format },
        pull_request: PullRequest { id: observed.pull, index: observed.index },
        generation: Generation {
            profile: Profile { name: "pr-diff-binary.v1", arguments: BINARY, binary: true, git_version },
            inputs: Inputs {
                merge_base: MergeBase { oid: observed.merge_base, source: "stored_merge_base", repository_id },
                head: Head {
                    oid: observed.head,
                    source: "hidden_pull_head",
                    repository_id,
                    r#ref: label(format!("refs/pull/{}/head", observed.index).as_bytes()),
                },
            },
        },
        observations: Observations {
            target_tip: TargetTip {
                status: if base_tip.is_some() { "present" } else { "missing" },
                oid: base_tip,
                repository_id,
                r#ref: label(&base_ref),
            },
            original_fork: OriginalFork {
                repository_id: Some(repository_id),
                branch: label(observed.branch),
                resolution: "not_read",
                generation_input: false,
            },
        },
        times: Times { captured_at: &observed.captured_at, generated_at: &generated_at },
        content: Content { encoding: "base64", bytes: spooled.bytes, sha256: &spooled.sha256 },
    };
    let manifest = serde_json::to_string(&manifest).expect("the manifest is plain data");
    format!("{{\"schema\":\"forgejo.pr-diff-evidence.v1\",\"manifest\":{manifest},\"data\":\"")
}

#[derive(Serialize)]
struct Manifest<'a> {
    contract: &'static str,
    atomic_latest_pr_snapshot: bool,
    repository: Repository,
    pull_request: PullRequest,
    generation: Generation<'a>,
    observations: Observations<'a>,
    times: Times<'a>,
    content: Content<'a>,
}

#[derive(Serialize)]
struct Repository {
    id: u64,
    object_format: &'static str,
}

#[derive(Serialize)]
struct PullRequest {
    id: u64,
    index: u64,
}

#[derive(Serialize)]
struct Generation<'a> {
    profile: Profile<'a>,
    inputs: Inputs<'a>,
}

#[derive(Serialize)]
struct Profile<'a> {
    name: &'static str,
    arguments: [&'static str; 4],
    binary: bool,
    git_version: &'a str,
}

#[derive(Serialize)]
struct Inputs<'a> {
    merge_base: MergeBase<'a>,
    head: Head<'a>,
}

#[derive(Serialize)]
struct MergeBase<'a> {
    oid: &'a str,
    source: &'static str,
    repository_id: u64,
}

#[derive(Serialize)]
struct Head<'a> {
    oid: &'a str,
    source: &'static str,
    repository_id: u64,
    r#ref: Label,
}

#[derive(Serialize)]
struct Observations<'a> {
    target_tip: TargetTip<'a>,
    original_fork: OriginalFork,
}

#[derive(Serialize)]
struct TargetTip<'a> {
    status: &'static str,
    oid: Option<&'a str>,
    repository_id: u64,
    r#ref: Label,
}

#[derive(Serialize)]
struct OriginalFork {
    repository_id: Option<u64>,
    branch: Label,
    resolution: &'static str,
    generation_input: bool,
}

/// A name of bytes.
#[derive(Serialize)]
struct Label {
    encoding: &'static str,
    data: String,
}

#[derive(Serialize)]
struct Times<'a> {
    captured_at: &'a str,
    generated_at: &'a str,
}

#[derive(Serialize)]
struct Content<'a> {
    encoding: &'static str,
    bytes: u64,
    sha256: &'a str,
}
