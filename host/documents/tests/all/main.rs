//! The store from outside: one suite, each test of it on a SQLite file and on a real PostgreSQL server.

mod ground;

mod append_only;
mod atomic;
mod constraints;
mod cycles;
mod equal;
mod history;
mod hostile;
mod locks;
mod opening;
mod opening_postgres;
mod opening_sqlite;
mod portable;
mod provisional;
mod rows;
mod scopes;
mod views;
mod writers;
