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
            // A read's words would leave open whether anything was sent.
            Self::Unsent(Fault::Transport(what)) => unsent(&what),
            Self::Unsent(Fault::TimedOut) => unsent("no byte came in time"),
            Self::Unsent(fault) => fault.into(),
            // RFC 9110, 15.4.4: it leads to what a request that was done has made.
            Self::Moved(303) => Refusal::new(
                "delivery_uncertain",
                format!(
                    "The forge, or a proxy before it, answered with a redirect to something else (HTTP 303), which is never \
                     followed for a write. Whether it was done is not known, and it was not sent again. {find_out}"
                ),
            ),
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

fn unsent(what: &str) -> Refusal {
    Refusal::new(
        "transport_failed",
        format!(
            "The forge could not be reached: {what}. Nothing was sent to it and nothing was changed. Try again; if it stays so, \
             check the forge's address and the way to it (proxy, certificates)."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-160: what was not sent is told as not sent, and a redirect that a request which was done can have as uncertain.
    #[test]
    fn what_is_known_is_told() {
        let told = |fault: WriteFault| fault.refusal("Look first.");
        for fault in [Fault::Transport("the connection was refused".to_owned()), Fault::TimedOut] {
            let refusal = told(WriteFault::Unsent(fault));
            assert_eq!(refusal.code, "transport_failed");
            assert!(refusal.message.contains("Nothing was sent to it and nothing was changed"), "{refusal}");
        }
        let unsent =
            [Fault::Denied("a rule".to_owned()), Fault::Budget(7)].map(|fault| told(WriteFault::Unsent(fault)));
        assert!(unsent.iter().all(|refusal| refusal.message.contains("sent")), "{unsent:?}");
        for (status, is_certain) in [(301, true), (302, true), (303, false), (307, true), (308, true)] {
            let refusal = told(WriteFault::Moved(status));
            assert_eq!(refusal.code == "redirected", is_certain, "{refusal}");
            assert_eq!(refusal.message.contains("nothing was changed"), is_certain, "{refusal}");
            assert_eq!(refusal.message.contains("Look first."), !is_certain, "{refusal}");
        }
    }
}
