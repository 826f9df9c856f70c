//! What reading a long diff to its end moves from a stock forge: bytes, counted on the wire.
//!
//! Every page asks for the pull request and its head anew (O-012), at a size that the forge decides and the diff does not:
//! it is measured apart. What remains is the diff and the objects that prove it, which must come once.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream as Plain},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::{Context as _, Result, anyhow, ensure};
use assay_host::caller::{Caller, Credential};
use assay_kit::{
    AwkwardRepository, ObjectFormat,
    content::prose,
    tree::{Tree, file},
};
use assay_local_forge::{Accounts, Config, Source};
use serde_json::{Value, json};
use tokio::{
    io,
    net::{TcpListener, TcpStream},
};

const FILES: u64 = 9;
const FILE_BYTES: usize = 11_000_000;
/// Bytes that an answer may take, about what a response of 49,000 leaves.
const ROOM: u32 = 48_800;
/// D-063.
const WINDOW: u64 = 32_768;
/// The most that may move for each byte of the diff, beside what the pages ask anew.
const BOUND: f64 = 1.1;

/// Measures, prints, and says whether the diff moved as seldom as it must.
pub(crate) fn run() -> Result<bool> {
    let base = Tree::from([(b"README".to_vec(), file("a long change\n"))]);
    let mut change = base.clone();
    for number in 0..FILES {
        change.insert(format!("log{number}.txt").into_bytes(), file(prose(number, FILE_BYTES)));
    }
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("topic".to_owned(), change)]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(&repository))
}

async fn measure(repository: &AwkwardRepository) -> Result<bool> {
    let (accounts, token) = Accounts::with_owner();
    let config =
        Config { accounts, native_evidence: false, ..Config::serving(vec![Source::from_path(repository.path())]) };
    let forge = assay_local_forge::start(config).await?;
    let pull = forge.pulls().into_iter().next().context("the branch is a pull request")?;
    let relay = Relay::start(forge.address()).await?;
    let engine = crate::engine(&relay.url)?;
    let caller = Arc::new(Caller::new(Credential::token(token.to_string())));

    let mut arguments = json!({"owner": pull.owner, "repo": pull.repo, "index": pull.index, "encoding": "auto"});
    let (mut pages, mut bytes) = (0_u64, 0_u64);
    loop {
        let call = engine.call(Arc::clone(&caller), "get_pull_request_diff", arguments.to_string(), ROOM).await;
        let page: Value = serde_json::from_str(&call.map_err(|failure| anyhow!("page {pages}: {failure:?}"))?)?;
        ensure!(page["whole_diff_verified"] == true, "the diff is proven: {}", page["manifest"]);
        pages += 1;
        bytes += page["chunk_bytes"].as_u64().context("a page says its bytes")?;
        match page["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = cursor.into(),
            None => break,
        }
    }
    let moved = relay.moved();

    let below = format!("/api/v1/repos/{}/{}", pull.owner, pull.repo);
    let look = [format!("{below}/pulls/{}", pull.index), format!("{below}/git/refs/pull/{}/head", pull.index)];
    let address = forge.address();
    let asked = tokio::task::spawn_blocking(move || -> Result<u64> {
        look.iter().map(|target| answer_bytes(address, target, &token)).sum()
    })
    .await??;
    let looks = asked * pages;
    let [whole, once] = [moved, moved.saturating_sub(looks)].map(|moved| moved as f64 / bytes as f64);
    println!("a diff of {bytes} bytes read to its end in {pages} pages from a stock forge, for each of its bytes:");
    println!("  the diff and its objects                          {once:.3} bytes (bound {BOUND})");
    println!("  with what each page asks anew, {asked} bytes        {whole:.3} bytes");
    println!("  (a window holds {WINDOW} bytes, so these add {:.3} at the least)", asked as f64 / WINDOW as f64);
    if once > BOUND {
        eprintln!("the diff or its objects came more than once");
    }
    Ok(once <= BOUND)
}

/// Bytes of one answer on the wire, head and framing among them.
fn answer_bytes(address: SocketAddr, target: &str, token: &str) -> Result<u64> {
    let mut stream = Plain::connect(address)?;
    write!(
        stream,
        "GET {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    ensure!(answer.starts_with(b"HTTP/1.1 200 "), "{target} is answered");
    Ok(answer.len() as u64)
}

/// Passes bytes on, and counts those that come from the forge.
struct Relay {
    url: String,
    moved: Arc<AtomicU64>,
}

impl Relay {
    async fn start(forge: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let moved = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&moved);
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(pass(caller, forge, Arc::clone(&count)));
            }
        });
        Ok(Self { url, moved })
    }

    fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }
}

async fn pass(mut caller: TcpStream, forge: SocketAddr, moved: Arc<AtomicU64>) -> io::Result<()> {
    let mut server = TcpStream::connect(forge).await?;
    let (mut from_caller, mut to_caller) = caller.split();
    let (from_forge, mut to_forge) = server.split();
    let mut counted = tokio_util::io::InspectReader::new(from_forge, |bytes: &[u8]| {
        moved.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    });
    tokio::select! {
        ended = io::copy(&mut from_caller, &mut to_forge) => ended?,
        ended = io::copy(&mut counted, &mut to_caller) => ended?,
    };
    Ok(())
}
