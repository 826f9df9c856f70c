//! Branches as rows of a list: a name, the commit it names, whether it is protected.

use serde::{Deserialize, Serialize};

use crate::lenient::{Lenient, Scalar};

/// What is shown of a branch, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Wire")]
pub struct BranchRow {
    name: Option<String>,
    sha: Option<String>,
    protected: Option<bool>,
}

impl BranchRow {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    name: Scalar,
    commit: Lenient<Commit>,
    protected: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Commit {
    id: Scalar,
}

impl From<Wire> for BranchRow {
    fn from(wire: Wire) -> Self {
        Self {
            name: wire.name.text(),
            sha: wire.commit.unwrap_or_default().id.object_id(),
            protected: wire.protected.boolean(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-06, G-152, G-154.
    #[test]
    fn a_row_is_small_and_guesses_nothing() {
        let shown = |json: &str| {
            let row: BranchRow = serde_json::from_str(json).expect("any object");
            serde_json::to_string(&row).expect("plain members")
        };
        let sha = "A0".repeat(20);
        assert_eq!(
            shown(&format!(r#"{{"name":"f/日","commit":{{"id":"{sha}","message":"long"}},"protected":true,"x":[1]}}"#)),
            format!(r#"{{"name":"f/日","sha":"{sha}","protected":true}}"#)
        );
        for json in ["{}", r#"{"name":7,"commit":null,"protected":"yes"}"#, r#"{"commit":{"id":"main"}}"#] {
            assert_eq!(shown(json), r#"{"name":null,"sha":null,"protected":null}"#);
        }
    }
}
