//! What a file was before it became canonical text (P-006, P-155), and the text as such a file again (P-159).
//!
//! It refuses what is no text. Nothing is replaced by U+FFFD: a file that cannot come back byte for byte is not taken.

use std::str;

use memchr::{memchr, memchr2_iter};

use super::{Ending, LineEndings, line_breaks};
use crate::{Sha256Hex, text::Canonical};

/// The facts of a file, taken before anything is normalised (P-155, PG-30).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How its lines end.
    pub style: Style,
    /// How many end in LF alone.
    pub lf: usize,
    /// How many end in CRLF.
    pub crlf: usize,
    /// How many end in CR alone.
    pub cr: usize,
    /// Whether the text has other line ends than the file.
    pub normalized: bool,
    /// The file's code points, its byte-order mark among them.
    pub source_code_points: usize,
    /// The file's bytes.
    pub source_utf8_bytes: usize,
    /// Of the file's bytes.
    pub source_sha256: Sha256Hex,
    /// Whether the file begins with a byte-order mark, which the text has not.
    pub has_bom: bool,
    /// The ending of each line.
    pub endings: LineEndings,
}

/// How the lines of a file end (PG-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// There is no line break.
    None,
    /// All in LF.
    Lf,
    /// All in CRLF.
    CrLf,
    /// All in CR.
    Cr,
    /// Not all in the same.
    Mixed,
}

/// Bytes that are no text an edit could be about (P-100).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// They are not UTF-8.
    #[error("the file is not UTF-8 at byte {at}")]
    Utf8 {
        /// The first byte that is not part of a code point.
        at: usize,
    },
    /// They hold U+0000, which no database text does.
    #[error("the file has a NUL at byte {at}")]
    Nul {
        /// The first one.
        at: usize,
    },
}

/// Nobody knows which line ends the file had (`original_eol_unavailable`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the original line endings are mixed or unknown")]
pub struct OriginalEolUnavailable;

impl Source {
    /// The text of a file, and what is needed to write it back. Offsets of errors count the file's bytes.
    ///
    /// # Errors
    /// [`NotText`], for the first byte that is no text.
    pub fn read(bytes: &[u8]) -> Result<(Canonical, Self), NotText> {
        let nul = memchr(0, bytes);
        let file = match (str::from_utf8(bytes), nul) {
            (Ok(file), None) => file,
            (Err(error), None) => return Err(NotText::Utf8 { at: error.valid_up_to() }),
            (Err(error), Some(nul)) if error.valid_up_to() < nul => {
                return Err(NotText::Utf8 { at: error.valid_up_to() });
            }
            (_, Some(at)) => return Err(NotText::Nul { at }),
        };
        let (text, has_bom) = file.strip_prefix('\u{feff}').map_or((file, false), |text| (text, true));
        let endings = LineEndings::of_file(text);
        let count = |ending| endings.each.iter().filter(|each| **each == ending).count();
        let [lf, crlf, cr] = [Ending::Lf, Ending::CrLf, Ending::Cr].map(count);
        let source = Self {
            style: Style::of(lf, crlf, cr),
            lf,
            crlf,
            cr,
            normalized: crlf + cr > 0,
            source_code_points: file.chars().count(),
            source_utf8_bytes: bytes.len(),
            source_sha256: Sha256Hex::of(bytes),
            has_bom,
            endings,
        };
        Ok((Canonical::of(text), source))
    }
}

impl LineEndings {
    fn of_file(text: &str) -> Self {
        let file = text.as_bytes();
        let at = |byte: usize| file.get(byte);
        let ending = |end: usize| match at(end)? {
            b'\r' if at(end + 1) == Some(&b'\n') => Some(Ending::CrLf),
            b'\r' => Some(Ending::Cr),
            _ => (end == 0 || at(end - 1) != Some(&b'\r')).then_some(Ending::Lf),
        };
        Self::with(memchr2_iter(b'\r', b'\n', file).filter_map(ending).collect(), Ending::Lf)
    }
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 5] = [Self::None, Self::Lf, Self::CrLf, Self::Cr, Self::Mixed];

    fn of(lf: usize, crlf: usize, cr: usize) -> Self {
        match (lf, crlf, cr) {
            (0, 0, 0) => Self::None,
            (_, 0, 0) => Self::Lf,
            (0, _, 0) => Self::CrLf,
            (0, 0, _) => Self::Cr,
            _ => Self::Mixed,
        }
    }

    /// Its stored spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }

    /// The style of that spelling.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.name() == name)
    }

    fn ending(self) -> Option<Ending> {
        match self {
            Self::None | Self::Lf => Some(Ending::Lf),
            Self::CrLf => Some(Ending::CrLf),
            Self::Cr => Some(Ending::Cr),
            Self::Mixed => None,
        }
    }
}

