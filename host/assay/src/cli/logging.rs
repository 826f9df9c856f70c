//! Logs go to standard error: standard output belongs to the protocol and to answers (G-010, K-66).

use std::io;

use clap::{Args, ValueEnum};
use tracing::{Level, Metadata};
use tracing_subscriber::{EnvFilter, filter::filter_fn, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Where and how much to log.
#[derive(Debug, Args)]
pub(crate) struct Logging {
    /// What to log to standard error: a level (`error`, `warn`, `info`, `debug`, `trace`) or a filter by target.
    #[arg(long = "log", global = true, env = "ASSAY_LOG", default_value = "warn,rmcp=error", value_parser = super::settings::filter, value_name = "FILTER")]
    filter: String,
    /// How a log line looks.
    #[arg(long = "log-format", global = true, env = "ASSAY_LOG_FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Logging {
    pub(crate) fn start(&self) {
        let filter = EnvFilter::builder().parse_lossy(&self.filter);
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
        // A second start (of tests in one process) keeps the first.
        let _ = match self.format {
            Format::Text => lines.with_ansi(false).finish().with(filter_fn(says_no_text)).try_init(),
            Format::Json => lines.json().finish().with(filter_fn(says_no_text)).try_init(),
        };
    }
}

/// Whether it may be logged at all: below `info` the SDK writes down whole messages, and with them what agents edit and send
/// (K-70).
fn says_no_text(event: &Metadata<'_>) -> bool {
    !event.target().starts_with("rmcp") || *event.level() <= Level::INFO
}
