//! The program: reads the command line, runs one command, says how it went by its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_host::cli::run(std::env::args_os())
}
