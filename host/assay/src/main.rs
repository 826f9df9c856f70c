fn main() { let _ = wasmtime::Config::new(); let _ = wasmtime_wasi::WasiCtx::builder(); }
