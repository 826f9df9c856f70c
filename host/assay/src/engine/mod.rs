//! Runs tool components: one fresh instance a call, with the ports of its world and nothing else.
//!
//! A trap, a time that is used up or a memory that is full is the fault of that call alone; its reason goes to the log,
//! never to the caller. What a tool may reach is the business of [`crate::ports`], how it is compiled that of `config`.

mod authority;
mod clock;
mod config;
mod embedded;
#[cfg(test)]
mod fixture;
mod output;
mod state;
mod stop;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    thread,
    time::Duration,
};

use assay_envelope::Refusal;
use assay_mcp::{Catalogue, Failure, ToolSpec};
use tokio::sync::Semaphore;
use wasmtime::{
    Store, UpdateDeadline,
    component::{Component, Linker, Resource},
};

#[cfg(test)]
pub(crate) use self::clock::Meter;
use self::{
    authority::Authority,
    clock::{Clock, Next},
};
pub(crate) use self::{state::State, stop::Stop};
use crate::{
    Error,
    budget::{Budget, Key, Rates},
    caller::Caller,
    editing::Editing,
    keep::{Keep, KeepLimits},
    origin::Origin,
    ports::{CallerHandle, EveryPortPre, Own, Tool, ToolFailure},
    reading::{Reading, Settings},
};

/// Bytes of a refusal's code that a component may use.
const CODE_BYTES: usize = 64;

/// What one call may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of each linear memory; never more than 208 MiB.
    pub memory: usize,
    /// Processor time that a tool may take without anything new having come from the forge. What the host computes for
    /// it counts.
    pub time: Duration,
}

impl Limits {
    /// What calls need that prove files of that many bytes (O-015): 16 MiB for all else, and three times a file: what it
    /// was, what it becomes, and the section between them. 10 seconds.
    #[must_use]
    pub fn for_proofs(file_bytes: u64) -> Self {
        let files = usize::try_from(file_bytes).unwrap_or(usize::MAX).saturating_mul(3);
        let memory = files.saturating_add(16 << 20).min(config::MEMORY_BYTES);
        Self { memory, time: Duration::from_secs(10) }
    }
}

impl Default for Limits {
    /// 64 MiB and 10 seconds: for the default files of 16 MiB.
    fn default() -> Self {
        Self::for_proofs(Settings::default().proof_file_bytes)
    }
}

/// What an engine stands on: all that its calls share.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The forge.
    pub origin: Arc<Origin>,
    /// What callers may spend.
    pub budget: Arc<Budget>,
    /// What is kept between calls, of this one forge.
    pub keep: Arc<Keep>,
    /// How pull requests are read, and what was learned of this forge.
    pub reading: Arc<Reading>,
    /// What texts are edited on; without it the tools for that have no database.
    pub editing: Option<Arc<Editing>>,
    /// What one call may use.
    pub limits: Limits,
}

impl Parts {
    /// A forge and a budget, with the defaults of all else.
    #[must_use]
    pub fn new(origin: Arc<Origin>, budget: Arc<Budget>) -> Self {
        Self {
            origin,
            budget,
            keep: Arc::new(Keep::new(KeepLimits::default())),
            reading: Arc::default(),
            editing: None,
            limits: Limits::default(),
        }
    }
}

/// The components, ready to be called. It needs a tokio runtime with timers and I/O.
pub struct Engine {
    engine: wasmtime::Engine,
    clock: Clock,
    components: Vec<Loaded>,
    /// Which component has a tool.
    routes: HashMap<String, usize>,
    catalogue: Catalogue,
    parts: Parts,
    /// As many as there are places in the pool.
    turns: Semaphore,
}

struct Loaded {
    name: Arc<str>,
    pre: EveryPortPre<State>,
    imports: Vec<String>,
    authority: Authority,
}

impl Engine {
    /// Loads the embedded components and asks each what it offers.
    ///
    /// # Errors
    /// Where the machine does not let WebAssembly run, or its processor lacks what the components were compiled for.
    pub fn new(parts: Parts) -> anyhow::Result<Self> {
        let mut engine = Self::empty(parts)?;
        let linker = state::linker(&engine.engine).map_err(|error| Error::Engine(format!("{error:#}")))?;
        let loaded: Vec<_> = embedded::load(&engine.engine).collect();
        for (name, component) in loaded {
            engine.add(&linker, name, Authority::of(name), component)?;
        }
        Ok(engine.offer()?)
    }

