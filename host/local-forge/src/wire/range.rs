//! The recorded forge's own reading of a `Range` header, which is not that of the standard.

/// What of a content is to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// All of it, under 200.
    Whole,
    /// These bytes, both ends included, under 206.
    Part(u64, u64),
    /// None, under 416.
    Unsatisfiable(String),
    /// None, under 400.
    Refused(String),
}

const BAD_START: &str = "invalid start range";
const BAD_END: &str = "invalid end range";

impl Span {
    /// Reads `header`, if there is one, for a content of `size` bytes.
    pub(crate) fn of(header: Option<&[u8]>, size: u64) -> Self {
        let Some(range) = header.and_then(|header| header.strip_prefix(b"bytes=")).filter(|_| size > 0) else {
            return Self::Whole;
        };
        let range = String::from_utf8_lossy(range);
        let (start, end) = match range.split_once('-') {
            Some((start, end)) => (start, Some(end)),
            None => (&*range, None),
        };
        let start = match integer(start) {
            Ok(start) if start >= i128::from(size) || start < 0 => return Self::Unsatisfiable(BAD_START.into()),
            Ok(start) => start,
            Err(error) => return Self::Unsatisfiable(error),
        };
        let last = i128::from(size) - 1;
        // A text that is no number counts as zero until its error is told.
        let (end, error) = match end {
            Some("") => (last, None),
            other => match integer(other.unwrap_or_default()) {
                Ok(end) => (end.min(last), None),
                Err(error) => (0, Some(error)),
            },
        };
        if end < start {
            return Self::Refused(BAD_END.into());
        }
        match (error, u64::try_from(start), u64::try_from(end)) {
            (None, Ok(start), Ok(end)) => Self::Part(start, end),
            (error, ..) => Self::Refused(error.unwrap_or_else(|| BAD_END.into())),
        }
    }
}

/// Go's `strconv.ParseInt`. What is out of bounds is out of every content's bounds too.
fn integer(text: &str) -> Result<i128, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("strconv.ParseInt: parsing {text:?}: invalid syntax"));
    }
    Ok(text.parse().unwrap_or(if text.starts_with('-') { i128::MIN } else { i128::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recordings 171 to 181.
    #[test]
    fn ranges_are_read_as_recorded() {
        let syntax = |text: &str| format!("strconv.ParseInt: parsing {text:?}: invalid syntax");
        let span = |range: &str| Span::of(Some(range.as_bytes()), 111);
        assert_eq!(span("bytes=0-9"), Span::Part(0, 9));
        assert_eq!(span("bytes=5-"), Span::Part(5, 110));
        assert_eq!(span("bytes=0-99999"), Span::Part(0, 110));
        assert_eq!(span("bytes=-5"), Span::Unsatisfiable(syntax("")));
        assert_eq!(span("bytes=abc"), Span::Unsatisfiable(syntax("abc")));
        assert_eq!(span("bytes=999-1000"), Span::Unsatisfiable(BAD_START.into()));
        assert_eq!(span("bytes=99999999999999999999-"), Span::Unsatisfiable(BAD_START.into()));
        assert_eq!(span("bytes=0-1,3-4"), Span::Refused(syntax("1,3-4")));
        assert_eq!(span("bytes=9-2"), Span::Refused(BAD_END.into()));
        assert_eq!(span("bytes=0"), Span::Refused(syntax("")));
        for whole in ["items=0-1", "bytes = 0-1", ""] {
            assert_eq!(span(whole), Span::Whole, "{whole}");
        }
        assert_eq!(Span::of(Some(b"bytes=0-0"), 0), Span::Whole);
        assert_eq!(Span::of(None, 5), Span::Whole);
    }
}
