fn main() { let _ = wasmtime::Config::new(); }