    /// As [`Engine::new`], where no tool will be called: for what only wants the catalogue.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn without_origin(limits: Limits) -> anyhow::Result<Self> {
        let parts = Parts::new(Arc::new(Origin::nowhere()), Arc::new(Budget::new(Rates::default())));
        Self::new(Parts { limits, ..parts })
    }

    /// Compiles components from their bytes instead of taking the embedded ones.
    ///
    /// # Errors
    /// Where one is no component of the world `tools-read`, or wants more than that world's imports.
    pub fn compile(parts: Parts, components: &[(&str, &[u8])]) -> anyhow::Result<Self> {
        let mut engine = Self::empty(parts)?;
        let linker = state::linker(&engine.engine).map_err(|error| Error::Engine(format!("{error:#}")))?;
        for (name, bytes) in components {
            let component = Component::from_binary(&engine.engine, bytes);
            engine.add(&linker, name, authority::READ, component)?;
        }
        Ok(engine.offer()?)
    }

    /// The tools of all components, in the order of the components and of their own lists.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The forge.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.parts.origin
    }

    /// What callers may spend.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.parts.budget
    }

    /// What texts are edited on.
    #[must_use]
    pub fn editing(&self) -> Option<&Editing> {
        self.parts.editing.as_deref()
    }

    /// How pull requests are read.
    #[must_use]
    pub fn reading(&self) -> &Reading {
        &self.parts.reading
    }

    /// What each component imports, sorted: its permissions.
    #[must_use]
    pub fn imports(&self) -> BTreeMap<String, Vec<String>> {
        self.components.iter().map(|loaded| (loaded.name.to_string(), loaded.imports.clone())).collect()
    }

    /// Calls a tool in a fresh instance. `arguments` is a JSON object; the answer takes at most `room` bytes inside a
    /// JSON string. Dropping the future ends the call and breaks off its requests.
    ///
    /// # Errors
    /// The tool's refusal; a fault, whose reason is in the log; no tool of that name.
    pub async fn call(&self, caller: Arc<Caller>, name: &str, arguments: String, room: u32) -> Result<String, Failure> {
        let loaded = self.routes.get(name).and_then(|at| self.components.get(*at)).ok_or(Failure::UnknownTool)?;
        let own = self.own(loaded, &caller).map_err(Failure::Refused)?;
        let _turn = self.turns.acquire().await.map_err(|_| Failure::Fault)?;
        let _ticking = self.clock.call(Some(caller.key()));
        match self.run(loaded, caller, own, name, &arguments, room).await {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(ToolFailure::UnknownTool)) => Err(Failure::UnknownTool),
            Ok(Err(ToolFailure::Refused(refusal))) if is_code(&refusal.code) => {
                Err(Failure::Refused(Refusal::new(refusal.code, refusal.message)))
            }
            Ok(Err(ToolFailure::Refused(_))) => {
                tracing::error!(component = %loaded.name, tool = name, "a refusal without a code");
                Err(Failure::Fault)
            }
            Err(error) => {
                tracing::error!(component = %loaded.name, tool = name, "the call was stopped: {}", Stop::of(&error));
                Err(Failure::Fault)
            }
        }
    }

    async fn run(
        &self,
        loaded: &Loaded,
        caller: Arc<Caller>,
        own: Option<Own>,
        name: &str,
        arguments: &str,
        room: u32,
    ) -> wasmtime::Result<Result<String, ToolFailure>> {
        let mut store = self.store(loaded, Some(caller.key()));
        store.data_mut().own = own;
        let instance = loaded.pre.instantiate_async(&mut store).await?;
        let own = store.data_mut().table.push(CallerHandle(caller))?;
        let lent = Resource::new_borrow(own.rep());
        instance.assay_ports_tools().call_call_tool(&mut store, lent, name, arguments, room).await
    }

    /// Whose documents a call is about: each call is its own caller's, whoever else uses the process.
    fn own(&self, loaded: &Loaded, caller: &Caller) -> Result<Option<Own>, Refusal> {
        let editing = self.parts.editing.as_ref().filter(|_| loaded.authority.reaches_documents());
        editing.map(|editing| editing.owner(&self.parts.origin, caller).map(Own::of)).transpose()
    }

    async fn list(&self, loaded: &Loaded) -> wasmtime::Result<Vec<Tool>> {
        let mut store = self.store(loaded, None);
        let instance = loaded.pre.instantiate_async(&mut store).await?;
        instance.assay_ports_tools().call_list_tools(&mut store).await
    }

    fn store(&self, loaded: &Loaded, caller: Option<Key>) -> Store<State> {
        let meter = self.clock.meter(caller, self.parts.limits.time);
        let state = State::new(self.parts.clone(), meter, Arc::clone(&loaded.name));
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.growth);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut store| match store.data_mut().meter.tick() {
            Next::Yield => Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))),
            Next::StepBack(time) => Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::time::sleep(time)))),
            Next::Stop => Err(Stop::Time.into()),
        });
        store
    }

    fn empty(parts: Parts) -> Result<Self, Error> {
        let engine = config::config(None)
            .and_then(|config| wasmtime::Engine::new(&config))
            .map_err(|error| Error::Engine(format!("{error:#}")))?;
        let clock = Clock::start(&engine).map_err(|error| Error::Engine(error.to_string()))?;
        Ok(Self {
            engine,
            clock,
            components: Vec::new(),
            routes: HashMap::new(),
            catalogue: Catalogue::new(Vec::new()).expect("no tool is wrong where there is none"),
            parts,
            turns: Semaphore::new(usize::try_from(config::CONCURRENT_CALLS).expect("it is a small number")),
        })
    }

    fn add(
        &mut self,
        linker: &Linker<State>,
        name: &str,
        authority: Authority,
        component: wasmtime::Result<Component>,
    ) -> Result<(), Error> {
        let wrong =
            |error: wasmtime::Error| Error::Component { component: name.to_owned(), reason: format!("{error:#}") };
        let component = component.map_err(wrong)?;
        let ty = component.component_type();
        let mut imports: Vec<_> = ty.imports(&self.engine).map(|(import, _)| import.to_owned()).collect();
        imports.sort_unstable();
        if let Some(import) = authority.beyond(&imports) {
            let reason = format!("it wants the port {import}, which is not granted to it");
            return Err(Error::Component { component: name.to_owned(), reason });
        }
        let pre = linker.instantiate_pre(&component).and_then(EveryPortPre::new).map_err(wrong)?;
        self.components.push(Loaded { name: name.into(), pre, imports, authority });
        Ok(())
    }

    /// Asks every component for its tools.
    fn offer(mut self) -> Result<Self, Error> {
        let mut specs = Vec::new();
        let mut routes = HashMap::new();
        for (at, loaded) in self.components.iter().enumerate() {
            let wrong = |reason| Error::Component { component: loaded.name.to_string(), reason };
            let tools = self.listed(loaded).map_err(wrong)?;
            routes.extend(tools.iter().map(|tool| (tool.name.clone(), at)));
            specs.extend(tools.into_iter().map(spec));
            Catalogue::new(specs.clone()).map_err(|error| wrong(error.to_string()))?;
        }
        self.catalogue = Catalogue::new(specs).expect("it was checked with the last component's tools");
        self.routes = routes;
        Ok(self)
    }

    /// On a thread of its own: who makes an engine may be in the middle of a runtime, which cannot wait.
    fn listed(&self, loaded: &Loaded) -> Result<Vec<Tool>, String> {
        thread::scope(|scope| {
            let listing = scope.spawn(|| {
                let runtime =
                    tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
                let _ticking = self.clock.call(None);
                runtime.block_on(self.list(loaded)).map_err(|error| Stop::of(&error).to_string())
            });
            listing.join().unwrap_or_else(|_| Err("it could not be asked for its tools".to_owned()))
        })
    }
}

fn spec(tool: Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name,
        title: tool.title,
        toolset: tool.toolset,
        description: tool.description,
        input_schema: tool.input_schema,
        read_only: tool.read_only,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
        open_world: tool.open_world,
    }
}

fn is_code(code: &str) -> bool {
    (1..=CODE_BYTES).contains(&code.len()) && code.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
