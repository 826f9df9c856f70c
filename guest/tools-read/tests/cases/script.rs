//! The forge of a case as the ports of this component.

use assay_kit::{Asked, Reply, Said, ScriptedAnswer, case_run::target};
use assay_origin::{Answer, Fault, Lists, Origin, Pending};

pub(crate) struct Script {
    forge: assay_kit::Script,
    /// Ids that the operator's list of repositories keeps back; nothing where they are not known.
    hidden: Option<Vec<u64>>,
}

impl Script {
    pub(crate) fn new(answers: Vec<ScriptedAnswer>) -> Self {
        Self { forge: assay_kit::Script::new(answers), hidden: Some(Vec::new()) }
    }

    /// With an operator's list of repositories that keeps these ids back, or whose ids the forge does not tell.
    pub(crate) fn hiding(mut self, hidden: Option<&[u64]>) -> Self {
        self.hidden = hidden.map(<[u64]>::to_vec);
        self
    }

    /// Every request, in order.
    pub(crate) fn seen(self) -> Vec<Asked> {
        self.forge.seen()
    }
}

impl Origin for Script {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], _: Option<(u64, u64)>) -> Box<dyn Pending> {
        Origin::get_following(self, path, query)
    }

    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        Box::new(Started(self.forge.ask("GET", &target(path, query), b"")))
    }
}

impl Lists for Script {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        self.get_following(path, query)
    }

    fn shows(&self, repositories: &[u64]) -> Result<Vec<bool>, Fault> {
        let hidden = self.hidden.as_ref().ok_or(Fault::TimedOut)?;
        Ok(repositories.iter().map(|id| !hidden.contains(id)).collect())
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

struct Heard(Said);

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
