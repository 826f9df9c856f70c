//! What a component may import of ours: its world's ports, told by name.
//!
//! The host links every port into one place; which of them a component gets is decided here, before it is loaded.

/// The port whose every call is about somebody's documents.
const DOCUMENTS: &str = "documents";

/// The ports that come with one.
const PACKAGE: &str = "assay:ports/";

/// Which ports a component may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Authority(&'static [&'static str]);

/// The world `tools-read`.
pub(super) const READ: Authority = Authority(&["callers", "objects", "origin-lists", "origin-read", "reading"]);
/// The world `tools-patch`: no forge.
const PATCH: Authority = Authority(&["callers", DOCUMENTS, "workspace"]);
/// The world `tools-write`.
const WRITE: Authority = Authority(&["callers", "origin-read", "origin-write"]);

impl Authority {
    /// That of an embedded component.
    pub(super) fn of(component: &str) -> Self {
        match component {
            "assay-tools-patch" => PATCH,
            "assay-tools-write" => WRITE,
            _ => READ,
        }
    }

    /// Whether it reaches documents, which are somebody's.
    pub(super) fn reaches_documents(self) -> bool {
        self.0.contains(&DOCUMENTS)
    }

    /// The first of a component's imports that is beyond it. What is not ours is the linker's to refuse.
    pub(super) fn beyond(self, imports: &[String]) -> Option<&str> {
        let is_granted = |import: &str| match import.strip_prefix(PACKAGE) {
            None => true,
            Some(port) => self.0.iter().any(|granted| port.split('@').next() == Some(granted)),
        };
        imports.iter().map(String::as_str).find(|import| !is_granted(import))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Invariant 1: a reader cannot write, and a writer sees nothing of what is kept.
    #[test]
    fn a_world_is_a_bound() {
        let imports = |ports: &[&str]| ports.iter().map(|port| format!("assay:ports/{port}@0.1.0")).collect::<Vec<_>>();
        assert_eq!(READ.beyond(&imports(&["callers", "objects", "origin-read"])), None);
        assert_eq!(READ.beyond(&imports(&["origin-read", "origin-write"])), Some("assay:ports/origin-write@0.1.0"));
        assert_eq!(WRITE.beyond(&imports(&["objects"])), Some("assay:ports/objects@0.1.0"));
        assert_eq!(WRITE.beyond(&["wasi:cli/exit@0.2.6".to_owned()]), None);
        assert_eq!(PATCH.beyond(&imports(&["documents", "origin-read"])), Some("assay:ports/origin-read@0.1.0"));
        assert_eq!(READ.beyond(&imports(&["workspace"])), Some("assay:ports/workspace@0.1.0"));
        assert_eq!(Authority::of("assay-tools-write"), WRITE);
        assert_eq!(Authority::of("assay-tools-patch"), PATCH);
        assert_eq!([READ, WRITE, PATCH].map(Authority::reaches_documents), [false, false, true]);
    }
}
