//! What the program costs, as ratios within one run: times and sizes of different runs or machines say nothing beside each
//! other. It ends with 1 where a ratio is beyond its bound.

mod crowd;
mod gateway;
mod processes;
mod proxy;
mod sandbox;
mod walk;

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use assay_host::{
    budget::{Budget, Rates},
    engine::{Engine, Parts},
    origin::{Origin, OriginConfig},
};

/// The arguments that make this program another process of the measurement: a forge, a bare proxy, a gateway for a crowd.
const SERVE: &str = "serve";
const PROXY: &str = "proxy";
const CROWD: &str = "crowd";
/// What the forge says nothing about, be it in a path or a token.
const HELD: &str = "held";

fn main() -> Result<()> {
    // One provider for the process; an Err says that it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [SERVE] => return sandbox::serve(),
        [PROXY, forge] => return proxy::serve((*forge).to_owned()),
        [CROWD, forge] => return crowd::serve(forge),
        _ => {}
    }
    type Part = (&'static str, fn() -> Result<bool>);
    const PARTS: [Part; 4] =
        [("sandbox", sandbox::run), ("gateway", gateway::run), ("crowd", crowd::run), ("walk", walk::run)];
    let mut within = true;
    for (_, run) in PARTS.iter().filter(|(name, _)| arguments.is_empty() || arguments.contains(name)) {
        within &= run()?;
    }
    if !within {
        std::process::exit(1);
    }
    Ok(())
}

/// The engine on a forge of the loopback, as the program sets it up, without a budget.
fn engine(url: &str) -> Result<Engine> {
    let rates = Rates { read: 0, write: 0, ..Rates::default() };
    Engine::new(Parts::new(Arc::new(origin(url)?), Arc::new(Budget::new(rates))))
}

fn origin(url: &str) -> Result<Origin> {
    let config = OriginConfig {
        url: url.to_owned(),
        ca_file: None,
        connect_timeout: Duration::from_secs(10),
        read_timeout: Duration::from_secs(60),
        user_agent: "assay-bench".to_owned(),
    };
    Ok(Origin::new(config)?)
}
