//! Component: `echo` answers with its arguments, `endless` computes for ever. For measuring what one caller costs others.

#[cfg(target_family = "wasm")]
mod component;
