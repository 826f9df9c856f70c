//! The program: reads the command line, runs one command, says how it went by its exit code.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    assay_host::cli::Cli::parse().run()
}
