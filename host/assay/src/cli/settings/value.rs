//! What the values of settings look like: each parser says what it wants, with its bounds, in the sentence that refuses.

use std::{fmt, ops::RangeInclusive};

use tracing_subscriber::EnvFilter;

use crate::cli::shown::shown;

/// Suffixes of a number of bytes, the longer before those they end in.
const UNITS: [(&str, u32); 7] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("K", 10), ("M", 20), ("G", 30), ("B", 0)];

/// A number of bytes, written `65536`, `64K` or `64KiB`; all suffixes count in powers of 1,024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) struct ByteCount(pub(crate) u64);

/// A whole number within bounds.
pub(crate) fn whole(bounds: RangeInclusive<u32>) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| {
        let wrong = || {
            let (from, to) = (bounds.start(), bounds.end());
            format!("`{}` is no whole number from {from} to {to}", shown(text))
        };
        // `+5` is a number to the standard library.
        let digits = Some(text).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        digits.and_then(|text| text.parse().ok()).filter(|number| bounds.contains(number)).ok_or_else(wrong)
    }
}

/// A number of bytes within bounds.
pub(crate) fn bytes(bounds: RangeInclusive<u64>) -> impl Fn(&str) -> Result<ByteCount, String> + Clone {
    move |text| {
        let wrong = || {
            let (from, to) = (ByteCount(*bounds.start()), ByteCount(*bounds.end()));
            format!("`{}` is no number of bytes from {from} to {to} (such as 65536 or 64KiB)", shown(text))
        };
        count(text).filter(|count| bounds.contains(&count.0)).ok_or_else(wrong)
    }
}

/// A text that says something.
pub(crate) fn text(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// What to log: a level, or levels by target.
pub(crate) fn filter(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(format!(
            "`{}` is neither a level (error, warn, info, debug, trace) nor a filter such as warn,assay_host=debug",
            shown(text)
        )),
    }
}

fn count(text: &str) -> Option<ByteCount> {
    let (digits, shift) = UNITS
        .iter()
        .find_map(|(suffix, shift)| Some((text.strip_suffix(suffix)?.trim_end(), *shift)))
        .unwrap_or((text, 0));
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).map(ByteCount)
}

impl fmt::Display for ByteCount {
    /// The longest unit that leaves a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
            if self.0 != 0 && self.0.is_multiple_of(1 << shift) {
                return write!(f, "{}{unit}", self.0 >> shift);
            }
        }
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_in_powers_of_1024() {
        let any = bytes(0..=u64::MAX);
        for (text, count) in [
            ("0", 0),
            ("4096", 4_096),
            ("4096B", 4_096),
            ("64K", 65_536),
            ("64KiB", 65_536),
            ("16 MiB", 16 << 20),
            ("1G", 1 << 30),
            ("1GiB", 1 << 30),
        ] {
            assert_eq!(any(text), Ok(ByteCount(count)), "{text}");
        }
        for text in ["", "K", "-1", "+1", "1.5M", "1k", "1 0", "0x10", "1TB", "17179869184GiB", "99999999999999999999"]
        {
            let refused = any(text).expect_err(text);
            assert!(refused.contains("from 0 to"), "{refused}");
        }
        assert_eq!(ByteCount(64 << 20).to_string(), "64MiB");
        assert_eq!(ByteCount(49_000).to_string(), "49000");
        assert_eq!(any(&ByteCount(u64::MAX).to_string()), Ok(ByteCount(u64::MAX)));
    }

    #[test]
    fn bounds_are_kept_and_named() {
        let seconds = whole(1..=3_600);
        assert_eq!((seconds("1"), seconds("3600"), seconds("007")), (Ok(1), Ok(3_600), Ok(7)));
        for text in ["0", "3601", "", "-1", "+1", "1.0", "1e2", "99999999999"] {
            assert_eq!(seconds(text), Err(format!("`{text}` is no whole number from 1 to 3600")));
        }
        assert!(bytes(4_096..=49_000)("1M").is_err_and(|refused| refused.contains("from 4KiB to 49000")));
    }

    #[test]
    fn a_filter_is_checked() {
        assert!(filter("warn").is_ok() && filter("info,assay_host=trace").is_ok());
        assert!(filter("assay_host=loud").is_err_and(|refused| refused.contains("level")));
    }
}
