//! What no single crate can prove: the components inside the engine, the program as it is run, real clients, real git.

mod cases;
mod clients;
mod commands;
mod contract;
mod editing;
mod faults;
mod gate;
mod goldens;
mod layering;
mod memory;
mod program;
mod secrets;
mod signals;
mod stage;
mod stock;
mod surface;
mod wire;
mod writes;
