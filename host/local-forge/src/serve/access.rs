//! Decides who is asking: reads the `Authorization` header and compares tokens in constant time.

use std::{
    collections::HashSet,
    sync::{PoisonError, RwLock},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, header::AUTHORIZATION};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::operator::accounts::{Accounts, Area, Grant, PrivateReads, Scope};

/// The tokens that are good at this moment.
pub(crate) struct Access {
    known: RwLock<Vec<Known>>,
    /// Accounts that may no longer read a private repository: login, owner and name in lower case.
    withdrawn: RwLock<HashSet<[String; 3]>>,
    writers: Vec<[String; 3]>,
    administrators: Vec<String>,
    logins: Vec<String>,
    pub(crate) require_sign_in: bool,
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) enum Caller {
    Anonymous,
    Account { login: String, scopes: Vec<Scope>, private: PrivateReads },
}

/// A credential that opens nothing: the name it gave, which the forge's answer repeats.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadCredential {
    pub(crate) name: String,
}

impl Access {
    pub(crate) fn new(accounts: Accounts) -> Self {
        let Accounts { grants, require_sign_in, writers, administrators } = accounts;
        let mut logins: Vec<String> = Vec::new();
        for Grant { login, .. } in &grants {
            if !logins.iter().any(|known| known.eq_ignore_ascii_case(login)) {
                logins.push(login.clone());
            }
        }
        let known = RwLock::new(grants.into_iter().map(Known::new).collect());
        Self { known, withdrawn: RwLock::default(), writers, administrators, logins, require_sign_in }
    }

    /// The accounts that a token speaks for, or did.
    pub(crate) fn logins(&self) -> &[String] {
        &self.logins
    }

    /// Who the headers speak for. A header that is no credential at all speaks for nobody, as on a real forge.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, BadCredential> {
        let Some(header) = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()) else {
            return Ok(Caller::Anonymous);
        };
        let mut words = header.split_ascii_whitespace();
        let (Some(kind), Some(credential), None) = (words.next(), words.next(), words.next()) else {
            return Ok(Caller::Anonymous);
        };
        match kind.to_ascii_lowercase().as_str() {
            "token" | "bearer" => self.find(credential).ok_or(BadCredential { name: String::new() }),
            "basic" => self.basic(credential),
            _ => Ok(Caller::Anonymous),
        }
    }

    /// From now on the token opens nothing. A token that is not known stays so.
    pub(crate) fn revoke(&self, token: &str) {
        let digest = digest(token);
        self.known.write().unwrap_or_else(PoisonError::into_inner).retain(|known| known.digest != digest);
    }

    /// From now on the account may not read the private repository, which is then as if it did not exist.
    pub(crate) fn withdraw(&self, login: &str, owner: &str, name: &str) {
        let mut withdrawn = self.withdrawn.write().unwrap_or_else(PoisonError::into_inner);
        withdrawn.insert([login, owner, name].map(str::to_ascii_lowercase));
    }

    /// Whether the caller may know of the private repository.
    pub(crate) fn may_read_private(&self, caller: &Caller, owner: &str, name: &str) -> bool {
        let Caller::Account { login, .. } = caller else { return false };
        let asked = [login, owner, name].map(str::to_ascii_lowercase);
        let withdrawn = self.withdrawn.read().unwrap_or_else(PoisonError::into_inner);
        caller.may_read_private(owner, name) && !withdrawn.contains(&asked)
    }

    /// Whether the caller may change the repository: it is its own, or it was let.
    pub(crate) fn may_write(&self, caller: &Caller, owner: &str, name: &str) -> bool {
        let Caller::Account { login, .. } = caller else { return false };
        let asked = [login, owner, name].map(str::to_ascii_lowercase);
        if self.withdrawn.read().unwrap_or_else(PoisonError::into_inner).contains(&asked) {
            return false;
        }
        self.writes(login, owner, name)
    }

    /// Whether this account may, whatever was taken from it since.
    pub(crate) fn writes(&self, login: &str, owner: &str, name: &str) -> bool {
        let administrator = self.administrators.iter().any(|known| known == login);
        login.eq_ignore_ascii_case(owner) || administrator || self.was_let(login, owner, name)
    }

    /// Whether this account was let write to this repository of another's.
    pub(crate) fn was_let(&self, login: &str, owner: &str, name: &str) -> bool {
        self.writers.contains(&[login, owner, name].map(str::to_ascii_lowercase))
    }

    /// Whether the repositories of this owner are the caller's own, or all are.
    pub(crate) fn administers(&self, caller: &Caller, owner: &str) -> bool {
        let Caller::Account { login, .. } = caller else { return false };
        login.eq_ignore_ascii_case(owner) || self.administrators.contains(login)
    }

    /// Basic carries the token as the password, or as the name with `x-oauth-basic` or nothing as the password.
    fn basic(&self, credential: &str) -> Result<Caller, BadCredential> {
        let Some(pair) = STANDARD.decode(credential).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return Ok(Caller::Anonymous);
        };
        let Some((name, password)) = pair.split_once(':') else { return Ok(Caller::Anonymous) };
        let token = if password.is_empty() || password == "x-oauth-basic" { name } else { password };
        self.find(token).ok_or_else(|| BadCredential { name: name.to_owned() })
    }

    /// Looks at every token, found or not, and compares digests, so that time tells nothing about any of them.
    fn find(&self, token: &str) -> Option<Caller> {
        let asked = digest(token);
        let mut found = None;
        for known in self.known.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if bool::from(known.digest.ct_eq(&asked)) {
                found = Some(known.caller.clone());
            }
        }
        found
    }
}

