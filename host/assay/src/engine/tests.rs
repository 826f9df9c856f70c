//! The engine with the embedded components, and with one that does all it should not.

use std::sync::Arc;

use tokio::{
    sync::{Barrier, Notify},
    time::timeout,
};

use super::{fixture, *};
use crate::{
    caller::Credential,
    loopback::{Loopback, Step, answer},
    origin::OriginConfig,
};

/// Long enough never to be met by an honest call, short enough for a test.
const SHORT: Duration = Duration::from_millis(100);

fn caller() -> Arc<Caller> {
    Arc::new(Caller::new(Credential::token("t0k3n".to_owned())))
}

fn budget() -> Arc<Budget> {
    Arc::new(Budget::new(Rates::default()))
}

fn origin(server: &Loopback) -> Arc<Origin> {
    let origin = Origin::new(OriginConfig {
        url: server.url(),
        ca_file: None,
        connect_timeout: Duration::from_secs(20),
        read_timeout: Duration::from_secs(20),
        user_agent: "assay/0.0.0".to_owned(),
    });
    Arc::new(origin.expect("the address is sound"))
}

fn nowhere() -> Parts {
    Parts::new(Arc::new(Origin::nowhere()), budget())
}

fn hostile(limits: Limits) -> Engine {
    compiled(Parts { limits, ..nowhere() })
}

fn with(origin: Arc<Origin>, limits: Limits) -> Engine {
    compiled(Parts { limits, ..Parts::new(origin, budget()) })
}

fn compiled(parts: Parts) -> Engine {
    Engine::compile(parts, &[("hostile", &fixture::hostile())]).expect("it is a component")
}

