//! The part of a diff around a line that somebody comments on; nothing where the diff does not have that line.

use std::{collections::BTreeMap, path::Path};

use crate::{
    git::{
        listing::as_text,
        run::{Failure, Git},
    },
    state::tracker::LineComment,
    wire::shapes::text,
};

/// The largest diff of one file that is looked into, in bytes.
const MAX_DIFF: usize = 32 << 20;
/// Lines before the one that is meant that are shown.
const SHOWN_BEFORE: usize = 3;

/// Gives each comment its hunk, from the diff between the two commits.
pub(crate) async fn around(
    git: &Git,
    dir: &Path,
    (from, to): (&str, &str),
    comments: &mut [LineComment],
) -> Result<(), Failure> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for comment in comments {
        if !files.contains_key(&comment.path) {
            let diff = diff(git, dir, (from, to), &comment.path).await?;
            // One at a time: a review of a thousand files must not hold as many diffs.
            files = BTreeMap::from([(comment.path.clone(), diff)]);
        }
        let diff = files.get(&comment.path).map(Vec::as_slice).unwrap_or_default();
        comment.hunk = hunk(diff, comment.line, comment.old).unwrap_or_default();
    }
    Ok(())
}

/// What changed in one file, by its name as it stands: nothing in it is a pattern. None where it is too large.
async fn diff(git: &Git, dir: &Path, (from, to): (&str, &str), path: &str) -> Result<Vec<u8>, Failure> {
    let mut command = git.at(dir);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["diff", "-p", "--no-ext-diff", "--no-textconv", from, to, "--"]);
    command.arg(as_text(path.as_bytes()));
    match git.finish(command, "diff".into(), &[], MAX_DIFF).await {
        // A path that leads out of the repository has no diff either.
        Err(Failure::TooMuch(_) | Failure::Refused { .. }) => Ok(Vec::new()),
        other => other,
    }
}

/// The head of the hunk that has the line, some lines before it, and itself.
fn hunk(diff: &[u8], wanted: u64, old: bool) -> Option<String> {
    let mut head: Option<&[u8]> = None;
    let (mut old_line, mut new_line) = (0_u64, 0_u64);
    let (mut old_left, mut new_left) = (0_u64, 0_u64);
    let mut before: Vec<&[u8]> = Vec::new();
    for line in diff.split(|&b| b == b'\n') {
        if old_left == 0 && new_left == 0 {
            let Some(starts) = starts(line) else { continue };
            [(old_line, old_left), (new_line, new_left)] = starts;
            (head, before) = (Some(line), Vec::new());
            continue;
        }
        let (in_old, in_new) = match line.first() {
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            Some(b' ') | None => (true, true),
            // `\ No newline at end of file`.
            _ => continue,
        };
        before.push(line);
        let meant = if old { in_old && old_line == wanted } else { in_new && new_line == wanted };
        if meant {
            let shown = before.get(before.len().saturating_sub(SHOWN_BEFORE + 1)..).unwrap_or_default();
            let lines: Vec<&[u8]> = head.into_iter().chain(shown.iter().copied()).collect();
            return Some(text(&lines.join(&b'\n')));
        }
        (old_line, old_left) = (old_line + u64::from(in_old), old_left.saturating_sub(u64::from(in_old)));
        (new_line, new_left) = (new_line + u64::from(in_new), new_left.saturating_sub(u64::from(in_new)));
    }
    None
}

/// Reads `@@ -1,2 +3,4 @@`: where each side starts, and how many lines of it follow.
fn starts(line: &[u8]) -> Option<[(u64, u64); 2]> {
    let rest = std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|&b| b == b'@').next()?).ok()?;
    let mut sides = rest.trim_end().split(" +").map(|side| {
        let (start, count) = side.split_once(',').unwrap_or((side, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    });
    Some([sides.next()??, sides.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &[u8] =
        b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@ fn x\n a\n-b\n+B\n c\n--- d\n+++ d\n e\n\
        \\ No newline at end of file\n@@ -20 +20,2 @@\n-t\n+t\n+u\n";

    #[test]
    fn a_line_is_found_on_its_side() {
        let found = |line, old| hunk(DIFF, line, old);
        assert_eq!(found(2, false).as_deref(), Some("@@ -1,5 +1,5 @@ fn x\n a\n-b\n+B"));
        assert_eq!(found(2, true).as_deref(), Some("@@ -1,5 +1,5 @@ fn x\n a\n-b"));
        // Lines of a file that look like the diff's own.
        assert_eq!(found(4, true).as_deref(), Some("@@ -1,5 +1,5 @@ fn x\n-b\n+B\n c\n--- d"));
        assert_eq!(found(21, false).as_deref(), Some("@@ -20 +20,2 @@\n-t\n+t\n+u"));
        for (line, old) in [(0, false), (6, false), (19, true), (21, true), (u64::MAX, false)] {
            assert_eq!(found(line, old), None, "{line} {old}");
        }
        assert_eq!(hunk(b"", 1, false), None);
        assert_eq!(hunk(b"@@ -99999999999999999999 +1 @@\n+x\n", 1, false), None);
    }
}
