//! The port `origin-lists`: lists of repositories, and which of their rows may be shown.

use wasmtime::component::Resource;

use super::{CallerHandle, bindings::assay::ports::origin_lists as port, origin_read::Pending};
use crate::engine::State;

impl port::Host for State {
    fn get(
        &mut self,
        caller: Resource<CallerHandle>,
        path: Vec<Vec<u8>>,
        query: Vec<(String, String)>,
    ) -> wasmtime::Result<Resource<Pending>> {
        let target = self.origin.target(&path, &query, None);
        self.start(&caller, target, |reach, target| async move { reach.list(target).await })
    }

    async fn shows(
        &mut self,
        caller: Resource<CallerHandle>,
        repositories: Vec<u64>,
    ) -> wasmtime::Result<Result<Vec<bool>, port::Fault>> {
        let reach = self.reach(&caller)?;
        let before = self.meter.before_wait();
        let shown = reach.shows(&repositories).await;
        self.meter.after_wait(before, shown.is_ok());
        Ok(shown.map_err(Into::into))
    }
}
