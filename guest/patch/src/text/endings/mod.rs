//! Which ending every line of a file had, so that SAVE gives each one back (X-02, E-05, E-06).
//!
//! The text has LF alone and replay knows of no other (P-157); this map goes beside it. What the file was is in `source`,
//! the map's stored spelling in `stored`, how it follows a passage that is written anew in `carry`.

mod carry;
mod source;
mod stored;

use std::iter;

use memchr::memchr_iter;

use super::Canonical;

pub use source::{NotText, OriginalEolUnavailable, Source, Style, original_eol};
pub use stored::BadEndings;

/// The byte-order mark of UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// How a line ends in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r` alone.
    Cr,
}

/// The endings of a text's lines, in order: one for each of its line breaks.
///
/// One byte a line, so that an edit costs what it costs the text; runs are counted where the map is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEndings {
    each: Vec<Ending>,
    /// What a first line break takes where there is none, so that a file that is emptied stays what it was; else LF.
    lone: Ending,
}

/// A map of another text: it has not as many endings as the text has line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{endings} line endings are known, and the text has {line_breaks} line breaks")]
pub struct EndingsMismatch {
    /// How many the map has.
    pub endings: usize,
    /// How many the text needs.
    pub line_breaks: usize,
}

impl Ending {
    /// The bytes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

impl LineEndings {
    /// The same ending for all.
    #[must_use]
    pub fn uniform(ending: Ending, line_breaks: usize) -> Self {
        Self::with(vec![ending; line_breaks], ending)
    }

    fn with(each: Vec<Ending>, lone: Ending) -> Self {
        let lone = if each.is_empty() { lone } else { Ending::Lf };
        Self { each, lone }
    }

    /// How many line breaks it is for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether it is for a text without a line break.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Equal endings in a row, with how many they are.
    pub fn runs(&self) -> impl Iterator<Item = (Ending, usize)> + '_ {
        self.each.chunk_by(Ending::eq).filter_map(|run| Some((*run.first()?, run.len())))
    }

    /// The map after an edit that begins behind `at_line_break` line breaks, takes `removed_breaks` away and puts
    /// `added_breaks` there.
    ///
    /// As many as there were keep theirs one for one; more take the ending of the line before, else of the one after. An
    /// edit past the end is one at the end. [`Self::replaced`] sees the lines too, and so knows better which are new.
    #[must_use]
    pub fn edited(&self, at_line_break: usize, removed_breaks: usize, added_breaks: usize) -> Self {
        let at = at_line_break.min(self.len());
        let end = at.saturating_add(removed_breaks).min(self.len());
        let kept = at + added_breaks.min(end - at);
        let ending = self.before(kept).or(self.at(end)).unwrap_or(self.lone);
        self.spliced(kept, end, iter::repeat_n(ending, added_breaks - (kept - at)))
    }

    /// The file's bytes for `text`, the text this map was carried to. Its final newline, or the want of it, is the text's.
    ///
    /// One ending is not given back: an LF that an edit brought right behind a CR. The two would be read as one line end,
    /// so that LF becomes CRLF.
    ///
    /// # Errors
    /// [`EndingsMismatch`] where the map is for another number of line breaks.
    pub fn restore(&self, text: &Canonical, has_bom: bool) -> Result<Vec<u8>, EndingsMismatch> {
        let text = text.as_str();
        let line_breaks = line_breaks(text);
        if line_breaks != self.len() {
            return Err(EndingsMismatch { endings: self.len(), line_breaks });
        }
        let mut file = Vec::with_capacity(BOM.len() + text.len() + self.len());
        if has_bom {
            file.extend_from_slice(BOM);
        }
        for (number, line) in text.split('\n').enumerate() {
            file.extend_from_slice(line.as_bytes());
            if let Some(ending) = self.at(number) {
                let merges = ending == Ending::Lf && file.last() == Some(&b'\r');
                let ending = if merges { Ending::CrLf } else { ending };
                file.extend_from_slice(ending.as_str().as_bytes());
            }
        }
        Ok(file)
    }

    fn at(&self, line_break: usize) -> Option<Ending> {
        self.each.get(line_break).copied()
    }

    fn before(&self, line_break: usize) -> Option<Ending> {
        self.at(line_break.checked_sub(1)?)
    }

    /// With `added` in the place of a range that is within the map.
    fn spliced(&self, at: usize, end: usize, added: impl Iterator<Item = Ending>) -> Self {
        let mut each = self.each.clone();
        each.splice(at..end, added);
        Self::with(each, self.at(at).or(self.before(at)).unwrap_or(self.lone))
    }
}

