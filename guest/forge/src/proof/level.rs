//! How much is known of a diff, as a type: a level is reached by whoever checked it, and nobody else can raise it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was checked of a diff, from least to most. Each includes the ones before it but [`Self::Bracketed`], which the
/// two above it make needless (O-006).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The answer arrived whole as far as HTTP tells (O-004).
    Framed,
    /// It is in git's grammar to its last byte (O-005).
    Parsed,
    /// Its two inputs were the same before and after (O-006).
    Bracketed,
    /// Its paths, modes and ids are the difference of the two commits' trees (O-007).
    TreeSet,
    /// Applied to the old side it gives the new (O-008).
    Transform,
}

impl Level {
    /// The contract's name for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Framed => "framed",
            Self::Parsed => "parsed",
            Self::Bracketed => "bracketed",
            Self::TreeSet => "tree_set",
            Self::Transform => "transform",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A level that was reached: it comes from what checked it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached(Level);

impl Reached {
    /// For the code that has just checked it.
    pub(crate) const fn at(level: Level) -> Self {
        Self(level)
    }

    /// The level.
    #[must_use]
    pub const fn level(self) -> Level {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-004 to O-008: the order of the levels and the names that a receipt gives them.
    #[test]
    fn levels_have_an_order_and_names() {
        let all = [Level::Framed, Level::Parsed, Level::Bracketed, Level::TreeSet, Level::Transform];
        assert!(all.is_sorted());
        for level in all {
            assert_eq!(serde_json::to_string(&level).expect("a name"), format!("\"{level}\""));
        }
    }
}
