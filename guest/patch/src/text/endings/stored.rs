//! The stored spelling of a map of line endings: runs such as `120L3C1R`, for LF, CRLF and CR.
//!
//! A map has one spelling. It is read together with the number of line breaks it is for, so that a spelling of a few
//! bytes cannot ask for a map of any size.

use std::{fmt, iter};

use super::{Ending, LineEndings};

/// A stored map that is not spelled as maps are, or is for another number of line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored line endings are not those of this text")]
pub struct BadEndings;

impl LineEndings {
    /// The map of a text with `line_breaks`, from what its `Display` wrote.
    ///
    /// # Errors
    /// [`BadEndings`] for every other spelling and for another number of line breaks.
    pub fn parse(stored: &str, line_breaks: usize) -> Result<Self, BadEndings> {
        if line_breaks == 0 {
            return [Ending::Lf, Ending::CrLf, Ending::Cr]
                .into_iter()
                .map(|lone| Self::with(Vec::new(), lone))
                .find(|map| map.to_string() == stored)
                .ok_or(BadEndings);
        }
        let mut each = Vec::with_capacity(line_breaks.min(stored.len()));
        for run in stored.split_inclusive(['L', 'C', 'R']) {
            let (ending, count) = parse_run(run).ok_or(BadEndings)?;
            if count > line_breaks - each.len() || each.last() == Some(&ending) {
                return Err(BadEndings);
            }
            each.extend(iter::repeat_n(ending, count));
        }
        if each.len() == line_breaks { Ok(Self::with(each, Ending::Lf)) } else { Err(BadEndings) }
    }
}

impl fmt::Display for LineEndings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A text without line breaks says what its first one would be, unless that is LF.
        let lone = (self.is_empty() && self.lone != Ending::Lf).then_some((self.lone, 0));
        for (ending, count) in self.runs().chain(lone) {
            let letter = match ending {
                Ending::Lf => 'L',
                Ending::CrLf => 'C',
                Ending::Cr => 'R',
            };
            write!(f, "{count}{letter}")?;
        }
        Ok(())
    }
}

fn parse_run(run: &str) -> Option<(Ending, usize)> {
    let ending = match run.chars().next_back()? {
        'L' => Ending::Lf,
        'C' => Ending::CrLf,
        'R' => Ending::Cr,
        _ => return None,
    };
    let digits = run.get(..run.len() - 1)?;
    // A count has no sign, no space and no leading zero, and is not zero.
    let spelled = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    Some((ending, digits.parse().ok().filter(|_| spelled)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// PG-30, X-02: runs, in one spelling.
    #[test]
    fn maps_are_stored_as_runs() {
        for (stored, line_breaks) in [("", 0), ("0C", 0), ("0R", 0), ("120L3C1R", 124), ("1L1C1L", 3)] {
            let map = LineEndings::parse(stored, line_breaks);
            assert_eq!(map.map(|map| map.to_string()).as_deref(), Ok(stored));
        }
        for (wrong, line_breaks) in [
            ("", 1),
            ("0L", 0),
            ("1L", 0),
            ("0C", 1),
            ("1L0C", 1),
            ("01L", 1),
            ("+1L", 1),
            (" 1L", 1),
            ("1L ", 1),
            ("1l", 1),
            ("L", 1),
            ("1", 1),
            ("1L1", 1),
            ("1L1L", 2),
            ("1é", 1),
            ("1L", 2),
            ("3L", 2),
            ("18446744073709551616L", 1),
            ("1L18446744073709551615C", 2),
            ("18446744073709551615L", 3),
        ] {
            assert_eq!(LineEndings::parse(wrong, line_breaks), Err(BadEndings), "{wrong:?}");
        }
    }

    proptest! {
        /// what is read is what was written, and nothing else is read.
        #[test]
        fn one_spelling_each(stored in "([0-3]?[0-9][LCR]){0,5}", line_breaks in 0usize..40) {
            if let Ok(map) = LineEndings::parse(&stored, line_breaks) {
                prop_assert_eq!(map.to_string(), stored);
                prop_assert_eq!(map.len(), line_breaks);
            }
        }
    }
}
