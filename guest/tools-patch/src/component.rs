//! The component's border: the WIT world on one side, the tools on the other.

#![allow(unsafe_code, missing_docs, reason = "generated bindings")]

use assay_envelope::Refusal;

use crate::ports;

wit_bindgen::generate!({ world: "tools-patch", path: "../../wit" });

use assay::ports::{callers::Caller, documents as port, workspace as workspace_port};
use exports::assay::ports::tools as exported;

struct Component;
export!(Component);

impl exported::Guest for Component {
    fn list_tools() -> Vec<exported::Tool> {
        let tool = |tool: &crate::Tool| {
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
        };
        crate::TOOLS.iter().map(tool).collect()
    }

    fn call_tool(caller: &Caller, name: String, arguments: String, room: u32) -> Result<String, exported::Failure> {
        let tool = crate::find(&name).ok_or(exported::Failure::UnknownTool)?;
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let ports = ports::Ports { documents: &Documents(caller), workspace: &Workspace };
        tool.call(ports, &arguments, room).map_err(|Refusal { code, message }| {
            exported::Failure::Refused(exported::Refusal { code: code.into_owned(), message })
        })
    }
}

/// The host's port with the caller it is used for.
struct Documents<'a>(&'a Caller);

impl ports::Documents for Documents<'_> {
    fn view(&self) -> ports::Outcome<Box<dyn ports::Session>> {
        Ok(Box::new(port::view(self.0)?))
    }

    fn begin(&self) -> ports::Outcome<Box<dyn ports::Session>> {
        Ok(Box::new(port::begin(self.0)?))
    }
}

/// The rows as tools see them.
pub(crate) mod rows {
    pub use super::port::{
        Appended, Attempt, AttemptFacts, AttemptFilter, Checkpointed, Created, Entry, EntryFacts, Fault, LedgerFilter,
        Origin, Scope, ScopeSnapshot, Snapshot, State, Synced, Target,
    };
    pub use super::workspace_port::{Destination, Failed, File, Published, Refusal};
}

impl ports::Session for port::Session {
    fn target(&mut self, id: &str) -> ports::Outcome<Option<rows::Target>> {
        port::Session::target(self, id)
    }

    fn attempts(&mut self, target: &str, filter: &rows::AttemptFilter) -> ports::Outcome<Vec<rows::Attempt>> {
        port::Session::attempts(self, target, filter)
    }

    fn attempt(&mut self, target: &str, id: &str, with_content: bool) -> ports::Outcome<Option<rows::Attempt>> {
        port::Session::attempt(self, target, id, with_content)
    }

    fn keyed(&mut self, target: &str, client_request_id: &str) -> ports::Outcome<Option<rows::Attempt>> {
        port::Session::keyed(self, target, client_request_id)
    }

    fn accepted_after(&mut self, target: &str, sequence: u64, limit: u32) -> ports::Outcome<Vec<rows::Attempt>> {
        port::Session::accepted_after(self, target, sequence, limit)
    }

    fn ledger(&mut self, target: &str, filter: &rows::LedgerFilter) -> ports::Outcome<Vec<rows::Entry>> {
        port::Session::ledger(self, target, *filter)
    }

    fn ledger_of(&mut self, attempt: &str) -> ports::Outcome<Vec<rows::Entry>> {
        port::Session::ledger_of(self, attempt)
    }

    fn initial_snapshot(&mut self, target: &str) -> ports::Outcome<Option<rows::Snapshot>> {
        port::Session::initial_snapshot(self, target)
    }

    fn scope_snapshot(&mut self, id: &str) -> ports::Outcome<Option<rows::ScopeSnapshot>> {
        port::Session::scope_snapshot(self, id)
    }

    fn scopes(&mut self, snapshot: &str, ids: &[String]) -> ports::Outcome<Vec<rows::Scope>> {
        port::Session::scopes(self, snapshot, ids)
    }

    fn create(&mut self, origin: rows::Origin, state: rows::State) -> ports::Outcome<rows::Created> {
        port::Session::create(self, &origin, &state)
    }

    fn lock(&mut self, id: &str) -> ports::Outcome<Option<rows::Target>> {
        port::Session::lock(self, id)
    }

    fn append(
        &mut self,
        facts: rows::AttemptFacts,
        pdcp_content: String,
        entries: Vec<rows::EntryFacts>,
        state: Option<rows::State>,
    ) -> ports::Outcome<rows::Appended> {
        port::Session::append(self, &facts, &pdcp_content, &entries, state.as_ref())
    }

    fn checkpoint(
        &mut self,
        target: &str,
        publication_json: Option<String>,
        synced: Option<rows::Synced>,
    ) -> ports::Outcome<rows::Checkpointed> {
        port::Session::checkpoint(self, target, publication_json.as_deref(), synced.as_ref())
    }

    fn put_scopes(
        &mut self,
        target: &str,
        version: u64,
        current_hash: &str,
        scopes: Vec<rows::Scope>,
    ) -> ports::Outcome<rows::ScopeSnapshot> {
        port::Session::put_scopes(self, target, version, current_hash, &scopes)
    }

    fn commit(self: Box<Self>) -> ports::Outcome<()> {
        port::Session::commit(&self)
    }
}

/// The host's port.
struct Workspace;

impl ports::Workspace for Workspace {
    fn identity(&self) -> Option<String> {
        workspace_port::identity()
    }

    fn read(&self, path: &str, max: u64) -> Result<rows::File, rows::Refusal> {
        workspace_port::read(path, max)
    }

    fn publish(&self, path: &str, expected_sha256: &str, content: &[u8]) -> Result<rows::Published, rows::Failed> {
        workspace_port::publish(path, expected_sha256, content)
    }
}
