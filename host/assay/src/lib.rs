//! The program as a library: what the command line, the surfaces and the tests stand on.
//!
//! From the outside in: [`cli`] reads the command line, [`surface`] is the two ways in, [`session`] is one caller's view of
//! the [`engine`], which runs components with the ports they may use; [`origin`] reaches the forge. A [`caller`] is who
//! asks, [`budget`] says how often, [`shutdown`] when to stop. [`reading`] is how pull requests are read, [`keep`] what is
//! kept of them between calls.

pub mod budget;
pub mod caller;
pub mod cli;
pub mod editing;
pub mod engine;
mod error;
pub mod keep;
#[cfg(test)]
mod loopback;
pub mod metrics;
pub mod origin;
mod ports;
pub mod reading;
pub mod session;
pub mod shutdown;
pub mod surface;

pub use error::Error;
