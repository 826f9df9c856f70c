//! One MCP message in, one out.
//!
//! The official SDK speaks the protocol and its eras. This crate adds what the SDK leaves open: a guard that gives every
//! malformed message its JSON-RPC error, a catalogue that only publishes schemas clients can take, the exact room that a
//! tool's text has within its response, and the two transports behind the same guard. Past the SDK go the arguments of the
//! editing tools, as they were sent: [`Sent`]. It runs natively and in a component alike: no socket, no file, no clock of its
//! own. What a tool does is behind [`Toolbox`].

mod arguments;
mod budget;
mod catalogue;
mod choice;
mod full;
pub mod guard;
pub mod http;
pub mod lines;
mod response;
mod schema;
mod sent;
mod server;
mod toolbox;

pub use catalogue::{Catalogue, CatalogueError, ToolSpec};
pub use rmcp::model::JsonObject;

pub use choice::{Choice, DEFAULT_TOOLSETS, TOOLSETS, UnknownName};
pub use full::full_schemas;
pub use response::{ResponseMode, result_schemas};
pub use schema::SchemaFault;
pub use sent::{Arguments, ArgumentsError, EDITING_TOOLS, Flaw, Sent};
pub use server::Server;
pub use toolbox::{Failure, Toolbox};
