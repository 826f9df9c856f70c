//! What a sandboxed call costs beside the request that it makes: processor time, as ratios within one run.
//!
//! The forge runs in a process of its own, so that only the caller's side is counted. Times of different runs or machines
//! say nothing beside each other; the ratios do.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use anyhow::{Result, ensure};
use assay_host::{
    caller::{Caller, Credential},
    engine::Engine,
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::processes::Process;

const ROUNDS: usize = 7;
const CALLS: u32 = 2_000;
const PATH: [&[u8]; 5] = [b"repos", b"o", b"r", b"pulls", b"7"];

/// Measures, prints, and says whether the sandbox's own share is within its bound.
pub(crate) fn run() -> Result<bool> {
    let forge = Process::part(&[crate::SERVE])?;
    let bench = Arc::new(Bench::new(forge.url())?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let bench = Arc::clone(&bench);
        rounds.push(runtime.block_on(async { tokio::spawn(bench.round()).await })??);
    }
    let [request, call, refusal] = [0, 1, 2].map(|at| median(rounds.iter().map(|round| round[at])));
    let ratio = median(rounds.iter().map(|[request, call, _]| {
        Duration::from_secs(1).mul_f64(call.saturating_sub(*request).as_secs_f64() / request.as_secs_f64())
    }))
    .as_secs_f64();
    println!("processor time a call, the median of {ROUNDS} rounds of {CALLS}, each taken in turn with the others:");
    println!("  one GET on the loopback by the program's client   {request:?}");
    println!("  get_pull_request in its component                 {call:?}");
    println!("  a refusal in its component, no request            {refusal:?}");
    println!("  the sandbox's own (call less GET) is {ratio:.2} of a GET");
    if ratio >= 1.0 {
        eprintln!("the sandbox costs more than the request it makes");
    }
    Ok(ratio < 1.0)
}

#[derive(Clone, Copy)]
enum What {
    Request,
    Call,
    Refusal,
}

struct Bench {
    engine: Engine,
    caller: Arc<Caller>,
}

impl Bench {
    fn new(url: &str) -> Result<Self> {
        let engine = crate::engine(url)?;
        let caller = Arc::new(Caller::new(Credential::token("bench".to_owned())));
        Ok(Self { engine, caller })
    }

    /// One after the other, over and over, so that each meets the same caches, the same sleeping server and the same busy
    /// machine as the others: a request in a loop of nothing else is a good deal cheaper than one between other work.
    async fn round(self: Arc<Self>) -> Result<[Duration; 3]> {
        let mut costs = [Duration::ZERO; 3];
        for _ in 0..CALLS {
            for (cost, what) in costs.iter_mut().zip([What::Request, What::Call, What::Refusal]) {
                let before = spent();
                self.once(what).await?;
                *cost += spent().saturating_sub(before);
            }
        }
        Ok(costs.map(|cost| cost / CALLS))
    }

    async fn once(&self, what: What) -> Result<()> {
        let index = match what {
            // The request alone, its answer read to the end.
            What::Request => {
                let mut answer = self.engine.origin().get(&self.caller, &PATH, &[]).await?;
                while !answer.read(16_384).await?.is_empty() {}
                return Ok(());
            }
            What::Call => 7,
            What::Refusal => 0,
        };
        let arguments = json!({"owner": "o", "repo": "r", "index": index}).to_string();
        let called = self.engine.call(Arc::clone(&self.caller), "get_pull_request", arguments, 40_000).await;
        ensure!(called.is_ok() == (index > 0), "{called:?}");
        Ok(())
    }
}

fn median(costs: impl Iterator<Item = Duration>) -> Duration {
    let mut costs: Vec<_> = costs.collect();
    costs.sort_unstable();
    costs.get(costs.len() / 2).copied().unwrap_or_default()
}

/// Processor time of this process, all threads.
fn spent() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("below a second"))
}

/// The forge's process.
pub(crate) fn serve() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    writeln!(std::io::stdout(), "http://{}", listener.local_addr()?)?;
    std::io::stdout().flush()?;
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || answer(stream));
    }
    Ok(())
}

/// The same pull request to every request of a connection.
fn answer(mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let pull = json!({
        "number": 7, "title": "t", "state": "open", "merged": false, "mergeable": true, "merged_at": null,
        "merge_commit_sha": null, "html_url": "http://forge/o/r/pulls/7",
        "base": {"ref": "main", "sha": "ab".repeat(20), "repo_id": 1},
        "head": {"ref": "topic", "sha": "cd".repeat(20), "repo_id": 1},
    });
    let response = assay_kit::Response::json(200, &pull).bytes();
    let (mut seen, mut piece) = (Vec::new(), [0; 4_096]);
    loop {
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Ok(());
        }
        seen.extend(piece.iter().take(count));
        if seen.ends_with(b"\r\n\r\n") {
            let is_held = String::from_utf8_lossy(&seen).contains(crate::HELD);
            seen.clear();
            if is_held {
                continue;
            }
            stream.write_all(&response)?;
        }
    }
}
