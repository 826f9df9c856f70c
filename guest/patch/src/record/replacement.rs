//! `patchdiff-tx/3`: one whole new text (P-052 to P-054, PG-11, PG-12).

use super::{
    Action, Invalid, Transaction, envelope,
    selectors::{Changes, DESCRIBING},
};
use crate::{Profile, Reason, json::Value};

/// The most code points of a new text, raw and canonical (P-053).
pub const MAX_CODE_POINTS: usize = 1_000_000;
/// The most bytes of its UTF-8.
pub const MAX_UTF8_BYTES: usize = 1_048_576;

pub(super) fn read(record: &Value, profile: &Profile) -> Result<Transaction, Invalid> {
    let own: Vec<&str> = ["replacement"].into_iter().chain(DESCRIBING).collect();
    let (members, intent) = envelope::open(record, &own, profile)?;
    if members.given("replacement").is_none() {
        return Err(Invalid::new(Reason::ManifestMissing, "the request has no replacement"));
    }
    let mut changes = Changes::new(profile);
    changes.add(members, || Ok(Action::ReplaceAll { replace: members.string("replacement")?.to_owned() }))?;
    Ok(Transaction { intent, operations: changes.into_operations() })
}

/// Whether a fresh text is within the limits. History is never asked (P-054).
///
/// It is asked as it was given. Its canonical form is never longer, so that one is within them too (P-053).
pub(crate) fn check_size(text: &str) -> Result<(), Invalid> {
    let (points, bytes) = (text.chars().count(), text.len());
    if points <= MAX_CODE_POINTS && bytes <= MAX_UTF8_BYTES {
        return Ok(());
    }
    let detail = format!(
        "the text has {points} code points and {bytes} bytes; at most {MAX_CODE_POINTS} and {MAX_UTF8_BYTES} are kept"
    );
    Err(Invalid::new(Reason::SizeLimitExceeded, detail))
}
