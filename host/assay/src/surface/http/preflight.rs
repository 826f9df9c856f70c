//! Asks the forge whether a bearer is a token of its, before anything else is done for it (G-028, G-029).

use crate::{
    caller::Caller,
    origin::{Fault, Origin},
};

/// What the forge says of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A token: it may lack the scope that would name its owner (403), which says nothing against it.
    Accepted,
    /// None of the forge's (401).
    Refused,
    /// Neither: the status.
    Unknown(u16),
}

/// One `GET /user` as the caller. The budget was asked before.
pub(super) async fn ask(origin: &Origin, caller: &Caller) -> Result<Verdict, Fault> {
    let answer = origin.get(caller, &[b"user"], &[]).await?;
    Ok(match answer.status() {
        200 | 403 => Verdict::Accepted,
        401 => Verdict::Refused,
        status => Verdict::Unknown(status),
    })
}
