//! The table of all recordings.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    pub(crate) replayed: Vec<Group>,
    /// Recordings that no tool meets, by reason.
    pub(crate) left_out: BTreeMap<String, Vec<String>>,
    /// By tool or by another name: places in the answer, and where in the recorded JSON the same must stand. `*` is every element.
    pub(crate) members: BTreeMap<String, BTreeMap<String, String>>,
    /// Where the middle of a cut body is known from: one recording, or those whose bodies are the list's elements.
    pub(crate) mended: BTreeMap<String, Vec<String>>,
}

/// Recordings that one tool meets, with the same outcome.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) tool: String,
    /// What is not to be seen from the rest. For who reads it.
    #[serde(default, rename = "why")]
    _why: String,
    pub(crate) recordings: Vec<String>,
    /// Arguments beyond those that the recorded request tells; null takes one away.
    #[serde(default)]
    pub(crate) call: Map<String, Value>,
    /// Recordings that answer what the tool asks besides.
    #[serde(default)]
    pub(crate) with: Vec<String>,
    /// The code of the refusal; else there is an answer.
    pub(crate) refused: Option<String>,
    /// Places in the answer and what stands there.
    #[serde(default)]
    pub(crate) answer: BTreeMap<String, Value>,
    /// What of `members` is compared, where it is not what stands there by the tool's name; a name without members
    /// compares none.
    pub(crate) compared: Option<String>,
    /// In which way the tool asks otherwise than was asked when it was recorded; it may not where this does not stand.
    pub(crate) asked_otherwise: Option<String>,
    /// The path below the repository under which the tool meets the answer, where it is another one.
    pub(crate) at: Option<String>,
    /// The recordings have their place in the table in another group.
    #[serde(default)]
    pub(crate) again: bool,
    /// The recorded body is a list of files that another route shows; what the tool says of the diff must agree.
    #[serde(default)]
    pub(crate) beside: bool,
}

impl Table {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("table.json");
        serde_json::from_str(&fs::read_to_string(path).expect("the table is there")).expect("the table is one")
    }

    /// What is replayed, each where it has its place.
    pub(crate) fn first_names(&self) -> impl Iterator<Item = &str> {
        self.replayed.iter().filter(|group| !group.again).flat_map(|group| &group.recordings).map(String::as_str)
    }
}