/// How many line breaks a canonical text has.
fn line_breaks(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is on disk after `from` became `to` once in the file `bytes`.
    fn saved(bytes: &str, from: &str, to: &str) -> String {
        let (text, source) = Source::read(bytes.as_bytes()).expect("it is text");
        let text = text.as_str();
        let at = text.find(from).expect("it is there");
        let endings = source.endings.replaced(text, at..at + from.len(), to);
        let edited = Canonical::of(text.replacen(from, to, 1));
        let file = endings.restore(&edited, source.has_bom).expect("the map was carried along");
        String::from_utf8(file).expect("it is text")
    }

    /// E-05, X-02: one edited line of a hundred is one line that differs.
    #[test]
    fn e_05_one_line_of_a_crlf_file() {
        let file: String = (1..=100).map(|line| format!("line {line};\r\n")).collect();
        assert_eq!(saved(&file, "line 50;", "LINE 50;"), file.replace("line 50;", "LINE 50;"));
    }

    /// E-06, E-07, E-15, E-17, E-18, K-54: files of every kind keep what the edit does not touch.
    #[test]
    fn e_06_mixed_files_keep_their_endings() {
        for (file, from, to, expected) in [
            ("a\r\nb\nc", "c", "C", "a\r\nb\nC"),
            ("a\r\nb\r\n", "a\n", "x\n", "x\r\nb\r\n"),
            ("\u{feff}hello\n", "hello", "hi", "\u{feff}hi\n"),
            ("alpha\r\nbeta\r\n\r\n", "alpha", "x", "x\r\nbeta\r\n\r\n"),
            ("hello\r\nworld", "world", "world\ntail", "hello\r\nworld\r\ntail"),
            ("hello", "hello", "a\nb", "a\nb"),
            ("a\rb\r", "b", "b\nc", "a\rb\rc\r"),
            ("a\r\nb\rc\n", "b\n", "", "a\r\nc\n"),
            ("a\r\nb", "a\nb", "b", "b"),
            ("a\nb\r\nc", "a\n", "a\nx\n", "a\nx\nb\r\nc"),
            ("a\r\nb\nc", "b", "b\nx", "a\r\nb\nx\nc"),
            ("a\r\nb\nc", "b", "x\nb", "a\r\nx\r\nb\nc"),
            ("a\r\nb\nc\r", "b\nc", "c\nb", "a\r\nc\rb\r"),
        ] {
            assert_eq!(saved(file, from, to), expected, "{file:?}: {from:?} -> {to:?}");
        }
    }

    /// X-02: a deletion brings a CR and an LF together, and they stay two line ends.
    #[test]
    fn two_endings_do_not_become_one() {
        assert_eq!(saved("a\rx\n\n\nb", "x", ""), "a\r\r\n\n\nb");
        assert_eq!(saved("a\rx\r\nb", "x", ""), "a\r\r\nb");
    }

    /// X-02: by their number alone, the first line breaks are those that were there.
    #[test]
    fn line_breaks_are_counted() {
        let map = LineEndings::parse("1C1L2R", 4).expect("it is a map");
        for ((at, removed, added), expected) in [
            ((1, 1, 1), "1C1L2R"),
            ((1, 1, 3), "1C3L2R"),
            ((1, 0, 1), "2C1L2R"),
            ((0, 0, 2), "3C1L2R"),
            ((1, 2, 1), "1C1L1R"),
            ((4, 0, 1), "1C1L3R"),
            ((0, 4, 5), "1C1L3R"),
            ((0, 4, 0), "0C"),
        ] {
            assert_eq!(map.edited(at, removed, added).to_string(), expected, "{at} -{removed} +{added}");
        }
    }

    /// X-02: a file that lost its last line break finds its ending again, and stores it meanwhile.
    #[test]
    fn an_emptied_file_remembers_its_ending() {
        let empty = LineEndings::uniform(Ending::CrLf, 3).edited(0, 3, 0);
        assert!(empty.is_empty());
        assert_eq!(LineEndings::parse(&empty.to_string(), 0), Ok(empty.clone()));
        assert_eq!(empty.edited(0, 0, 2), LineEndings::uniform(Ending::CrLf, 2));
    }

    /// X-02: a map of another text is refused, and edits out of its range harm nothing.
    #[test]
    fn a_map_is_for_one_text() {
        let map = LineEndings::uniform(Ending::Cr, 2);
        let error = EndingsMismatch { endings: 2, line_breaks: 1 };
        assert_eq!(map.restore(&Canonical::of("a\nb"), false), Err(error));
        assert_eq!(map.edited(usize::MAX, usize::MAX, 1).len(), 3);
        assert_eq!(map.edited(1, usize::MAX, 0).len(), 1);
    }

    proptest! {
        /// X-02, P-006: bytes, text and the same bytes, whatever the endings.
        #[test]
        fn every_file_comes_back(file in "\u{feff}?(a|é|\u{feff}|\r|\n|\r\n){0,60}") {
            let (text, source) = Source::read(file.as_bytes()).expect("it is text");
            let same = source.endings.restore(&text, source.has_bom);
            prop_assert_eq!(same.as_deref(), Ok(file.as_bytes()));
            let stored = LineEndings::parse(&source.endings.to_string(), source.endings.len());
            prop_assert_eq!(stored.as_ref(), Ok(&source.endings));
        }

        /// X-02, P-024: what is saved after an edit is read as the edited text, lines outside it have their bytes, and a uniform
        /// file is uniform.
        #[test]
        fn an_edit_keeps_the_rest(
            file in prop_oneof!["(a|\r|\n|\r\n){0,40}", "(a|\r\n){0,40}", "(a|\r){0,40}"],
            from in 0usize..40, length in 0usize..8, new in "(b|\n){0,5}",
        ) {
            let (text, source) = Source::read(file.as_bytes()).expect("it is text");
            let text = text.as_str();
            let (from, to) = (from.min(text.len()), (from + length).min(text.len()));
            let [before, old, after] = [&text[..from], &text[from..to], &text[to..]];
            let at = line_breaks(before);
            let edited = Canonical::of([before, &new, after].concat());
            for map in [
                source.endings.edited(at, line_breaks(old), line_breaks(&new)),
                source.endings.replaced(text, from..to, &new),
            ] {
                let saved = map.restore(&edited, false).expect("the map was carried along");
                prop_assert_eq!(&Source::read(&saved).expect("it is text").0, &edited);
                prop_assert_eq!(&map.each[..at], &source.endings.each[..at]);
                let tail = line_breaks(after);
                prop_assert_eq!(&map.each[map.len() - tail..], &source.endings.each[source.endings.len() - tail..]);
                prop_assert!(source.endings.runs().count() != 1 || map.runs().count() <= 1);
            }
        }
    }
}
