//! `assay serve`: the tools for many agents, each with its own forge token.

use std::net::SocketAddr;

use anyhow::Context as _;
use clap::Args;

use super::{Failed, connection::Connection, say, shown};
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
    /// Where to listen; port 0 takes any free port and prints it.
    #[arg(long, env = "GATEWAY_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Host names that requests may name, besides the loopback's; a reverse proxy's public name belongs here.
    #[arg(long, env = "GATEWAY_ALLOWED_HOSTS", value_delimiter = ',', value_name = "HOST")]
    allowed_hosts: Vec<String>,
    /// Bytes of a request's body at the most.
    #[arg(long, env = "GATEWAY_MAX_BODY", default_value_t = 1_048_576, value_parser = clap::value_parser!(u32).range(1_024..=67_108_864), value_name = "BYTES")]
    max_body: u32,
}

impl Serve {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let connected = self.connection.connect().await?;
        let listener = tokio::net::TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("cannot listen on {}", self.listen))
            .map_err(Failed::Configuration)?;
        let address = listener.local_addr().map_err(|e| Failed::Fault(e.into()))?;
        let mut text = format!("listening on http://{address}/mcp");
        if let Some((forge, token)) = &connected.local {
            text.push_str(&format!("\nlocal forge: send `Authorization: Bearer {token}`"));
            for pull in forge.pulls() {
                text.push_str(&format!("\n  {}/{}#{}  {}", pull.owner, pull.repo, pull.index, shown(&pull.branch)));
            }
        }
        let bounds =
            Bounds { allowed_hosts: self.allowed_hosts, max_body: usize::try_from(self.max_body).expect("a u32 fits") };
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
