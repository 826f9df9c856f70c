//! The whole suite of `all` once more, on a PostgreSQL server of its own: the same tests, none left out.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "all/main.rs"]
mod all;
#[path = "on_postgres/proxy.rs"]
mod proxy;
#[path = "on_postgres/server.rs"]
mod server;

// What its rooms name by the root.
use all::*;
