//! Who asks: a credential of the forge's, and the digest by which its requests are counted.
//!
//! No credential can be printed, and its bytes are wiped when it is dropped. Whether it is a good one, the forge says;
//! where it is sent, the origin decides.

use std::{fmt, num::NonZeroU64};

use reqwest::RequestBuilder;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::{budget::Key, origin::Repositories};

/// What the forge knows a caller by.
pub struct Credential(Kind);

enum Kind {
    Token(Zeroizing<String>),
    Basic { user: Zeroizing<String>, password: Zeroizing<String> },
    Anonymous,
}

impl Credential {
    /// A token of the forge's, sent as a bearer.
    #[must_use]
    pub fn token(token: String) -> Self {
        Self(Kind::Token(Zeroizing::new(token)))
    }

    /// A user and a password, for throw-away forges (G-016).
    #[must_use]
    pub fn basic(user: String, password: String) -> Self {
        Self(Kind::Basic { user: Zeroizing::new(user), password: Zeroizing::new(password) })
    }

    /// None: the forge answers as to anybody.
    #[must_use]
    pub fn anonymous() -> Self {
        Self(Kind::Anonymous)
    }

    fn key(&self) -> Key {
        let mut digest = Sha256::new();
        // The first byte keeps a password from being counted as a token of the same bytes.
        match &self.0 {
            Kind::Token(token) => {
                digest.update(b"T");
                digest.update(token.as_bytes());
            }
            Kind::Basic { user, password } => {
                digest.update(b"B");
                digest.update(u64::try_from(user.len()).unwrap_or(u64::MAX).to_le_bytes());
                digest.update(user.as_bytes());
                digest.update(password.as_bytes());
            }
            Kind::Anonymous => digest.update(b"A"),
        }
        Key::from_digest(digest.finalize().into())
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Token(_) => "Credential(token)",
            Kind::Basic { .. } => "Credential(basic)",
            Kind::Anonymous => "Credential(anonymous)",
        })
    }
}

/// Whom a credential speaks for, as far as the forge has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// The forge was not asked.
    Unasked,
    /// The forge knows the credential and keeps to itself whose it is: it lacks the scope (K-79).
    Withheld,
    /// What the forge answered names no account.
    Unnamed,
    /// The account's number at the forge, which no other account ever gets.
    Numbered(NonZeroU64),
}

/// One who may ask, as long as the credential is held.
#[derive(Debug)]
pub struct Caller {
    credential: Credential,
    key: Key,
    repositories: Repositories,
    account: Account,
}

impl Caller {
    /// Digests the credential once.
    #[must_use]
    pub fn new(credential: Credential) -> Self {
        let key = credential.key();
        Self { credential, key, repositories: Repositories::all(), account: Account::Unasked }
    }

    /// Nobody in particular.
    #[must_use]
    pub fn anonymous() -> Self {
        Self::new(Credential::anonymous())
    }

    /// The same, within these repositories alone (G-085).
    #[must_use]
    pub fn within(self, repositories: Repositories) -> Self {
        Self { repositories, ..self }
    }

    /// The same, speaking for this account.
    #[must_use]
    pub fn speaking_for(self, account: Account) -> Self {
        Self { account, ..self }
    }

    /// Whom it speaks for.
    #[must_use]
    pub fn account(&self) -> Account {
        self.account
    }

    /// What it wants to be limited to.
    pub(crate) fn repositories(&self) -> &Repositories {
        &self.repositories
    }

    /// A user and a password, with which no redirect is followed (G-053).
    pub(crate) fn is_basic(&self) -> bool {
        matches!(self.credential.0, Kind::Basic { .. })
    }

    /// By what its requests are counted (G-064).
    #[must_use]
    pub fn key(&self) -> Key {
        self.key
    }

    /// Adds the credential to a request, in a header whose value is never printed.
    pub(crate) fn authorize(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.credential.0 {
            Kind::Token(token) => request.bearer_auth(token.as_str()),
            Kind::Basic { user, password } => request.basic_auth(user.as_str(), Some(password.as_str())),
            Kind::Anonymous => request,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-038, K-70: whatever prints a caller prints no part of what it holds.
    #[test]
    fn is_not_printed() {
        let token = Caller::new(Credential::token("s3cret-token".to_owned()));
        let basic = Caller::new(Credential::basic("alice".to_owned(), "s3cret-word".to_owned()));
        for printed in [format!("{token:?}"), format!("{basic:#?}")] {
            assert!(!printed.contains("s3cret") && !printed.contains("alice"), "{printed}");
        }
    }

    /// G-064, G-067: one credential is one key, and two are two, whatever they are made of.
    #[test]
    fn a_key_follows_the_credential() {
        let key = |credential| Caller::new(credential).key();
        let basic = |user: &str, password: &str| key(Credential::basic(user.to_owned(), password.to_owned()));
        let token = key(Credential::token("one".to_owned()));
        assert_eq!(token, key(Credential::token("one".to_owned())));
        assert_ne!(token, key(Credential::token("two".to_owned())));
        assert_ne!(basic("ab", "c"), basic("a", "bc"));
        assert_ne!(basic("", ""), key(Credential::anonymous()));
        assert_ne!(key(Credential::token(String::new())), key(Credential::anonymous()));
    }
}