/// `text` with the line ends of the file it came from: by the map where it is known and fits, else by a uniform style
/// (P-159). Neither is known of targets older than the facts (P-155).
///
/// # Errors
/// [`OriginalEolUnavailable`] for a mixed or unknown style without a map.
pub fn original_eol(
    text: &Canonical,
    style: Option<Style>,
    endings: Option<&LineEndings>,
    has_bom: bool,
) -> Result<Vec<u8>, OriginalEolUnavailable> {
    if let Some(Ok(file)) = endings.map(|endings| endings.restore(text, has_bom)) {
        return Ok(file);
    }
    let ending = style.and_then(Style::ending).ok_or(OriginalEolUnavailable)?;
    let uniform = LineEndings::uniform(ending, line_breaks(text.as_str()));
    uniform.restore(text, has_bom).map_err(|_| OriginalEolUnavailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-155, PG-30: the facts are the file's, and what follows from them.
    #[test]
    fn a_file_is_counted_before_it_is_normalised() {
        for (file, style, counts, runs) in [
            ("", "none", (0, 0, 0), ""),
            ("é", "none", (0, 0, 0), ""),
            ("a\nb\n", "lf", (2, 0, 0), "2L"),
            ("\r\n", "crlf", (0, 1, 0), "1C"),
            ("a\r\rb", "cr", (0, 0, 2), "2R"),
            ("\r\r\n\n\r", "mixed", (1, 1, 2), "1R1C1L1R"),
        ] {
            for (mark, file) in [(false, file.to_owned()), (true, format!("\u{feff}{file}"))] {
                let (text, source) = Source::read(file.as_bytes()).expect("it is text");
                assert_eq!(text, Canonical::of(file.strip_prefix('\u{feff}').unwrap_or(&file)));
                assert_eq!(source.style, Style::from_name(style).expect("it is a style"), "{file:?}");
                assert_eq!((source.lf, source.crlf, source.cr), counts, "{file:?}");
                assert_eq!(source.normalized, counts.1 + counts.2 > 0);
                assert_eq!(source.endings.to_string(), runs);
                assert_eq!((source.has_bom, source.source_sha256), (mark, Sha256Hex::of(&file)));
                assert_eq!(source.source_utf8_bytes, file.len());
                assert_eq!(source.source_code_points, file.chars().count());
            }
        }
        assert_eq!(Style::from_name("LF"), None);
    }

    /// P-100, E-15: what is no text is refused by its first byte, and one mark is taken off, not two.
    #[test]
    fn what_is_no_text_is_refused() {
        for (bytes, refused) in [
            (&b"ab\xff"[..], NotText::Utf8 { at: 2 }),
            (b"\xef\xbb\xbfa\0", NotText::Nul { at: 4 }),
            (b"\0\xff", NotText::Nul { at: 0 }),
            (b"\xe2\x82\0", NotText::Utf8 { at: 0 }),
            (b"\xed\xa0\x80", NotText::Utf8 { at: 0 }),
            (b"\xff\xfea\0", NotText::Utf8 { at: 0 }),
        ] {
            assert_eq!(Source::read(bytes), Err(refused), "{bytes:?}");
        }
        let (text, _) = Source::read("\u{feff}\u{feff}a".as_bytes()).expect("it is text");
        assert_eq!(text.as_str(), "\u{feff}a");
    }

    /// P-159, PG-30: a uniform style needs no map; a mixed or unknown one does.
    #[test]
    fn original_line_ends_are_known_or_refused() {
        let text = Canonical::of("a\nb\n");
        let by_style = |style| original_eol(&text, style, None, false);
        assert_eq!(by_style(Some(Style::CrLf)), Ok(b"a\r\nb\r\n".to_vec()));
        assert_eq!(by_style(Some(Style::Cr)), Ok(b"a\rb\r".to_vec()));
        assert_eq!(by_style(Some(Style::Lf)), Ok(b"a\nb\n".to_vec()));
        assert_eq!(by_style(Some(Style::None)), Ok(b"a\nb\n".to_vec()));
        assert_eq!(by_style(Some(Style::Mixed)), Err(OriginalEolUnavailable));
        assert_eq!(by_style(None), Err(OriginalEolUnavailable));

        let (_, source) = Source::read(b"\xef\xbb\xbfa\r\nb\n").expect("it is text");
        let by_map = |text: &str| original_eol(&Canonical::of(text), None, Some(&source.endings), source.has_bom);
        assert_eq!(by_map("A\nb\n"), Ok(b"\xef\xbb\xbfA\r\nb\n".to_vec()));
        assert_eq!(by_map("one line"), Err(OriginalEolUnavailable));
    }
}