impl Caller {
    /// Whether the route's scope check lets this caller pass. Anonymous callers have no scopes to lack.
    pub(crate) fn may(&self, area: Area, write: bool) -> bool {
        let opens = |scope: &Scope| if write { scope.writes(area) } else { scope.reads(area) };
        match self {
            Self::Anonymous => true,
            Self::Account { scopes, .. } => scopes.iter().any(opens),
        }
    }

    /// Whether this is who asks.
    pub(crate) fn is(&self, login: &str) -> bool {
        matches!(self, Self::Account { login: own, .. } if own.eq_ignore_ascii_case(login))
    }

    /// Whether this caller was given the private repository.
    fn may_read_private(&self, owner: &str, name: &str) -> bool {
        let Self::Account { login, private, .. } = self else { return false };
        login.eq_ignore_ascii_case(owner)
            || match private {
                PrivateReads::None => false,
                PrivateReads::All => true,
                PrivateReads::Named(list) => {
                    list.iter().any(|(o, n)| o.eq_ignore_ascii_case(owner) && n.eq_ignore_ascii_case(name))
                }
            }
    }
}

struct Known {
    digest: [u8; 32],
    caller: Caller,
}

impl Known {
    fn new(grant: Grant) -> Self {
        let Grant { login, token, scopes, private } = grant;
        Self { digest: digest(&token), caller: Caller::Account { login, scopes, private } }
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::operator::accounts::Token;

    fn access() -> Access {
        Access::new(Accounts::public().granting(Grant {
            login: "alice".into(),
            token: Token::new("secret"),
            scopes: vec![Scope::Read(Area::Repository)],
            private: PrivateReads::Named(vec![("Bob".into(), "Hidden".into())]),
        }))
    }

    fn ask(access: &Access, header: &str) -> Result<Caller, BadCredential> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(header).expect("a header"));
        access.caller(&headers)
    }

    #[test]
    fn every_usual_spelling_of_a_good_token_is_taken() {
        let access = access();
        let basic = |pair: &str| format!("Basic {}", STANDARD.encode(pair));
        for header in [
            "token secret".to_owned(),
            "Bearer secret".to_owned(),
            "BEARER  secret".to_owned(),
            basic("anybody:secret"),
            basic("secret:x-oauth-basic"),
            basic("secret:"),
        ] {
            assert!(matches!(ask(&access, &header), Ok(Caller::Account { .. })), "{header}");
        }
    }

    #[test]
    fn a_bad_token_is_not_nobody_but_a_header_of_another_kind_is() {
        let access = access();
        assert_eq!(ask(&access, "token Secret").unwrap_err(), BadCredential { name: String::new() });
        let basic = format!("Basic {}", STANDARD.encode("mallory:guess"));
        assert_eq!(ask(&access, &basic).unwrap_err(), BadCredential { name: "mallory".into() });
        for header in ["token", "token a b", "Digest secret", "Basic ???", ""] {
            assert!(matches!(ask(&access, header), Ok(Caller::Anonymous)), "{header}");
        }
        assert!(matches!(access.caller(&HeaderMap::new()), Ok(Caller::Anonymous)));
    }

    #[test]
    fn who_may_write_is_the_owner_and_who_was_let() {
        let (accounts, _) = Accounts::with_owner();
        let access = Access::new(accounts.letting_write("Bob", "alice", "Proj"));
        let account = |login: &str| Caller::Account { login: login.into(), scopes: vec![], private: PrivateReads::All };
        for (login, owner, name, may) in [
            ("alice", "Alice", "any", true),
            ("bob", "alice", "proj", true),
            ("bob", "alice", "other", false),
            ("carol", "alice", "proj", false),
            ("local", "alice", "proj", true),
        ] {
            assert_eq!(access.may_write(&account(login), owner, name), may, "{login} {owner}/{name}");
        }
        access.withdraw("bob", "alice", "proj");
        assert!(!access.may_write(&account("bob"), "alice", "proj"));
        assert!(!access.may_write(&Caller::Anonymous, "alice", "proj"));
    }

    /// D-059: what is revoked is as if it had never been.
    #[test]
    fn a_revoked_token_is_bad_at_once() {
        let access = access();
        assert!(ask(&access, "token secret").is_ok());
        access.revoke("secret");
        assert!(ask(&access, "token secret").is_err());
    }

    #[test]
    fn private_repositories_open_to_their_owner_and_to_the_named() {
        let caller = ask(&access(), "token secret").expect("a good token");
        assert!(caller.may_read_private("ALICE", "anything"));
        assert!(caller.may_read_private("bob", "hidden"));
        assert!(!caller.may_read_private("bob", "other"));
        assert!(!Caller::Anonymous.may_read_private("alice", "anything"));
        assert!(caller.may(Area::Repository, false) && !caller.may(Area::User, false));
        assert!(!caller.may(Area::Repository, true));
    }
}
