//! What SQLite's errors mean.

use rusqlite::{Error, ErrorCode};

use crate::Fault;

/// Whether somebody else has the lock, in one of the ways that SQLite tells it.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// An error before the commit.
pub(super) fn fault(error: Error) -> Fault {
    let (code, message) = match error {
        Error::SqliteFailure(code, message) => (code, message.unwrap_or_else(|| code.to_string())),
        Error::FromSqlConversionFailure(..) | Error::InvalidColumnType(..) => {
            return Fault::Damaged("a column holds what the schema does not allow".to_owned());
        }
        // None of these quotes a value.
        other => return Fault::Failed { code: "rusqlite".to_owned(), message: other.to_string() },
    };
    match code.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Fault::Locked,
        ErrorCode::DiskFull => Fault::Full,
        ErrorCode::ReadOnly => Fault::ReadOnly,
        ErrorCode::NotADatabase => Fault::NotADatabase,
        ErrorCode::DatabaseCorrupt => Fault::Damaged(message),
        ErrorCode::ConstraintViolation => Fault::Constraint(message),
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Fault::Unavailable(message),
        _ => Fault::Failed { code: code.extended_code.to_string(), message },
    }
}

/// An error of the commit itself. Where the disk failed, what reached it is not known.
pub(super) fn commit_fault(error: Error) -> Fault {
    match &error {
        Error::SqliteFailure(code, _) if code.code == ErrorCode::SystemIoFailure => {
            Fault::CommitUnknown(error.to_string())
        }
        _ => fault(error),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn error(code: i32) -> Error {
        Error::SqliteFailure(ffi::Error::new(code), Some("said".to_owned()))
    }

    /// P-112: each failure of the infrastructure is told as what it is.
    #[test]
    fn an_error_is_told_as_what_it_is() {
        for (code, expected) in [
            (ffi::SQLITE_BUSY, Fault::Locked),
            (ffi::SQLITE_BUSY_SNAPSHOT, Fault::Locked),
            (ffi::SQLITE_BUSY_RECOVERY, Fault::Locked),
            (ffi::SQLITE_FULL, Fault::Full),
            (ffi::SQLITE_READONLY, Fault::ReadOnly),
            (ffi::SQLITE_READONLY_DBMOVED, Fault::ReadOnly),
            (ffi::SQLITE_NOTADB, Fault::NotADatabase),
            (ffi::SQLITE_CORRUPT, Fault::Damaged("said".to_owned())),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, Fault::Constraint("said".to_owned())),
            (ffi::SQLITE_CANTOPEN, Fault::Unavailable("said".to_owned())),
            (ffi::SQLITE_TOOBIG, Fault::Failed { code: "18".to_owned(), message: "said".to_owned() }),
        ] {
            assert_eq!(fault(error(code)), expected);
            assert_eq!(commit_fault(error(code)), expected);
        }
    }

    /// P-010: nobody claims to know what a disk kept that failed.
    #[test]
    fn a_disk_that_fails_at_the_commit_leaves_it_open() {
        assert!(matches!(commit_fault(error(ffi::SQLITE_IOERR_FSYNC)), Fault::CommitUnknown(_)));
        assert!(matches!(fault(error(ffi::SQLITE_IOERR_FSYNC)), Fault::Failed { .. }));
    }
}
