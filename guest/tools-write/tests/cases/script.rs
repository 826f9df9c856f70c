//! The forge of a case as the ports of this component.

use assay_kit::{Asked, Reply, Said, ScriptedAnswer, case_run::target};
use assay_origin::{Answer, Fault, Method, Origin, OriginWrite, Pending, WriteFault};

pub(crate) struct Script(assay_kit::Script);

impl Script {
    pub(crate) fn new(answers: Vec<ScriptedAnswer>) -> Self {
        Self(assay_kit::Script::new(answers))
    }

    /// Every request, in order.
    pub(crate) fn seen(self) -> Vec<Asked> {
        self.0.seen()
    }
}

impl Origin for Script {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], _: Option<(u64, u64)>) -> Box<dyn Pending> {
        Box::new(Started(self.0.ask("GET", &target(path, query), b"")))
    }

    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        self.get(path, query, None)
    }
}

impl OriginWrite for Script {
    fn send(
        &self,
        method: Method,
        path: &[&[u8]],
        query: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Box<dyn Answer>, WriteFault> {
        let method = match method {
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        };
        match self.0.ask(method, &target(path, query), body) {
            Reply::Said(said) => Ok(Box::new(Heard(said))),
            Reply::Moved(status) => Err(WriteFault::Moved(status)),
            Reply::Unanswered => Err(WriteFault::Uncertain("the connection ended before an answer came".to_owned())),
            Reply::Unforeseen => Err(WriteFault::Unsent(Fault::Transport("the script has no answer".to_owned()))),
        }
    }
}

struct Started(Reply);

impl Pending for Started {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        match self.0 {
            Reply::Said(said) => Ok(Box::new(Heard(said))),
            Reply::Moved(status) => Err(Fault::Moved(status)),
            Reply::Unanswered => Err(Fault::Transport("the connection ended".to_owned())),
            Reply::Unforeseen => Err(Fault::Transport("the script has no answer".to_owned())),
        }
    }
}

pub(crate) struct Heard(pub(crate) Said);

impl Answer for Heard {
    fn status(&self) -> u16 {
        self.0.status
    }

    fn headers(&self) -> Vec<(String, Vec<u8>)> {
        self.0.headers.clone()
    }

    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
        self.0.read(max).ok_or_else(|| Fault::Transport("the connection broke".to_owned()))
    }
}
