//! The forge of a case: each answer as often as it is asked for; of two for one target the first is given once.

use std::{cell::RefCell, collections::VecDeque};

use assay_kit::{ScriptedAnswer, case_run::target};
use assay_origin::{Answer, Fault, Lists, Origin, Pending};

pub(crate) struct Script {
    left: RefCell<Vec<ScriptedAnswer>>,
    seen: RefCell<Vec<String>>,
    /// Ids that the operator's list of repositories keeps back; nothing where they are not known.
    hidden: Option<Vec<u64>>,
}

impl Script {
    pub(crate) fn new(answers: Vec<ScriptedAnswer>) -> Self {
        Self { left: RefCell::new(answers), seen: RefCell::default(), hidden: Some(Vec::new()) }
    }

    /// With an operator's list of repositories that keeps these ids back, or whose ids the forge does not tell.
    pub(crate) fn hiding(mut self, hidden: Option<&[u64]>) -> Self {
        self.hidden = hidden.map(<[u64]>::to_vec);
        self
    }

    /// Every request, in order.
    pub(crate) fn seen(self) -> Vec<String> {
        self.seen.into_inner()
    }
}

impl Origin for Script {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], _: Option<(u64, u64)>) -> Box<dyn Pending> {
        Origin::get_following(self, path, query)
    }

    /// Following is the host's business: a redirect is told as one.
    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        let target = target(path, query);
        self.seen.borrow_mut().push(target.clone());
        let mut left = self.left.borrow_mut();
        let mut of_target = left.iter().enumerate().filter(|(_, answer)| answer.get == target);
        let first = of_target.next().map(|(at, answer)| (at, answer.clone()));
        let repeated = of_target.next().is_none();
        Box::new(Started(first.map(|(at, answer)| {
            if !repeated {
                left.remove(at);
            }
            answer
        })))
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

struct Started(Option<ScriptedAnswer>);

impl Pending for Started {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        let answer = self.0.ok_or_else(|| Fault::Transport("the script has no answer".to_owned()))?;
        let status = answer.response.status;
        if (300..400).contains(&status) && status != 304 {
            return Err(Fault::Moved(status));
        }
        let cut = answer.cut_after.unwrap_or(answer.response.body.len());
        let body = answer.response.body.get(..cut).expect("checked when the case was read");
        Ok(Box::new(Said {
            status,
            headers: answer.response.wire_headers(),
            body: body.iter().copied().collect(),
            cut: answer.cut_after.is_some(),
        }))
    }
}

struct Said {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: VecDeque<u8>,
    cut: bool,
}

impl Answer for Said {
    fn status(&self) -> u16 {
        self.status
    }

    fn headers(&self) -> Vec<(String, Vec<u8>)> {
        self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
    }

    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
        if self.body.is_empty() && self.cut {
            return Err(Fault::Transport("the connection broke".to_owned()));
        }
        let count = self.body.len().min(usize::try_from(max).expect("fits")).min(997);
        Ok(self.body.drain(..count).collect())
    }
}
