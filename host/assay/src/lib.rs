//! The program as a library: what the command line, the surfaces and the tests stand on.
//!
//! From the outside in: [`origin`] reaches the forge, [`engine`] runs components with the ports they may use, a
//! [`caller`] is who asks, [`budget`] says how often.

pub mod budget;
pub mod caller;
pub mod engine;
mod error;
pub mod origin;
mod ports;

pub use error::Error;
