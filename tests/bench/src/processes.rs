//! The processes that are measured: this program in another of its parts, or the program itself, each told where it
//! listens by its first line.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result};

/// One that listens; it ends with this.
pub(crate) struct Process {
    child: Child,
    /// The lines that it said at first, without what stands before the address.
    pub(crate) urls: Vec<String>,
}

impl Process {
    /// This program in the part that `arguments` name.
    pub(crate) fn part(arguments: &[&str]) -> Result<Self> {
        Self::start(Command::new(std::env::current_exe()?).args(arguments), 1)
    }

    /// `assay serve` in front of `forge`, with `options`, its metrics shown, and bounded by nothing that is measured.
    pub(crate) fn gateway(forge: &str, options: &[&str]) -> Result<Self> {
        let program = std::env::current_exe()?.with_file_name("assay");
        let free = ["--rate-read", "0", "--rate-write", "0", "--rate-strangers", "0"];
        let places = ["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"];
        let mut command = Command::new(program);
        command.arg("serve").args(places).args(free).args(options).env("FORGEJO_URL", forge);
        Self::start(&mut command, 2)
    }

    fn start(command: &mut Command, lines: usize) -> Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?;
        let mut said = BufReader::new(child.stdout.take().context("piped")?).lines();
        let mut urls = Vec::new();
        for _ in 0..lines {
            let line = said.next().context("it says where it listens")??;
            urls.push(line.rsplit(' ').next().unwrap_or_default().to_owned());
        }
        Ok(Self { child, urls })
    }

    pub(crate) fn url(&self) -> &str {
        self.urls.first().map(String::as_str).unwrap_or_default()
    }

    /// Processor time so far, all threads, in the system's ticks.
    pub(crate) fn spent(&self) -> Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).context("Linux tells");
        let per_second = rustix::param::clock_ticks_per_second();
        Ok(Duration::from_millis((ticks(11)? + ticks(12)?) * 1_000 / per_second))
    }

    /// The most memory that it has had, in bytes.
    pub(crate) fn peak(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("Linux tells its peak")?;
        let kib: u64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
        Ok(kib * 1_024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
