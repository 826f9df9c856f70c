//! `assay serve`: the tools for many agents, each with its own forge token.

use std::net::SocketAddr;

use anyhow::Context as _;
use clap::Args;

use super::{
    Failed,
    connection::Connection,
    say,
    settings::{ByteCount, bytes, text},
    shown::shown,
};
use crate::{
    shutdown,
    surface::http::{Bounds, serve},
};

/// Serve the tools over streamable HTTP at /mcp; /mcp/healthz says that the service is up.
///
/// Every request carries its caller's own forge token as a bearer, and can do what that token can. Put a reverse proxy
/// with TLS before it: this listens in clear text.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    door: Door,
}

/// Where and how the server is reached.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct Door {
    /// Where to listen; port 0 takes any free port and prints it.
    #[arg(long, env = "GATEWAY_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Host names that requests may name, besides the loopback's; a reverse proxy's public name belongs here.
    #[arg(long, env = "GATEWAY_ALLOWED_HOSTS", value_delimiter = ',', value_parser = text, value_name = "HOST")]
    allowed_hosts: Vec<String>,
    /// Bytes of a request's body at the most (1KiB to 64MiB).
    #[arg(long, env = "GATEWAY_MAX_BODY", default_value_t = ByteCount(1 << 20), value_parser = bytes(1 << 10..=64 << 20), value_name = "BYTES")]
    max_body: ByteCount,
}

impl Serve {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let connected = self.connection.connect().await?;
        let listener = tokio::net::TcpListener::bind(self.door.listen)
            .await
            .with_context(|| format!("cannot listen on {}", self.door.listen))
            .map_err(Failed::Configuration)?;
        let address = listener.local_addr().map_err(|e| Failed::Fault(e.into()))?;
        let mut text = format!("listening on http://{address}/mcp");
        if let Some((forge, token)) = &connected.local {
            text.push_str(&format!("\nlocal forge: send `Authorization: Bearer {token}`"));
            for pull in forge.pulls() {
                text.push_str(&format!("\n  {}/{}#{}  {}", pull.owner, pull.repo, pull.index, shown(&pull.branch)));
            }
        }
        let max_body = usize::try_from(self.door.max_body.0).expect("64 MiB fit");
        let bounds = Bounds { allowed_hosts: self.door.allowed_hosts, max_body };
        let served = match say(&text) {
            Ok(()) => serve(listener, connected.engine, bounds, shutdown::requested(), shutdown::overdue())
                .await
                .map_err(|e| Failed::Fault(e.into())),
            Err(failed) => Err(failed),
        };
        if let Some((forge, _)) = connected.local {
            forge.shutdown().await;
        }
        served
    }
}
