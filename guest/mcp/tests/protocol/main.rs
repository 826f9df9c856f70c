//! The protocol as a client meets it: raw bytes in, raw bytes out, over both transports and in both eras.

#![allow(clippy::unwrap_used, reason = "tests")]

mod bench;
mod http;
mod lines;
mod room;
mod sent;
