//! Members of a forge's JSON that may be of any type: of the right one they are read, of another they count as absent.
//!
//! The JSON is read as it streams by; what is not asked for is passed over and never kept (G-154, G-155).

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Bytes of a title, a ref's name or a URL that are kept; no forge stores longer ones, and a longer one counts as absent.
const TEXT_BYTES: usize = 8 * 1024;

/// A value of any type, of which only what a small member may be is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scalar {
    Boolean(bool),
    Integer(u64),
    Text(String),
    #[default]
    Other,
}

impl Scalar {
    pub(crate) fn boolean(self) -> Option<bool> {
        if let Self::Boolean(value) = self { Some(value) } else { None }
    }

    pub(crate) fn text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn is_text(&self, wanted: &str) -> bool {
        matches!(self, Self::Text(text) if text == wanted)
    }

    /// G-152: full ids alone, exactly as they came.
    pub(crate) fn object_id(self) -> Option<String> {
        self.text().filter(|text| matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit()))
    }

    /// A time as it is spelled, if it is one.
    pub(crate) fn moment(self) -> Option<String> {
        self.text().filter(|text| OffsetDateTime::parse(text, &Rfc3339).is_ok())
    }

    /// A count, which may be zero.
    pub(crate) fn count(self) -> Option<u64> {
        if let Self::Integer(count) = self { Some(count) } else { None }
    }

    /// G-153.
    pub(crate) fn id(self) -> Option<u64> {
        if let Self::Integer(id @ 1..) = self { Some(id) } else { None }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyType;

        impl<'de> Visitor<'de> for AnyType {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
                Ok(Scalar::Boolean(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
                Ok(Scalar::Integer(value))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
                Ok(if text.len() <= TEXT_BYTES { Scalar::Text(text.to_owned()) } else { Scalar::Other })
            }

            fn visit_unit<E>(self) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Scalar, A::Error> {
                skip_elements(elements)?;
                Ok(Scalar::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Scalar, A::Error> {
                skip_members(members)?;
                Ok(Scalar::Other)
            }
        }

        deserializer.deserialize_any(AnyType)
    }
}

/// Bytes of a text that is to be shown whole: more than fit into any answer.
const LONG_TEXT_BYTES: usize = 64 * 1024;

/// A text to be shown whole. Absent and null are empty, as an issue without a text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LongText {
    Text(String),
    /// Too long for any answer: its bytes.
    TooLong(usize),
    /// A value of another type.
    Other,
}

impl LongText {
    /// The text, or its size where it is too long to be shown; nothing where it is none.
    pub(crate) fn text(self) -> Option<Result<String, usize>> {
        match self {
            Self::Text(text) => Some(Ok(text)),
            Self::TooLong(bytes) => Some(Err(bytes)),
            Self::Other => None,
        }
    }
}

impl Default for LongText {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl<'de> Deserialize<'de> for LongText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_text = |text: &str| {
            let fits = text.len() <= LONG_TEXT_BYTES;
            if fits { Self::Text(text.to_owned()) } else { Self::TooLong(text.len()) }
        };
        text_or(deserializer, of_text, Self::default, || Self::Other)
    }
}

/// A text of any length, for a comparison; nothing where it is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WholeText(pub(crate) Option<String>);

impl<'de> Deserialize<'de> for WholeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or(deserializer, |text| Self(Some(text.to_owned())), Self::default, Self::default)
    }
}

/// The beginning of a text, which is cut where it is long, and the bytes of the whole. Null is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) text: String,
    pub(crate) whole_bytes: usize,
}

impl Beginning {
    /// At most `most` bytes of a text, in whole characters.
    fn of(text: &str, most: usize) -> Self {
        let kept = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
        Self { text: kept.to_owned(), whole_bytes: text.len() }
    }

    /// At most `most` bytes of it.
    pub(crate) fn cut(&self, most: usize) -> Self {
        Self { whole_bytes: self.whole_bytes, ..Self::of(&self.text, most) }
    }

    pub(crate) const fn is_cut(&self) -> bool {
        self.text.len() < self.whole_bytes
    }
}

/// More of a text than can be in any answer; nothing of a value of another type.
#[derive(Clone, Debug, Default)]
pub(crate) struct LongBeginning(pub(crate) Option<Beginning>);

impl<'de> Deserialize<'de> for LongBeginning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_text = |text: &str| Some(Beginning::of(text, LONG_TEXT_BYTES));
        text_or(deserializer, of_text, || Some(Beginning::default()), || None).map(Self)
    }
}

/// The first line of a text, without its end; nothing of a value of another type.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstLine<const MOST: usize>(pub(crate) Option<Beginning>);

impl<'de, const MOST: usize> Deserialize<'de> for FirstLine<MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_text = |text: &str| Some(Beginning::of(text.lines().next().unwrap_or_default(), MOST));
        text_or(deserializer, of_text, || None, || None).map(Self)
    }
}

/// Bytes of a title that are shown where it is cut, so that a page of such rows has room.
const CUT_TITLE_BYTES: usize = 200;

