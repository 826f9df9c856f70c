//! What a store takes from outside: the time and new ids. A test gives its own, and gets the same rows every time.

use std::time::SystemTime;

use time::OffsetDateTime;
use uuid::Uuid;

/// Where times and ids come from.
pub trait Ground: Send + Sync {
    /// Now.
    fn now(&self) -> SystemTime;

    /// An id that no other row has.
    fn id(&self) -> Uuid;

    /// A writer found a SQLite file locked by another connection and waits. It is told once for each wait.
    ///
    /// PostgreSQL waits by itself and tells of it in `pg_stat_activity`; SQLite tells nobody.
    fn waits(&self) {}
}

/// The system's clock and random UUIDs (version 4).
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Ground for System {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn id(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// A time as it is stored: RFC 3339 in UTC with six digits of a second, always 27 characters, so that texts sort as the
/// times do.
pub(crate) fn stored(time: SystemTime) -> String {
    let time = OffsetDateTime::from(time);
    let (year, month, day) = (time.year(), u8::from(time.month()), time.day());
    let (hour, minute, second, fraction) = (time.hour(), time.minute(), time.second(), time.microsecond());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_time_has_one_spelling() {
        assert_eq!(stored(UNIX_EPOCH), "1970-01-01T00:00:00.000000Z");
        assert_eq!(stored(UNIX_EPOCH + Duration::new(1_793_880_000, 7_999)), "2026-11-05T12:00:00.000007Z");
        assert_eq!(stored(System.now()).len(), 27);
    }

    #[test]
    fn an_id_is_a_random_uuid_in_lower_case() {
        let (one, other) = (System.id(), System.id());
        assert_ne!(one, other);
        assert_eq!(one.get_version_num(), 4);
        assert_eq!(one.to_string(), one.to_string().to_lowercase());
    }
}
