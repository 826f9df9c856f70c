//! Runs git so that it obeys us alone: no configuration, attribute, hook or variable but those given here.
//!
//! Every process is in a group of its own that is killed and reaped when nobody waits for it any more. What git is
//! asked is the callers' matter; only the refusals that hold for all of it are here.

use std::{
    ffi::OsStr,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::Stdio,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::NamedTempFile;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, ChildStdout, Command},
    runtime::Handle,
    sync::watch,
    time::timeout,
};

/// A released forge gives its git commands the same time. Diffs that are being sent are not timed.
pub(crate) const TIME: Duration = Duration::from_secs(360);
/// How much of what git complains about is kept.
const COMPLAINT: usize = 2048;
/// The oldest git whose options are used here.
const OLDEST: (u32, u32) = (2, 30);

/// Settings that every run has, stronger than any repository's own.
///
/// `attr.tree` names nothing on purpose: git 2.43 to 2.45 would otherwise read the attributes of a bare repository's
/// HEAD, which changes diffs.
const SETTINGS: [&str; 15] = [
    "attr.tree=refs/assay/no-attributes",
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "credential.helper=",
    "diff.algorithm=histogram",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "submodule.recurse=false",
];

/// How a copying fetch reads its source. The transport drops our settings on the way to the serving side, so they are
/// given again; that side may use no protocol at all, because the only thing it could want one for is to complete a
/// partial clone with a command from that clone's configuration.
pub(crate) const UPLOAD_PACK: &str = "env GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git \
    -c protocol.allow=never -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.attributesFile=/dev/null \
    -c core.sshCommand=false -c core.gitProxy=false -c credential.helper= \
    upload-pack --strict";

/// Why a run of git gave nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("cannot run git")]
    Run(#[from] io::Error),
    #[error("version {0} is too old, {major}.{minor} is needed", major = OLDEST.0, minor = OLDEST.1)]
    Old(String),
    #[error("`git {command}` failed: {complaint}")]
    Refused { command: String, code: Option<i32>, complaint: String },
    #[error("`git {0}` said more than it may")]
    TooMuch(String),
    #[error("`git {0}` took too long")]
    Late(String),
    #[error("`git {0}` said something unexpected")]
    Unexpected(&'static str),
}

/// The git of this machine.
#[derive(Debug)]
pub(crate) struct Git {
    home: Box<Path>,
    version: String,
    live: watch::Sender<usize>,
    /// Takes every repository for somebody else's, as git can be told for its own tests.
    #[cfg(test)]
    pub(crate) strangers: bool,
}

impl Git {
    /// Finds git and asks its version. `home` is an empty folder that is ours.
    pub(crate) async fn find(home: &Path) -> Result<Self, Failure> {
        let mut git = Self {
            home: home.into(),
            version: String::new(),
            live: watch::channel(0).0,
            #[cfg(test)]
            strangers: false,
        };
        let said = git.ask(home, ["version"], 1024).await?;
        let said = String::from_utf8_lossy(&said);
        let version = said.trim().strip_prefix("git version ").and_then(|rest| rest.split(' ').next());
        git.version = version.ok_or(Failure::Unexpected("version"))?.to_owned();
        let mut numbers = git.version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < OLDEST {
            return Err(Failure::Old(git.version));
        }
        Ok(git)
    }

    /// Such as `2.47.3`.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Resolves once no git process of ours is left, dead ones included.
    pub(crate) async fn quiet(&self) {
        let mut live = self.live.subscribe();
        // The sender lives as long as `self`, so waiting can only end well.
        let _ = live.wait_for(|&count| count == 0).await;
    }

    /// A configuration in which the repositories at these paths, and no others, are as good as one's own. Without it git
    /// reads nothing that belongs to another user, for fear of what its configuration and its hooks may run; nothing of
    /// either is run here, whoever it belongs to.
    pub(crate) fn trusting(&self, paths: &[&Path]) -> io::Result<NamedTempFile> {
        let mut file = NamedTempFile::new_in(&self.home)?;
        file.write_all(b"[safe]\n")?;
        for path in paths {
            file.write_all(b"\tdirectory = \"")?;
            for &byte in path.as_os_str().as_bytes() {
                match byte {
                    b'"' | b'\\' => file.write_all(&[b'\\', byte])?,
                    b'\n' => file.write_all(b"\\n")?,
                    other => file.write_all(&[other])?,
                }
            }
            file.write_all(b"\"\n")?;
        }
        file.flush()?;
        Ok(file)
    }

    /// A command for the bare repository `dir`, to which the caller adds arguments.
    pub(crate) fn at(&self, dir: &Path) -> Command {
        let mut command = self.anywhere();
        command.arg("--git-dir").arg(dir).current_dir(&self.home);
        command
    }

    /// A command without a repository: git looks for one in its working directory.
    pub(crate) fn anywhere(&self) -> Command {
        let mut command = Command::new("git");
        command.env_clear();
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
            .env("HOME", &*self.home)
            .env("XDG_CONFIG_HOME", &*self.home)
            .envs([
                ("GIT_ALLOW_PROTOCOL", "file"),
                ("GIT_ATTR_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_SYSTEM", "/dev/null"),
                ("GIT_NO_LAZY_FETCH", "1"),
                ("GIT_NO_REPLACE_OBJECTS", "1"),
                ("GIT_OPTIONAL_LOCKS", "0"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("LC_ALL", "C"),
            ])
            .arg("--no-pager");
        #[cfg(test)]
        command.envs(self.strangers.then_some(("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
    }

    /// Runs git in `dir` to its end and gives what it said, at most `limit` bytes.
    pub(crate) async fn ask<S: AsRef<OsStr>>(
        &self,
        dir: &Path,
        arguments: impl IntoIterator<Item = S>,
        limit: usize,
    ) -> Result<Vec<u8>, Failure> {
        let mut command = self.at(dir);
        let arguments: Vec<S> = arguments.into_iter().collect();
        let name = arguments.first().map(|a| a.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        command.args(arguments);
        self.finish(command, name, &[], limit).await
    }

    /// Runs a command made by [`Git::at`] or [`Git::anywhere`] to its end, with `input` as its standard input.
    pub(crate) async fn finish(
        &self,
        command: Command,
        name: String,
        input: &[u8],
        limit: usize,
    ) -> Result<Vec<u8>, Failure> {
        Ok(self.finish_aloud(command, name, input, limit).await?.0)
    }

    /// The same, with what it complained about although it did what it should.
    pub(crate) async fn finish_aloud(
        &self,
        mut command: Command,
        name: String,
        input: &[u8],
        limit: usize,
    ) -> Result<(Vec<u8>, String), Failure> {
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() }).stderr(Stdio::piped());
        let (mut running, mut stdout) = self.start(command)?;
        let (stdin, stderr) = (running.child().stdin.take(), running.child().stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // git may stop reading before the end; its exit status says what that means.
                let _ = stdin.write_all(input).await;
            }
        };
        let run = async {
            let (said, complaint, ()) = tokio::join!(read_most(&mut stdout, limit), read_start(stderr), write);
            io::Result::Ok((said?, complaint, running.wait().await?))
        };
        let (said, complaint, status) = timeout(TIME, run).await.map_err(|_| Failure::Late(name.clone()))??;
        if !status.success() {
            return Err(Failure::Refused { command: name, code: status.code(), complaint });
        }
        Ok((said.ok_or(Failure::TooMuch(name))?, complaint))
    }

    /// Starts a command; its output is the caller's to read. The process ends when `Running` is dropped.
    pub(crate) fn start(&self, mut command: Command) -> io::Result<(Running, ChildStdout)> {
        let mut child = command.stdout(Stdio::piped()).process_group(0).kill_on_drop(true).spawn()?;
        self.live.send_modify(|count| *count += 1);
        let stdout = child.stdout.take().expect("standard output was asked to be a pipe");
        Ok((Running { child: Some(child), live: self.live.clone() }, stdout))
    }
}

/// A git process and all that it started. Dropping it kills and reaps them.
#[derive(Debug)]
pub(crate) struct Running {
    child: Option<Child>,
    live: watch::Sender<usize>,
}

impl Running {
    fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("the child is taken by `wait` and `drop` alone")
    }

    /// Its standard input, once, when that was asked to be a pipe.
    pub(crate) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child().stdin.take()
    }

    /// Waits for the end.
    pub(crate) async fn wait(&mut self) -> io::Result<std::process::ExitStatus> {
        let status = self.child().wait().await?;
        self.child = None;
        self.live.send_modify(|count| *count -= 1);
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // The id is still this child's: it has not been waited for, so the system cannot have given it away.
        if let Some(group) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let live = self.live.clone();
        let reap = async move {
            let _ = child.wait().await;
            live.send_modify(|count| *count -= 1);
        };
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(reap)),
            // Nobody is left who could count.
            Err(_) => drop(reap),
        }
    }
}

