//! Decisions, as tables: what is refused where, in which order, and what is stored of it.

mod acceptance;
mod any;
mod bundles;
mod desk;
mod encoding;
mod evidence;
mod keys;
mod limits;
mod order;
mod parents;
mod python;
mod reasons;