async fn call(engine: &Engine, tool: &str) -> Result<String, Failure> {
    engine.call(caller(), tool, r#"{"a":1}"#.to_owned(), 1_000).await
}

/// The embedded code loads on this machine, and each component has its world's imports and none besides what Rust's
/// standard library brings along.
#[tokio::test]
async fn the_embedded_components_load() {
    let engine = Engine::without_origin(Limits::default()).expect("they load");
    for tool in ["get_pull_request", "get_pull_request_diff"] {
        assert!(engine.catalogue().get(tool).is_some(), "{tool}");
    }
    let imports = engine.imports();
    let read = imports.get("assay-tools-read").expect("it is embedded");
    assert!(read.is_sorted());
    let ports: Vec<_> = read.iter().filter(|import| import.starts_with("assay:")).collect();
    let known = ["callers", "objects", "origin-lists", "origin-read", "reading"]
        .map(|port| format!("assay:ports/{port}@0.1.0"));
    assert!(ports.iter().copied().eq(&known), "{ports:?}");
    for import in read {
        let known = ["assay:ports/", "wasi:cli/", "wasi:io/"];
        assert!(known.iter().any(|package| import.starts_with(package)), "{import}");
    }
}

/// D-005, G-050: from a call to the wire: the host's credential on the component's path, and the forge's answer as the
/// tool's refusal.
#[tokio::test]
async fn an_embedded_tool_asks_the_forge() {
    let server = Loopback::start(|_| answer("404 Not Found", "{}")).await;
    let engine = Engine::new(Parts::new(origin(&server), budget())).expect("they load");
    let arguments = r#"{"owner":"alice","repo":"a b","index":7}"#.to_owned();
    let refused = engine.call(caller(), "get_pull_request", arguments, 49_000).await;
    assert!(matches!(refused, Err(Failure::Refused(_))), "{refused:?}");
    let heads = server.heads();
    assert_eq!(heads.len(), 1);
    let head = heads.concat();
    assert!(head.starts_with("GET /api/v1/repos/alice/a%20b/pulls/7 HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nauthorization: Bearer t0k3n\r\n"), "{head}");
}

/// A trap, a time or memory that is used up, a false handle, requests without end and a refusal that is none are each
/// a fault of that call alone.
#[tokio::test]
async fn a_hostile_call_is_a_fault_of_that_call() {
    let engine = hostile(Limits { time: SHORT, ..Limits::default() });
    for tool in ["spin", "grow", "trap", "forge", "hoard", "bare"] {
        assert_eq!(call(&engine, tool).await, Err(Failure::Fault), "{tool}");
        assert_eq!(call(&engine, "echo").await, Ok(r#"{"a":1}"#.to_owned()), "after {tool}");
    }
}

/// What is known of each stop, for the log.
#[tokio::test]
async fn a_stop_has_its_reason() {
    let engine = hostile(Limits { time: SHORT, ..Limits::default() });
    let loaded = engine.components.first().expect("one");
    for (tool, reason) in [
        ("spin", "its time is used up"),
        ("grow", "its memory is full"),
        ("trap", "wasm trap: wasm `unreachable` instruction executed"),
        ("hoard", "it used a handle that is not its own, or too many"),
    ] {
        let _ticking = engine.clock.call(None);
        let stopped = engine.run(loaded, caller(), None, tool, "{}", 1_000).await.expect_err(tool);
        assert_eq!(Stop::of(&stopped).to_string(), reason);
    }
}

/// A refusal is a value, without control characters.
#[tokio::test]
async fn a_refusal_passes() {
    let engine = hostile(Limits::default());
    let refusal = Refusal::new("no_way", "because\u{fffd}");
    assert_eq!(call(&engine, "refuse").await, Err(Failure::Refused(refusal)));
    assert_eq!(call(&engine, "missing").await, Err(Failure::UnknownTool));
}

/// Invariant 2: this process has an environment and arguments, and a component finds none of them.
#[tokio::test]
async fn a_component_finds_no_environment() {
    assert!(std::env::vars_os().next().is_some() && std::env::args_os().next().is_some());
    assert_eq!(call(&hostile(Limits::default()), "look").await, Ok("none".to_owned()));
}

/// Invariant 1: a component that wants more than its world is not loaded, and what it wants is named.
#[test]
fn a_component_that_wants_more_is_not_loaded() {
    let load = |bytes: &[u8]| {
        let loaded = Engine::compile(nowhere(), &[("plugin", bytes)]);
        loaded.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let greedy = load(&fixture::greedy());
    assert!(greedy.contains("plugin") && greedy.contains("wasi:clocks/wall-clock"), "{greedy}");
    for bytes in [&b""[..], b"\0asm\x01\0\0\0", b"\0asm\x0d\0\x01\0", b"garbage"] {
        assert!(load(bytes).contains("plugin"), "{bytes:?}");
    }
    assert!(load(&fixture::offering(&["Bad Name"])).contains("Bad Name"));
    assert!(load(&fixture::offering(&["a", "a"])).contains("two tools"));
}

/// Two components cannot both offer a tool.
#[test]
fn two_components_do_not_share_a_tool() {
    let hostile = fixture::hostile();
    let twice = [("one", hostile.as_slice()), ("two", hostile.as_slice())];
    let error = Engine::compile(nowhere(), &twice).err();
    assert!(error.is_some_and(|error| error.to_string().contains("component two")));
}

/// A lower bound on memory holds as well.
#[tokio::test]
async fn memory_is_bounded_by_the_limits() {
    let engine = hostile(Limits { memory: 2 << 16, ..Limits::default() });
    assert_eq!(call(&engine, "echo").await, Ok(r#"{"a":1}"#.to_owned()));
    assert_eq!(call(&engine, "grow").await, Err(Failure::Fault));
}

/// O-015: what a proof needs at its default follows from the setting, and no setting asks for more than there is.
#[test]
fn memory_follows_the_size_of_files() {
    assert_eq!(Limits::default().memory, 64 << 20);
    assert_eq!(Limits::for_proofs(64 << 10).memory, (16 << 20) + (192 << 10));
    assert_eq!(Limits::for_proofs(*Settings::PROOF_FILE_BYTES.end()).memory, config::MEMORY_BYTES);
    assert_eq!(Limits::for_proofs(u64::MAX).memory, config::MEMORY_BYTES);
}

/// Four calls that fill 48 MiB each at once have them, and leave next to nothing of it behind.
#[tokio::test]
async fn memory_is_given_back() {
    const CALLS: usize = 4;
    let all = Arc::new(Barrier::new(CALLS));
    let server = Loopback::start(move |_| {
        let (gate, all) = (Arc::new(Notify::new()), Arc::clone(&all));
        let opened = Arc::clone(&gate);
        tokio::spawn(async move {
            all.wait().await;
            opened.notify_one();
        });
        let mut steps = vec![Step::Until(gate)];
        steps.extend(answer("200 OK", "{}"));
        steps
    })
    .await;
    let engine = with(origin(&server), Limits::default());
    assert_eq!(call(&engine, "echo").await, Ok(r#"{"a":1}"#.to_owned()));
    let before = resident();
    let painted = futures_util::future::join_all((0..CALLS).map(|_| call(&engine, "paint"))).await;
    assert!(painted.iter().all(|asked| *asked == Ok("answer".to_owned())), "{painted:?}");
    let kept = engine.engine.pooling_allocator_metrics().expect("it pools").unused_memory_bytes_resident();
    assert!(kept <= (CALLS + 1) * (2 << 20), "{kept} bytes are kept");
    let grown = resident().saturating_sub(before);
    let painted = CALLS * usize::try_from(fixture::PAINTED).expect("fits");
    assert!(grown < painted / 2, "{grown} of {painted} bytes are still there");
}

/// Bytes of this process in memory; none where the system does not say so.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok().and_then(|text| text.split(' ').nth(1)?.parse().ok());
    pages.unwrap_or(0usize).saturating_mul(4_096)
}

/// Pauses are not computing either: a hundred milliseconds of them, where twenty of computing are too many.
#[tokio::test]
async fn pausing_is_not_computing() {
    let engine = hostile(Limits { time: clock::TICK * 2, ..Limits::default() });
    assert_eq!(call(&engine, "nap").await, Ok(r#"{"a":1}"#.to_owned()));
}

/// O-015: a call that is given up in the middle of its turn gives the turn back, and so does one that ends.
#[tokio::test]
async fn a_call_that_is_given_up_returns_its_turn() {
    let (arrived, closed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (came, tell) = (Arc::clone(&arrived), Arc::clone(&closed));
    let first = std::sync::atomic::AtomicBool::new(true);
    let server = Loopback::start(move |_| {
        if first.swap(false, std::sync::atomic::Ordering::SeqCst) {
            came.notify_one();
            vec![Step::Closed(Arc::clone(&tell))]
        } else {
            answer("200 OK", "{}")
        }
    })
    .await;
    let settings = Settings { proof_concurrency: 1, ..Settings::default() };
    let reading = Arc::new(Reading::new(settings).expect("within the bounds"));
    let engine = compiled(Parts { reading, ..Parts::new(origin(&server), budget()) });
    let mut second = Box::pin(call(&engine, "join"));
    {
        let mut holder = Box::pin(call(&engine, "join"));
        tokio::select! {
            ended = &mut holder => panic!("the forge does not answer it: {ended:?}"),
            () = arrived.notified() => {}
        }
        assert!(futures_util::poll!(second.as_mut()).is_pending(), "it is not its turn");
    }
    closed.notified().await;
    assert_eq!(second.await, Ok("answer".to_owned()));
    assert_eq!(call(&engine, "join").await, Ok("answer".to_owned()));
}

/// A guest that computes for ever leaves room for others on the same thread, and ends with its future.
#[tokio::test]
async fn a_call_can_be_given_up() {
    let engine = hostile(Limits { time: Duration::from_secs(3_600), ..Limits::default() });
    let spinning = call(&engine, "spin");
    let others = async {
        for _ in 0..3 {
            assert_eq!(call(&engine, "echo").await, Ok(r#"{"a":1}"#.to_owned()));
        }
    };
    tokio::select! {
        ended = spinning => panic!("it never ends: {ended:?}"),
        () = others => {}
    }
    assert!(timeout(SHORT, call(&engine, "spin")).await.is_err());
    assert_eq!(call(&engine, "echo").await, Ok(r#"{"a":1}"#.to_owned()));
}

/// The forge's time is not the guest's: an answer that comes after several times the guest's own bound is fine.
#[tokio::test]
async fn waiting_is_not_computing() {
    let gate = Arc::new(Notify::new());
    let closed = Arc::clone(&gate);
    let server = Loopback::start(move |_| {
        let mut steps = vec![Step::Until(Arc::clone(&closed))];
        steps.extend(answer("200 OK", "{}"));
        steps
    })
    .await;
    let engine = with(origin(&server), Limits { time: clock::TICK * 2, ..Limits::default() });
    let opened = async {
        let start = engine.clock.ticks();
        while engine.clock.ticks() < start + 20 {
            tokio::task::yield_now().await;
        }
        gate.notify_one();
    };
    let (asked, ()) = tokio::join!(call(&engine, "ask"), opened);
    assert_eq!(asked, Ok("answer".to_owned()));
}

/// More calls than there are places: the others wait in turn.
#[tokio::test]
async fn calls_beyond_the_pool_wait_in_turn() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let origin = origin(&server);
    let free = Arc::new(Budget::new(Rates { read: 0, ..Rates::default() }));
    let engine = compiled(Parts::new(origin, free));
    let calls = (0..config::CONCURRENT_CALLS + 44).map(|_| call(&engine, "ask"));
    for asked in futures_util::future::join_all(calls).await {
        assert_eq!(asked, Ok("answer".to_owned()));
    }
}
