//! Component: guarded writes with the caller's credential. Each is sent at most once, and what is known of it is said.
//!
//! A tool is a folder and one word in the list below. It sees its [`ports::Ports`] and nothing else; natively those are a
//! test's, in the component they are the host's.

mod answer;
mod arguments;
#[cfg(target_family = "wasm")]
mod component;
pub mod ports;
mod pulls;
mod status;

use assay_envelope::{Arguments, Refusal, ToolSpec};

use crate::ports::Ports;

/// A tool of this component.
pub struct Tool {
    /// As it is called.
    pub name: &'static str,
    spec: &'static str,
    call: fn(Ports<'_>, Arguments, usize) -> Result<String, Refusal>,
}

macro_rules! tools {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every tool of this component, in the order of their names.
        pub const TOOLS: &[Tool] = &[$(Tool {
            name: stringify!($name),
            spec: include_str!(concat!(stringify!($name), "/tool.json")),
            call: $name::call,
        }),*];
    };
}

tools! {
    create_comment
    create_issue
    create_pull_request
    create_review
    merge_pull_request
    update_file
}

impl Tool {
    /// How it describes itself.
    #[must_use]
    pub fn spec(&self) -> ToolSpec<'static> {
        ToolSpec::compiled_in(self.spec)
    }

    /// Answers one call. `arguments` is a JSON object; the answer takes at most `room` bytes inside a JSON string.
    ///
    /// # Errors
    /// A refusal, with nothing of the answer in it.
    pub fn call(&self, ports: Ports<'_>, arguments: &str, room: usize) -> Result<String, Refusal> {
        (self.call)(ports, Arguments::parse(arguments)?, room)
    }
}

/// The tool of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
