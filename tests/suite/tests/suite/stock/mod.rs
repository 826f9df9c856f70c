//! Stock forges: what is proven there, what that costs on the wire, and who gets to see it.

mod access;
mod knobs;
mod load;
mod races;
mod wire_map;

use assay_kit::{AwkwardRepository, Outcome};
use assay_local_forge::{Accounts, Config, LocalForge, PullSummary, Source, Stock};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::stage::{ROOM, Stage};

const DIFF: &str = "get_pull_request_diff";
const LIST: &str = "list_pull_request_files";

/// A stock forge over one private repository, and an engine that asks it.
pub(crate) struct Scene {
    /// Dropped before what it asks.
    pub(crate) stage: Stage,
    pub(crate) forge: LocalForge,
    pub(crate) token: String,
    runtime: Runtime,
}

impl Scene {
    pub(crate) fn of(repository: &AwkwardRepository) -> Self {
        let (accounts, token) = Accounts::with_owner();
        Self::with(repository, accounts, &token, Stock::default())
    }

    pub(crate) fn with(repository: &AwkwardRepository, accounts: Accounts, token: &str, stock: Stock) -> Self {
        let source = Source { private: true, ..Source::from_path(repository.path()) };
        let config = Config { accounts, native_evidence: false, stock, ..Config::serving(vec![source]) };
        Self::serving(config, token)
    }

    pub(crate) fn serving(config: Config, token: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let forge = runtime.block_on(assay_local_forge::start(config)).expect("it starts");
        let stage = Stage::on(&forge.url());
        Self { stage, forge, token: token.to_owned(), runtime }
    }

    /// An engine that has read nothing yet.
    pub(crate) fn anew(&mut self) {
        self.stage = Stage::on(&self.forge.url());
    }

    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime.block_on(what)
    }

    pub(crate) fn pull(&self, branch: &str) -> PullSummary {
        self.forge.pulls().into_iter().find(|pull| pull.branch == branch).expect("every branch is one")
    }

    pub(crate) fn arguments(&self, branch: &str) -> Value {
        let pull = self.pull(branch);
        json!({"owner": pull.owner, "repo": pull.repo, "index": pull.index})
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Outcome {
        self.stage.call_as(&self.token, tool, &arguments.to_string(), ROOM)
    }

    pub(crate) fn page(&self, tool: &str, arguments: &Value) -> Value {
        match self.call(tool, arguments) {
            Outcome::Ok(text) => serde_json::from_str(&text).expect("an answer is JSON"),
            other => panic!("{tool} {arguments}: {other:?}"),
        }
    }

    /// Every byte of a diff, and the first page's receipt.
    pub(crate) fn whole(&self, arguments: &Value) -> (Vec<u8>, Value) {
        let mut arguments = arguments.clone();
        let first = self.page(DIFF, &arguments);
        let mut bytes = data(&first);
        let mut page = first.clone();
        while let Some(cursor) = page["next_cursor"].as_str() {
            arguments["cursor"] = cursor.into();
            page = self.page(DIFF, &arguments);
            assert_eq!(page["byte_offset"], bytes.len(), "pages follow each other");
            bytes.extend(data(&page));
        }
        assert_eq!(first["manifest"]["content"]["bytes"], bytes.len());
        (bytes, first["manifest"].clone())
    }
}

fn data(page: &Value) -> Vec<u8> {
    STANDARD.decode(page["data"].as_str().expect("data")).expect("canonical base64")
}

fn refused(outcome: Outcome) -> (String, String) {
    match outcome {
        Outcome::Refused { code, message } => (code, message),
        other => panic!("{other:?}"),
    }
}
