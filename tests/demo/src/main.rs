//! `make demo`: what Assay is for, in half a minute and without anything installed.
//!
//! It makes a small repository with an awkward pull request, serves it with the program's own local forge, reads its diff
//! with the official SDK's client over stdio and over HTTP, holds the result against git, and shows a tampered answer
//! being refused. Any step that does not come out as it says ends it with an error.

mod programs;
mod reader;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use assay_kit::{AwkwardRepository, Change, DataFault, DiffStyle, ObjectFormat, ScriptedForge, repository::slice_of};
use serde_json::{Value, json};

use self::{
    programs::{Forge, Gateway, call},
    reader::{Reader, Whole},
};

/// The branch of the repository that has every awkward change.
const BRANCH: &str = "everything";

#[tokio::main]
async fn main() -> Result<()> {
    // The client's TLS needs one, though everything here is on the loopback. An error says that one is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let program = program()?;
    step("A repository with an awkward pull request");
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let diff = repository.diff("main", BRANCH, DiffStyle::FORGE);
    let changes = repository.changes("main", BRANCH, DiffStyle::FORGE);
    println!("   {} bytes of diff over {} paths, 16 of them:", diff.len(), changes.len());
    let odd = |change: &&Change| change.new.len() < 30 && !change.new.iter().all(u8::is_ascii_graphic);
    for change in changes.iter().filter(|change| change.status == 'R').chain(changes.iter().filter(odd)).take(16) {
        println!("     {} `{}`", change.status, change.new.escape_ascii());
    }

    step("A forge over it: assay local-forge");
    let forge = Forge::start(&program, &repository.path()).await?;
    println!("   {}", forge.url);

    step("Read over stdio: assay stdio");
    let reader = Reader::over_stdio(&program, &forge).await?;
    let over_stdio = reader.whole(&forge.pull).await?;
    tell(&over_stdio, &diff)?;
    println!("   receipt: {:#}", receipt(&over_stdio.manifest));

    step("One file of it, by its name");
    let path = "q\"uote.txt";
    let slice = reader.slice(&forge.pull, path).await?;
    ensure!(slice.bytes == slice_of(&changes, path.as_bytes()), "the slice is not what git prints for the path");
    println!("   {path}: {} bytes, the same that git prints", slice.bytes.len());
    String::from_utf8_lossy(&slice.bytes).lines().take(8).for_each(|line| println!("     {line}"));
    reader.close().await?;

    step("Read over HTTP: assay serve");
    let gateway = Gateway::start(&program, &forge).await?;
    let reader = Reader::over_http(&gateway.url, &forge.token).await?;
    let over_http = reader.whole(&forge.pull).await?;
    tell(&over_http, &diff)?;
    reader.close().await?;

    step("A forge that changes one bit at the very end of the diff");
    let tampered = repository.evidence(BRANCH, forge.pull.index).corrupt(DataFault::FlippedLast);
    let evil = ScriptedForge::start();
    evil.script("GET", &forge.pull.target(), [tampered.response()]);
    let refusal = call(&program, &evil.url(), &forge.pull.arguments()).await?;
    println!("   {refusal}");
    println!("   and not one byte of the diff was shown");

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

    /// What a forge is asked for its verified diff.
    fn target(&self) -> String {
        format!("/api/v1/repos/{}/{}/pulls/{}.diff?binary=true&evidence=v1", self.owner, self.repo, self.index)
    }

    /// Reads `owner/repo#index`.
    fn parse(text: &str) -> Result<Self> {
        let (owner, rest) = text.split_once('/').context("no owner")?;
        let (repo, index) = rest.rsplit_once('#').context("no index")?;
        Ok(Self { owner: owner.to_owned(), repo: repo.to_owned(), index: index.parse()? })
    }
}
