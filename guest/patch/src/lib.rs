//! Guarded text editing, decided without a database: what a request says, whether it applies, what must be stored.
//!
//! Everything here is a function of its arguments. The caller holds the locks, the rows and the clock, so the same code
//! runs in a component, in a test and in a replay of history that is years old.

pub mod apply;
mod failure;
mod hash;
pub mod json;
pub mod near;
mod profile;
pub mod record;
pub mod replay;
pub mod scopes;
pub mod submit;
pub mod text;

pub use failure::{Reason, Stage, Validity};
pub use hash::Sha256Hex;
pub use profile::{IdGrammar, Profile, Protocol, UnsupportedRuntime};
