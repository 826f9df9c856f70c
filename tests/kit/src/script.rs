//! The forge of a case without a socket: for a component's tests, which make ports of it.
//!
//! Each answer is given as often as it is asked for; of two for one request the first is given once. Following a redirect
//! is the host's business: here it is told as one.

use std::{cell::RefCell, collections::VecDeque};

use crate::{case::ScriptedAnswer, case_run::Asked};

/// Bytes that are read at once: small on purpose.
const PIECE_BYTES: usize = 997;

/// What is left to be said, and what was asked.
#[derive(Debug)]
pub struct Script {
    left: RefCell<Vec<ScriptedAnswer>>,
    seen: RefCell<Vec<Asked>>,
}

/// What comes of a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The script has no answer.
    Unforeseen,
    /// The connection ended before an answer.
    Unanswered,
    /// A redirect: the status.
    Moved(u16),
    /// An answer.
    Said(Said),
}

/// An answer that is read as it comes.
#[derive(Clone, Debug)]
pub struct Said {
    /// The status.
    pub status: u16,
    /// Every field in the order it came, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    body: VecDeque<u8>,
    is_cut: bool,
}

impl Script {
    /// A forge that says this.
    #[must_use]
    pub fn new(answers: Vec<ScriptedAnswer>) -> Self {
        Self { left: RefCell::new(answers), seen: RefCell::default() }
    }

    /// Asks it.
    pub fn ask(&self, method: &str, target: &str, body: &[u8]) -> Reply {
        let asked = Asked { method: method.to_owned(), target: target.to_owned(), body: body.to_vec() };
        let mut left = self.left.borrow_mut();
        let mut answers = left.iter().enumerate().filter(|(_, answer)| asked.is_for(answer));
        let first = answers.next().map(|(at, answer)| (at, answer.clone()));
        let is_last = answers.next().is_none();
        self.seen.borrow_mut().push(asked);
        let Some((at, answer)) = first else { return Reply::Unforeseen };
        if !is_last {
            left.remove(at);
        }
        Reply::from(answer)
    }

    /// Every request, in order.
    #[must_use]
    pub fn seen(self) -> Vec<Asked> {
        self.seen.into_inner()
    }
}

impl From<ScriptedAnswer> for Reply {
    fn from(answer: ScriptedAnswer) -> Self {
        let ScriptedAnswer { response, cut_after, unanswered, .. } = answer;
        let status = response.status;
        if unanswered {
            return Self::Unanswered;
        }
        if (300..400).contains(&status) && status != 304 {
            return Self::Moved(status);
        }
        let headers = response.wire_headers().into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let cut = cut_after.unwrap_or(response.body.len());
        let body = response.body.get(..cut).expect("checked when the case was read").iter().copied().collect();
        Self::Said(Said { status, headers: headers.collect(), body, is_cut: cut_after.is_some() })
    }
}

impl Said {
    /// At most `max` bytes; empty at the end, nothing where the connection breaks before it.
    pub fn read(&mut self, max: u32) -> Option<Vec<u8>> {
        if self.body.is_empty() && self.is_cut {
            return None;
        }
        let count = self.body.len().min(usize::try_from(max).expect("fits")).min(PIECE_BYTES);
        Some(self.body.drain(..count).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Response;

    fn answer(method: &'static str, status: u16, body: &str) -> ScriptedAnswer {
        ScriptedAnswer { method, ..ScriptedAnswer::get("/a", Response::new(status, body)) }
    }

    #[test]
    fn a_script_answers_in_order_and_by_method() {
        let cut = ScriptedAnswer { cut_after: Some(1), ..answer("PUT", 200, "two") };
        let script = Script::new(vec![answer("GET", 200, "one"), cut, answer("GET", 301, ""), answer("GET", 404, "x")]);
        let status = |method: &str| match script.ask(method, "/a", b"b") {
            Reply::Said(said) => said.status,
            Reply::Moved(status) => status + 1_000,
            Reply::Unanswered | Reply::Unforeseen => 0,
        };
        assert_eq!(["GET", "GET", "GET", "GET", "POST"].map(status), [200, 1_301, 404, 404, 0]);
        let Reply::Said(mut said) = script.ask("PUT", "/a", b"") else { panic!("it has one") };
        assert_eq!((said.read(9), said.read(9)), (Some(b"t".to_vec()), None));
        assert_eq!(script.seen().len(), 6);
    }
}
