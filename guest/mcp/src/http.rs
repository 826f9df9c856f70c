//! One request of streamable HTTP, without sessions.
//!
//! The host and the edge component mount this same function: who asks, and how often, they have settled before. In order
//! (G-022, G-024, G-025, G-026): where the request comes from, its method, its form, its size, the wire guard; then the SDK,
//! which keeps the header rules of 2026-07-28.

use std::sync::Arc;

use assay_envelope::RESULT_BYTES;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN},
    request::Parts,
};
use http_body_util::{BodyExt as _, Full};
use rmcp::{
    ServerHandler,
    model::{ClientJsonRpcMessage, ClientRequest, GetExtensions as _, ProtocolVersion, RequestId},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};

use crate::{
    Server, Toolbox, budget,
    guard::{self, Accepted},
    sent::Sent,
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// Hosts that are always allowed, and whose pages are: a browser cannot be tricked into naming them for another.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Which requests are let in.
#[derive(Clone, Debug)]
pub struct Policy {
    allowed_hosts: Vec<String>,
    allowed_origins: Vec<String>,
    max_body: usize,
}

impl Policy {
    /// Lets in requests to the loopback's names and to `allowed_hosts` (`name` or `name:port`), with bodies of at most
    /// `max_body` bytes. A browser's page may ask only if it comes from the loopback.
    #[must_use]
    pub fn new(allowed_hosts: impl IntoIterator<Item = String>, max_body: usize) -> Self {
        Self {
            allowed_hosts: LOOPBACK_HOSTS.into_iter().map(str::to_owned).chain(allowed_hosts).collect(),
            allowed_origins: LOOPBACK_ORIGINS.into_iter().map(str::to_owned).collect(),
            max_body,
        }
    }

    /// Lets in pages of these origins too: `scheme://name:port`, or `:*` for any port.
    #[must_use]
    pub fn with_origins(mut self, origins: impl IntoIterator<Item = String>) -> Self {
        self.allowed_origins.extend(origins);
        self
    }

    /// Bytes that a body may have (G-025).
    #[must_use]
    pub const fn max_body(&self) -> usize {
        self.max_body
    }
}

/// Answers one request for the tools of a caller. The body of the response is whole: JSON, a line of text, or empty.
///
/// Dropping the future ends the call that it waits for. It needs a tokio runtime with a timer.
pub async fn handle<T: Toolbox>(toolbox: Arc<T>, request: Request<Bytes>, policy: &Policy) -> Response<Bytes> {
    dispatch(Server::new(toolbox), request, policy).await
}

/// As [`handle`], for a handler of the SDK's that serves more of the protocol than tools.
///
/// Where it sends notifications before a result, the body is the event stream of them all, whole. One that accepts
/// subscriptions would never end its answer.
pub async fn dispatch<H: ServerHandler + Clone>(
    handler: H,
    request: Request<Bytes>,
    policy: &Policy,
) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    let service = service(handler, policy);
    // The SDK judges Host and Origin first and refuses any method but POST. Asked with another method, it says only
    // whether the request may come in, which goes before whatever else is wrong with it.
    let door = async || ask(&service, message_to(&parts, Method::OPTIONS, None), Bytes::new()).await;
    if parts.method != Method::POST {
        return door().await;
    }
    let Accepted { message, rest } = match accepted(&parts.headers, &body, policy) {
        Ok(accepted) => accepted,
        Err(refused) => {
            let door = door().await;
            return if door.status() == StatusCode::METHOD_NOT_ALLOWED { *refused } else { door };
        }
    };
    let body = rest.map_or(body, Bytes::from);
    let mut response = ask(&service, message_to(&parts, Method::POST, sent(&message)), body).await;
    if response.body().len() > RESULT_BYTES && !is_listing(&message) {
        let bounded = budget::bounded(response.body().to_vec(), id(&message));
        *response.body_mut() = bounded.into();
        response.headers_mut().insert(CONTENT_TYPE, JSON);
    }
    response
}

/// The message of a POST, or what its sender is told of its form, its size or the message.
fn accepted(headers: &HeaderMap, body: &[u8], policy: &Policy) -> Result<Accepted, Box<Response<Bytes>>> {
    if !is_json(headers) {
        return Err(text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the Content-Type must be application/json").into());
    }
    if body.len() > policy.max_body {
        return Err(json(StatusCode::PAYLOAD_TOO_LARGE, guard::WireError::too_long().to_json()).into());
    }
    guard::accept(body).map_err(|error| {
        // The older era has its -32602 in an answer that went well (G-026).
        let status = if error.is_params() && !is_modern(headers) { StatusCode::OK } else { StatusCode::BAD_REQUEST };
        json(status, error.to_json()).into()
    })
}

type Service<H> = StreamableHttpService<H, NeverSessionManager>;

fn service<H: ServerHandler + Clone>(handler: H, policy: &Policy) -> Service<H> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(policy.max_body)
        .with_allowed_hosts(&policy.allowed_hosts)
        .with_allowed_origins(&policy.allowed_origins)
        .enforce_origin_validation();
    StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), config)
}

/// What the SDK is told of a request: never its credential (G-038), and an Accept that it takes, since clients send
/// many and get JSON whatever they send. `sent` are arguments that the message is without.
fn message_to(parts: &Parts, method: Method, sent: Option<Sent>) -> Parts {
    let (mut told, ()) = Request::new(()).into_parts();
    told.method = method;
    told.uri = parts.uri.clone();
    let of_ours = |name: &HeaderName| *name == HOST || *name == ORIGIN || name.as_str().starts_with("mcp-");
    for (name, value) in parts.headers.iter().filter(|(name, _)| of_ours(name)) {
        told.headers.append(name.clone(), value.clone());
    }
    if let Some(sent) = sent {
        told.extensions.insert(sent);
    }
    told.headers.insert(CONTENT_TYPE, JSON);
    told.headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    told
}

async fn ask<H: ServerHandler + Clone>(service: &Service<H>, parts: Parts, body: Bytes) -> Response<Bytes> {
    let (mut parts, body) = service.handle(Request::from_parts(parts, Full::new(body))).await.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(never) => match never {},
    };
    if !body.is_empty() && !parts.headers.contains_key(CONTENT_TYPE) {
        parts.headers.insert(CONTENT_TYPE, TEXT);
    }
    Response::from_parts(parts, body)
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let essence = value.to_str().ok().and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn is_modern(headers: &HeaderMap) -> bool {
    let version = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

fn is_listing(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::ListToolsRequest(_)))
}

fn sent(message: &ClientJsonRpcMessage) -> Option<Sent> {
    match message {
        ClientJsonRpcMessage::Request(request) => request.request.extensions().get().cloned(),
        _ => None,
    }
}

fn id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

fn json(status: StatusCode, body: Vec<u8>) -> Response<Bytes> {
    answer(status, JSON, body.into())
}

fn text(status: StatusCode, body: &'static str) -> Response<Bytes> {
    answer(status, TEXT, Bytes::from_static(body.as_bytes()))
}

fn answer(status: StatusCode, kind: HeaderValue, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
