//! The door, over real connections: a forge on the loopback that knows some tokens, and requests as clients send them.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::*;
use crate::{
    budget::{Budget, Rates},
    engine::Parts,
    loopback::{Loopback, Step, answer},
    origin::{Origin, OriginConfig},
};

const DAY: Duration = Duration::from_secs(86_400);
const FREE: Rates = Rates { read: 0, write: 0, window: DAY };

/// A gateway in front of a forge; it ends with the test.
struct Served {
    url: String,
    client: Client,
    forge: Loopback,
    preflights: Arc<AtomicUsize>,
}

impl Served {
    /// The forge knows tokens that begin with `good`, says 403 of `scoped`, fails for `broken`, and answers everything
    /// else with 404.
    async fn with(bounds: Bounds, rates: Rates) -> Self {
        let preflights = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&preflights);
        let forge = Loopback::start(move |head| {
            if !head.starts_with("GET /api/v1/user ") {
                return answer("404 Not Found", "{}");
            }
            counted.fetch_add(1, Ordering::SeqCst);
            match head.split("Bearer ").nth(1).unwrap_or_default() {
                token if token.starts_with("good") => answer("200 OK", "{}"),
                token if token.starts_with("scoped") => answer("403 Forbidden", "{}"),
                token if token.starts_with("broken") => answer("500 Oops", "{}"),
                _ => answer("401 Unauthorized", "{}"),
            }
        })
        .await;
        let url = Self::before(forge.url(), bounds, rates).await;
        Self { url, client: Client::new(), forge, preflights }
    }

    async fn before(forge: String, bounds: Bounds, rates: Rates) -> String {
        let origin = Origin::new(OriginConfig {
            url: forge,
            ca_file: None,
            connect_timeout: Duration::from_secs(20),
            read_timeout: Duration::from_secs(20),
            user_agent: "assay/0.0.0".to_owned(),
        });
        let parts = Parts::new(Arc::new(origin.expect("sound")), Arc::new(Budget::new(rates)));
        let engine = Arc::new(Engine::new(parts).expect("the components load"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("it is bound"));
        let catalogue = engine.catalogue().clone();
        tokio::spawn(serve(listener, engine, catalogue, bounds, pending(), pending()));
        url
    }

    async fn start() -> Self {
        Self::with(Bounds::default(), FREE).await
    }

    fn post(&self, token: &str) -> RequestBuilder {
        self.client.post(&self.url).header("content-type", "application/json").bearer_auth(token)
    }

    async fn list(&self, token: &str) -> Response {
        send(self.post(token).body(LIST)).await
    }

    fn preflights(&self) -> usize {
        self.preflights.load(Ordering::SeqCst)
    }
}

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

async fn send(request: RequestBuilder) -> Response {
    request.send().await.expect("an answer")
}

