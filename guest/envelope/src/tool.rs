//! A tool as its folder describes it: `tool.json`, read once.

use serde::Deserialize;
use serde_json::value::RawValue;

/// What `tool.json` holds. The tool's name is its folder's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ToolSpec<'a> {
    /// For people; shown by clients that have room for it.
    pub title: String,
    /// The set that it is switched on and off with.
    pub toolset: String,
    /// For models: when to use it and when not.
    pub description: Vec<String>,
    /// Hints about what a call does.
    pub annotations: Annotations,
    /// JSON Schema 2020-12 of the arguments, as it is published.
    #[serde(borrow)]
    pub input_schema: &'a RawValue,
}

/// MCP's four hints, all of them said: their defaults are the pessimistic ones.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "MCP has four booleans here")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// It may take something away.
    pub destructive_hint: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent_hint: bool,
    /// Its answers hold text by third parties.
    pub open_world_hint: bool,
}

impl<'a> ToolSpec<'a> {
    /// Reads a `tool.json` that was compiled in.
    ///
    /// # Panics
    /// Where the file is not of this shape: a fault of the build, which the component's tests show.
    #[must_use]
    pub fn compiled_in(text: &'a str) -> Self {
        serde_json::from_str(text).expect("tool.json is checked by a test")
    }

    /// The description as one text: the file keeps a line a sentence.
    #[must_use]
    pub fn description(&self) -> String {
        self.description.join(" ")
    }
}
