//! What is kept of inputs that no database stores: where they are wrong, all that they were, and a hash to find them by.
//!
//! Whether an input is refused, and which rows it gets, is left to the caller.

use super::walk::{Event, Walk};
use super::{DEPTH, NotStorable, Preview, Text, Value, read};
use crate::Sha256Hex;

/// The mark of an envelope, and the domain of a fingerprint (P-103, PG-26).
pub const EVIDENCE_FORMAT: &str = "patchdiff-invalid-input/1";

/// The most places that are listed of one input.
pub const LISTED_PLACES: usize = 16;

/// Where the texts are that no database stores (P-104). Empty for all that may be stored (P-106).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unstorable {
    /// The first of them, at most [`LISTED_PLACES`].
    pub places: Vec<Place>,
    /// How many there are.
    pub count: usize,
}

/// Where one of them is, in words that can be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The JSON pointer of the string, or of the member with that key.
    pub path: Preview,
    /// Which of the two it is.
    pub part: Part,
    /// Its beginning.
    pub preview: Preview,
}

/// What of a member a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its key.
    Key,
    /// Its value, or an item's, or the whole.
    Value,
}

/// A text that is no envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no evidence of invalid input")]
pub struct NotEvidence;

/// The places of a value whose strings or keys have unpaired surrogates or NUL (P-100, P-111).
#[must_use]
pub fn unstorable(value: &Value) -> Unstorable {
    let mut found = Unstorable::default();
    let mut walk = Walk::of(value);
    while let Some(event) = walk.next() {
        let Event::Enter { key, value, .. } = event else { continue };
        for (part, text) in [(Part::Key, key), (Part::Value, value.as_text())] {
            found.look_at(part, text, &walk);
        }
    }
    found
}

