//! What fits into an answer, what a refusal is, how a tool describes itself and how its arguments are read.
//!
//! Every tool component and the protocol share these, so that a bound means the same on both sides of the
//! component's border. What an answer *says* is the tool's business; how a message is wrapped is the protocol's.

mod arguments;
mod escape;
mod leading;
mod refusal;
mod rows;
mod tool;
mod window;

pub use arguments::Arguments;
pub use escape::escaped_len;
pub use leading::fit_leading;
pub use refusal::Refusal;
pub use rows::{Row, fit_rows};
pub use tool::{Annotations, ToolSpec};
pub use window::{TooSmall, Unfit, Window, fit, fit_file, fit_text};

/// Bytes of a whole serialized response message, the default and the upper bound (D-064, G-084).
pub const RESULT_BYTES: usize = 49_000;
