//! Two texts as a diff: the lines that went and came, with what is around them.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::paint::{Paint, Piece};
use crate::cli::shown::visible;

/// Lines around a change.
const AROUND: usize = 3;
/// How long the shortest diff is looked for; whatever was found by then is one as well.
const PATIENCE: Duration = Duration::from_secs(2);

/// The diff from one text to the other; nothing where they are the same.
pub(super) fn between(before: &str, after: &str, paint: Paint) -> String {
    // Lines end where texts here say so, and at no other character.
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&before, &after);
    let mut text = String::new();
    let mut unified = diff.unified_diff();
    for hunk in unified.context_radius(AROUND).iter_hunks() {
        text.push_str(&paint.piece(Piece::Place, hunk.header().to_string().trim_end()));
        text.push('\n');
        for change in hunk.iter_changes() {
            let line = change.value();
            let shown = visible(line.strip_suffix('\n').unwrap_or(line));
            text.push_str(&match change.tag() {
                ChangeTag::Equal => format!(" {shown}"),
                ChangeTag::Delete => paint.piece(Piece::Gone, &format!("-{shown}")),
                ChangeTag::Insert => paint.piece(Piece::Come, &format!("+{shown}")),
            });
            text.push('\n');
            if !line.ends_with('\n') {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::ColorChoice;

    use super::*;

    fn plain(before: &str, after: &str) -> String {
        between(before, after, Paint::of(ColorChoice::Never))
    }

    #[test]
    fn a_diff_is_as_git_writes_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(plain(before, before), "");
        assert_eq!(
            plain(before, &before.replace("5\n", "five\n5b\n")),
            "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+5b\n 6\n 7\n 8\n"
        );
        assert_eq!(plain("", "a\n"), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(plain("a", "a\n"), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }

    /// What stands in a text drives no terminal, with colours or without; a line ends where the text says and nowhere else.
    #[test]
    fn a_text_drives_nothing() {
        let shown = plain("a\rb\n", "a\rb\u{1b}]0;x\u{7}\u{202e}\u{85}\n");
        assert_eq!(shown, "@@ -1 +1 @@\n-a<0D>b\n+a<0D>b<1B>]0;x<07><202E><85>\n");
        let coloured = between("a\n", "\u{1b}[0mb\n", Paint::of(ColorChoice::Always));
        assert!(coloured.contains("\u{1b}[32m+<1B>[0mb\u{1b}[0m\n"), "{coloured:?}");
    }

    /// However unlike two large texts are, an end comes.
    #[test]
    fn large_texts_come_to_an_end() {
        let one: String = (0..60_000).map(|line| format!("{line}\n")).collect();
        let other: String = (0..60_000).map(|line| format!("{}\n", line * 7 % 60_001)).collect();
        let diff = plain(&one, &other);
        assert!(diff.lines().filter(|line| line.starts_with('-')).count() > 1_000);
    }
}
