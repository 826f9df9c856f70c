//! The `origin-write` port as a trait.

use assay_envelope::Refusal;

use crate::{Answer, Fault};

/// What is done to what a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Adds to it.
    Post,
    /// Puts something in its place.
    Put,
    /// Changes a part of it.
    Patch,
    /// Takes it away.
    Delete,
}

/// Writes below the forge's API root with the caller's credential.
pub trait OriginWrite {
    /// Sends one request with a JSON body, at most once (G-160). Segments and pairs are raw, the port encodes them. An
    /// empty body is none.
    ///
    /// # Errors
    /// Why there is no answer, and whether anything may have been done.
    fn send(
        &self,
        method: Method,
        path: &[&[u8]],
        query: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Box<dyn Answer>, WriteFault>;
}

/// Why there is no answer to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteFault {
    /// Nothing was sent: the reason is as for a read.
    Unsent(Fault),
    /// A redirect, not followed: the status. The forge did nothing where it was asked.
    Moved(u16),
    /// It was sent, in part or whole, and no answer came: whether it was done is not known. What is known about it.
    Uncertain(String),
}

impl WriteFault {
    /// The refusal. `find_out` says how the caller learns whether the write was done, as a sentence of its own.
    #[must_use]
    pub fn refusal(self, find_out: &str) -> Refusal {
        match self {
            Self::Unsent(Fault::Budget(seconds)) => Refusal::new(
                "rate_limited",
                format!(
                    "HTTP 429: this credential's write budget is used up; nothing was sent to the forge and nothing was \
                     changed. Retry-After: {seconds}s."
                ),
            ),
            Self::Unsent(fault) => fault.into(),
            Self::Moved(status) => Refusal::new(
                "redirected",
                format!(
                    "The forge answered with a redirect (HTTP {status}), which is never followed for a write; nothing was \
                     changed. Either the repository was renamed or moved (call again with its present owner and name), or \
                     the forge lives at another address than this server was given."
                ),
            ),
            Self::Uncertain(what) => Refusal::new(
                "delivery_uncertain",
                format!(
                    "The request was sent once and no answer came: {what}. Whether the forge did it is not known, and it \
                     was not sent again. {find_out}"
                ),
            ),
        }
    }
}
