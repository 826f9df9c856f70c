//! Hunks applied to their base: every line at its place, every byte equal, and no searching for a better place.

use super::{
    Contradiction, Stopped,
    pieces::Pieces,
    side::{Flaw, Side},
};
use crate::diff::{HunkHeader, LineKind};

/// How many times the base may be searched through for headings that git would not have printed there.
const FAR_SEARCHES: usize = 4;

/// A text section while its hunks pass.
#[derive(Debug)]
pub(super) struct Text {
    /// The base; empty for a file that is added, and for one that is deleted: what its hunk removes is all of it.
    base: Vec<u8>,
    /// The kind of lines that the content is made of, beside the base's: added ones, or those that a deletion removes.
    grows_by: LineKind,
    content: Pieces,
    /// Bytes that the content may have.
    most: u64,
    /// Where the next line of the base starts, and its number, from 1.
    at: usize,
    number: u64,
    /// The line that passes, until it is known whether a line feed ends it.
    line: Option<LineKind>,
    /// Where the last hunk starts in the base.
    hunk: usize,
    /// The last heading that was found.
    heading: Vec<u8>,
    /// Bytes of the base that may still be searched beyond what lies between two hunks.
    search: usize,
}

impl Text {
    /// Hunks that change `base` into a content of at most `most` bytes.
    pub(super) fn change(base: Vec<u8>, most: u64) -> Self {
        Self::new(base, LineKind::Added, most)
    }

    /// A hunk that adds a whole content.
    pub(super) fn addition(most: u64) -> Self {
        Self::new(Vec::new(), LineKind::Added, most)
    }

    /// A hunk that removes a whole content, which is collected as if it were added.
    pub(super) fn deletion(most: u64) -> Self {
        Self::new(Vec::new(), LineKind::Removed, most)
    }

    fn new(base: Vec<u8>, grows_by: LineKind, most: u64) -> Self {
        let search = base.len().saturating_mul(FAR_SEARCHES);
        Self {
            base,
            grows_by,
            content: Pieces::default(),
            most,
            at: 0,
            number: 1,
            line: None,
            hunk: 0,
            heading: Vec::new(),
            search,
        }
    }

    /// A hunk starts. Says whether its heading is the beginning of a line of the base above it (O-008a).
    pub(super) fn hunk(&mut self, hunk: &HunkHeader) -> Result<bool, Flaw> {
        self.end_line()?;
        let (start, lines) = match self.grows_by {
            LineKind::Removed => (hunk.new_start, hunk.new_lines),
            _ => (hunk.old_start, hunk.old_lines),
        };
        // An empty range names the line before it.
        let first = start.checked_add(u64::from(lines == 0)).ok_or(Contradiction::Hunk)?;
        let skipped = first.checked_sub(self.number).ok_or(Contradiction::Hunk)?;
        let from = self.at;
        let mut feeds = memchr::memchr_iter(b'\n', self.base.get(from..).unwrap_or_default());
        let to = match skipped.checked_sub(1) {
            None => from,
            Some(before) => {
                let before = usize::try_from(before).map_err(|_| Contradiction::Hunk)?;
                from + feeds.nth(before).ok_or(Contradiction::Hunk)? + 1
            }
        };
        (self.at, self.number) = (to, first);
        self.push_base(from, to)?;
        let explained = self.explains(&hunk.heading);
        self.hunk = to;
        Ok(explained)
    }

    /// A line starts.
    pub(super) fn line(&mut self, kind: LineKind) -> Result<(), Flaw> {
        if kind == LineKind::NoNewline {
            // The line before it ends here, and with it the base, if it is one of the base's.
            let ended = self.line.take();
            return match ended {
                Some(kind) if kind != self.grows_by && self.at != self.base.len() => Err(Contradiction::Hunk.into()),
                _ => Ok(()),
            };
        }
        self.end_line()?;
        self.line = Some(kind);
        Ok(())
    }

    /// Text of the line that passes.
    pub(super) fn text(&mut self, piece: &[u8]) -> Result<(), Flaw> {
        match self.line {
            Some(kind) if kind == self.grows_by => self.push(piece),
            Some(kind) => {
                let rest = self.base.get(self.at..).unwrap_or_default();
                if !rest.starts_with(piece) {
                    return Err(Contradiction::Hunk.into());
                }
                let from = self.at;
                self.at += piece.len();
                if kind == LineKind::Context { self.push_base(from, self.at) } else { Ok(()) }
            }
            None => Ok(()),
        }
    }

    /// The section is over: its content has to be `side`'s. Gives back the base.
    pub(super) fn finish(mut self, side: &Side) -> Result<Vec<u8>, Flaw> {
        self.end_line()?;
        let from = self.at;
        // What is left of the base follows a line, never a part of one.
        if from < self.base.len() && !self.content.ends_a_line() {
            return Err(Contradiction::Hunk.into());
        }
        self.push_base(from, self.base.len())?;
        if side.is(&self.content) { Ok(self.base) } else { Err(Contradiction::Result.into()) }
    }