/// What is stored in place of a record (P-103): the complete inputs in ASCII, the same text for the same inputs.
///
/// It is evidence and no transaction; nothing applies it (P-105).
#[must_use]
pub fn envelope(original: &Value) -> String {
    format!(r#"{{"evidence_format":"{EVIDENCE_FORMAT}","original":{}}}"#, original.ascii())
}

/// The inputs that an envelope was made of (P-103).
///
/// # Errors
/// [`NotEvidence`] for every other text, and for inputs nested so deeply that they cannot have been read.
pub fn recover(envelope: &str) -> Result<Value, NotEvidence> {
    // The inputs were read within the depth, and may stand in an object of the caller's and in the envelope since.
    let Ok(Value::Object(mut members)) = read::read_within(envelope, DEPTH + 8) else { return Err(NotEvidence) };
    match (members.remove("evidence_format".as_bytes()), members.remove("original".as_bytes())) {
        (Some(Value::String(format)), Some(original))
            if format.as_str() == Some(EVIDENCE_FORMAT) && members.is_empty() =>
        {
            Ok(original)
        }
        _ => Err(NotEvidence),
    }
}

/// What tells such an input from others of its key (P-107, PG-26): the evidence's hash, and the fields of its identity that
/// can be stored.
///
/// # Errors
/// [`NotStorable`] where a field of the identity has an unpaired surrogate.
pub fn fingerprint(evidence: &Sha256Hex, identity: &Value) -> Result<Sha256Hex, NotStorable> {
    let identity = identity.canonical()?;
    Ok(Sha256Hex::of_parts([EVIDENCE_FORMAT, "\0", evidence.as_str(), &identity]))
}

impl Unstorable {
    /// Whether everything can be stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn look_at(&mut self, part: Part, text: Option<&Text>, walk: &Walk<'_>) {
        let Some(text) = text.filter(|text| !text.is_storable()) else { return };
        self.count += 1;
        if self.places.len() < LISTED_PLACES {
            self.places.push(Place { path: walk.pointer(), part, preview: Preview::of(text) });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{documents, object};

    /// P-100, P-104, P-111: each place is named once, in words that can be stored.
    #[test]
    fn places_are_listed() {
        let value = read::read(r#"{"edits":[{"match":"a\u0000b"},{"match":"é"}],"k\udc00":["\ud800"]}"#).unwrap();
        let found = unstorable(&value);
        let places: Vec<_> =
            found.places.iter().map(|place| (&*place.path.text, place.part, &*place.preview.text)).collect();
        let expected = [
            ("/edits/0/match", Part::Value, "a\\u0000b"),
            ("/k\\udc00", Part::Key, "k\\udc00"),
            ("/k\\udc00/0", Part::Value, "\\ud800"),
        ];
        assert_eq!((places.as_slice(), found.count), (expected.as_slice(), 3));
        assert!(unstorable(&Value::from("é\u{7f}\u{ffff}")).is_empty());
    }

    /// P-104: however many there are and however long, the list is short.
    #[test]
    fn the_list_has_a_bound() {
        let key = Text::from_utf16([0xd800; 5_000]);
        let value: Value = (0..1_000).map(|_| Value::Object([(key.clone(), "\0".into())].into())).collect();
        let found = unstorable(&value);
        assert_eq!((found.places.len(), found.count), (LISTED_PLACES, 2_000));
        for place in &found.places {
            assert!(place.path.truncated && place.path.text.chars().count() <= Preview::LIMIT);
            assert!(place.preview.text.chars().count() <= Preview::LIMIT);
        }
    }

    /// P-103, P-105: the envelope says what it is, and a text that only resembles it is none.
    #[test]
    fn an_envelope_has_a_mark() {
        let original = read::read(r#"{"intent":"\ud800","edits":[1.0,null,"é"]}"#).unwrap();
        let envelope = envelope(&original);
        let expected = concat!(
            r#"{"evidence_format":"patchdiff-invalid-input/1","#,
            r#""original":{"edits":[1.0,null,"\u00e9"],"intent":"\ud800"}}"#,
        );
        assert_eq!(envelope, expected);
        let spelled = object([("original", original), ("evidence_format", EVIDENCE_FORMAT.into())]).ascii();
        assert_eq!(envelope, spelled, "it is spelled as all JSON is");
        for other in [&envelope.replace("input/1", "input/2"), &envelope.replace("original", "other"), "[]", ""] {
            assert_eq!(recover(other), Err(NotEvidence), "{other}");
        }
        let deep = read::read(&format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH))).unwrap();
        let inputs = object([("edits", deep)]);
        assert_eq!(recover(&super::envelope(&inputs)), Ok(inputs), "the deepest input is recovered too");
    }

    /// P-107, PG-26: the bytes that are hashed.
    #[test]
    fn a_fingerprint_has_a_domain() {
        let evidence = Sha256Hex::of("evidence");
        let identity = object([("target_file_id", "é".into()), ("parent_pdcp_log_id", Value::Null)]);
        let hashed =
            format!("patchdiff-invalid-input/1\0{evidence}{}", r#"{"parent_pdcp_log_id":null,"target_file_id":"é"}"#);
        assert_eq!(fingerprint(&evidence, &identity), Ok(Sha256Hex::of(hashed)));
        let unsafe_identity = object([("source", Text::from_utf16([0xd800]).into())]);
        assert_eq!(fingerprint(&evidence, &unsafe_identity).unwrap_err().path.text, "/source");
    }

    fn is_storable(value: &Value) -> bool {
        match value {
            Value::String(text) => text.is_storable(),
            Value::Array(items) => items.iter().all(is_storable),
            Value::Object(members) => members.iter().all(|(key, value)| key.is_storable() && is_storable(value)),
            _ => true,
        }
    }

    proptest! {
        /// P-103, P-106: every input is recovered, and exactly those without a place are stored as they are.
        #[test]
        fn inputs_are_recovered(original in documents::value()) {
            prop_assert_eq!(recover(&envelope(&original)), Ok(original.clone()));
            let found = unstorable(&original);
            prop_assert_eq!(found.places.len(), found.count.min(LISTED_PLACES));
            prop_assert_eq!(found.is_empty(), is_storable(&original));
            prop_assert!(!found.is_empty() || original.canonical().is_ok());
        }
    }
}
