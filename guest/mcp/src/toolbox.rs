//! What the protocol serves: named tools behind one call.
//!
//! The host implements it with sandboxed components and one caller's credential; tests with a few lines.

use std::future::Future;

use assay_envelope::{RESULT_BYTES, Refusal};

use crate::{Catalogue, ResponseMode};

/// The tools of one caller.
pub trait Toolbox: Send + Sync + 'static {
    /// What is offered. The same for every request of one caller.
    fn catalogue(&self) -> &Catalogue;

    /// Bytes that the whole response to a call may take (G-084): at most [`RESULT_BYTES`].
    fn result_bytes(&self) -> usize {
        RESULT_BYTES
    }

    /// How much an answer tells where it leaves (P-012).
    fn response_mode(&self) -> ResponseMode {
        ResponseMode::Detailed
    }

    /// By what the request is found in the server's log: told beside a fault, which says nothing else.
    fn reference(&self) -> Option<&str> {
        None
    }

    /// Calls the tool `name`, which the catalogue lists, with `arguments`: the text of one JSON object.
    ///
    /// The answer is the text of the response's one block (G-037). Inside a JSON string it may take `room` bytes,
    /// escapes counted, the quotes around it not. Dropping the future ends the call.
    fn call(&self, name: &str, arguments: String, room: u32) -> impl Future<Output = Result<String, Failure>> + Send;
}

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No tool of that name after all: a protocol error, -32602 (G-035).
    UnknownTool,
    /// The tool will not answer and says why: a result that is an error (G-036).
    Refused(Refusal),
    /// A trap, a deadline, a bug: -32603 without detail (G-014).
    Fault,
}
