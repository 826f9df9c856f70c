//! What PostgreSQL's errors mean.
//!
//! Of a server's message the detail and the context are left out: they quote values.

use tokio_postgres::{Error, error::DbError};

use crate::Fault;

/// An error before the commit.
pub(super) fn fault(error: Error) -> Fault {
    match error.as_db_error() {
        Some(error) => told(error),
        None => Fault::Unavailable(chain(&error)),
    }
}

/// An error of the commit itself. Where the connection or the server ended, what was kept is not known.
pub(super) fn commit_fault(error: Error) -> Fault {
    match error.as_db_error() {
        Some(error) if !is_ending(error.code().code()) => told(error),
        Some(error) => Fault::CommitUnknown(error.message().to_owned()),
        None => Fault::CommitUnknown(chain(&error)),
    }
}

/// Connection lost, server shutting down, I/O error, internal error.
fn is_ending(code: &str) -> bool {
    matches!(code.get(..2), Some("08" | "57" | "58" | "XX"))
}

fn told(error: &DbError) -> Fault {
    let message = || error.message().to_owned();
    meaning(error.code().code(), error.constraint(), &message)
}

fn meaning(code: &str, constraint: Option<&str>, message: &dyn Fn() -> String) -> Fault {
    match code {
        // lock_not_available
        "55P03" => Fault::Locked,
        // deadlock_detected, serialization_failure
        "40P01" | "40001" => Fault::Deadlock,
        // disk_full
        "53100" => Fault::Full,
        // read_only_sql_transaction
        "25006" => Fault::ReadOnly,
        // in_failed_sql_transaction
        "25P02" => Fault::Aborted,
        // data_corrupted, index_corrupted
        "XX001" | "XX002" => Fault::Damaged(message()),
        // string_data_right_truncation; invalid_text_representation: the check of a JSON column
        "22001" | "22P02" => Fault::Constraint(message()),
        // insufficient_privilege, invalid_catalog_name (no such database)
        "42501" | "3D000" => Fault::Refused(message()),
        _ => match code.get(..2) {
            Some("23") => Fault::Constraint(constraint.map_or_else(message, str::to_owned)),
            Some("28") => Fault::Refused(message()),
            Some("08" | "53" | "57" | "58") => Fault::Unavailable(message()),
            _ => Fault::Failed { code: code.to_owned(), message: message() },
        },
    }
}

/// What the driver and whatever is below it say: addresses and reasons.
fn chain(error: &Error) -> String {
    let mut told = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !told.contains(&text) {
            told.push_str(": ");
            told.push_str(&text);
        }
        cause = error.source();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-112: each failure of the infrastructure is told as what it is.
    #[test]
    fn an_error_is_told_as_what_it_is() {
        let said = || "said".to_owned();
        for (code, expected) in [
            ("55P03", Fault::Locked),
            ("40P01", Fault::Deadlock),
            ("40001", Fault::Deadlock),
            ("53100", Fault::Full),
            ("53300", Fault::Unavailable(said())),
            ("57P01", Fault::Unavailable(said())),
            ("25006", Fault::ReadOnly),
            ("25P02", Fault::Aborted),
            ("28P01", Fault::Refused(said())),
            ("3D000", Fault::Refused(said())),
            ("42501", Fault::Refused(said())),
            ("23505", Fault::Constraint("uq".to_owned())),
            ("22001", Fault::Constraint(said())),
            ("22P02", Fault::Constraint(said())),
            ("XX001", Fault::Damaged(said())),
            ("42P01", Fault::Failed { code: "42P01".to_owned(), message: said() }),
        ] {
            assert_eq!(meaning(code, Some("uq"), &said), expected, "{code}");
        }
        assert_eq!(meaning("23001", None, &said), Fault::Constraint(said()));
        assert!(is_ending("57P01") && is_ending("08006") && !is_ending("23505"));
    }
}
