//! Why there is no answer, or no more of it: told in sentences of ours, whatever the layers below would say.
//!
//! Their own texts may name a URL or repeat what came; none of that passes here (D-077).

use std::{error::Error, io};

use rustls::CertificateError;

/// Why there is no answer, or no more of it. No text holds a URL, a header, a byte that came, or a credential.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Refused before anything was sent: the rule.
    #[error("denied: {0}")]
    Denied(String),
    /// The caller's budget is used up: whole seconds until a unit is free again.
    #[error("the budget is used up for {0} s")]
    Budget(u32),
    /// No byte came for as long as the origin waits for one.
    #[error("no byte came in time")]
    TimedOut,
    /// A redirect, which was not followed: the status.
    #[error("redirected with status {0}")]
    Moved(u16),
    /// The connection could not be made, or broke: what is known about it.
    #[error("{0}")]
    Transport(String),
}

/// Why there is no answer to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteFault {
    /// Nothing was sent: the reason is as for a read.
    Unsent(Fault),
    /// A redirect, which was not followed: the status.
    Moved(u16),
    /// It was sent, in part or whole, and no answer came: what is known about it (G-160).
    Uncertain(String),
}

impl Fault {
    pub(crate) fn denied(rule: &str) -> Self {
        Self::Denied(rule.to_owned())
    }

    fn transport(what: &str) -> Self {
        Self::Transport(what.to_owned())
    }
}

/// Of a request that has no head of an answer yet.
pub(super) fn of_request(error: reqwest::Error) -> Fault {
    if error.is_builder() {
        return Fault::denied("the credential holds a character that no header can carry");
    }
    if let Some(error) = find::<rustls::Error>(&error) {
        return Fault::transport(tls(error));
    }
    if error.is_connect() {
        return Fault::transport(connecting(&error));
    }
    Fault::transport(speaking(&error, "the connection ended before an answer came"))
}

/// Of a write that has no head of an answer yet. A request whose connection could not be made was not sent.
pub(super) fn of_write(error: reqwest::Error) -> WriteFault {
    let unsent = error.is_builder() || error.is_connect();
    match of_request(error) {
        fault if unsent => WriteFault::Unsent(fault),
        fault => WriteFault::Uncertain(fault.to_string()),
    }
}

/// Whether a connection that had been made ended before an answer came.
pub(super) fn broke_off(error: &reqwest::Error) -> bool {
    let ended = |kind| {
        matches!(
            kind,
            io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
        )
    };
    let spoken = find::<hyper::Error>(error).is_some_and(hyper::Error::is_incomplete_message);
    !error.is_connect() && (spoken || find::<io::Error>(error).map(io::Error::kind).is_some_and(ended))
}

/// Of a body that was begun.
pub(super) fn of_body(error: reqwest::Error) -> Fault {
    Fault::transport(speaking(&error, "the connection ended before the answer did"))
}

fn connecting(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        return "no connection could be made within the time that is given to it";
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => "the connection was refused: nothing listens at the forge's address",
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => {
            "the forge's host cannot be reached"
        }
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof) => {
            "the connection was closed while it was being made"
        }
        // The connector says so in no other way.
        _ if chain(error).any(|cause| cause.to_string() == "dns error") => {
            "the forge's host name, or the proxy's, could not be resolved"
        }
        _ => "no connection could be made to the forge, or to the proxy before it",
    }
}

/// K-75: a certificate that is not trusted is told apart, and so is what to do.
fn tls(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            // The signature is wrong where another authority goes by the same name.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "the forge's certificate is signed by no authority that is trusted here; if the forge has an authority \
                 of its own, give its certificate (PEM) with --ca-file"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the forge's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the forge's certificate is not valid yet; is the clock right?"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the forge's certificate is for another host name"
            }
            _ => "the forge's certificate is not acceptable",
        },
        rustls::Error::InvalidMessage(_) => "what answered at the forge's address does not speak TLS",
        _ => "TLS could not be agreed on with the forge",
    }
}

fn speaking(error: &reqwest::Error, ended: &'static str) -> &'static str {
    if let Some(error) = find::<hyper::Error>(error) {
        if error.is_incomplete_message() {
            return ended;
        }
        if error.is_parse() {
            return "what came is no well-formed HTTP answer";
        }
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::UnexpectedEof) => ended,
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe) => {
            "the connection was broken off"
        }
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => "the answer's framing is malformed",
        _ => "the connection broke",
    }
}

fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    chain(error).find_map(|cause| cause.downcast_ref::<E>())
}

/// An error and what caused it, through the I/O errors that carry another one but do not say so.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(carried) => Some(carried as &(dyn Error + 'static)),
        None => error.source(),
    })
}
