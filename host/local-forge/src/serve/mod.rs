//! What a request goes through, from its connection to the one who answers it.

pub(crate) mod access;
pub(crate) mod log;
pub(crate) mod route;
pub(crate) mod routes;
pub(crate) mod sent;
pub(crate) mod server;
pub(crate) mod target;
