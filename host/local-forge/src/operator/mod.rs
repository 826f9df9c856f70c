//! What is settled by whoever runs a forge: what it serves and to whom, in what it differs from the recorded one, and
//! what is done to it while it serves.

pub(crate) mod accounts;
pub(crate) mod config;
pub(crate) mod control;
pub(crate) mod live;
pub(crate) mod scissors;
pub(crate) mod stock;
