//! What stands behind one call: its handles, its bounds, and a WASI in which there is nothing.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{
    ResourceLimiter,
    component::{HasData, HasSelf, Linker, ResourceTable},
};
use wasmtime_wasi::{
    WasiCtx, WasiCtxView, WasiView,
    cli::{WasiCli, WasiCliView as _},
    p2::bindings::{cli, io},
};

use super::{Parts, clock::Meter, config, output::Output, stop::Stop};
use crate::{
    budget::Budget,
    editing::Editing,
    keep::Keep,
    origin::{Origin, Reach},
    ports::{EveryPort, OPEN_REQUESTS, Own, PAUSES},
    reading::Reading,
};

/// Handles of all kinds that a call may hold: its requests, its diffs and the standard streams need a few.
const HANDLES: usize = 128;

/// Elements of one table, which are the pool's as well.
const TABLE_ELEMENTS: usize = 20_000;

/// The data of one call's store.
pub(crate) struct State {
    pub(crate) table: ResourceTable,
    pub(crate) origin: Arc<Origin>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) keep: Arc<Keep>,
    pub(crate) reading: Arc<Reading>,
    pub(crate) editing: Option<Arc<Editing>>,
    /// Whose documents the call is about, where it may be about any.
    pub(crate) own: Option<Own>,
    pub(crate) open_requests: Arc<Semaphore>,
    /// What the call may reach, once it has asked for anything.
    pub(crate) reach: Option<Reach>,
    /// The call's turn, while it holds one.
    pub(crate) turn: Weak<OwnedSemaphorePermit>,
    /// How long it may still pause.
    pub(crate) pauses: Duration,
    pub(crate) meter: Meter,
    pub(super) growth: Growth,
    wasi: WasiCtx,
}

impl State {
    pub(crate) fn new(parts: Parts, meter: Meter, component: Arc<str>) -> Self {
        let Parts { origin, budget, keep, reading, editing, limits } = parts;
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES);
        let output = Output::of(component);
        Self {
            table,
            origin,
            budget,
            keep,
            reading,
            editing,
            own: None,
            open_requests: Arc::new(Semaphore::new(OPEN_REQUESTS)),
            reach: None,
            turn: Weak::new(),
            pauses: PAUSES,
            meter,
            growth: Growth { memory: limits.memory.min(config::MEMORY_BYTES) },
            // No environment, no arguments, no input, no folder, no network: what the builder starts with.
            wasi: WasiCtx::builder().stdout(output.clone()).stderr(output).build(),
        }
    }
}

impl State {
    /// The database, for a call that has an owner.
    pub(crate) fn editing(&self) -> Option<Arc<Editing>> {
        self.own.as_ref().and(self.editing.clone())
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// How far a guest may grow. Past it the call stops at once, with the reason: a guest that is told that there is no more
/// memory can do nothing but stop, and would say less about it.
pub(super) struct Growth {
    memory: usize,
}

impl ResourceLimiter for Growth {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        if desired <= self.memory { Ok(true) } else { Err(Stop::Memory.into()) }
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::Memory.into())
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }
}

struct Io;

impl HasData for Io {
    type Data<'a> = &'a mut ResourceTable;
}

/// Links the ports of every world, of which a component gets those that it imports, and of WASI the names that Rust's standard library imports on its own
/// account. Clocks, randomness, files and sockets are not among them: a component that wants one is not loaded.
pub(super) fn linker(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    io::error::add_to_linker::<State, Io>(l, |state| &mut state.table)?;
    io::poll::add_to_linker::<State, Io>(l, |state| &mut state.table)?;
    io::streams::add_to_linker::<State, Io>(l, |state| &mut state.table)?;
    cli::environment::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::exit::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::stdin::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::stdout::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::stderr::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_input::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_output::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_stdin::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_stdout::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_stderr::add_to_linker::<State, WasiCli>(l, State::cli)?;
    EveryPort::add_to_linker::<State, HasSelf<State>>(l, |state| state)?;
    Ok(linker)
}
