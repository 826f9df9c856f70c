//! What the program costs, as ratios within one run: times and sizes of different runs or machines say nothing beside each
//! other. It ends with 1 where a ratio is beyond its bound.

mod sandbox;
mod walk;

use anyhow::Result;

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
