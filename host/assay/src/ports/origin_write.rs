//! The port `origin-write`: one request that changes something, sent once on one call's account (G-160).

use reqwest::Method;
use wasmtime::component::Resource;

use super::{CallerHandle, bindings::assay::ports::origin_write as port, origin_read::Open};
use crate::{
    engine::State,
    origin::{Fault, WriteFault},
};

impl port::Host for State {
    async fn send(
        &mut self,
        caller: Resource<CallerHandle>,
        method: port::Method,
        path: Vec<Vec<u8>>,
        query: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> wasmtime::Result<Result<Resource<Open>, port::Fault>> {
        let reach = self.reach(&caller)?;
        let (target, place) = match (self.origin.target(&path, &query, None), self.place()) {
            (Ok(target), Ok(place)) => (target, place),
            (Err(fault), _) | (_, Err(fault)) => return Ok(Err(WriteFault::Unsent(fault).into())),
        };
        let method = match method {
            port::Method::Post => Method::POST,
            port::Method::Put => Method::PUT,
            port::Method::Patch => Method::PATCH,
            port::Method::Delete => Method::DELETE,
        };
        let before = self.meter.before_wait();
        let sent = reach.write(method, target, body).await;
        self.meter.after_wait(before, sent.is_ok());
        Ok(match sent {
            Ok(answer) => Ok(self.table.push(Open { answer, _place: place })?),
            Err(fault) => Err(fault.into()),
        })
    }
}

impl From<WriteFault> for port::Fault {
    fn from(fault: WriteFault) -> Self {
        match fault {
            WriteFault::Unsent(Fault::Denied(rule)) => Self::Denied(rule),
            WriteFault::Unsent(Fault::Budget(seconds)) => Self::Budget(seconds),
            WriteFault::Unsent(Fault::Moved(status)) | WriteFault::Moved(status) => Self::Moved(status),
            WriteFault::Unsent(fault) => Self::Unsent(fault.to_string()),
            WriteFault::Uncertain(what) => Self::Uncertain(what),
        }
    }
}
