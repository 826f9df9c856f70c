//! Compiles the components ahead of time, so that a start costs no compilation and no code is loaded from a file.
//!
//! The components themselves are built before, for their own target: see `make components`.

#[allow(dead_code, reason = "the engine uses the rest of it")]
#[path = "src/engine/config.rs"]
mod config;

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow};

/// The embedded components: package names, whose files have underscores.
const COMPONENTS: &[&str] = &["assay-tools-patch", "assay-tools-read", "assay-tools-write"];

fn main() {
    for input in ["build.rs", "src/engine/config.rs", "../../wit"] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rerun-if-env-changed=ASSAY_COMPONENTS");
    if let Err(error) = embed() {
        println!("cargo::error={}", format!("{error:#}").replace('\n', "; "));
    }
}

/// Writes the compiled components and `components.rs`, which includes them.
fn embed() -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    let folder = folder(&out)?;
    let target = env::var("TARGET")?;
    let engine = config::config(Some(&target))
        .and_then(|config| wasmtime::Engine::new(&config))
        .map_err(|error| anyhow!("components cannot be compiled for {target} on this machine: {error:#}"))?;
    let mut list = "&[".to_owned();
    for component in COMPONENTS {
        let wasm = folder.join(component.replace('-', "_")).with_extension("wasm");
        println!("cargo::rerun-if-changed={}", wasm.display());
        let bytes = fs::read(&wasm).map_err(|error| {
            anyhow!(
                "{}: {error}: run `make components` first (or `cargo build -p {component} --target wasm32-wasip2 \
                 --profile guest`), or name the folder of the built components in ASSAY_COMPONENTS",
                wasm.display()
            )
        })?;
        let code = engine.precompile_component(&bytes).map_err(|error| anyhow!("{}: {error:#}", wasm.display()))?;
        let compiled = out.join(component).with_extension("cwasm");
        fs::write(&compiled, code)?;
        writeln!(list, "(\"{component}\", include_bytes!({compiled:?})),")?;
    }
    list.push(']');
    fs::write(out.join("components.rs"), list)?;
    Ok(())
}

/// Where the built components are: beside what is being built, in whatever target folder that is.
fn folder(out: &Path) -> Result<PathBuf> {
    if let Some(folder) = env::var_os("ASSAY_COMPONENTS") {
        return Ok(folder.into());
    }
    // OUT_DIR is <target>/[<triple>/]<profile>/build/<package>/out.
    let near = |up: usize| out.ancestors().nth(up).map(|target| target.join("wasm32-wasip2").join("guest"));
    let plain = near(4).context("OUT_DIR lies in a target folder")?;
    Ok(near(5).filter(|folder| !plain.is_dir() && folder.is_dir()).unwrap_or(plain))
}
