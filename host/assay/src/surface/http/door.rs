//! Who comes in: a credential of the right form, with budget left, that the forge knows (G-065a).
//!
//! Strangers are counted by address in a table of their own, so that they fill no place of those the forge knows.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::http::{HeaderMap, header};
use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    Bounds,
    connections::Peer,
    edge,
    preflight::{self, Verdict},
    refused::Refused,
};
use crate::{
    budget::{Budget, Class, KEYS_MAX, Key, Standing},
    caller::{Account, Caller, Credential},
    editing::Editing,
    engine::Engine,
    metrics,
};

/// How long a token whose budget is used up waits for being told so.
const BREATH: Duration = Duration::from_millis(200);

pub(super) struct Door {
    engine: Arc<Engine>,
    strangers: Budget,
    trusted_edge: Vec<IpNet>,
    accepted: Accepted,
    calls: Arc<Semaphore>,
    of_tokens: Arc<Mutex<HashMap<Key, usize>>>,
    calls_per_token: usize,
}

/// One who came in, and the place that its request takes.
pub(super) struct Admitted {
    pub(super) caller: Caller,
    pub(super) place: Place,
}

/// Given back when it is dropped.
pub(super) struct Place {
    of_tokens: Arc<Mutex<HashMap<Key, usize>>>,
    key: Key,
    _of_all: OwnedSemaphorePermit,
}

impl Door {
    pub(super) fn new(engine: Arc<Engine>, bounds: &Bounds) -> Self {
        Self {
            engine,
            strangers: Budget::new(bounds.strangers),
            trusted_edge: bounds.trusted_edge.clone(),
            accepted: Accepted { ttl: bounds.preflight_ttl, until: Mutex::default() },
            calls: Arc::new(Semaphore::new(bounds.max_calls)),
            of_tokens: Arc::default(),
            calls_per_token: bounds.max_calls_per_token,
        }
    }

    pub(super) async fn admit(&self, peer: Option<Peer>, headers: &HeaderMap) -> Result<Admitted, Refused> {
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| address.ip());
        let address = edge::key(edge::client(&self.trusted_edge, peer, headers));
        let Some(credential) = bearer(headers) else {
            // Whoever has used up what strangers may do is told the same: it costs nobody anything.
            let _ = self.strangers.take(address, Class::Read, Instant::now());
            return Err(Refused::NoCredential);
        };
        let caller = Caller::new(credential);
        let place = self.place(caller.key())?;
        let account = self.judge(&caller, address).await?;
        Ok(Admitted { caller: caller.speaking_for(account), place })
    }

    /// Whom the credential speaks for, as far as that is wanted.
    async fn judge(&self, caller: &Caller, address: Key) -> Result<Account, Refused> {
        let (budget, key) = (self.engine.budget(), caller.key());
        let is_known = match budget.standing(key, Class::Read, Instant::now()) {
            Standing::Exhausted(seconds) => {
                // Who asks on without heeding the answer gets it more slowly, and costs the others less.
                tokio::time::sleep(BREATH).await;
                return Err(Refused::Exhausted(seconds));
            }
            Standing::Free => true,
            Standing::Unknown => false,
        };
        if let Some(account) = self.accepted.whose(key, Instant::now()) {
            return Ok(account);
        }
        // Paid beforehand, whatever the forge will say, or a hundred at once would all be asked about.
        if is_known {
            budget.take(key, Class::Read, Instant::now()).map_err(Refused::Exhausted)?;
        } else {
            self.strangers.take(address, Class::Read, Instant::now()).map_err(Refused::Stranger)?;
        }
        let whose = self.engine.editing().is_some_and(Editing::is_by_account);
        let asked = preflight::ask(self.engine.origin(), caller, whose).await;
        metrics::preflight(match &asked {
            Ok(Verdict::Accepted(_)) => "accepted",
            Ok(Verdict::Refused) => "refused",
            Ok(Verdict::Unknown(_)) | Err(_) => "unknown",
        });
        let account = match asked {
            Ok(Verdict::Accepted(account)) => account,
            Ok(Verdict::Refused) => return Err(Refused::UnknownToken),
            Ok(Verdict::Unknown(status)) => return Err(Refused::Unsure(format!("it answered with HTTP {status}"))),
            Err(fault) => return Err(Refused::Unsure(fault.to_string())),
        };
        if !is_known {
            self.strangers.give_back(address, Class::Read);
            // Only a token that the forge knows gets a place in the table, so strangers cannot fill it.
            budget.take(key, Class::Read, Instant::now()).map_err(Refused::Exhausted)?;
        }
        self.accepted.remember(key, account, Instant::now());
        Ok(account)
    }

    fn place(&self, key: Key) -> Result<Place, Refused> {
        let of_all = Arc::clone(&self.calls).try_acquire_owned().map_err(|_| Refused::Busy { of_the_token: false })?;
        let mut of_tokens = self.of_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = of_tokens.entry(key).or_default();
        if *mine >= self.calls_per_token {
            return Err(Refused::Busy { of_the_token: true });
        }
        *mine += 1;
        Ok(Place { of_tokens: Arc::clone(&self.of_tokens), key, _of_all: of_all })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut of_tokens = self.of_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mine) = of_tokens.get_mut(&self.key) {
            *mine = mine.saturating_sub(1);
            if *mine == 0 {
                of_tokens.remove(&self.key);
            }
        }
    }
}

