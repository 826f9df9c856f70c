//! Rows of a JSON array, one after the other as they stream by.
//!
//! What a row keeps is its type's business, which bounds it; how many bytes are read is bounded by the reader that is passed
//! in. An empty list may be spelled `null`, as a forge in Go spells it.

use std::{collections::BTreeSet, fmt, io::Read, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::Fault;
use crate::lenient::{Object, Scalar};

/// Reads one JSON array of at most `most` objects to its end.
///
/// # Errors
/// [`Fault::Malformed`] or [`Fault::TooManyRows`]. A reader that fails makes the same of it as one that ends early: whoever
/// passes it knows better what happened.
pub fn read_rows<T: DeserializeOwned>(json: impl Read, most: usize) -> Result<Vec<T>, Fault> {
    collect(most, |take| for_each_row(json, take))
}

/// The same of an array that is a member of the one object that the answer is, as a search's is, which says in `ok` whether it
/// was one.
///
/// # Errors
/// As [`read_rows`]; a member that is missing or null is malformed, and so is an `ok` that is not true.
pub fn read_rows_in<T: DeserializeOwned>(json: impl Read, member: &str, most: usize) -> Result<Vec<T>, Fault> {
    collect(most, |take| run(json, take, |rows| Member { member, rows }))
}

/// Gives each row of one JSON array to `take`, which may end the reading with a fault of its own.
///
/// # Errors
/// As [`read_rows`], and what `take` says.
pub fn for_each_row<T: DeserializeOwned>(
    json: impl Read,
    take: &mut dyn FnMut(T) -> Result<(), Fault>,
) -> Result<(), Fault> {
    run(json, take, |rows| rows)
}

/// No two rows of a page are one thing: each has another key, as far as it has one.
///
/// # Errors
/// [`Fault::RepeatedRow`]: a page like that is no page of any list, so nothing can be counted by it.
pub fn distinct<K: Ord>(keys: impl IntoIterator<Item = Option<K>>) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    if keys.into_iter().flatten().all(|key| seen.insert(key)) { Ok(()) } else { Err(Fault::RepeatedRow) }
}

