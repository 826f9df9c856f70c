//! Members of a forge's JSON that may be of any type: of the right one they are read, of another they count as absent.
//!
//! The JSON is read as it streams by; what is not asked for is passed over and never kept (G-154, G-155).

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

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
