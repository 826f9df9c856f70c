//! The lines of a written history: a head, the rows, and an end that says how many they are and what they hash to.
//!
//! Each is one JSON object. What is read is bounded before it is understood: a line, and the cells of a row.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, Visitor},
};

use super::{Carried, Kind, Of};
use crate::value::Value;

/// Bytes of a line at the most: a text of the greatest size, escaped twice, has a fraction of it.
pub(crate) const LINE_BYTES: u64 = 64 << 20;

/// Cells of a row at the most; no table has as many columns.
const CELLS: usize = 64;

/// One line.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Line {
    Head { format: String, schema: String },
    Row { table: String, columns: Cells },
    End { rows: u64, sha256: String },
}

/// The columns of a row by their names.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cells(BTreeMap<String, Value>);

impl Line {
    pub(crate) fn of(row: Carried) -> Self {
        let table = row.of.table();
        let names = table.columns.iter().map(|(name, _)| (*name).to_owned());
        let columns = Cells(names.zip(row.values).collect());
        Self::Row { table: table.name.to_owned(), columns }
    }

    /// As it stands in a file, without its line feed.
    pub(crate) fn spelled(&self) -> String {
        serde_json::to_string(self).expect("names, texts and numbers can be spelled")
    }
}

/// The row that a line is; what is wrong with it, where it is none.
pub(crate) fn row(table: &str, Cells(mut cells): Cells) -> Result<Carried, String> {
    let of = Of::ALL.into_iter().find(|of| of.table().name == table);
    let of = of.ok_or_else(|| "it is of no table that histories have".to_owned())?;
    let mut values = Vec::with_capacity(of.table().columns.len());
    for (name, kind) in of.table().columns {
        let value = cells.remove(*name).ok_or_else(|| format!("the column `{name}` is missing"))?;
        if value.has_nul() {
            return Err(format!("the column `{name}` has NUL in it, which no database here stores"));
        }
        let fits = matches!(
            (kind, &value),
            (_, Value::Null)
                | (Kind::Text, Value::Text(_))
                | (Kind::Integer, Value::Integer(_))
                | (Kind::Boolean, Value::Boolean(_))
        );
        if !fits {
            return Err(format!("the column `{name}` holds something else than it may"));
        }
        values.push(value);
    }
    if !cells.is_empty() {
        return Err(format!("it has a column that `{table}` has not"));
    }
    Ok(Carried { of, values })
}

impl Serialize for Cells {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Row)
    }
}

impl Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Boolean(truth) => serializer.serialize_bool(*truth),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Cell)
    }
}

struct Row;

impl<'de> Visitor<'de> for Row {
    type Value = Cells;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the columns of a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cells, A::Error> {
        let mut cells = BTreeMap::new();
        while let Some((name, value)) = map.next_entry()? {
            if cells.len() == CELLS {
                return Err(A::Error::custom("a row has too many columns"));
            }
            if cells.insert(name, value).is_some() {
                return Err(A::Error::custom("a column is there twice"));
            }
        }
        Ok(Cells(cells))
    }
}

struct Cell;

impl Visitor<'_> for Cell {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a text, an integer or a truth value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Boolean(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        i64::try_from(number).map(Value::Integer).map_err(|_| E::custom("a number is too large"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Carried, String> {
        match serde_json::from_str(line) {
            Ok(Line::Row { table, columns }) => row(&table, columns),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// X-01: a row comes back as it was, whatever it holds.
    #[test]
    fn a_row_is_read_as_it_was_written() {
        let values = vec![
            "\u{1}\"\\\u{2028}\u{10ffff}é".into(),
            "b".into(),
            i64::MAX.into(),
            "".into(),
            Value::Null,
            Value::Null,
        ];
        let carried = Carried { of: Of::Cycle, values };
        let line = Line::of(carried.clone()).spelled();
        assert!(!line.contains('\n') && line.starts_with(r#"{"row":{"table":"editing_cycles","columns":{"#), "{line}");
        assert_eq!(read(&line), Ok(carried));
    }

    /// X-01: what is no row is told, and takes no room.
    #[test]
    fn what_is_no_row_is_refused() {
        let good = Line::of(Carried { of: Of::Cycle, values: vec![Value::Null; 6] }).spelled();
        assert!(read(&good).is_ok());
        for (wrong, said) in [
            (good.replace("closed_at", "closed"), "`closed_at` is missing"),
            (good.replace("editing_cycles", "sqlite_schema"), "no table"),
            (good.replace(r#""id":null"#, r#""id":null,"more":1"#), "a column that"),
            (good.replace(r#""id":null"#, r#""id":null,"id":"x""#), "twice"),
            (good.replace(r#""id":null"#, r#""id":7"#), "`id` holds"),
            (good.replace(r#""id":null"#, r#""id":"a\u0000""#), "NUL"),
            (good.replace(r#""id":null"#, r#""id":"\ud800""#), "hex escape"),
            (good.replace(r#""id":null"#, r#""id":[]"#), "null, a text"),
            (good.replace(r#""id":null"#, r#""id":1.5"#), "null, a text"),
            (good.replace(r#""id":null"#, r#""id":18446744073709551615"#), "too large"),
            (good.replace(r#""row""#, r#""rows""#), "unknown variant"),
        ] {
            let refused = read(&wrong).expect_err(&wrong);
            assert!(refused.contains(said), "{wrong}: {refused}");
        }
        let many: String = (0..=CELLS).map(|at| format!("\"c{at}\":0,")).collect();
        let many = good.replace(r#""id":null"#, &format!("{many}\"id\":null"));
        assert!(read(&many).expect_err("too many").contains("too many columns"));
    }
}