fn collect<T>(
    most: usize,
    read: impl FnOnce(&mut dyn FnMut(T) -> Result<(), Fault>) -> Result<(), Fault>,
) -> Result<Vec<T>, Fault> {
    let mut rows = Vec::new();
    read(&mut |row| {
        if rows.len() == most {
            return Err(Fault::TooManyRows);
        }
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

fn run<'a, T, S>(
    json: impl Read,
    take: &'a mut dyn FnMut(T) -> Result<(), Fault>,
    seed: impl FnOnce(Rows<'a, T>) -> S,
) -> Result<(), Fault>
where
    S: for<'de> DeserializeSeed<'de, Value = Result<(), Fault>>,
{
    let mut deserializer = serde_json::Deserializer::from_reader(json);
    let rows = Rows { take, row: PhantomData, may_be_null: true };
    seed(rows).deserialize(&mut deserializer).map_err(|_| Fault::Malformed)??;
    deserializer.end().map_err(|_| Fault::Malformed)
}

/// An array of rows. What `take` says is a value here: the rest of the array is passed over then.
struct Rows<'a, T> {
    take: &'a mut dyn FnMut(T) -> Result<(), Fault>,
    row: PhantomData<T>,
    may_be_null: bool,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Rows<'_, T> {
    type Value = Result<(), Fault>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Rows<'_, T> {
    type Value = Result<(), Fault>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        if self.may_be_null { Ok(Ok(())) } else { Err(E::custom("null is no array here")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        while let Some(Object(row)) = elements.next_element::<Object<T>>()? {
            if let Err(fault) = (self.take)(row) {
                while elements.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Err(fault));
            }
        }
        Ok(Ok(()))
    }
}

/// An object with one member that is an array of rows. Here null is no empty list: a search that found nothing says so in an
/// array, and one that failed has none.
struct Member<'a, T> {
    member: &'a str,
    rows: Rows<'a, T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Member<'_, T> {
    type Value = Result<(), Fault>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Member<'_, T> {
    type Value = Result<(), Fault>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let Self { member, rows } = self;
        let rows = Rows { may_be_null: false, ..rows };
        let mut rows = Some(rows);
        let mut outcome = None;
        while let Some(name) = members.next_key::<String>()? {
            if name == member {
                let rows = rows.take().ok_or_else(|| A::Error::custom("a member twice"))?;
                outcome = Some(members.next_value_seed(rows)?);
            } else if name == "ok" {
                if members.next_value::<Scalar>()?.boolean() != Some(true) {
                    return Err(A::Error::custom("a search that failed"));
                }
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        outcome.ok_or_else(|| A::Error::custom("no such member"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Row {
        id: u64,
    }

    fn ids(json: &str, most: usize) -> Result<Vec<u64>, Fault> {
        Ok(read_rows::<Row>(json.as_bytes(), most)?.into_iter().map(|row| row.id).collect())
    }

    /// K-58: ids stay exact; what is not asked for is passed over.
    #[test]
    fn rows_come_in_their_order() {
        let json = r#"[{"id":9007199254740993,"x":[{"y":{}}]},{"x":"long","id":1}]"#;
        assert_eq!(ids(json, 2), Ok(vec![9_007_199_254_740_993, 1]));
        assert_eq!(ids(json, 1), Err(Fault::TooManyRows));
        assert_eq!(ids("[]", 0), Ok(vec![]));
        assert_eq!(ids("null", 5), Ok(vec![]));
    }

    #[test]
    fn anything_else_is_malformed() {
        for json in [
            "",
            "{}",
            "7",
            "[7]",
            "[null]",
            "[[1]]",
            "[{\"id\":1}",
            "[{\"id\":1}] x",
            "[{\"id\":1},]",
            "[{}]",
            "<html>",
            "[{\"id\":1,\"id\":1}]",
            "\"[]\"",
        ] {
            assert_eq!(ids(json, 5), Err(Fault::Malformed), "{json}");
        }
        let deep = format!("[{{\"id\":1,\"x\":{}", "[".repeat(1_000_000));
        assert_eq!(ids(&deep, 5), Err(Fault::Malformed));
        // The rest of a list that is too long must be JSON all the same.
        assert_eq!(ids("[{\"id\":1},{\"id\":2},", 1), Err(Fault::Malformed));
    }

    #[test]
    fn no_row_comes_twice() {
        assert_eq!(distinct([Some("a"), None, Some("A"), None]), Ok(()));
        assert_eq!(distinct([Some(1), Some(2), Some(1)]), Err(Fault::RepeatedRow));
    }

    #[test]
    fn a_search_has_its_rows_in_a_member() {
        let rows = |json: &str| Ok::<_, Fault>(read_rows_in::<Row>(json.as_bytes(), "data", 2)?.len());
        assert_eq!(rows(r#"{"ok":true,"data":[{"id":1},{"id":2}],"more":{"data":7}}"#), Ok(2));
        assert_eq!(rows(r#"{"data":[],"ok":true}"#), Ok(0));
        assert_eq!(rows(r#"{"data":[{"id":1},{"id":2},{"id":3}]}"#), Err(Fault::TooManyRows));
        for json in [
            r#"{"ok":true}"#,
            "[]",
            r#"{"data":[],"data":[]}"#,
            r#"{"data":{}}"#,
            "null",
            r#"{"data":null}"#,
            r#"{"ok":true,"data":null}"#,
            r#"{"ok":false,"data":[]}"#,
            r#"{"data":[{"id":1}],"ok":false}"#,
            r#"{"ok":null,"data":[]}"#,
            r#"{"ok":"true","data":[]}"#,
        ] {
            assert_eq!(rows(json), Err(Fault::Malformed), "{json}");
        }
    }
}
