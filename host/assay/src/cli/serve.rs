//! `assay serve`: the tools for many agents, each with its own forge token.

use std::{
    future::pending,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use anyhow::Context as _;
use clap::Args;
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;

use super::{
    Failed,
    connection::Connection,
    editing::EditingOverHttp,
    offer::Offer,
    say,
    settings::{ByteCount, bytes, text, whole},
    shown::shown,
};
use crate::{
    budget::Rates,
    metrics, shutdown,
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
    offer: Offer,
    #[command(flatten)]
    door: Door,
    #[command(flatten)]
    editing: EditingOverHttp,
}

/// Where and how the server is reached.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct Door {
    /// Where to listen; port 0 takes any free port and prints it.
    #[arg(long, env = "GATEWAY_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Where to show what is counted, for Prometheus, at /metrics; nowhere without it. Let no stranger reach it.
    #[arg(long, env = "GATEWAY_METRICS", value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
    /// Host names that requests may name, besides the loopback's; a reverse proxy's public name belongs here.
    #[arg(long, env = "GATEWAY_ALLOWED_HOSTS", value_delimiter = ',', value_parser = text, value_name = "HOST")]
    allowed_hosts: Vec<String>,
    /// Networks of reverse proxies whose X-Real-IP is believed [default: the loopback].
    #[arg(long, env = "GATEWAY_TRUSTED_EDGE", value_delimiter = ',', value_parser = network, value_name = "CIDR")]
    trusted_edge: Vec<String>,
    /// Bytes of a request's body at the most (1KiB to 64MiB).
    ///
    /// JSON may write one byte as six: the longest text that is edited, 1 MiB, fits into 8MiB whatever it holds.
    #[arg(long, env = "GATEWAY_MAX_BODY", default_value_t = ByteCount(1 << 20), value_parser = bytes(1 << 10..=64 << 20), value_name = "BYTES")]
    max_body: ByteCount,
    /// Connections at once; more wait (1 to 65536).
    #[arg(long, env = "GATEWAY_MAX_CONNECTIONS", default_value_t = 2_048, value_parser = whole(1..=65_536), value_name = "CONNECTIONS")]
    max_connections: u32,
    /// Requests at once; more are answered with 503 (1 to 65536).
    #[arg(long, env = "GATEWAY_MAX_CALLS", default_value_t = 1_024, value_parser = whole(1..=65_536), value_name = "REQUESTS")]
    max_calls: u32,
    /// Requests of one token at once; more are answered with 429 (1 to 65536).
    #[arg(long, env = "GATEWAY_MAX_CALLS_PER_TOKEN", default_value_t = 64, value_parser = whole(1..=65_536), value_name = "REQUESTS")]
    max_calls_per_token: u32,
    /// Requests with a credential that the forge does not know, from one address in each window; 0 lifts the bound.
    #[arg(long, env = "GATEWAY_RATE_STRANGERS", default_value_t = 60, value_parser = whole(0..=u32::MAX), value_name = "REQUESTS")]
    rate_strangers: u32,
    /// Seconds for which a token that the forge accepted is not asked about again (0 to 60).
    ///
    /// 0 asks at every request. More is faster, and lets a token that was revoked or has expired live on for that long.
    #[arg(long, env = "GATEWAY_PREFLIGHT_TTL", default_value_t = 0, value_parser = whole(0..=60), value_name = "SECONDS")]
    preflight_ttl: u32,
}

/// A network is kept as it was written, for showing.
fn network(text: &str) -> Result<String, String> {
    parse_network(text)
        .map(|_| text.to_owned())
        .ok_or_else(|| format!("`{}` is neither an address nor a network such as 10.0.0.0/8", shown(text)))
}

fn parse_network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

impl Door {
    fn bounds(&self, window: Duration) -> Bounds {
        let count = |number: u32| usize::try_from(number).expect("at most 65,536");
        let default = Bounds::default();
        let edge: Vec<IpNet> = self.trusted_edge.iter().filter_map(|text| parse_network(text)).collect();
        Bounds {
            allowed_hosts: self.allowed_hosts.clone(),
            max_body: usize::try_from(self.max_body.0).expect("64 MiB fit"),
            trusted_edge: if edge.is_empty() { default.trusted_edge } else { edge },
            strangers: Rates { read: self.rate_strangers, write: 0, window },
            preflight_ttl: Duration::from_secs(self.preflight_ttl.into()),
            max_connections: count(self.max_connections),
            max_calls: count(self.max_calls),
            max_calls_per_token: count(self.max_calls_per_token),
            ..default
        }
    }
}

impl Serve {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let editing = self.editing.open(&self.offer).await?;
        let connected = self.connection.connect_with(editing.clone()).await?;
        let catalogue = self.editing.profiled(self.offer.on(&connected)?)?;
        let listener = bind(self.door.listen).await?;
        let address = listener.local_addr().map_err(|e| Failed::Fault(e.into()))?;
        let mut text = format!("listening on http://{address}/mcp");
        if let Some((forge, token)) = &connected.local {
            text.push_str(&format!("\nlocal forge: send `Authorization: Bearer {token}`"));
            for pull in forge.pulls() {
                text.push_str(&format!("\n  {}/{}#{}  {}", pull.owner, pull.repo, pull.index, shown(&pull.branch)));
            }
        }
        let metering = self.metering().await?;
        if let Some((_, listener)) = &metering {
            let address = listener.local_addr().map_err(|e| Failed::Fault(e.into()))?;
            text.push_str(&format!("\nmetrics on http://{address}/metrics"));
        }
        if !address.ip().is_loopback() {
            tracing::warn!("{address} is no loopback address: whoever reaches it sends tokens in clear text");
        }
        let response_mode = self.editing.response_mode();
        let bounds = Bounds { response_mode, ..self.door.bounds(self.connection.window()) };
        let counting = metering.map(|(handle, listener)| tokio::spawn(metrics::serve(listener, handle, pending())));
        let served = match say(&text) {
            Ok(()) => serve(listener, connected.engine, catalogue, bounds, shutdown::requested(), shutdown::overdue())
                .await
                .map_err(|e| Failed::Fault(e.into())),
            Err(failed) => Err(failed),
        };
        if let Some(counting) = counting {
            counting.abort();
        }
        if let Some((forge, _)) = connected.local {
            forge.shutdown().await;
        }
        if let Some(editing) = editing {
            editing.close().await;
        }
        served
    }

    /// What is counted, and where it is shown.
    async fn metering(&self) -> Result<Option<(PrometheusHandle, TcpListener)>, Failed> {
        let Some(address) = self.door.metrics else { return Ok(None) };
        let listener = bind(address).await?;
        let handle = metrics::install().map_err(Failed::Fault)?;
        Ok(Some((handle, listener)))
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failed> {
    let bound = TcpListener::bind(address).await;
    bound.with_context(|| format!("cannot listen on {address}")).map_err(Failed::Configuration)
}