/// Tokens that need not be asked about again for a while, and whose they were said to be (G-028, X-09).
struct Accepted {
    ttl: Duration,
    until: Mutex<HashMap<Key, (Instant, Account)>>,
}

impl Accepted {
    fn whose(&self, key: Key, now: Instant) -> Option<Account> {
        if self.ttl.is_zero() {
            return None;
        }
        self.until().get(&key).filter(|(until, _)| *until > now).map(|(_, account)| *account)
    }

    fn remember(&self, key: Key, account: Account, now: Instant) {
        // An answer that named nobody may have been broken off: it is asked for again.
        if self.ttl.is_zero() || account == Account::Unnamed {
            return;
        }
        let mut until = self.until();
        if until.len() >= KEYS_MAX {
            until.retain(|_, (until, _)| *until > now);
        }
        if until.len() < KEYS_MAX || until.contains_key(&key) {
            until.insert(key, (now + self.ttl, account));
        }
    }

    fn until(&self) -> std::sync::MutexGuard<'_, HashMap<Key, (Instant, Account)>> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one bearer of a request; anything else is no credential here, and is never repeated (K-71).
fn bearer(headers: &HeaderMap) -> Option<Credential> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim_start_matches(' ');
    let sound = scheme.eq_ignore_ascii_case("bearer")
        && (1..=4_096).contains(&token.len())
        && token.bytes().all(|b| b.is_ascii_graphic());
    sound.then(|| Credential::token(token.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn key(number: u8) -> Key {
        Key::from_digest([number; 32])
    }

    /// X-09, G-028: whose a token was said to be is known no longer than the token is believed, and an answer that named
    /// nobody is not kept at all.
    #[test]
    fn an_account_is_forgotten_with_its_token() {
        let (start, ttl) = (Instant::now(), Duration::from_secs(60));
        let accepted = Accepted { ttl, until: Mutex::default() };
        let account = |number| Account::Numbered(NonZeroU64::new(number).expect("it is none"));
        accepted.remember(key(1), account(7), start);
        accepted.remember(key(2), Account::Withheld, start);
        accepted.remember(key(3), Account::Unnamed, start);
        let last = start + ttl - Duration::from_nanos(1);
        assert_eq!(
            [1, 2, 3].map(|one| accepted.whose(key(one), last)),
            [Some(account(7)), Some(Account::Withheld), None]
        );
        assert_eq!([1, 2].map(|one| accepted.whose(key(one), start + ttl)), [None, None]);
        accepted.remember(key(1), account(8), start + ttl);
        assert_eq!(accepted.whose(key(1), start + ttl), Some(account(8)));
        let never = Accepted { ttl: Duration::ZERO, until: Mutex::default() };
        never.remember(key(1), account(7), start);
        assert_eq!(never.whose(key(1), start), None);
    }
}
