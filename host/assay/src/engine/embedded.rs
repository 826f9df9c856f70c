//! The components that are part of the program: compiled by the build script, loaded without compiling.

use wasmtime::{Engine, component::Component};

/// Package names and compiled code.
const COMPONENTS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// Loads every embedded component; which one failed stands beside the failure.
pub(super) fn load(engine: &Engine) -> impl Iterator<Item = (&'static str, wasmtime::Result<Component>)> + '_ {
    COMPONENTS.iter().map(|(name, code)| (*name, deserialize(engine, code)))
}

#[allow(unsafe_code, reason = "code of our own build script's, out of the program's own image")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes are what `precompile_component` gave to the build script and were never anywhere that somebody
    // else could write to. Whether they suit this engine and this processor, wasmtime checks itself.
    unsafe { Component::deserialize(engine, code) }
}