/// A title, or a description in a line: whole, but its beginning where it is longer than any forge stores; nothing of a value of
/// another type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Title(Option<Beginning>);

impl Title {
    /// The text, and true where it is cut.
    pub(crate) fn shown(self) -> (Option<String>, Option<bool>) {
        let is_cut = self.0.as_ref().is_some_and(Beginning::is_cut);
        (self.0.map(|title| title.text), is_cut.then_some(true))
    }
}

impl<'de> Deserialize<'de> for Title {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let most = |text: &str| if text.len() <= TEXT_BYTES { TEXT_BYTES } else { CUT_TITLE_BYTES };
        text_or(deserializer, |text| Some(Beginning::of(text, most(text))), || None, || None).map(Self)
    }
}

/// How many bytes a text has, which is passed over. Null has none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextBytes(pub(crate) Option<usize>);

impl<'de> Deserialize<'de> for TextBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or(deserializer, |text| Some(text.len()), || Some(0), || None).map(Self)
    }
}

/// The first elements of an array, and how many more it has. An element that is no object is one without members.
#[derive(Debug)]
pub(crate) struct Few<T> {
    pub(crate) first: Vec<T>,
    pub(crate) left_out: u64,
}

/// At most `MOST` elements, or a value of any other type in the array's place.
#[derive(Debug)]
pub(crate) struct LenientFew<T, const MOST: usize>(pub(crate) Option<Few<T>>);

impl<T, const MOST: usize> Default for LenientFew<T, MOST> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Default + Deserialize<'de>, const MOST: usize> Deserialize<'de> for LenientFew<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyType<T, const MOST: usize>(std::marker::PhantomData<T>);

        impl<'de, T: Default + Deserialize<'de>, const MOST: usize> Visitor<'de> for AnyType<T, MOST> {
            type Value = Option<Few<T>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
                let mut few = Few { first: Vec::new(), left_out: 0 };
                while few.first.len() < MOST {
                    match elements.next_element::<Lenient<T>>()? {
                        Some(element) => few.first.push(element.unwrap_or_default()),
                        None => return Ok(Some(few)),
                    }
                }
                while elements.next_element::<IgnoredAny>()?.is_some() {
                    few.left_out += 1;
                }
                Ok(Some(few))
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
                skip_members(members)?;
                Ok(None)
            }
        }

        deserializer.deserialize_any(AnyType::<T, MOST>(std::marker::PhantomData)).map(Self)
    }
}

/// Reads a value of any type: `of_text` makes something of a text, `of_null` of null, `of_other` of everything else, which is
/// passed over.
fn text_or<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    of_text: impl FnOnce(&str) -> T,
    of_null: impl FnOnce() -> T,
    of_other: impl FnOnce() -> T,
) -> Result<T, D::Error> {
    struct TextOr<F, N, O>(F, N, O);

    impl<'de, T, F: FnOnce(&str) -> T, N: FnOnce() -> T, O: FnOnce() -> T> Visitor<'de> for TextOr<F, N, O> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E>(self, text: &str) -> Result<T, E> {
            Ok((self.0)(text))
        }

        fn visit_unit<E>(self) -> Result<T, E> {
            Ok((self.1)())
        }

        fn visit_bool<E>(self, _: bool) -> Result<T, E> {
            Ok((self.2)())
        }

        fn visit_u64<E>(self, _: u64) -> Result<T, E> {
            Ok((self.2)())
        }

        fn visit_i64<E>(self, _: i64) -> Result<T, E> {
            Ok((self.2)())
        }

        fn visit_f64<E>(self, _: f64) -> Result<T, E> {
            Ok((self.2)())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<T, A::Error> {
            skip_elements(elements)?;
            Ok((self.2)())
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            skip_members(members)?;
            Ok((self.2)())
        }
    }

    deserializer.deserialize_any(TextOr(of_text, of_null, of_other))
}

/// An object, or a value of any other type in its place.
pub(crate) struct Lenient<T>(Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Lenient<T> {
    pub(crate) fn into_object(self) -> Option<T> {
        self.0
    }
}

impl<T: Default> Lenient<T> {
    pub(crate) fn unwrap_or_default(self) -> T {
        self.0.unwrap_or_default()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyType<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for AnyType<T> {
            type Value = Option<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_bool<E>(self, _: bool) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_str<E>(self, _: &str) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_unit<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Option<T>, A::Error> {
                skip_elements(elements)?;
                Ok(None)
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Option<T>, A::Error> {
                T::deserialize(serde::de::value::MapAccessDeserializer::new(members)).map(Some)
            }
        }

        deserializer.deserialize_any(AnyType(std::marker::PhantomData)).map(Self)
    }
}

/// An object and nothing else: a derived struct would be read from an array as well.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Lenient(object) = Lenient::deserialize(deserializer)?;
        object.map(Self).ok_or_else(|| D::Error::custom("not an object"))
    }
}

fn skip_elements<'de, A: SeqAccess<'de>>(mut elements: A) -> Result<(), A::Error> {
    while elements.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn skip_members<'de, A: MapAccess<'de>>(mut members: A) -> Result<(), A::Error> {
    while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests;
