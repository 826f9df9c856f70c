//! The component's border: the WIT world on one side, the tools on the other.

#![allow(unsafe_code, missing_docs, reason = "generated bindings")]

use assay_envelope::Refusal;
use assay_forge::{ObjectId, object::Kind};
use assay_origin::{Answer, Fault, Lists, Origin, Pending};

use crate::ports::{DiffKey, Draft, Encoding, KeptDiff, Objects, Ports, Proof, Reading, Settings, Source, Turn};

wit_bindgen::generate!({ world: "tools-read", path: "../../wit" });

use assay::ports::{objects, origin_lists as lists, origin_read as port, reading};
use exports::assay::ports::tools as exported;

struct Component;
export!(Component);

impl exported::Guest for Component {
    fn list_tools() -> Vec<exported::Tool> {
        crate::TOOLS
            .iter()
            .map(|tool| {
                let spec = tool.spec();
                exported::Tool {
                    name: tool.name.to_owned(),
                    description: spec.description(),
                    title: spec.title,
                    toolset: spec.toolset,
                    input_schema: spec.input_schema.get().to_owned(),
                    read_only: spec.annotations.read_only_hint,
                    destructive: spec.annotations.destructive_hint,
                    idempotent: spec.annotations.idempotent_hint,
                    open_world: spec.annotations.open_world_hint,
                }
            })
            .collect()
    }

    fn call_tool(
        caller: &port::Caller,
        name: String,
        arguments: String,
        room: u32,
    ) -> Result<String, exported::Failure> {
        let tool = crate::find(&name).ok_or(exported::Failure::UnknownTool)?;
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let port = Port { caller };
        let ports = Ports { origin: &port, lists: &port, objects: &Host, reading: &Host };
        tool.call(ports, &arguments, room).map_err(|Refusal { code, message }| {
            exported::Failure::Refused(exported::Refusal { code: code.into_owned(), message })
        })
    }
}

/// The host's port with the caller it is used for.
struct Port<'a> {
    caller: &'a port::Caller,
}

impl Origin for Port<'_> {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], range: Option<(u64, u64)>) -> Box<dyn Pending> {
        Box::new(port::get(self.caller, &raw(path), &owned(query), range))
    }

    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        Box::new(port::get_following(self.caller, &raw(path), &owned(query)))
    }
}

fn raw(path: &[&[u8]]) -> Vec<Vec<u8>> {
    path.iter().map(|segment| segment.to_vec()).collect()
}

fn owned(query: &[(&str, &str)]) -> Vec<(String, String)> {
    query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

impl Lists for Port<'_> {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        Box::new(lists::get(self.caller, &raw(path), &owned(query)))
    }

    fn shows(&self, repositories: &[u64]) -> Result<Vec<bool>, Fault> {
        Ok(lists::shows(self.caller, repositories)?)
    }
}

impl Pending for port::Pending {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        Ok(Box::new(port::Pending::wait(&self)?))
    }
}

impl Answer for port::Answer {
    fn status(&self) -> u16 {
        port::Answer::status(self)
    }

    fn headers(&self) -> Vec<(String, Vec<u8>)> {
        port::Answer::headers(self)
    }

    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
        Ok(port::Answer::read(self, max)?)
    }
}

impl From<port::Fault> for Fault {
    fn from(fault: port::Fault) -> Self {
        match fault {
            port::Fault::Denied(rule) => Self::Denied(rule),
            port::Fault::Budget(seconds) => Self::Budget(seconds),
            port::Fault::TimedOut => Self::TimedOut,
            port::Fault::Moved(status) => Self::Moved(status),
            port::Fault::Transport(what) => Self::Transport(what),
        }
    }
}

/// The host's ports that belong to no caller.
struct Host;

impl Objects for Host {
    fn has(&self, repository: u64, id: &ObjectId) -> bool {
        objects::has(repository, id.as_bytes())
    }

    fn get(&self, repository: u64, id: &ObjectId) -> Option<(Kind, Vec<u8>)> {
        let object = objects::get(repository, id.as_bytes())?;
        let kind = match object.kind {
            objects::Kind::Commit => Kind::Commit,
            objects::Kind::Tree => Kind::Tree,
            objects::Kind::Blob => Kind::Blob,
            objects::Kind::Tag => Kind::Tag,
        };
        Some((kind, object.content))
    }

    fn put(&self, repository: u64, id: &ObjectId, kind: Kind, content: Vec<u8>) -> Vec<u8> {
        let kind = match kind {
            Kind::Commit => objects::Kind::Commit,
            Kind::Tree => objects::Kind::Tree,
            Kind::Blob => objects::Kind::Blob,
            Kind::Tag => objects::Kind::Tag,
        };
        let object = objects::Object { kind, content };
        objects::put(repository, id.as_bytes(), &object);
        object.content
    }

    fn draft(&self) -> Box<dyn Draft> {
        Box::new(objects::Draft::new())
    }

    fn find_diff(&self, key: &DiffKey) -> Option<Box<dyn KeptDiff>> {
        Some(Box::new(objects::find_diff(&key.into())?))
    }
}

impl From<&DiffKey> for objects::DiffKey {
    fn from(key: &DiffKey) -> Self {
        Self {
            repository: key.repository,
            merge_base: key.merge_base.as_bytes().to_vec(),
            head: key.head.as_bytes().to_vec(),
            sha256: key.sha256.to_vec(),
        }
    }
}

impl Draft for objects::Draft {
    fn write(&mut self, bytes: &[u8]) -> bool {
        Self::write(self, bytes)
    }

    fn annotate(&mut self, bytes: &[u8]) -> bool {
        Self::annotate(self, bytes)
    }

    fn keep(self: Box<Self>, key: &DiffKey, receipt: &[u8]) -> bool {
        Self::keep(&self, &key.into(), receipt)
    }
}

impl KeptDiff for objects::Diff {
    fn receipt(&self) -> Vec<u8> {
        Self::receipt(self)
    }

    fn length(&self) -> u64 {
        Self::length(self)
    }

    fn read(&self, offset: u64, max: u32) -> Vec<u8> {
        Self::read(self, offset, max)
    }

    fn read_annotations(&self, offset: u64, max: u32) -> Vec<u8> {
        Self::read_annotations(self, offset, max)
    }
}

impl Reading for Host {
    fn settings(&self) -> Settings {
        let settings = reading::settings();
        Settings {
            source: match settings.source {
                reading::Source::Auto => Source::Auto,
                reading::Source::Evidence => Source::Evidence,
                reading::Source::Observed => Source::Observed,
            },
            proof: match settings.proof {
                reading::Proof::Preferred => Proof::Preferred,
                reading::Proof::Required => Proof::Required,
                reading::Proof::Off => Proof::Off,
            },
            encoding: match settings.encoding {
                reading::Encoding::Base64 => Encoding::Base64,
                reading::Encoding::Text => Encoding::Text,
                reading::Encoding::Auto => Encoding::Auto,
            },
            proof_file_bytes: settings.proof_file_bytes,
            result_bytes: settings.result_bytes,
        }
    }

    fn saw_evidence(&self) -> bool {
        reading::saw_evidence()
    }

    fn note_evidence(&self) {
        reading::note_evidence();
    }

    fn take_turn(&self) -> Box<dyn Turn> {
        Box::new(reading::take_turn())
    }

    fn pause(&self, milliseconds: u32) {
        reading::pause(milliseconds);
    }
}

impl Turn for reading::Turn {}