/// All of it, or `None` and the pipe emptied when it is more than `limit`.
async fn read_most(from: &mut ChildStdout, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut said = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut said).await?;
    if said.len() <= limit {
        return Ok(Some(said));
    }
    tokio::io::copy(from, &mut tokio::io::sink()).await?;
    Ok(None)
}

/// The start of what git complains about, on one line; the rest is read and forgotten, so that git can go on.
async fn read_start(from: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut from) = from else { return String::new() };
    let mut said = Vec::new();
    let _ = (&mut from).take(COMPLAINT as u64).read_to_end(&mut said).await;
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    let said = String::from_utf8_lossy(&said);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_git_says_is_bounded_and_what_it_complains_of_is_told() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let git = Git::find(home.path()).await.expect("git is installed");
        assert!(git.version().starts_with(|c: char| c.is_ascii_digit()), "{}", git.version());
        assert!(matches!(git.ask(home.path(), ["version"], 3).await, Err(Failure::TooMuch(_))));
        let refused = git.ask(home.path(), ["rev-parse", "HEAD"], 100).await.expect_err("there is no repository");
        assert!(refused.to_string().contains("not a git repository"), "{refused}");
        git.quiet().await;
    }

    #[tokio::test]
    async fn a_dropped_process_is_gone_once_it_is_quiet() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let git = Git::find(home.path()).await.expect("git is installed");
        let mut command = git.anywhere();
        // Waits for its standard input, which stays open, for ever.
        command.args(["-c", "alias.wait=!cat; true", "wait"]).stdin(Stdio::piped());
        let (mut running, _stdout) = git.start(command).expect("git starts");
        let stdin = running.child().stdin.take();
        let id = running.child().id().expect("it runs");
        drop(running);
        git.quiet().await;
        assert!(!Path::new(&format!("/proc/{id}")).exists());
        drop(stdin);
    }
}
