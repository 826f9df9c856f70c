//! What goes into a statement and what comes out of a row, whichever database it is.

use std::fmt;

use crate::Fault;

/// One parameter or one column.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Text(String),
    Integer(i64),
    Boolean(bool),
}

impl Value {
    /// Whether it is a text that PostgreSQL cannot hold. SQLite could, and so would hold what the other cannot.
    pub(crate) fn has_nul(&self) -> bool {
        matches!(self, Self::Text(text) if text.contains('\0'))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A text by its length alone: the driver logs the parameters of each statement, and no document's text belongs into a log
/// (K-70).
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Text(text) => write!(f, "text of {} bytes", text.len()),
            Self::Integer(number) => number.fmt(f),
            Self::Boolean(truth) => truth.fmt(f),
        }
    }
}

/// A row, read column by column from the left.
#[derive(Debug)]
pub(crate) struct Row(std::vec::IntoIter<Value>);

impl Row {
    pub(crate) fn of(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }

    /// All that are left.
    pub(crate) fn rest(self) -> impl Iterator<Item = Value> {
        self.0
    }

    pub(crate) fn text(&mut self) -> Result<String, Fault> {
        self.optional_text()?.ok_or_else(unexpected)
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<String>, Fault> {
        match self.0.next() {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(unexpected()),
        }
    }

    pub(crate) fn integer(&mut self) -> Result<i64, Fault> {
        self.optional_integer()?.ok_or_else(unexpected)
    }

    pub(crate) fn optional_integer(&mut self) -> Result<Option<i64>, Fault> {
        match self.0.next() {
            Some(Value::Integer(number)) => Ok(Some(number)),
            Some(Value::Null) => Ok(None),
            _ => Err(unexpected()),
        }
    }

    /// SQLite has numbers for it.
    pub(crate) fn boolean(&mut self) -> Result<bool, Fault> {
        match self.0.next() {
            Some(Value::Boolean(truth)) => Ok(truth),
            Some(Value::Integer(number @ (0 | 1))) => Ok(number == 1),
            _ => Err(unexpected()),
        }
    }
}

fn unexpected() -> Fault {
    Fault::Damaged("a column holds what the schema does not allow".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-70: a parameter that is logged says nothing of a document.
    #[test]
    fn a_text_is_not_printed() {
        let printed =
            format!("{:?} {:?}", Value::from("s3cret"), Row::of(vec!["s3cret".into(), 7_i64.into(), Value::Null]));
        assert!(!printed.contains("cret") && printed.contains("6 bytes") && printed.contains("NULL"), "{printed}");
    }

    #[test]
    fn a_row_is_read_from_the_left_and_holds_what_it_must() {
        let row = || Row::of(vec!["a".into(), Value::Null, 7_i64.into(), Value::Integer(1), true.into()]);
        let mut one = row();
        assert_eq!(one.text().as_deref(), Ok("a"));
        assert_eq!(one.optional_text(), Ok(None));
        assert_eq!(one.integer(), Ok(7));
        assert_eq!(one.boolean(), Ok(true));
        assert_eq!(one.boolean(), Ok(true));
        assert!(matches!(one.text(), Err(Fault::Damaged(_))), "past the end");
        assert!(matches!(row().integer(), Err(Fault::Damaged(_))));
        assert!(matches!(Row::of(vec![Value::Null]).text(), Err(Fault::Damaged(_))));
        assert!(matches!(Row::of(vec![2_i64.into()]).boolean(), Err(Fault::Damaged(_))));
    }
}