    /// A line feed ends the line that passes, if one does.
    fn end_line(&mut self) -> Result<(), Flaw> {
        if self.line.is_none() {
            return Ok(());
        }
        self.text(b"\n")?;
        if self.line.take() != Some(self.grows_by) {
            self.number += 1;
        }
        Ok(())
    }

    fn push_base(&mut self, from: usize, to: usize) -> Result<(), Flaw> {
        let Self { base, content, most, .. } = self;
        push(content, base.get(from..to).unwrap_or_default(), *most)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Flaw> {
        push(&mut self.content, bytes, self.most)
    }

    /// Git looks for a heading from the hunk up to the one before, and prints the last one again where it finds none. That
    /// costs one pass over the base. A heading from elsewhere above the hunk is as true, but is searched for only so often.
    fn explains(&mut self, heading: &[u8]) -> bool {
        if heading.is_empty() || heading == self.heading {
            return true;
        }
        let far = self.search >= self.hunk;
        let found = starts_a_line(&self.base, (self.hunk, self.at), heading)
            || (far && {
                self.search -= self.hunk;
                starts_a_line(&self.base, (0, self.hunk), heading)
            });
        if found {
            self.heading = heading.to_vec();
        }
        found
    }
}

fn push(content: &mut Pieces, bytes: &[u8], most: u64) -> Result<(), Flaw> {
    if bytes.len() as u64 > most.saturating_sub(content.len()) {
        return Err(Stopped::FileTooLarge.into());
    }
    content.push(bytes);
    Ok(())
}

/// Whether a line that starts in `within` begins with `heading`.
fn starts_a_line(base: &[u8], within: (usize, usize), heading: &[u8]) -> bool {
    let lines = base.get(within.0..within.1).unwrap_or_default();
    let before = within.0.checked_sub(1).and_then(|at| base.get(at)).copied();
    memchr::memmem::find_iter(lines, heading).any(|at| {
        let before = at.checked_sub(1).map_or(before, |at| lines.get(at).copied());
        before.is_none_or(|byte| byte == b'\n')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObjectFormat, ObjectId};

    const MOST: u64 = 100;

    fn blob(content: &[u8]) -> Side {
        let mut pieces = Pieces::default();
        pieces.push(content);
        Side::Blob(pieces.blob_id(ObjectFormat::Sha1).expect("no collision"))
    }

    /// Feeds lines as a diff has them; `~` stands for a missing line feed, `@` for a hunk that starts at an old line.
    fn feed(text: &mut Text, lines: &[&str]) -> Result<(), Flaw> {
        for line in lines {
            let (mark, rest) = line.split_at(1);
            match mark {
                "@" => {
                    let mut numbers = rest.split(',').map(|number| number.parse().expect("a number"));
                    let mut next = || numbers.next().expect("start and count");
                    let (old_start, old_lines) = (next(), next());
                    text.hunk(&HunkHeader { old_start, old_lines, new_start: 1, new_lines: 1, heading: vec![] })?;
                    continue;
                }
                "~" => text.line(LineKind::NoNewline)?,
                " " => text.line(LineKind::Context)?,
                "-" => text.line(LineKind::Removed)?,
                _ => text.line(LineKind::Added)?,
            }
            // A line comes in any pieces.
            rest.as_bytes().chunks(2).try_for_each(|piece| text.text(piece))?;
        }
        Ok(())
    }

    fn apply(base: &str, lines: &[&str], new: &str) -> Result<(), Flaw> {
        let mut text = Text::change(base.into(), MOST);
        feed(&mut text, lines)?;
        text.finish(&blob(new.as_bytes())).map(drop)
    }

    /// O-008: at the stated lines, to the byte, with and without a last line feed.
    #[test]
    fn hunks_are_applied_at_their_lines() {
        let base = "1\n2\n3\n4\n5";
        for (lines, new) in [
            (&["@1,1", "-1", "+one"][..], "one\n2\n3\n4\n5"),
            (&["@2,2", " 2", "-3", "@5,1", "-5", "~", "+5"], "1\n2\n4\n5\n"),
            (&["@4,2", " 4", "-5", "~", "+five", "~"], "1\n2\n3\n4\nfive"),
            (&["@2,0", "+2 and a half"], "1\n2\n2 and a half\n3\n4\n5"),
            (&["@0,0", "+0"], "0\n1\n2\n3\n4\n5"),
            (&["@1,5", "-1", "-2", "-3", "-4", "-5", "~"], ""),
        ] {
            assert_eq!(apply(base, lines, new), Ok(()), "{lines:?}");
        }
        assert_eq!(apply("", &["@0,0", "+a", "~"], "a"), Ok(()));
        assert_eq!(apply("a\n", &["@1,0", "+b"], "a\nb\n"), Ok(()));
        assert_eq!(apply("a\n\nb\n", &["@1,3", " a", " ", "-b"], "a\n\n"), Ok(()));
    }

    /// O-008: no line is anywhere else than it is said to be.
    #[test]
    fn other_hunks_do_not_fit() {
        let base = "1\n2\n3\n4\n5";
        for lines in [
            &["@2,1", "-1"][..],
            &["@6,1", "-6"],
            &["@5,0", "+6"],
            &["@9,1", "-9"],
            &["@18446744073709551615,0", "+x"],
            &["@1,1", "-", "+one"],
            &["@1,1", "-1 ", "+one"],
            &["@1,1", "-1", "~", "+one"],
            &["@5,1", "-5", "+5"],
            &["@5,1", " 5", "+6"],
            &["@4,2", "-4", "-5", "-6"],
            &["@2,1", "-2", "@1,1", "-1"],
            // As a whole it would be what is said: the added line runs into what is left of the base.
            &["@1,1", "-1", "+one", "~"],
            &["@0,0", "+0", "~"],
        ] {
            for new in ["one\n2\n3\n4\n5", "one2\n3\n4\n5", "01\n2\n3\n4\n5", base] {
                assert_eq!(apply(base, lines, new), Err(Flaw::Contradiction(Contradiction::Hunk)), "{lines:?}");
            }
        }
        assert_eq!(apply("a", &["@1,0", "+b"], "a\nb\n"), Err(Contradiction::Hunk.into()));
        assert_eq!(apply(base, &["@1,1", "-1", "+one"], "two\n2\n3\n4\n5"), Err(Contradiction::Result.into()));
    }

    /// O-008: what a deletion removes is all of the old side, and nothing is kept of it.
    #[test]
    fn a_deletion_removes_the_whole() {
        let delete = |lines: &[&str]| {
            let mut text = Text::deletion(MOST);
            text.hunk(&HunkHeader { old_start: 1, old_lines: 2, new_start: 0, new_lines: 0, heading: vec![] })?;
            feed(&mut text, lines)?;
            text.finish(&blob(b"a\nb")).map(drop)
        };
        assert_eq!(delete(&["-a", "-b", "~"]), Ok(()));
        for lines in [&["-a", "-b"][..], &["-b", "~"], &["-a", "-c", "~"], &["-a", "+b", "~"], &["-a", " b", "~"]] {
            assert!(matches!(delete(lines), Err(Flaw::Contradiction(_))), "{lines:?}");
        }
    }

    /// O-015: neither side grows past its bound.
    #[test]
    fn a_content_is_bounded() {
        let long = "x".repeat(60);
        let lines = [format!("+{long}"), format!("+{long}")];
        let mut text = Text::addition(MOST);
        let lines: Vec<&str> = ["@0,0"].into_iter().chain(lines.iter().map(String::as_str)).collect();
        assert_eq!(feed(&mut text, &lines), Err(Flaw::Stopped(Stopped::FileTooLarge)));
        assert!(text.content.len() <= MOST);
    }

    /// O-008: a submodule's content is what git makes up for it.
    #[test]
    fn a_submodule_has_a_made_up_content() {
        let module = |digit: &str| crate::proof::Entry {
            mode: 0o160_000,
            id: ObjectId::from_hex(&digit.repeat(40)).expect("an id"),
        };
        let [old, new] = ["1", "2"].map(|digit| Side::of(Some(module(digit))));
        let Side::Made(base) = old else { panic!("no blob") };
        let mut text = Text::change(base, MOST);
        let line = |sign: &str, digit: &str| format!("{sign}Subproject commit {}", digit.repeat(40));
        feed(&mut text, &["@1,1", &line("-", "1"), &line("+", "2")]).expect("it fits");
        assert!(text.finish(&new).is_ok());
    }

    /// O-008a: a line's beginning, above the hunk; found at the seams of what is searched, too.
    #[test]
    fn a_heading_is_a_line_above() {
        let base = b"aa\nab\nb a\n\nend";
        let all = (0, base.len());
        for (within, heading, found) in [
            (all, "aa", true),
            (all, "a", true),
            (all, "ab", true),
            (all, "b a", true),
            (all, "end", true),
            (all, "b", true),
            (all, "b b", false),
            (all, "aaa", false),
            ((0, 3), "ab", false),
            ((1, 3), "a", false),
            ((3, 6), "ab", true),
            ((3, 6), "b", false),
            ((0, 0), "aa", false),
        ] {
            assert_eq!(starts_a_line(base, within, heading.as_bytes()), found, "{within:?} {heading}");
        }
    }
}
