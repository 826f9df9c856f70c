//! What a list's head says of the whole list.

use super::Links;
use crate::http::Head;

/// `X-Total-Count` and `Link`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// How many rows there are in all, as the forge counts them: null where it does not say so once, in digits (G-097,
    /// G-129). It may count rows that the forge does not show.
    pub total: Option<u64>,
    /// The relations.
    pub links: Links,
}

impl Evidence {
    /// Reads a head that was judged already.
    #[must_use]
    pub fn of(head: &Head) -> Self {
        let digits = head.one("x-total-count").and_then(|value| std::str::from_utf8(value.trim_ascii()).ok());
        let total = digits.filter(|text| text.bytes().all(|b| b.is_ascii_digit())).and_then(|text| text.parse().ok());
        Self { total, links: Links::parse(head.all("link")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-097, G-129.
    #[test]
    fn a_count_is_digits_once() {
        let total = |values: &[&str]| {
            let headers = values.iter().map(|value| ("x-total-count".to_owned(), value.as_bytes().to_vec())).collect();
            Evidence::of(&Head { status: 200, headers }).total
        };
        assert_eq!(total(&["0"]), Some(0));
        assert_eq!(total(&[" 174 "]), Some(174));
        for values in [&[][..], &[""], &["-1"], &["+1"], &["1.0"], &["x"], &["3", "3"], &["99999999999999999999"]] {
            assert_eq!(total(values), None, "{values:?}");
        }
    }
}