async fn names(response: Response) -> Vec<String> {
    assert_eq!(response.status(), StatusCode::OK);
    let text = response.text().await.expect("a body");
    let listed: Value = serde_json::from_str(&text).expect("JSON");
    let tools = listed["result"]["tools"].as_array().expect("tools").iter();
    tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

fn retry_after(response: &Response) -> u64 {
    response.headers()["retry-after"].to_str().expect("ASCII").parse().expect("seconds")
}

/// G-027, G-029, G-030, G-040, K-71: what is no credential is refused before a byte of JSON is read, and never repeated;
/// unknown is not dead.
#[tokio::test]
async fn the_forge_says_who_comes_in() {
    let served = Served::start().await;
    let plain = || served.client.post(&served.url).header("content-type", "application/json").body("no json \u{1}");
    for bad in ["s3cret", "Basic czNjcmV0", "Bearer", "Bearer ", "Bearer s3 cret", "Token s3cret", "bearer\ts3cret"] {
        let refused = send(plain().header("authorization", bad)).await;
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{bad}");
        assert_eq!(refused.headers()["www-authenticate"], "Bearer");
        assert!(!refused.text().await.expect("a line").contains("cret"), "{bad}");
    }
    assert_eq!(send(plain()).await.status(), StatusCode::UNAUTHORIZED);
    let twice = plain().header("authorization", "Bearer good1").header("authorization", "Bearer good2");
    assert_eq!(send(twice).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(served.preflights(), 0, "the forge is not asked about what cannot be a token");
    let revoked = send(plain().bearer_auth("revoked-s3cret")).await;
    assert_eq!(revoked.status(), StatusCode::UNAUTHORIZED);
    assert!(revoked.headers()["www-authenticate"].to_str().is_ok_and(|told| told.contains("invalid_token")));
    let text = revoked.text().await.expect("a line");
    assert!(text.contains("does not know") && !text.contains("s3cret"), "{text}");
    assert_eq!(served.list("broken").await.status(), StatusCode::BAD_GATEWAY);
    for good in ["good", "scoped"] {
        assert_eq!(served.list(good).await.status(), StatusCode::OK);
    }
    assert_eq!(send(plain().header("authorization", "bearer   good")).await.status(), StatusCode::BAD_REQUEST);
}

/// T-022, G-022, G-032: the method comes first, and health names the service alone.
#[tokio::test]
async fn methods_and_health() {
    let served = Served::start().await;
    for method in [reqwest::Method::GET, reqwest::Method::DELETE, reqwest::Method::PUT, reqwest::Method::OPTIONS] {
        let refused = send(served.client.request(method, &served.url)).await;
        assert_eq!(
            (refused.status(), refused.headers()["allow"].as_bytes()),
            (StatusCode::METHOD_NOT_ALLOWED, &b"POST"[..])
        );
    }
    let healthy = send(served.client.get(format!("{}/healthz", served.url))).await;
    assert_eq!(healthy.status(), StatusCode::OK);
    assert_eq!(healthy.text().await.expect("a body"), r#"{"service":"assay"}"#);
    assert_eq!(served.forge.connections(), 0);
}

/// T-025, G-028, G-031, G-061, G-064: every POST asks, which costs a unit of that token's; another one has its own.
#[tokio::test]
async fn a_pre_flight_costs_a_unit() {
    let served = Served::with(Bounds::default(), Rates { read: 2, write: 1, window: DAY }).await;
    for _ in 0..2 {
        assert_eq!(served.list("good1").await.status(), StatusCode::OK);
    }
    let refused = served.list("good1").await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!((1..=86_400).contains(&retry_after(&refused)));
    assert_eq!(served.preflights(), 2, "who has no unit left is not asked about");
    assert_eq!(served.list("good2").await.status(), StatusCode::OK);
}

/// G-065, G-065a, G-066: strangers use up their address, not the places of those the forge knows.
#[tokio::test]
async fn strangers_are_counted_by_address() {
    let strangers = Rates { read: 3, write: 0, window: DAY };
    let rates = Rates { read: 600, write: 60, window: DAY };
    let served = Served::with(Bounds { strangers, ..Bounds::default() }, rates).await;
    assert_eq!(served.list("good-known").await.status(), StatusCode::OK);
    for made_up in ["a", "b"] {
        assert_eq!(served.list(made_up).await.status(), StatusCode::UNAUTHORIZED);
    }
    let malformed = send(served.client.post(&served.url).header("authorization", "nonsense")).await;
    assert_eq!(malformed.status(), StatusCode::UNAUTHORIZED);
    let refused = served.list("c").await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(retry_after(&refused) >= 1);
    assert_eq!(served.list("good-new").await.status(), StatusCode::TOO_MANY_REQUESTS, "nobody can tell it from them");
    assert_eq!(served.list("good-known").await.status(), StatusCode::OK);
    assert_eq!(served.preflights(), 4);
    let elsewhere = served.post("good-new").header("x-real-ip", "203.0.113.7").body(LIST);
    assert_eq!(send(elsewhere).await.status(), StatusCode::OK, "the proxy's word for it counts");
}

/// T-025, G-065: a full table refuses who is new, and keeps who is counted.
#[tokio::test]
async fn a_full_table_refuses_the_unseen() {
    let forge = Loopback::start(|_| answer("200 OK", "{}")).await;
    let origin = OriginConfig {
        url: forge.url(),
        ca_file: None,
        connect_timeout: Duration::from_secs(20),
        read_timeout: Duration::from_secs(20),
        user_agent: "assay/0.0.0".to_owned(),
    };
    let rates = Rates { read: 600, write: 60, window: DAY };
    let budget = Budget::for_keys(rates, 2);
    let engine = Engine::new(Parts::new(Arc::new(Origin::new(origin).expect("sound")), Arc::new(budget)));
    let door = Door::new(Arc::new(engine.expect("the components load")), &Bounds::default());
    let admit = async |token: &str| {
        let mut headers = axum::http::HeaderMap::new();
        headers.insert("authorization", format!("Bearer {token}").parse().expect("a header"));
        door.admit(None, &headers).await.map(drop)
    };
    assert_eq!([admit("one").await, admit("two").await], [Ok(()), Ok(())]);
    assert!(matches!(admit("three").await, Err(refused::Refused::Exhausted(_))));
    assert_eq!(admit("one").await, Ok(()));
}

/// G-028: what the operator may trade: for a while a token is not asked about again, and its requests cost nothing.
#[tokio::test]
async fn an_accepted_token_can_be_believed_for_a_while() {
    let bounds = Bounds { preflight_ttl: DAY, ..Bounds::default() };
    let served = Served::with(bounds, FREE).await;
    for _ in 0..3 {
        assert_eq!(served.list("good").await.status(), StatusCode::OK);
        assert_eq!(served.list("bad").await.status(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(served.preflights(), 4, "the good one once, the bad one each time");
}

/// G-024, G-025: only then is the body looked at.
#[tokio::test]
async fn the_body_comes_last() {
    let served = Served::with(Bounds { max_body: 1_024, ..Bounds::default() }, FREE).await;
    for (body, status) in [
        (vec![b'['; 1_025], StatusCode::PAYLOAD_TOO_LARGE),
        (vec![b'['; 1_024], StatusCode::BAD_REQUEST),
        (vec![0xff], StatusCode::BAD_REQUEST),
        (LIST.into(), StatusCode::OK),
    ] {
        assert_eq!(send(served.post("good").body(body.clone())).await.status(), status);
        assert_eq!(send(served.post("bad").body(body)).await.status(), StatusCode::UNAUTHORIZED);
    }
}

/// A client's headers take away and never add, and what they misspell is told (G-085).
#[tokio::test]
async fn headers_only_tighten() {
    let served = Served::start().await;
    let all = names(served.list("good").await).await;
    let listed = async |header: &str, value: &str| send(served.post("good").header(header, value).body(LIST)).await;
    let one = names(listed("x-mcp-tools", "get_pull_request").await).await;
    assert_eq!(one, ["get_pull_request"]);
    let rest = names(listed("x-mcp-exclude-tools", "get_pull_request").await).await;
    assert!(rest.len() == all.len() - 1 && !rest.contains(&"get_pull_request".to_owned()));
    let pulls = names(listed("x-mcp-toolsets", "pulls").await).await;
    assert!(!pulls.is_empty() && pulls.iter().all(|name| all.contains(name)));
    assert_eq!(names(listed("x-mcp-toolsets", "registrar").await).await, [""; 0]);
    let reading = names(listed("x-mcp-readonly", "true").await).await;
    assert!(!reading.is_empty() && reading.iter().all(|name| !name.starts_with("create_")));
    assert_eq!(names(listed("x-mcp-readonly", "false").await).await, all);
    for (header, value) in [
        ("x-mcp-toolsets", "nope"),
        ("x-mcp-tools", "nope"),
        ("x-mcp-exclude-tools", "get_pull_request,nope"),
        ("x-mcp-readonly", "perhaps"),
        ("x-mcp-repositories", "nope"),
    ] {
        let refused = listed(header, value).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{header}");
        let text = refused.text().await.expect("a line");
        assert!(text.contains("nope") || text.contains(header), "{text}");
    }
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "get_pull_request", "arguments": {"owner": "a", "repo": "x", "index": 1}}});
    let hidden = served.post("good").header("x-mcp-tools", "get_pull_request_diff").body(call.to_string());
    let hidden: Value = serde_json::from_str(&send(hidden).await.text().await.expect("a body")).expect("JSON");
    assert_eq!(hidden["error"]["code"], -32602, "what is not listed is not there");
    let elsewhere = served.post("good").header("x-mcp-repositories", "a/y").body(call.to_string());
    let elsewhere = send(elsewhere).await.text().await.expect("a body");
    assert!(elsewhere.contains("request_denied"), "{elsewhere}");
    assert!(!served.forge.heads().iter().any(|head| head.contains("/pulls/")));
}

/// G-083, SEP-1303: what a schema does not take is a result that says so, before the forge is asked.
#[tokio::test]
async fn arguments_are_held_against_the_schema() {
    let served = Served::start().await;
    let call = async |arguments: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "get_pull_request", "arguments": arguments}});
        let answer = send(served.post("good").body(call.to_string())).await.text().await.expect("a body");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    };
    for (arguments, code) in [
        (json!({"owner": "a", "repo": "x", "index": "7"}), "not_found"),
        (json!({"owner": "a", "repo": "x", "index": 7.0}), "not_found"),
        (json!({"owner": "a", "repo": "x", "index": "07"}), "invalid_argument: `index`"),
        (json!({"owner": "a", "repo": "x"}), "invalid_argument"),
        (json!({"owner": "a", "repo": "x", "index": 7, "sponsor": "me"}), "invalid_argument"),
    ] {
        let said = call(arguments).await;
        assert!(said.starts_with(code), "{said}");
    }
}

