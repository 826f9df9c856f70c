//! Histories that replay, and histories that do not.

mod broken;
mod history;
mod model;
mod profiles;
mod random;
