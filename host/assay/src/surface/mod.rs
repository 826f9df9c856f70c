//! The two ways in: standard input and output for one agent, HTTP for many.

pub mod http;
pub mod stdio;
