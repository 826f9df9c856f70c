//! A number in Python's spelling: integers of any length, everything else a double in its shortest form.

use std::fmt;

/// Longer spellings of a double are cut before they are read: no digit past these decides anything but whether there is
/// more.
const DIGITS: usize = 800;

/// An integer, or a finite double. Kept in the one spelling that Python writes (PG-15), by which two are equal: `1` and
/// `1.0` are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Box<str>);

impl Number {
    /// Of a double; nothing where it is not finite.
    #[must_use]
    pub fn from_f64(double: f64) -> Option<Self> {
        double.is_finite().then(|| Self(repr(double).into()))
    }

    /// Of a text that the grammar of JSON has as a number; nothing where it is no integer and no double holds it.
    pub(super) fn written(text: &str) -> Option<Self> {
        if text.contains(['.', 'e', 'E']) {
            return Self::from_f64(double(text)?);
        }
        // Python has no negative zero among its integers.
        Some(Self(if text == "-0" { "0".into() } else { text.into() }))
    }

    /// Its spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether Python has it as an `int`, of whatever length.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        !self.0.contains(['.', 'e'])
    }

    /// The integer, where it is one of that range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The integer, where it is one of that range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

/// The double next to a text of JSON's grammar, infinite where it is past all of them.
fn double(text: &str) -> Option<f64> {
    if text.len() <= DIGITS {
        return text.parse().ok();
    }
    // The standard library caps the exponent before it weighs it against the digits, so a long text is put in short first.
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || integer.bytes().chain(fraction.bytes());
    let zeros = digits().take_while(|digit| *digit == b'0').count();
    let mut short: String = digits().skip(zeros).take(DIGITS).map(char::from).collect();
    let kept = zeros + short.len();
    let is_cut = digits().skip(kept).any(|digit| digit != b'0');
    short.push(if is_cut { '1' } else { '0' });
    let places = i64::try_from(integer.len()).ok()? - i64::try_from(kept + 1).ok()?;
    // Past the range of an `i64` it is zero or infinite whatever the digits: no text is that long.
    let past = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let exponent = exponent.parse().unwrap_or(past).saturating_add(places).clamp(-9_999, 9_999);
    format!("{sign}{short}e{exponent}").parse().ok()
}

/// What Python's `repr` says of a finite double.
fn repr(double: f64) -> String {
    let shortest = format!("{double:e}");
    let fraction = shortest.split('e').next().and_then(|mantissa| mantissa.split_once('.')).map_or("", |parts| parts.1);
    // Of two shortest spellings Rust takes the upper where both are as near, Python the even: rounding decides as Python
    // does. Beside a power of two what is rounded can be another double, and the shortest stands.
    let rounded = format!("{double:.places$e}", places = fraction.len());
    let chosen = if rounded.parse() == Ok(double) { rounded } else { shortest };

    let (mantissa, exponent) = chosen.split_once('e').expect("a mantissa and its exponent");
    let exponent: i32 = exponent.parse().expect("a double has a small exponent");
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    if !(-4..16).contains(&exponent) {
        let direction = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{direction}{:02}", exponent.unsigned_abs());
    }
    let digits = mantissa.replace('.', "");
    let Ok(before) = usize::try_from(exponent) else {
        let zeros = usize::try_from(-exponent - 1).unwrap_or_default();
        return format!("{sign}0.{:0<zeros$}{digits}", "");
    };
    let (integer, fraction) = digits.split_at(digits.len().min(before + 1));
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    format!("{sign}{integer:0<width$}.{fraction}", width = before + 1)
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(number.to_string().into())
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self(number.to_string().into())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// PG-15: integers have no bounds, doubles have one spelling.
    #[test]
    fn numbers_are_spelled_as_python_spells_them() {
        let long = "7".repeat(5_000);
        let small = format!("0.{}1e700001", "0".repeat(700_000));
        let large = format!("1{}e-700000", "0".repeat(700_000));
        let above = format!("1.5{}1e0", "0".repeat(100_000));
        for (written, spelled) in [
            ("0", "0"),
            ("-0", "0"),
            ("1180591620717411303424", "1180591620717411303424"),
            (&*long, &*long),
            ("-0.0", "-0.0"),
            ("-0e5", "-0.0"),
            ("1.00", "1.0"),
            ("1E2", "100.0"),
            ("123456789012345678.0", "1.2345678901234568e+17"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("0.000123", "0.000123"),
            ("-1.5e-7", "-1.5e-07"),
            ("1e-400", "0.0"),
            ("1e-99999999999999999999", "0.0"),
            ("5e-324", "5e-324"),
            ("1125899906842624.25", "1125899906842624.2"),
            (&*small, "1.0"),
            (&*large, "1.0"),
            (&*above, "1.5"),
        ] {
            let number = Number::written(written).map(|number| number.to_string());
            assert_eq!(number.as_deref(), Some(spelled), "{}", &written[..written.len().min(40)]);
        }
        for infinite in ["1E400", "-1e309", "1e99999999999999999999", &format!("{long}e0")] {
            assert_eq!(Number::written(infinite), None);
        }
        assert_eq!(Number::from_f64(f64::NAN), None);
    }

    /// P-034: an integer is one by how it was written, and has its range or none.
    #[test]
    fn integers_have_a_range() {
        for (written, unsigned, signed) in [
            ("0", Some(0), Some(0)),
            ("-1", None, Some(-1)),
            ("9223372036854775807", Some(i64::MAX.unsigned_abs()), Some(i64::MAX)),
            ("9223372036854775808", Some(i64::MAX.unsigned_abs() + 1), None),
            ("18446744073709551616", None, None),
            ("1.0", None, None),
            ("1e2", None, None),
            ("1e20", None, None),
        ] {
            let number = Number::written(written).unwrap();
            assert_eq!((number.as_u64(), number.as_i64()), (unsigned, signed), "{written}");
            assert_eq!(number.is_integer(), !written.contains(['.', 'e']));
        }
    }

    proptest! {
        /// PG-15: a double's spelling is read as that double.
        #[test]
        fn doubles_come_back(bits in any::<u64>()) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            let number = Number::from_f64(double).unwrap();
            prop_assert_eq!(number.as_str().parse::<f64>().unwrap().to_bits(), bits);
            prop_assert_eq!(Number::written(number.as_str()), Some(number));
        }

        /// PG-15: a long spelling of a double is cut without another double coming of it.
        #[test]
        fn long_spellings_are_cut_exactly(digits in "[0-9]{1,18}", zeros in 0..2_000_usize, exponent in -320..320_i64) {
            let short = format!("1.{digits}e{exponent}");
            let long = format!("1.{digits}{}e{exponent}", "0".repeat(zeros));
            let shifted = format!("0.{}1{digits}e{}", "0".repeat(zeros), exponent + i64::try_from(zeros).unwrap() + 1);
            prop_assert_eq!(Number::written(&long), Number::written(&short));
            prop_assert_eq!(Number::written(&shifted), Number::written(&short));
        }
    }
}
