//! The component's border: the WIT world on one side, the tools on the other.

#![allow(unsafe_code, missing_docs, reason = "generated bindings")]

use assay_envelope::Refusal;

use crate::origin::{Answer, Fault, Origin, Pending};

wit_bindgen::generate!({ world: "tools-read", path: "../../wit" });

use assay::ports::origin_read as port;
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
        tool.call(&Port { caller }, &arguments, room).map_err(|Refusal { code, message }| {
            exported::Failure::Refused(exported::Refusal { code: code.into_owned(), message })
        })
    }
}

/// The host's port with the caller it is used for.
struct Port<'a> {
    caller: &'a port::Caller,
}

impl Origin for Port<'_> {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        let path: Vec<Vec<u8>> = path.iter().map(|segment| segment.to_vec()).collect();
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Box::new(port::get(self.caller, &path, &query))
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
