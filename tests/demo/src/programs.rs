//! The program, run as a person would run it, and what it prints read back.

use std::{path::Path, process::Stdio, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::Pull;

/// How long a program may take to say that it is ready: long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// `assay local-forge`, running.
pub(crate) struct Forge {
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) pull: Pull,
    _child: Child,
}

impl Forge {
    pub(crate) async fn start(program: &Path, repository: &Path) -> Result<Self> {
        let (child, mut lines) = start(Command::new(program).arg("local-forge").arg(repository))?;
        let line = until(&mut lines, |line| line.trim().starts_with("export FORGEJO_URL=")).await?;
        let value = |name: &str| {
            let value = line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.map(str::to_owned).with_context(|| format!("the local forge did not print {name}"))
        };
        let (url, token) = (value("FORGEJO_URL")?, value("FORGEJO_TOKEN")?);
        let pull = until(&mut lines, |line| line.contains('#') && line.contains(crate::BRANCH)).await?;
        let pull = Pull::parse(pull.split_whitespace().next().unwrap_or_default())?;
        Ok(Self { url, token, pull, _child: child })
    }
}

/// `assay serve`, running.
pub(crate) struct Gateway {
    pub(crate) url: String,
    _child: Child,
}

impl Gateway {
    pub(crate) async fn start(program: &Path, forge: &Forge) -> Result<Self> {
        let mut command = Command::new(program);
        let (child, mut lines) =
            start(command.args(["serve", "--listen", "127.0.0.1:0"]).env("FORGEJO_URL", &forge.url))?;
        let line = until(&mut lines, |line| line.starts_with("listening on ")).await?;
        let url = line.strip_prefix("listening on ").unwrap_or_default().to_owned();
        Ok(Self { url, _child: child })
    }
}

/// `assay call get_pull_request_diff` that must refuse: what it says.
pub(crate) async fn call(program: &Path, forge: &str, arguments: &Value) -> Result<String> {
    let output = Command::new(program)
        .args(["call", "get_pull_request_diff", &arguments.to_string()])
        .env("FORGEJO_URL", forge)
        .env("FORGEJO_TOKEN", "demonstration")
        .output()
        .await?;
    ensure!(output.status.code() == Some(1), "a tampered diff was not refused: {output:?}");
    ensure!(output.stdout.is_empty(), "something of a tampered diff was shown");
    Ok(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

fn start(command: &mut Command) -> Result<(Child, Lines<BufReader<ChildStdout>>)> {
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().context("the program does not start")?;
    let stdout = child.stdout.take().context("its output is piped")?;
    Ok((child, BufReader::new(stdout).lines()))
}

async fn until(lines: &mut Lines<BufReader<ChildStdout>>, wanted: impl Fn(&str) -> bool) -> Result<String> {
    timeout(PATIENCE, async {
        while let Some(line) = lines.next_line().await? {
            if wanted(&line) {
                return Ok(line);
            }
        }
        bail!("the program ended before it was ready")
    })
    .await
    .context("the program did not get ready")?
}
