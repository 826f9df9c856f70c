//! A write's answer: read once it was done, and given so that what was done is never lost.

use std::io::BufReader;

use assay_envelope::{Refusal, escaped_len};
use assay_forge::written::Fault;
use assay_origin::{Answer, Body, Method, Origin, OriginWrite, Pending, head, refuse};
use serde::Serialize;

use crate::status::{self, About};

/// Bytes of an answer that are read at the most: what was sent comes back in it, escaped.
const ENTITY_BYTES: u64 = 32 * 1024 * 1024;

/// A body that is read as it comes.
pub(crate) type Reader<'a, 'b> = BufReader<&'a mut Body<'b>>;

/// Sends a creation once, and reads what was made from the one success that it has. `own` tells what a status means for
/// this tool alone.
pub(crate) fn create<T>(
    write: &dyn OriginWrite,
    path: &[&[u8]],
    request: &impl Serialize,
    about: About<'_>,
    own: impl FnOnce(u16) -> Option<Refusal>,
    parse: impl FnOnce(Reader<'_, '_>) -> Result<T, Fault>,
) -> Result<T, Refusal> {
    let sent = write.send(Method::Post, path, &[], &body(request));
    let mut answered = sent.map_err(|fault| fault.refusal(about.find_out))?;
    match answered.status() {
        201 => read(answered.as_mut(), about.find_out, parse),
        status => Err(own(status).unwrap_or_else(|| status::refused(&head(answered.as_ref()), about))),
    }
}

/// Reads the answer to a write that was done. Where it cannot be read, that is all that is known (G-160).
pub(crate) fn read<T>(
    answer: &mut dyn Answer,
    find_out: &str,
    parse: impl FnOnce(Reader<'_, '_>) -> Result<T, Fault>,
) -> Result<T, Refusal> {
    let status = answer.status();
    let unread = |what: &str| {
        Refusal::new(
            "delivery_uncertain",
            format!(
                "The forge says that it did it (HTTP {status}), but {what}; nothing of the answer is shown, and the request \
                 was not sent again. {find_out}"
            ),
        )
    };
    head(answer).json_entity().map_err(|rule| unread(&format!("its answer does not come as plain JSON: {rule}")))?;
    let mut body = Body::new(answer, ENTITY_BYTES);
    let parsed = parse(BufReader::new(&mut body));
    match body.fault() {
        Some(_) => Err(unread("its answer broke off")),
        None => parsed.map_err(|fault| unread(&fault.to_string())),
    }
}

/// Reads the forge's JSON, for what a write needs to know before it or after it.
pub(crate) fn read_json<T, E: Into<assay_forge::Error>>(
    pending: Box<dyn Pending>,
    parse: impl FnOnce(Reader<'_, '_>) -> Result<T, E>,
) -> Result<T, Refusal> {
    let mut answer = pending.wait()?;
    assay_forge::http::judge_json(&head(answer.as_ref())).map_err(refuse)?;
    let mut body = Body::new(answer.as_mut(), ENTITY_BYTES);
    let parsed = parse(BufReader::new(&mut body));
    body.outcome(parsed)
}

/// The same of a route below a repository.
pub(crate) fn get_json<T, E: Into<assay_forge::Error>>(
    origin: &dyn Origin,
    path: &[&[u8]],
    parse: impl FnOnce(Reader<'_, '_>) -> Result<T, E>,
) -> Result<T, Refusal> {
    read_json(origin.get(path, &[], None), parse)
}

/// The answer, if it fits. Where it does not, `done` says in few words what was done.
pub(crate) fn fitted(answer: &impl Serialize, room: usize, done: &str) -> Result<String, Refusal> {
    let text = serde_json::to_string(answer).expect("its members have string keys");
    if escaped_len(&text) <= room {
        return Ok(text);
    }
    Err(Refusal::new(
        "answer_too_large",
        format!("It was done: {done}. Do not call again: only the answer does not fit into its bound."),
    ))
}

/// What of a text the forge stored otherwise than it was sent. A title that was cut, a body that was changed.
pub(crate) fn differing<'a>(pairs: &[(&'a str, Option<&str>, &str)]) -> Vec<&'a str> {
    let other = pairs.iter().filter(|(_, stored, sent)| *stored != Some(*sent));
    other.map(|(name, _, _)| *name).collect()
}

/// The JSON of a request's body.
pub(crate) fn body(request: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(request).expect("its members have string keys")
}
