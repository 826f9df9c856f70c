//! What one caller who behaves badly costs sixteen who do not: their calls a second beside what they are without it.
//!
//! The gateway runs in a process of its own with a component whose tools need no forge, so that nothing but the gateway is
//! shared. Each kind of misbehaviour is taken in turn with none. The budget is the default one: it is what a gateway holds
//! against such callers, so each has what it may do in a minute, and no more.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use assay_host::{
    budget::{Budget, Rates},
    engine::{Engine, Parts},
    surface::http::{Bounds, serve as serve_http},
};
use reqwest::Client;
use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::processes::Process;

const CALLERS: usize = 16;
/// Of each caller in one round.
const CALLS: usize = 50;
const ROUNDS: usize = 5;
/// At once, of the one who behaves badly.
const AT_ONCE: usize = 8;
/// What must be left of the others' calls a second.
const BOUND: f64 = 2.0 / 3.0;

#[derive(Clone, Copy, Debug)]
enum Bad {
    /// Asks and does not read.
    SlowReader,
    /// Is known to a forge that does not say so.
    SlowForge,
    /// Calls what computes for ever.
    EndlessGuest,
    /// Sends a megabyte of nested arrays.
    Nested,
}

/// Measures, prints, and says whether every kind is within its bound.
pub(crate) fn run() -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let forge = Process::part(&[crate::SERVE])?;
        let mut within = true;
        println!("calls a second of {CALLERS} callers beside one who behaves badly, {AT_ONCE} requests at once:");
        for bad in [Bad::SlowReader, Bad::SlowForge, Bad::EndlessGuest, Bad::Nested] {
            let gateway = Process::part(&[crate::CROWD, forge.url()])?;
            let mut rates = [Vec::new(), Vec::new()];
            round(gateway.url()).await?;
            for _ in 0..ROUNDS {
                rates[0].push(round(gateway.url()).await?);
                let stop = Arc::new(AtomicBool::new(false));
                let mut bothering = JoinSet::new();
                for _ in 0..AT_ONCE {
                    bothering.spawn(bother(gateway.url().to_owned(), bad, Arc::clone(&stop)));
                }
                // What it does in the long run, not its first burst.
                tokio::time::sleep(Duration::from_secs(1)).await;
                rates[1].push(round(gateway.url()).await?);
                stop.store(true, Ordering::Relaxed);
                bothering.shutdown().await;
            }
            let [alone, beside] = rates.map(|mut rates| {
                rates.sort_by(f64::total_cmp);
                rates.get(rates.len() / 2).copied().unwrap_or_default()
            });
            let left = beside / alone;
            println!("  {bad:?}: {left:.2} of what they are alone (bound {BOUND:.2})");
            if left < BOUND {
                eprintln!("{bad:?} costs the others too much");
                within = false;
            }
        }
        Ok(within)
    })
}

/// Calls a second of those who behave well.
async fn round(url: &str) -> Result<f64> {
    let start = Instant::now();
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let (client, url) = (Client::new(), url.to_owned());
        callers.spawn(async move {
            for _ in 0..CALLS {
                let answer = post(&client, &url, &format!("good{caller}"), "echo").send().await?;
                anyhow::ensure!(answer.text().await?.contains("result"), "a well-behaved caller is answered");
            }
            Ok(())
        });
    }
    while let Some(ended) = callers.join_next().await {
        ended??;
    }
    Ok((CALLERS * CALLS) as f64 / start.elapsed().as_secs_f64())
}

fn post(client: &Client, url: &str, token: &str, tool: &str) -> reqwest::RequestBuilder {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"a":1}}}}}}"#
    );
    client.post(url).bearer_auth(token).header("content-type", "application/json").body(body)
}

async fn bother(url: String, bad: Bad, stop: Arc<AtomicBool>) {
    let client = Client::new();
    while !stop.load(Ordering::Relaxed) {
        let _ = match bad {
            Bad::SlowReader => slow_reader(&url, &stop).await,
            Bad::SlowForge => post(&client, &url, crate::HELD, "echo").send().await.map(drop).map_err(Into::into),
            Bad::EndlessGuest => post(&client, &url, "bad", "endless").send().await.map(drop).map_err(Into::into),
            Bad::Nested => {
                let body = "[".repeat(1 << 20);
                let request = client.post(&url).bearer_auth("bad").header("content-type", "application/json");
                request.body(body).send().await.map(drop).map_err(Into::into)
            }
        };
    }
}

async fn slow_reader(url: &str, stop: &AtomicBool) -> Result<()> {
    let address = url.trim_start_matches("http://").split('/').next().context("a host")?;
    let mut stream = TcpStream::connect(address).await?;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer bad\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    while !stop.load(Ordering::Relaxed) {
        // As many as the buffers take.
        if tokio::time::timeout(Duration::from_millis(100), stream.write_all(request.as_bytes())).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}

/// The gateway's process.
pub(crate) fn serve(forge: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let profile = std::env::current_exe()?;
    let target = profile.parent().and_then(|folder| folder.parent()).context("in a target folder")?;
    let component = std::fs::read(target.join("wasm32-wasip2/guest/assay_bench_endless.wasm"))
        .context("run `make components` first")?;
    let parts = Parts::new(Arc::new(crate::origin(forge)?), Arc::new(Budget::new(Rates::default())));
    let engine = Arc::new(Engine::compile(parts, &[("endless", component.as_slice())])?);
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
        let strangers = Rates { read: 0, ..Rates::default() };
        let bounds = Bounds { strangers, ..Bounds::default() };
        let catalogue = engine.catalogue().clone();
        serve_http(listener, engine, catalogue, bounds, std::future::pending(), std::future::pending()).await?;
        Ok(())
    })
}
