//! The workspace from outside: real files in folders of the tests' own.
#![cfg(unix)]

mod child;
mod disks;
mod displaced;
mod drift;
mod faults;
mod ground;
mod kills;
mod leases;
mod links;
mod modes;
mod owners;
mod races;
mod reads;
mod roots;
mod saves;
