//! Why a call was stopped, in words of ours: what the runtime says may repeat names that a guest chose.

use wasmtime::{Trap, component::ResourceTableError};
use wasmtime_wasi::I32Exit;

/// The reason, for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    #[error("its time is used up")]
    Time,
    #[error("its memory is full")]
    Memory,
    #[error("it ended itself")]
    Exit,
    #[error("it used a handle that is not its own, or too many")]
    Handle,
    #[error("{0}")]
    Trap(Trap),
    #[error("a request of its broke down")]
    Request,
    #[error("a kept diff could not be read back from its file, and was forgotten")]
    Unreadable,
    #[error("it could not be run")]
    Other,
}

impl Stop {
    /// Finds the reason in what the runtime reports.
    pub(super) fn of(error: &wasmtime::Error) -> Self {
        if let Some(stop) = error.downcast_ref::<Self>() {
            stop.clone()
        } else if let Some(trap) = error.downcast_ref::<Trap>() {
            Self::Trap(*trap)
        } else if error.downcast_ref::<I32Exit>().is_some() {
            Self::Exit
        } else if error.downcast_ref::<ResourceTableError>().is_some() {
            Self::Handle
        } else if error.downcast_ref::<tokio::task::JoinError>().is_some() {
            Self::Request
        } else {
            Self::Other
        }
    }
}
