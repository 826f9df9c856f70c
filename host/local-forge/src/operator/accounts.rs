//! Who exists on the forge, with which tokens, and what each token may do. Deciding a request is `access`'s.

use std::{fmt, ops::Deref, str::FromStr};

use crate::Error;

/// How much of a text that is no scope is repeated in the refusal, in characters.
const MAX_SCOPE: usize = 64;
/// Bytes of randomness in a token that the forge makes.
const TOKEN_BYTES: usize = 20;

/// The accounts of a forge. Without any, everybody reads what is public.
#[derive(Debug, Default)]
pub struct Accounts {
    pub(crate) grants: Vec<Grant>,
    pub(crate) require_sign_in: bool,
    /// Accounts that may write to a repository of another's: login, owner and name in lower case.
    pub(crate) writers: Vec<[String; 3]>,
    /// Accounts that may write everywhere.
    pub(crate) administrators: Vec<String>,
}

impl Accounts {
    /// No account: public repositories are read without a credential, private ones by nobody.
    pub fn public() -> Self {
        Self::default()
    }

    /// One account, `local`, whose random token may read and write everything; others read what is public.
    ///
    /// # Panics
    /// When the system has no randomness to give.
    pub fn with_owner() -> (Self, Token) {
        let token = Token::random();
        (Self::of_owner(token.clone()), token)
    }

    /// The same with a token that is known already.
    pub fn of_owner(token: Token) -> Self {
        let accounts = Self { administrators: vec!["local".to_owned()], ..Self::public() };
        accounts.granting(Grant::of_everything("local", token))
    }

    /// These accounts and `reviewer`, which reads everything and says what it thinks of it: nobody approves a pull request
    /// of their own.
    #[must_use]
    pub fn with_reviewer(self, token: Token) -> Self {
        self.granting(Grant::of_everything("reviewer", token))
    }

    /// The same account, whose random token may read everything and write nothing.
    ///
    /// # Panics
    /// When the system has no randomness to give.
    pub fn with_reader() -> (Self, Token) {
        let token = Token::random();
        let reader = Grant {
            login: "local".to_owned(),
            token: token.clone(),
            scopes: Area::ALL.map(Scope::Read).to_vec(),
            private: PrivateReads::All,
        };
        (Self::public().granting(reader), token)
    }

    /// These accounts and one more token.
    #[must_use]
    pub fn granting(mut self, grant: Grant) -> Self {
        self.grants.push(grant);
        self
    }

    /// These accounts, one of which may write to a repository of another's: commit to it, merge in it, release from it.
    /// An account may do so in its own anyway, if its token has the scope; and everybody who can read a repository may
    /// say something about it.
    #[must_use]
    pub fn letting_write(mut self, login: &str, owner: &str, name: &str) -> Self {
        self.writers.push([login, owner, name].map(str::to_ascii_lowercase));
        self
    }

    /// Anonymous callers are refused everywhere, as by a forge with `REQUIRE_SIGNIN_VIEW`.
    #[must_use]
    pub fn requiring_sign_in(mut self) -> Self {
        self.require_sign_in = true;
        self
    }
}

/// One token and what it may do.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The account that the token speaks for.
    pub login: String,
    /// The credential.
    pub token: Token,
    /// What kinds of route it opens.
    pub scopes: Vec<Scope>,
    /// Which private repositories its account may read.
    pub private: PrivateReads,
}

impl Grant {
    fn of_everything(login: &str, token: Token) -> Self {
        Self { login: login.to_owned(), token, scopes: vec![Scope::All], private: PrivateReads::All }
    }
}

/// Which private repositories an account may read, beside those it owns.
#[derive(Debug, Clone)]
pub enum PrivateReads {
    /// None.
    None,
    /// These `(owner, name)`, compared without case.
    Named(Vec<(String, String)>),
    /// All.
    All,
}

/// A credential. `Debug` does not show it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// This very text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Forty hexadecimal digits of randomness, as a forge's own tokens have.
    ///
    /// # Panics
    /// When the system has no randomness to give.
    pub fn random() -> Self {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).expect("a system that runs git has randomness");
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Deref for Token {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(redacted)")
    }
}

/// What a token opens, as a forge names it: `all`, `read:repository`, `write:user`. Writing includes reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    All,
    /// Reading one area.
    Read(Area),
    /// Reading and writing one area.
    Write(Area),
}

impl Scope {
    /// Whether this scope lets its bearer read `area`.
    pub(crate) fn reads(self, area: Area) -> bool {
        match self {
            Self::All => true,
            Self::Read(own) | Self::Write(own) => own == area,
        }
    }

    /// Whether this scope lets its bearer write there.
    pub(crate) fn writes(self, area: Area) -> bool {
        match self {
            Self::All => true,
            Self::Read(_) => false,
            Self::Write(own) => own == area,
        }
    }
}

impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let scope = match text.split_once(':') {
            None if text == "all" => Some(Self::All),
            Some(("read", area)) => Area::named(area).map(Self::Read),
            Some(("write", area)) => Area::named(area).map(Self::Write),
            _ => None,
        };
        scope.ok_or_else(|| Error::Scope(text.chars().take(MAX_SCOPE).collect()))
    }
}

/// A part of a forge's API that scopes open and close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the forge's own words")]
pub enum Area {
    ActivityPub,
    Admin,
    Issue,
    Misc,
    Notification,
    Organization,
    Package,
    Repository,
    User,
}

impl Area {
    const ALL: [Self; 9] = [
        Self::ActivityPub,
        Self::Admin,
        Self::Issue,
        Self::Misc,
        Self::Notification,
        Self::Organization,
        Self::Package,
        Self::Repository,
        Self::User,
    ];

    /// The word in a scope's text.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ActivityPub => "activitypub",
            Self::Admin => "admin",
            Self::Issue => "issue",
            Self::Misc => "misc",
            Self::Notification => "notification",
            Self::Organization => "organization",
            Self::Package => "package",
            Self::Repository => "repository",
            Self::User => "user",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|area| area.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_forges_write_them() {
        let scope = |text: &str| text.parse::<Scope>().ok();
        assert_eq!(scope("all"), Some(Scope::All));
        assert_eq!(scope("read:repository"), Some(Scope::Read(Area::Repository)));
        assert_eq!(scope("write:user"), Some(Scope::Write(Area::User)));
        for text in ["", "read", "read:", "read:everything", "repository", "ALL", "read:user:user"] {
            assert_eq!(scope(text), None, "{text}");
        }
        assert!(Scope::Write(Area::User).reads(Area::User));
        assert!(!Scope::Write(Area::User).reads(Area::Repository));
        assert!(Scope::Write(Area::User).writes(Area::User) && !Scope::Read(Area::User).writes(Area::User));
    }

    #[test]
    fn a_token_is_random_and_never_shown() {
        let (accounts, token) = Accounts::with_owner();
        assert_eq!(token.len(), 40);
        assert_ne!(&*token, &*Token::random());
        assert!(!format!("{accounts:?} {token:?}").contains(&*token));
    }
}
