//! What the gateway costs beside the least that could stand in its place, and what a thousand calls in flight take.
//!
//! A small authenticated read is one `get_pull_request` over HTTP: a pre-flight and a request. The gateway and a bare proxy
//! that makes the same two requests are asked in turn, and the processor time of each process is compared.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, Result, ensure};
use reqwest::Client;
use serde_json::json;
use tokio::task::JoinSet;

use crate::processes::Process;

const ROUNDS: usize = 8;
const CALLS: usize = 400;
/// Requests under way at once.
const AT_ONCE: usize = 8;
/// The most that the gateway may cost, in bare proxies.
const BOUND: f64 = 3.0;
/// Calls that wait for the forge at once, of so many tokens.
const IN_FLIGHT: usize = 1_000;
const TOKENS: usize = 20;
/// The most memory they may take.
const MEMORY: u64 = 200_000_000;

/// Measures, prints, and says whether both are within their bounds.
pub(crate) fn run() -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async { Ok(cost().await? & in_flight().await?) })
}

async fn cost() -> Result<bool> {
    let forge = Process::part(&[crate::SERVE])?;
    let gateway = Process::gateway(forge.url(), &[])?;
    let proxy = Process::part(&[crate::PROXY, forge.url()])?;
    for process in [&gateway, &proxy] {
        ask(process.url(), CALLS).await?;
    }
    let mut spent = [Duration::ZERO; 2];
    for _ in 0..ROUNDS {
        for (spent, process) in spent.iter_mut().zip([&gateway, &proxy]) {
            let before = process.spent()?;
            ask(process.url(), CALLS).await?;
            *spent += process.spent()?.saturating_sub(before);
        }
    }
    let [own, bare] = spent.map(|spent| spent / u32::try_from(ROUNDS * CALLS).expect("a few thousand"));
    let ratio = own.as_secs_f64() / bare.as_secs_f64();
    println!("processor time of a small authenticated read, pre-flight included, {AT_ONCE} at once:");
    println!("  the gateway       {own:?}");
    println!("  a bare hyper proxy that makes the same two requests {bare:?}");
    println!("  the gateway is {ratio:.2} bare proxies (bound {BOUND})");
    if ratio > BOUND {
        eprintln!("the gateway costs more than {BOUND} bare proxies");
    }
    Ok(ratio <= BOUND)
}

/// So many calls, some at once, each answered well.
async fn ask(url: &str, calls: usize) -> Result<()> {
    let client = Client::new();
    let (url, left): (Arc<str>, _) = (url.into(), calls / AT_ONCE);
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (client, url) = (client.clone(), Arc::clone(&url));
        tasks.spawn(async move {
            for _ in 0..left {
                let answer = client
                    .post(&*url)
                    .bearer_auth("bench")
                    .header("content-type", "application/json")
                    .body(call("r"))
                    .send()
                    .await?;
                ensure!(answer.status().is_success(), "HTTP {}", answer.status());
                let text = answer.text().await?;
                ensure!(text.contains("number"), "{text}");
            }
            Ok(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

fn call(repository: &str) -> String {
    let arguments = json!({"owner": "o", "repo": repository, "index": 7});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_pull_request", "arguments": arguments}})
        .to_string()
}

async fn in_flight() -> Result<bool> {
    let forge = Process::part(&[crate::SERVE])?;
    let gateway = Process::gateway(forge.url(), &[])?;
    let client = Client::new();
    let mut tasks = JoinSet::new();
    for number in 0..IN_FLIGHT {
        let request = client
            .post(gateway.url())
            .bearer_auth(format!("bench{}", number % TOKENS))
            .header("content-type", "application/json")
            .body(call(crate::HELD));
        tasks.spawn(request.send());
    }
    let metrics = gateway.urls.get(1).context("it says where")?;
    let wanted = format!("assay_tool_calls_in_flight {IN_FLIGHT}");
    loop {
        let counted = client.get(metrics).send().await?.text().await?;
        if counted.lines().any(|line| line == wanted) {
            break;
        }
        ensure!(tasks.try_join_next().is_none(), "no call ends while the forge says nothing");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let peak = gateway.peak()?;
    println!(
        "{IN_FLIGHT} calls in flight: {:.0} MB at the most (bound {:.0} MB)",
        peak as f64 / 1e6,
        MEMORY as f64 / 1e6
    );
    if peak > MEMORY {
        eprintln!("calls in flight take more memory than they may");
    }
    Ok(peak <= MEMORY)
}
