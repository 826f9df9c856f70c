//! Where the documents are: a file, or a server named by a URL.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::Fault;

/// A place for documents.
pub(crate) enum Location {
    /// A file, by a path from the root: so that no name of it means anything else to SQLite (`:memory:`, `file:…`).
    Sqlite(PathBuf),
    /// The URL of a server, with whatever secret is in it.
    Postgres(String),
}

impl Location {
    /// By what was configured.
    pub(crate) fn of(text: &str) -> Result<Self, Fault> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        if let Some((scheme, _)) = text.split_once("://")
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            return Err(Fault::Location(format!(
                "`{scheme}://` is not served; write `postgres://…`, or the path of a file for SQLite"
            )));
        }
        if text.is_empty() || text.contains('\0') {
            return Err(Fault::Location("write `postgres://…`, or the path of a file for SQLite".to_owned()));
        }
        std::path::absolute(Path::new(text)).map(Self::Sqlite).map_err(|error| Fault::Location(error.to_string()))
    }
}

/// Without the secret.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.debug_tuple("Postgres").finish_non_exhaustive(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    ///
    #[test]
    fn a_place_is_a_url_or_a_path() {
        for url in ["postgres://me:secret@db/a", "postgresql://db"] {
            let location = Location::of(url).expect("a place");
            assert!(matches!(&location, Location::Postgres(text) if text == url));
            assert!(!format!("{location:?}").contains("secret"));
        }
        for path in [":memory:", "file:a.db?mode=memory", "a b.db", "/tmp/x", "sub/ü.db"] {
            let Ok(Location::Sqlite(absolute)) = Location::of(path) else { panic!("{path}") };
            assert!(absolute.is_absolute() && absolute.ends_with(path), "{absolute:?}");
        }
        for wrong in ["", "a\0b", "mysql://root:secret@db/a", "sqlite://a.db"] {
            let Err(fault @ Fault::Location(_)) = Location::of(wrong) else { panic!("{wrong:?}") };
            assert!(!format!("{fault} {fault:?}").contains("secret"), "{fault}");
        }
    }
}
