//! Many agents over streamable HTTP, each with its own forge token.
//!
//! The order at the door is fixed: method, form of the credential, budget, pre-flight, size; only then is a byte of the
//! body looked at (G-027, G-031).

use std::{
    error::Error as _,
    future::Future,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use assay_mcp::http::{Policy, handle};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use http_body_util::LengthLimitError;
use tokio::{net::TcpListener, time::timeout};

use super::preflight::{self, Verdict};
use crate::{
    budget::Class,
    caller::{Caller, Credential},
    engine::Engine,
    session::Session,
};

/// How long a request's body may take.
const BODY_PATIENCE: Duration = Duration::from_secs(30);

/// What requests may be.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Host names that a request may name, besides the loopback's.
    pub allowed_hosts: Vec<String>,
    /// Bytes of a body (G-025).
    pub max_body: usize,
}

#[derive(Clone)]
struct Gateway {
    engine: Arc<Engine>,
    policy: Arc<Policy>,
}

/// Serves until `until` resolves; requests under way are finished, or ended where `overdue` resolves first.
///
/// # Errors
/// Where connections can no longer be accepted.
pub async fn serve(
    listener: TcpListener,
    engine: Arc<Engine>,
    bounds: Bounds,
    until: impl Future<Output = ()> + Send + 'static,
    overdue: impl Future<Output = ()>,
) -> io::Result<()> {
    let policy = Policy::new(bounds.allowed_hosts, bounds.max_body);
    let gateway = Gateway { engine, policy: Arc::new(policy) };
    let app = Router::new().route("/mcp/healthz", get(healthy)).route("/mcp", any(mcp)).with_state(gateway);
    let served = axum::serve(listener, app).with_graceful_shutdown(until);
    tokio::select! {
        served = served => served,
        // A connection that never finishes its request does not keep the program.
        () = overdue => Ok(()),
    }
}

/// Names the service and nothing about it (G-032).
async fn healthy() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], r#"{"service":"assay"}"#).into_response()
}

async fn mcp(State(gateway): State<Gateway>, request: Request) -> Response {
    if request.method() != Method::POST {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response();
    }
    match gateway.admit(request.headers()).await {
        Ok(session) => gateway.answer(session, request).await,
        Err(refused) => refused,
    }
}

impl Gateway {
    /// Credential, budget, pre-flight.
    async fn admit(&self, headers: &HeaderMap) -> Result<Session, Response> {
        let credential = bearer(headers).ok_or_else(unauthorized)?;
        let caller = Caller::new(credential);
        let budget = self.engine.budget();
        budget.check(caller.key(), Class::Read, Instant::now()).map_err(exhausted)?;
        match preflight::ask(self.engine.origin(), &caller).await {
            Ok(Verdict::Accepted) => {
                // Only a token that the forge knows gets a place in the table, so strangers cannot fill it.
                budget.take(caller.key(), Class::Read, Instant::now()).map_err(exhausted)?;
                Ok(Session::new(Arc::clone(&self.engine), caller))
            }
            Ok(Verdict::Refused) => Err(unauthorized()),
            Ok(Verdict::Unknown(status)) => Err(unknown(&format!("it answered with HTTP {status}"))),
            Err(fault) => Err(unknown(&fault.to_string())),
        }
    }

    async fn answer(&self, session: Session, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = match timeout(BODY_PATIENCE, to_bytes(body, self.policy.max_body())).await {
            Ok(Ok(body)) => body,
            Ok(Err(error)) if error.source().is_some_and(|cause| cause.is::<LengthLimitError>()) => {
                return StatusCode::PAYLOAD_TOO_LARGE.into_response();
            }
            Ok(Err(_)) => return (StatusCode::BAD_REQUEST, "the body is broken off or malformed").into_response(),
            Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the body did not come in time").into_response(),
        };
        handle(Arc::new(session), http::Request::from_parts(parts, body), &self.policy).await.map(Body::from)
    }
}

/// The one bearer of a request; anything else is no credential here, and is never repeated (K-71).
fn bearer(headers: &HeaderMap) -> Option<Credential> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim_start_matches(' ');
    let sound = scheme.eq_ignore_ascii_case("bearer")
        && (1..=4_096).contains(&token.len())
        && token.bytes().all(|b| b.is_ascii_graphic());
    sound.then(|| Credential::token(token.to_owned()))
}

fn unauthorized() -> Response {
    let text = "send a token of the forge: `Authorization: Bearer <token>`";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], text).into_response()
}

/// Unknown is not dead (G-030): what is known goes along, so that an operator can see whose fault it is.
fn unknown(what: &str) -> Response {
    let text = format!("the forge cannot say whether this token is valid: {what}; try again later");
    (StatusCode::BAD_GATEWAY, text).into_response()
}

fn exhausted(seconds: u32) -> Response {
    let text = format!("this token's budget is used up; try again in {seconds} s");
    (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, HeaderValue::from(seconds))], text).into_response()
}
