//! Where a file may be written: a path that a forge takes as it stands, outside of what is not this tool's.

use assay_envelope::{Arguments, Refusal};

use crate::arguments::invalid;

/// Bounds of a path in bytes.
const PATH: (usize, usize) = (1, 4_096);

/// Folders whose files run with a forge's own rights (O-G7).
const WORKFLOWS: [[&str; 2]; 3] = [[".forgejo", "workflows"], [".gitea", "workflows"], [".github", "workflows"]];
/// What the memory tools keep their files in (O-G7).
const MEMORY: &str = ".oss-oo";

#[derive(Debug)]
pub(super) struct Place(String);

impl Place {
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let path = arguments.text("path", PATH)?;
        let is_plain = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.contains('\0');
        if !path.split('/').all(is_plain) {
            return Err(invalid(
                "`path` must be a file's path from the repository's root: no slash at either end, no empty, `.` or `..` part",
            ));
        }
        let mut parts = path.split('/');
        // Some file systems take `git~1`, and a name with dots or spaces behind it, for `.git`.
        let is_git = |part: &str| {
            let part = part.trim_end_matches([' ', '.']).to_ascii_lowercase();
            matches!(part.as_str(), ".git" | "git~1")
        };
        if parts.clone().any(is_git) {
            return Err(invalid("`path` must not go through `.git`: git keeps no file there"));
        }
        let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if first.eq_ignore_ascii_case(MEMORY) {
            return Err(reserved("`.oss-oo` holds what the memory tools keep: use those"));
        }
        let mut workflows = WORKFLOWS.iter();
        if workflows.any(|[a, b]| first.eq_ignore_ascii_case(a) && second.eq_ignore_ascii_case(b)) {
            return Err(reserved("a workflow's file runs with rights of its own, so a person has to change it"));
        }
        Ok(Self(path))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split('/').map(str::as_bytes)
    }
}

fn reserved(why: &str) -> Refusal {
    Refusal::new("path_reserved", format!("This path is not written by this tool: {why}. Nothing was sent."))
}
