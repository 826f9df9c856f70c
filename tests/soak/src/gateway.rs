//! The program under test, and what it tells of itself.

use std::{fs, process::Stdio, time::Duration};

use anyhow::{Context as _, Result, bail};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::{Instant, sleep},
};

/// `assay serve`; it ends with this.
pub(crate) struct Gateway {
    child: Child,
    pub(crate) url: String,
    metrics: String,
}

impl Gateway {
    pub(crate) async fn start(forge: &str) -> Result<Self> {
        let program = std::env::current_exe()?.with_file_name("assay");
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log", "off"])
            .args(["--rate-read", "0", "--rate-strangers", "0"])
            .env("FORGEJO_URL", forge)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("piped")?).lines();
        let mut place = async || {
            let line = lines.next_line().await?.context("it says where it listens")?;
            anyhow::Ok(line.rsplit(' ').next().unwrap_or_default().to_owned())
        };
        let (url, metrics) = (place().await?, place().await?);
        Ok(Self { child, url, metrics })
    }

    /// Its memory now, in bytes.
    pub(crate) fn memory(&self) -> Result<u64> {
        let id = self.child.id().context("it runs")?;
        let status = fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("Linux tells")?;
        let kib: u64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
        Ok(kib * 1_024)
    }

    /// Waits until no call and no connection is left.
    pub(crate) async fn settle(&self, patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        loop {
            let counted = reqwest::get(&self.metrics).await?.text().await?;
            let left = ["assay_tool_calls_in_flight", "assay_http_connections"].map(|name| {
                let line = counted.lines().find_map(|line| line.strip_prefix(name));
                line.map(|value| value.trim().to_owned()).unwrap_or_default()
            });
            if left.iter().all(|left| left == "0") {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("calls and connections are left: {left:?}");
            }
            sleep(Duration::from_millis(100)).await;
        }
    }
}
