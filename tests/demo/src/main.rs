//! `make demo`: what Assay is for, in half a minute and without anything installed.
//!
//! It makes a small repository with an awkward pull request, serves it with the program's own local forge, reads its diff
//! with the official SDK's client over stdio and over HTTP, holds the result against git, and shows a tampered answer
//! being refused. Any step that does not come out as it says ends it with an error.

mod programs;
mod reader;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use assay_kit::{AwkwardRepository, DataFault, DiffStyle, Evidence, ObjectFormat, ScriptedForge};
use serde_json::{Value, json};

use self::{
    programs::{Forge, Gateway, call},
    reader::{Reader, Whole},
};

#[tokio::main]
async fn main() -> Result<()> {
    let program = program()?;
    step("A repository with an awkward pull request");
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let diff = repository.diff("main", "topic", DiffStyle::Forge);
    println!("   {} bytes of diff over {} paths:", diff.len(), repository.changed_paths("main", "topic").len());
    for change in repository.changed_paths("main", "topic").iter().take(12) {
        println!("     {}", change.new_path.as_deref().or(change.old_path.as_deref()).unwrap_or_default().escape_ascii());
    }

    step("A forge over it: assay local-forge");
    let forge = Forge::start(&program, repository.path()).await?;
    println!("   {}", forge.url);

    step("Read over stdio: assay stdio");
    let reader = Reader::over_stdio(&program, &forge).await?;
    let over_stdio = reader.whole(&forge.pull).await?;
    tell(&over_stdio, &diff)?;
    println!("   receipt: {}", receipt(&over_stdio.manifest));

    step("One file of it, by a name that is awkward to slice");
    let path = "na\u{ef}ve \"quoted\".txt";
    let path = if repository.has_path("topic", path.as_bytes()) { path } else { "naïve.txt" };
    let slice = reader.slice(&forge.pull, path).await?;
    println!("   {path}: {} bytes, sha256 {}", slice.bytes.len(), slice.sha256);
    for line in String::from_utf8_lossy(&slice.bytes).lines().take(8) {
        println!("     {line}");
    }
    reader.close().await?;

    step("Read over HTTP: assay serve");
    let gateway = Gateway::start(&program, &forge).await?;
    let reader = Reader::over_http(&gateway.url, &forge.token).await?;
    let over_http = reader.whole(&forge.pull).await?;
    tell(&over_http, &diff)?;
    reader.close().await?;

    step("A forge that changes one bit at the very end of the diff");
    let tampered = Evidence::new(diff.clone(), forge.pull.index, ObjectFormat::Sha1).corrupt(DataFault::LastByte);
    let evil = ScriptedForge::start(vec![tampered.step(&forge.pull.owner, &forge.pull.repo)]).await;
    let refusal = call(&program, &evil.url(), &forge.pull.arguments()).await?;
    println!("   refused, and nothing of the diff shown: {refusal}");

    println!("\nAll of it held.");
    Ok(())
}

/// The program that was built beside this one.
fn program() -> Result<PathBuf> {
    let beside = std::env::current_exe()?.with_file_name(format!("assay{}", std::env::consts::EXE_SUFFIX));
    ensure!(beside.exists(), "{} is not there: run `make demo`, which builds it", beside.display());
    Ok(beside)
}

fn step(what: &str) {
    println!("\n== {what}");
}

fn tell(whole: &Whole, diff: &[u8]) -> Result<()> {
    ensure!(whole.bytes == diff, "the assembled bytes are not git's");
    println!("   {} windows, {} bytes, every window's and the whole's hash checked", whole.windows, whole.bytes.len());
    println!("   assembled sha256 {}", whole.sha256);
    println!("   git diff sha256  {}", reader::sha256(diff));
    Ok(())
}

/// The members of the manifest that a reader would cite.
fn receipt(manifest: &Value) -> Value {
    let of = |pointer: &str| manifest.pointer(pointer).cloned().unwrap_or_default();
    json!({
        "contract": of("/contract"),
        "merge_base": of("/generation/inputs/merge_base/oid"),
        "head": of("/generation/inputs/head/oid"),
        "bytes": of("/content/bytes"),
        "sha256": of("/content/sha256"),
    })
}

/// The pull request the demonstration is about.
#[derive(Clone, Debug)]
struct Pull {
    owner: String,
    repo: String,
    index: u64,
}

impl Pull {
    fn arguments(&self) -> Value {
        json!({"owner": self.owner, "repo": self.repo, "index": self.index})
    }

    /// Reads `owner/repo#index`.
    fn parse(text: &str) -> Result<Self> {
        let (owner, rest) = text.split_once('/').context("no owner")?;
        let (repo, index) = rest.rsplit_once('#').context("no index")?;
        Ok(Self { owner: owner.to_owned(), repo: repo.to_owned(), index: index.parse()? })
    }
}
