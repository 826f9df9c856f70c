//! What the program costs, as ratios within one run: times and sizes of different runs or machines say nothing beside each
//! other. It ends with 1 where a ratio is beyond its bound.

mod sandbox;
mod walk;

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use assay_host::{
    budget::{Budget, Rates},
    engine::{Engine, Parts},
    origin::{Origin, OriginConfig},
};

/// The argument that makes this program the forge of its other process.
const SERVE: &str = "serve";

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some(SERVE) {
        return sandbox::serve();
    }
    let within = [sandbox::run()?, walk::run()?];
    if within.contains(&false) {
        std::process::exit(1);
    }
    Ok(())
}

/// The engine on a forge of the loopback, as the program sets it up, without a budget.
fn engine(url: &str) -> Result<Engine> {
    let origin = Origin::new(OriginConfig {
        url: url.to_owned(),
        ca_file: None,
        connect_timeout: Duration::from_secs(10),
        read_timeout: Duration::from_secs(60),
        user_agent: "assay-bench".to_owned(),
    })?;
    let rates = Rates { read: 0, write: 0, ..Rates::default() };
    Engine::new(Parts::new(Arc::new(origin), Arc::new(Budget::new(rates))))
}
