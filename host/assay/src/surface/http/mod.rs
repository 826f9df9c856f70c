//! Many agents over streamable HTTP, each with its own forge token.
//!
//! The order at the door is fixed (G-065a): method, form of the credential, budget, pre-flight, what the client wants of the
//! tools, size; only then is a byte of the body looked at (G-027, G-031).

mod choice;
mod connections;
mod door;
mod edge;
mod preflight;
mod refused;
mod request_id;
#[cfg(test)]
mod tests;

use std::{
    error::Error as _,
    future::Future,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use assay_mcp::{
    Catalogue, ResponseMode,
    http::{Policy, handle},
};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use http_body_util::LengthLimitError;
use ipnet::IpNet;
use tokio::{net::TcpListener, time::timeout};
use tracing::Instrument as _;

use self::{connections::Peer, door::Door, request_id::RequestIds};
use crate::{budget::Rates, engine::Engine, metrics, session::Session};

/// How long a request's body may take.
const BODY_PATIENCE: Duration = Duration::from_secs(30);
/// The header by which a request is found in the log.
const REQUEST_ID: &str = "x-request-id";

/// What requests may be.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Host names that a request may name, besides the loopback's.
    pub allowed_hosts: Vec<String>,
    /// Bytes of a body (G-025).
    pub max_body: usize,
    /// From where `X-Real-IP` is believed.
    pub trusted_edge: Vec<IpNet>,
    /// Requests with a credential that the forge does not know, from one address (G-065a).
    pub strangers: Rates,
    /// How long a token that the forge accepted is not asked about again; a revoked one lives that long (G-028).
    pub preflight_ttl: Duration,
    /// Connections at once; more wait.
    pub max_connections: usize,
    /// Requests at once; more are refused.
    pub max_calls: usize,
    /// Requests of one token at once.
    pub max_calls_per_token: usize,
    /// How much the editing tools tell of what succeeded (P-012, P-013).
    pub response_mode: ResponseMode,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            allowed_hosts: Vec::new(),
            max_body: 1 << 20,
            trusted_edge: edge::loopback(),
            strangers: Rates { read: 60, write: 0, window: Duration::from_secs(60) },
            preflight_ttl: Duration::ZERO,
            max_connections: 2_048,
            max_calls: 1_024,
            max_calls_per_token: 64,
            response_mode: ResponseMode::default(),
        }
    }
}

struct Gateway {
    engine: Arc<Engine>,
    /// What the operator offers.
    catalogue: Catalogue,
    response_mode: ResponseMode,
    policy: Policy,
    door: Door,
    ids: RequestIds,
}

/// Serves until `until` resolves; requests under way are finished, or ended where `overdue` resolves first.
///
/// # Errors
/// Where connections can no longer be accepted.
pub async fn serve(
    listener: TcpListener,
    engine: Arc<Engine>,
    catalogue: Catalogue,
    bounds: Bounds,
    until: impl Future<Output = ()> + Send + 'static,
    overdue: impl Future<Output = ()>,
) -> io::Result<()> {
    let policy = Policy::new(bounds.allowed_hosts.clone(), bounds.max_body);
    let places = bounds.max_connections;
    let door = Door::new(Arc::clone(&engine), &bounds);
    let response_mode = bounds.response_mode;
    let gateway = Gateway { engine, catalogue, response_mode, policy, door, ids: RequestIds::new() };
    let app = Router::new().route("/mcp/healthz", get(healthy)).route("/mcp", any(mcp)).with_state(Arc::new(gateway));
    tokio::select! {
        served = connections::accept(listener, app, places, until) => served,
        // A connection that never finishes its request does not keep the program.
        () = overdue => Ok(()),
    }
}

/// Names the service and nothing about it (G-032).
async fn healthy() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], r#"{"service":"assay"}"#).into_response()
}

async fn mcp(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let id = gateway.ids.next();
    let started = Instant::now();
    let span = tracing::info_span!("request", id = %id);
    let mut response = gateway.respond(&id, request).instrument(span.clone()).await;
    let status = response.status();
    metrics::http_answered(status);
    span.in_scope(|| tracing::info!(status = status.as_u16(), ms = started.elapsed().as_millis(), "answered"));
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

impl Gateway {
    async fn respond(&self, id: &Arc<str>, request: Request) -> Response {
        if request.method() != Method::POST {
            return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response();
        }
        let peer = request.extensions().get::<Peer>().copied();
        let admitted = match self.door.admit(peer, request.headers()).await {
            Ok(admitted) => admitted,
            Err(refused) => return refused.into_response(),
        };
        let wanted =
            match choice::wanted(request.headers(), self.engine.catalogue(), self.engine.origin().repositories()) {
                Ok(wanted) => wanted,
                Err(refused) => return refused.into_response(),
            };
        let catalogue =
            if wanted.choice.is_default() { self.catalogue.clone() } else { self.catalogue.kept(&wanted.choice) };
        let caller = admitted.caller.within(wanted.repositories);
        let session = Session::new(Arc::clone(&self.engine), caller).offering(catalogue).responding(self.response_mode);
        let session = session.referred_to_as(Arc::clone(id));
        let response = self.answer(session, request).await;
        drop(admitted.place);
        response
    }

    async fn answer(&self, session: Session, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = match timeout(BODY_PATIENCE, to_bytes(body, self.policy.max_body())).await {
            Ok(Ok(body)) => body,
            Ok(Err(error)) if error.source().is_some_and(|cause| cause.is::<LengthLimitError>()) => {
                let text = format!(
                    "a body has at most {} bytes here; whoever runs the server raises that with --max-body (GATEWAY_MAX_BODY)",
                    self.policy.max_body()
                );
                return (StatusCode::PAYLOAD_TOO_LARGE, text).into_response();
            }
            Ok(Err(_)) => return (StatusCode::BAD_REQUEST, "the body is broken off or malformed").into_response(),
            Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the body did not come in time").into_response(),
        };
        handle(Arc::new(session), http::Request::from_parts(parts, body), &self.policy).await.map(Body::from)
    }
}
