//! Accounts of the forge: who owns a repository, who wrote an issue. No other identity follows from them (G-143).

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::lenient::{Object, Scalar};

/// Why the forge's JSON about an account is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the forge's answer about the owner is not one whole JSON object with an id and a login; nothing is listed: call again, \
     and check that the forge's address is its own"
)]
pub struct Fault;

/// A user's or an organisation's numeric id and login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// As the forge numbers it.
    pub id: u64,
    /// In the forge's spelling.
    pub login: String,
}

impl Account {
    /// Reads the forge's JSON about one account to its end.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(json: impl Read) -> Result<Self, Fault> {
        let Object(wire): Object<Wire> = serde_json::from_reader(json).map_err(|_| Fault)?;
        Ok(Self { id: wire.id.id().ok_or(Fault)?, login: wire.login.text().ok_or(Fault)? })
    }

    /// Whether it is called so; letter case does not count (G-101a).
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.login.to_lowercase() == name.to_lowercase()
    }
}

/// Who wrote something, as far as the forge says so: a deleted account has no id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Author {
    id: Option<u64>,
    login: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wire {
    id: Scalar,
    login: Scalar,
}

impl From<Wire> for Author {
    fn from(wire: Wire) -> Self {
        Self { id: wire.id.id(), login: wire.login.text() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-101a, G-102, K-58.
    #[test]
    fn an_account_has_an_id_and_a_login() {
        let read = |json: &str| Account::read(json.as_bytes());
        let account = read(r#"{"id":9007199254740993,"login":"Team","email":"x"}"#).expect("an account");
        assert_eq!(account.id, 9_007_199_254_740_993);
        assert!(account.is_called("team") && account.is_called("TEAM") && !account.is_called("team2"));
        for json in [
            "",
            "[]",
            "null",
            "{}",
            r#"{"id":1}"#,
            r#"{"id":"1","login":"a"}"#,
            r#"{"id":0,"login":"a"}"#,
            r#"{"id":1,"login":null}"#,
            r#"{"id":1,"login":"a"}x"#,
            r#"{"id":1,"id":1,"login":"a"}"#,
        ] {
            assert_eq!(read(json), Err(Fault), "{json}");
        }
    }
}
