//! `make conformance`: the wire layer as `assay serve` mounts it, with a fixture behind it, on the loopback.
//!
//! The official suite sends no credential and asks for tools, prompts and resources by fixed names, so it cannot be run
//! against the program itself. Everything before a tool is the program's own: the HTTP layer, the wire guard, the server
//! with its budgets, the engine. It prints where it listens and serves until it is killed; see `run.sh`.

mod handler;
mod native;
mod sandbox;

use std::{io::Write as _, path::PathBuf, sync::Arc};

use anyhow::Result;
use assay_mcp::{
    Toolbox,
    http::{Policy, dispatch},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{Request, request::Parts},
    response::Response,
    routing::any,
};
use clap::Parser;
use tokio::net::TcpListener;

use self::handler::Fixture;

/// Bytes of a body, as the program takes by default.
const MAX_BODY: usize = 1 << 20;

/// Serves the fixture of the conformance suite on the loopback.
#[derive(Parser)]
struct Arguments {
    /// The port; 0 is any that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The fixture's component. Without it the same code runs natively, which tells a fault of the wire from one of the
    /// sandbox.
    component: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await?;
    match arguments.component {
        Some(component) => serve(listener, sandbox::load(&component)?).await,
        None => serve(listener, native::Native::new()?).await,
    }
}

async fn serve<T: Toolbox>(listener: TcpListener, toolbox: T) -> Result<()> {
    let served = Arc::new(Served { fixture: Fixture::new(toolbox), policy: Policy::new([], MAX_BODY) });
    let route = any(mcp::<T>).layer(DefaultBodyLimit::max(MAX_BODY));
    let app = Router::new().route("/mcp", route).with_state(served);
    let mut output = std::io::stdout();
    writeln!(output, "listening on http://{}/mcp", listener.local_addr()?)?;
    output.flush()?;
    Ok(axum::serve(listener, app).await?)
}

struct Served<T> {
    fixture: Fixture<T>,
    policy: Policy,
}

async fn mcp<T: Toolbox>(State(served): State<Arc<Served<T>>>, parts: Parts, body: Bytes) -> Response {
    dispatch(served.fixture.clone(), Request::from_parts(parts, body), &served.policy).await.map(Body::from)
}
