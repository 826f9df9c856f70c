//! A call's arguments, read without loss: what is none is told by name, in an answer of the tool's own shape (P-111, P-175).

use assay_envelope::Refusal;
use assay_patch::json::{self, Value};

use crate::answer::Stop;

/// The arguments of one call, an object.
pub(crate) struct Ask {
    arguments: Value,
}

impl Ask {
    pub(crate) fn read(arguments: &str) -> Result<Self, Refusal> {
        let refused = |what: String| Refusal::new("invalid_argument", what);
        match json::read(arguments) {
            Ok(arguments @ Value::Object(_)) => Ok(Self { arguments }),
            Ok(_) => Err(refused("the arguments must be one JSON object".to_owned())),
            Err(fault) => Err(refused(format!("the arguments are no JSON: {fault}"))),
        }
    }

    /// Of a request that was made here.
    pub(crate) fn of(arguments: Value) -> Self {
        Self { arguments }
    }

    /// All of them, for those that are a record.
    pub(crate) fn whole(&self) -> &Value {
        &self.arguments
    }

    /// The same, to be taken apart.
    pub(crate) fn into_whole(self) -> Value {
        self.arguments
    }

    /// Refuses arguments that the tool does not take.
    pub(crate) fn takes(&self, known: &[&str]) -> Result<(), Stop> {
        let members = self.arguments.as_object().into_iter().flatten();
        let strangers = members.filter(|(key, _)| !key.as_str().is_some_and(|key| known.contains(&key)));
        match strangers.count() {
            0 => Ok(()),
            _ => Err(Stop::invalid(format!("there is an argument that is none; it takes {}", known.join(", ")))),
        }
    }

    /// One that is there and not null.
    pub(crate) fn given(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    /// The UUID of a target, in its one spelling.
    pub(crate) fn target(&self) -> Result<String, Stop> {
        let given = self.given("target_file_id").and_then(Value::as_str).and_then(uuid);
        given.ok_or_else(|| Stop::invalid("`target_file_id` must be a UUID, as patchdiff_initialize_target gives it"))
    }

    /// A text that must be there, without NUL and unpaired surrogates.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Stop> {
        let text = self.optional_text(name)?;
        text.ok_or_else(|| Stop::invalid(format!("`{name}` is missing: a string")))
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&str>, Stop> {
        let Some(given) = self.given(name) else { return Ok(None) };
        let Some(text) = given.as_text() else { return Err(Stop::invalid(format!("`{name}` must be a string"))) };
        match text.as_str().filter(|_| text.is_storable()) {
            Some(text) => Ok(Some(text)),
            None => {
                Err(Stop::invalid(format!("`{name}` has an unpaired surrogate or NUL, which no stored text can have")))
            }
        }
    }

    /// An integer of at least `least`; `default` where it is not given. Above `most` it counts as that.
    pub(crate) fn clamped(&self, name: &str, least: u64, default: u64, most: u64) -> Result<usize, Stop> {
        let number = match self.given(name) {
            None => default,
            Some(given) => self.whole_number(name, given, least)?,
        };
        Ok(usize::try_from(number.min(most)).unwrap_or(usize::MAX))
    }

    pub(crate) fn optional_number(&self, name: &str, least: u64) -> Result<Option<u64>, Stop> {
        self.given(name).map(|given| self.whole_number(name, given, least)).transpose()
    }

    /// A number that counts too much is still one.
    fn whole_number(&self, name: &str, given: &Value, least: u64) -> Result<u64, Stop> {
        let number = given.as_number().filter(|number| number.is_integer() && !number.as_str().starts_with('-'));
        let number = number.map(|number| number.as_u64().unwrap_or(u64::MAX)).filter(|number| *number >= least);
        number.ok_or_else(|| Stop::invalid(format!("`{name}` must be an integer of at least {least}")))
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, Stop> {
        match self.given(name) {
            None => Ok(false),
            Some(given) => given.as_bool().ok_or_else(|| Stop::invalid(format!("`{name}` must be true or false"))),
        }
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Stop> {
        let Some(given) = self.given(name) else { return Ok(None) };
        let chosen = choices.iter().find(|(word, _)| given.as_str() == Some(*word));
        match chosen {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                Err(Stop::invalid(format!("`{name}` must be one of {}", words.join(", "))))
            }
        }
    }
}

/// A UUID in lower case with hyphens, of either case.
pub(crate) fn uuid(text: &str) -> Option<String> {
    let is_hyphen = |at| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, u8)| if is_hyphen(at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
    (text.len() == 36 && text.bytes().enumerate().all(fits)).then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-076: one spelling, and no other text.
    #[test]
    fn an_id_has_one_spelling() {
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(uuid(&id.to_uppercase()).as_deref(), Some(id));
        for wrong in ["", "0f8fad5bd9cb469fa16570867728950e", &id[1..], &id.replace('f', "g"), &format!("{id}\n")] {
            assert_eq!(uuid(wrong), None, "{wrong}");
        }
    }
}
