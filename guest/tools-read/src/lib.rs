//! Component: reads with the caller's credential.
//!
//! A tool is a folder and one word in the list below. It sees its [`ports::Ports`] and nothing else; natively those are a
//! test's, in the component they are the host's.

#[cfg(target_family = "wasm")]
mod component;
mod diff;
mod issues;
mod native_list;
mod paging;
mod places;
pub mod ports;
mod provenance;
mod repositories;

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
    get_file
    get_issue
    get_pull_request
    get_pull_request_diff
    list_branches
    list_commits
    list_issue_comments
    list_issues
    list_pull_request_files
    list_pull_requests
    list_releases
    list_repositories
    list_reviews
    list_tree
    search_repositories
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
