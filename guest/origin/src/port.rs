//! The `origin-read` port as a trait, so that the tools run natively against a script.

use assay_envelope::Refusal;

/// GET below the forge's API root with the caller's credential.
pub trait Origin {
    /// Starts a request; several may be under way. Segments and pairs are raw, the port encodes them. `range` asks for the
    /// bytes from the first to the last offset.
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], range: Option<(u64, u64)>) -> Box<dyn Pending>;

    /// The same for a repository that may have been renamed: the host follows the forge to its new name (G-053).
    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending>;
}

/// A started request.
pub trait Pending {
    /// Waits for the response's head.
    ///
    /// # Errors
    /// Why there is no response.
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault>;
}

/// A response whose body is read as it comes.
pub trait Answer {
    /// The HTTP status.
    fn status(&self) -> u16;
    /// Every field in the order it came, names in lower case.
    fn headers(&self) -> Vec<(String, Vec<u8>)>;
    /// At most `max` bytes; none at the end.
    ///
    /// # Errors
    /// Why there is no more of the body.
    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault>;
}

/// Why there is no answer, or no more of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The host refused before anything was sent: the rule.
    Denied(String),
    /// The budget is used up: seconds until a unit is free.
    Budget(u32),
    /// No byte came for too long.
    TimedOut,
    /// A redirect, not followed: the status.
    Moved(u16),
    /// The connection could not be made, or broke.
    Transport(String),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Denied(rule) => {
                Self::new("request_denied", format!("The host refused the request before anything was sent: {rule}."))
            }
            // G-062: the words a client looks for.
            Fault::Budget(seconds) => Self::new(
                "rate_limited",
                format!(
                    "HTTP 429: this credential's read budget is used up; nothing was sent to the forge. \
                     Retry-After: {seconds}s."
                ),
            ),
            Fault::TimedOut => Self::new(
                "timed_out",
                "The forge sent nothing for as long as this server waits for a byte; nothing is shown of what came \
                 before. Try again; if it stays so, the forge or the way to it is at fault.",
            ),
            Fault::Moved(status) => Self::new(
                "redirected",
                format!(
                    "The forge answered with a redirect (HTTP {status}), which was not followed. Either the \
                     repository was renamed or moved (call again with its present owner and name), or the forge lives at \
                     another address than this server was given (http for https, another host, a path below it)."
                ),
            ),
            Fault::Transport(what) => Self::new(
                "transport_failed",
                format!(
                    "The exchange with the forge failed: {what}. Nothing is shown of what may have come. Try again; \
                     if it stays so, check the forge's address and the way to it (proxy, certificates)."
                ),
            ),
        }
    }
}
