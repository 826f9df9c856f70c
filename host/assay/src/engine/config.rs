//! How components are compiled: the one place, for the build script that compiles the embedded ones and for the engine
//! that runs them. Code that was compiled otherwise is refused when it is loaded.
//!
//! This file stands alone: the build script includes it by its path.

use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Calls that can run at once; more wait in turn.
pub(crate) const CONCURRENT_CALLS: u32 = 256;

/// Bytes of one linear memory at most, whatever a call's own limit says: what a proof over files of 64 MiB needs. The
/// reservation behind it stays at its 4 GiB of addresses: a smaller one would save nothing but addresses, and costs a
/// bounds check at each access.
pub(crate) const MEMORY_BYTES: usize = 208 << 20;

/// Core instances, memories and tables of one component: a plain one has one memory and a few shims, a composed one
/// some of each.
const CORE_INSTANCES: u32 = 16;
const MEMORIES: u32 = 4;
const TABLES: u32 = 16;

/// The settings. `compile_for` is a target triple where code is to run on other machines of its kind than this one;
/// without it code is made for this very processor.
pub(crate) fn config(compile_for: Option<&str>) -> wasmtime::Result<Config> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(CONCURRENT_CALLS)
        .total_core_instances(CONCURRENT_CALLS * 4)
        .total_memories(CONCURRENT_CALLS * 2)
        .total_tables(CONCURRENT_CALLS * 4)
        .total_stacks(CONCURRENT_CALLS)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memory_size(MEMORY_BYTES)
        // What a call used stays with its place and is zeroed: giving it back to the system and taking it again page by
        // page costs more than all else about an instance. The kernel, where it can, says which pages those are.
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(2 << 20)
        .table_keep_resident(64 << 10)
        .async_stack_keep_resident(64 << 10);
    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool)).epoch_interruption(true);
    if let Some(target) = compile_for {
        config.target(target)?;
        if target.starts_with("x86_64") {
            for_any_x86_64(&mut config);
        }
    }
    Ok(config)
}

/// x86-64-v2 (SSE 4.2, POPCNT; every such processor since 2011): below it WebAssembly's byte shuffles, of which base64
/// and digests are made, become calls. A processor without it refuses the code when it is loaded, by name.
#[allow(unsafe_code, reason = "the preset only names instructions, and the loader checks that the processor has them")]
fn for_any_x86_64(config: &mut Config) {
    // SAFETY: no setting that the runtime relies on is touched; see the reason above.
    unsafe { config.cranelift_flag_enable("x86-64-v2") };
}