/// One token cannot take every place, and a full house says so.
#[tokio::test]
async fn places_are_bounded() {
    let hold = Arc::new(Notify::new());
    let held = Arc::clone(&hold);
    let forge = Loopback::start(move |head| {
        if head.contains("Bearer slow") {
            vec![Step::Until(Arc::clone(&held)), Step::Send(b"HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n".to_vec())]
        } else {
            answer("200 OK", "{}")
        }
    })
    .await;
    let bounds = Bounds { max_calls: 3, max_calls_per_token: 2, ..Bounds::default() };
    let url = Served::before(forge.url(), bounds, FREE).await;
    let client = Client::new();
    let post = |token: &str| client.post(&url).header("content-type", "application/json").bearer_auth(token).body(LIST);
    let slow: Vec<_> = ["slow", "slow"].map(|token| tokio::spawn(post(token).send())).into();
    while forge.heads().len() < 2 {
        tokio::task::yield_now().await;
    }
    let third = post("slow").send().await.expect("an answer");
    assert_eq!(third.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(post("good").send().await.expect("an answer").status(), StatusCode::OK);
    let other = tokio::spawn(post("slower").send());
    while forge.heads().len() < 4 {
        tokio::task::yield_now().await;
    }
    assert_eq!(post("good").send().await.expect("an answer").status(), StatusCode::SERVICE_UNAVAILABLE);
    for _ in 0..3 {
        hold.notify_one();
    }
    for waiting in slow.into_iter().chain([other]) {
        assert_eq!(waiting.await.expect("no panic").expect("an answer").status(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(post("good").send().await.expect("an answer").status(), StatusCode::OK, "places are given back");
}

/// A client that goes away ends what was done for it, and gives its place back.
#[tokio::test]
async fn a_disconnect_stops_the_work() {
    let closed = Arc::new(Notify::new());
    let tell = Arc::clone(&closed);
    let forge = Loopback::start(move |head| {
        if head.contains("/user ") { answer("200 OK", "{}") } else { vec![Step::Closed(Arc::clone(&tell))] }
    })
    .await;
    let bounds = Bounds { max_calls: 1, ..Bounds::default() };
    let url = Served::before(forge.url(), bounds, FREE).await;
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "get_pull_request", "arguments": {"owner": "a", "repo": "x", "index": 1}}});
    let client = Client::new();
    let post =
        |body: String| client.post(&url).header("content-type", "application/json").bearer_auth("good").body(body);
    let waiting = tokio::spawn(post(call.to_string()).send());
    while forge.heads().len() < 2 {
        tokio::task::yield_now().await;
    }
    waiting.abort();
    closed.notified().await;
    let again = post(LIST.to_owned()).send().await.expect("an answer");
    assert_eq!(again.status(), StatusCode::OK);
    assert!(again.headers()["x-request-id"].to_str().is_ok_and(|id| id.contains('-')));
}
