//! The ports of both components over one forge, which keep nothing and wait for nothing.

use assay_forge::{ObjectId, object::Kind};
use assay_kit::{Reply, Said};
use assay_origin::{Answer, Fault, Lists, Method, Origin, OriginWrite, Pending, WriteFault};
use assay_tools_read::ports::{DiffKey, Draft, Encoding, KeptDiff, Objects, Proof, Reading, Settings, Source, Turn};

/// Whoever answers.
pub(crate) trait Answers {
    fn ask(&self, request: &Request<'_>) -> Reply;
}

/// What a tool asks, below the API root.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a [&'a [u8]],
    pub(crate) query: &'a [(&'a str, &'a str)],
    pub(crate) range: Option<(u64, u64)>,
    pub(crate) body: &'a [u8],
}

pub(crate) struct Over<'a> {
    pub(crate) forge: &'a dyn Answers,
    pub(crate) source: Source,
}

impl Origin for Over<'_> {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], range: Option<(u64, u64)>) -> Box<dyn Pending> {
        Box::new(Started(self.forge.ask(&Request { method: "GET", path, query, range, body: b"" })))
    }

    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        Origin::get(self, path, query, None)
    }
}

impl Lists for Over<'_> {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        Origin::get(self, path, query, None)
    }

    fn shows(&self, repositories: &[u64]) -> Result<Vec<bool>, Fault> {
        Ok(vec![true; repositories.len()])
    }
}

impl OriginWrite for Over<'_> {
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
        match self.forge.ask(&Request { method, path, query, range: None, body }) {
            Reply::Said(said) => Ok(Box::new(Heard(said))),
            Reply::Moved(status) => Err(WriteFault::Moved(status)),
            Reply::Unanswered | Reply::Unforeseen => Err(WriteFault::Uncertain("no answer came".to_owned())),
        }
    }
}

struct Started(Reply);

impl Pending for Started {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        match self.0 {
            Reply::Said(said) => Ok(Box::new(Heard(said))),
            Reply::Moved(status) => Err(Fault::Moved(status)),
            Reply::Unanswered | Reply::Unforeseen => Err(Fault::Transport("no answer came".to_owned())),
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

impl Objects for Over<'_> {
    fn has(&self, _: u64, _: &ObjectId) -> bool {
        false
    }

    fn get(&self, _: u64, _: &ObjectId) -> Option<(Kind, Vec<u8>)> {
        None
    }

    fn put(&self, _: u64, _: &ObjectId, _: Kind, content: Vec<u8>) -> Vec<u8> {
        content
    }

    fn draft(&self) -> Box<dyn Draft> {
        Box::new(Nothing)
    }

    fn find_diff(&self, _: &DiffKey) -> Option<Box<dyn KeptDiff>> {
        None
    }
}

impl Reading for Over<'_> {
    fn settings(&self) -> Settings {
        Settings {
            source: self.source,
            proof: Proof::Preferred,
            encoding: Encoding::Base64,
            proof_file_bytes: 16 << 20,
            result_bytes: 49_000,
        }
    }

    fn saw_evidence(&self) -> bool {
        false
    }

    fn note_evidence(&self) {}

    fn take_turn(&self) -> Box<dyn Turn> {
        Box::new(Nothing)
    }

    fn pause(&self, _: u32) {}
}

struct Nothing;

impl Turn for Nothing {}

impl Draft for Nothing {
    fn write(&mut self, _: &[u8]) -> bool {
        false
    }

    fn annotate(&mut self, _: &[u8]) -> bool {
        false
    }

    fn keep(self: Box<Self>, _: &DiffKey, _: &[u8]) -> bool {
        false
    }
}
