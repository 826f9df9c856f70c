//! The component's border: the WIT world on one side, the tools on the other.

#![allow(unsafe_code, missing_docs, reason = "generated bindings")]

use assay_envelope::Refusal;
use assay_origin::{Answer, Fault, Method, Origin, OriginWrite, Pending, WriteFault};

use crate::ports::Ports;

wit_bindgen::generate!({ world: "tools-write", path: "../../wit" });

use assay::ports::{origin_read as port, origin_write as write_port};
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
        let ports = Ports { origin: &port, write: &port };
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

impl OriginWrite for Port<'_> {
    fn send(
        &self,
        method: Method,
        path: &[&[u8]],
        query: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Box<dyn Answer>, WriteFault> {
        let method = match method {
            Method::Post => write_port::Method::Post,
            Method::Put => write_port::Method::Put,
            Method::Patch => write_port::Method::Patch,
            Method::Delete => write_port::Method::Delete,
        };
        let answer = write_port::send(self.caller, method, &raw(path), &owned(query), body).map_err(fault_of_write)?;
        Ok(Box::new(answer))
    }
}

fn fault_of_write(fault: write_port::Fault) -> WriteFault {
    match fault {
        write_port::Fault::Denied(rule) => WriteFault::Unsent(Fault::Denied(rule)),
        write_port::Fault::Budget(seconds) => WriteFault::Unsent(Fault::Budget(seconds)),
        write_port::Fault::Unsent(what) => WriteFault::Unsent(Fault::Transport(what)),
        write_port::Fault::Moved(status) => WriteFault::Moved(status),
        write_port::Fault::Uncertain(what) => WriteFault::Uncertain(what),
    }
}
