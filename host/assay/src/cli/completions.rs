//! `assay completions`: what a shell needs to know to complete this program's commands and options.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use super::{Cli, Failed, print};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay completions bash > ~/.local/share/bash-completion/completions/assay
  assay completions zsh > ~/.zfunc/_assay
  assay completions fish > ~/.config/fish/completions/assay.fish")]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<(), Failed> {
        // Into memory first: the generator panics where standard output does not take it.
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "assay", &mut script);
        print(&script)
    }
}
