//! Mixed calls, faults and disconnects for as long as one likes: `assay-soak [SECONDS]`, 30 where none are named.
//!
//! The program serves many clients in front of a local forge that breaks now and then. At the end every request that was
//! not given up has had its reply, memory has stayed flat, and nothing is left under way: no call, no connection.

mod gateway;
mod mixed;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use assay_kit::{AwkwardRepository, ObjectFormat};
use assay_local_forge::{Accounts, Config, Control, Cut, Source};
use tokio::task::JoinSet;

use crate::{gateway::Gateway, mixed::Client};

/// Clients at once.
const CLIENTS: u64 = 24;
/// What memory may grow by after the first fifth of the time, in bytes.
const GROWTH: u64 = 24 << 20;
/// How long what was given up may take to be gone.
const SETTLE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<()> {
    // One provider for the process; an Err says that it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let seconds = std::env::args().nth(1).map_or(Ok(30), |text| text.parse())?;
    let time = Duration::from_secs(seconds);
    let repository = AwkwardRepository::large(400_000, ObjectFormat::Sha1);
    let (accounts, token) = Accounts::with_owner();
    let source = Source { private: true, ..Source::from_path(repository.path()) };
    let config = Config { accounts, native_evidence: false, ..Config::serving(vec![source]) };
    let forge = assay_local_forge::start(config).await?;
    let pull = forge.pulls().into_iter().next().expect("the topic is a pull request");
    let gateway = Gateway::start(&forge.url()).await?;

    let until = Instant::now() + time;
    let breaking = tokio::spawn(break_things(forge.control(), until));
    let mut clients = JoinSet::new();
    for seed in 0..CLIENTS {
        let client = Client::new(seed, gateway.url.clone(), token.to_string(), &pull);
        clients.spawn(client.run(until));
    }
    tokio::time::sleep(time / 5).await;
    let early = gateway.memory()?;
    let mut told = mixed::Told::default();
    while let Some(ended) = clients.join_next().await {
        told.add(&ended??);
    }
    breaking.await?;
    let late = gateway.memory()?;
    gateway.settle(SETTLE).await?;
    println!(
        "{} replies, {} given up, in {seconds} s; memory {:.1} MB after a fifth, {:.1} MB at the end; nothing is left",
        told.replies,
        told.given_up,
        early as f64 / 1e6,
        late as f64 / 1e6,
    );
    ensure!(told.replies > 0 && told.given_up > 0, "something of each kind was tried");
    ensure!(late <= early + GROWTH, "memory grew by {} bytes", late.saturating_sub(early));
    drop(gateway);
    forge.shutdown().await;
    Ok(())
}

/// The forge cuts diffs now and then, and heals.
async fn break_things(control: Control, until: Instant) {
    while Instant::now() < until {
        control.break_diffs(2, Cut::Files(1));
        tokio::time::sleep(Duration::from_millis(200)).await;
        control.heal();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
