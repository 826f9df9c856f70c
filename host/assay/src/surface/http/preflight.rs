//! Asks the forge whether a bearer is a token of its, before anything else is done for it (G-028, G-029), and whose it is
//! where documents belong to accounts (X-09).

use std::num::NonZeroU64;

use serde::Deserialize;

use crate::{
    caller::{Account, Caller},
    origin::{Answer, Fault, Origin},
};

/// Bytes of the answer that are read at the most; an account is some hundreds.
const ACCOUNT_BYTES: usize = 64 * 1024;

/// What the forge says of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A token: it may lack the scope that would name its owner (403), which says nothing against it.
    Accepted(Account),
    /// None of the forge's (401).
    Refused,
    /// Neither: the status.
    Unknown(u16),
}

/// One `GET /user` as the caller. The budget was asked before. Whose the token is, is read only where that is wanted.
pub(super) async fn ask(origin: &Origin, caller: &Caller, whose: bool) -> Result<Verdict, Fault> {
    let mut answer = origin.get(caller, &[b"user"], &[]).await?;
    Ok(match answer.status() {
        200 if whose => Verdict::Accepted(account(&mut answer).await.unwrap_or(Account::Unnamed)),
        200 => Verdict::Accepted(Account::Unasked),
        403 => Verdict::Accepted(Account::Withheld),
        401 => Verdict::Refused,
        status => Verdict::Unknown(status),
    })
}

/// The number of the account. A negative one is a machine's that many share, and stands for nobody.
async fn account(answer: &mut Answer) -> Option<Account> {
    #[derive(Deserialize)]
    struct User {
        id: NonZeroU64,
    }
    let mut json = Vec::new();
    loop {
        let bytes = answer.read(u32::MAX).await.ok()?;
        if bytes.is_empty() {
            break;
        }
        json.extend_from_slice(&bytes);
        if json.len() > ACCOUNT_BYTES {
            return None;
        }
    }
    // A list would be read as a record without names.
    let is_object = json.trim_ascii_start().starts_with(b"{");
    let user: User = serde_json::from_slice(&json).ok().filter(|_| is_object)?;
    Some(Account::Numbered(user.id))
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;
    use crate::{
        caller::Credential,
        loopback::{Loopback, Step, answer},
        origin::OriginConfig,
    };

    /// What is learned where the forge does this about `GET /user`.
    async fn learned(steps: impl Fn() -> Vec<Step> + Send + Sync + 'static, whose: bool) -> Result<Verdict, Fault> {
        let forge = Loopback::start(move |_| steps()).await;
        let config = OriginConfig {
            url: forge.url(),
            ca_file: None,
            connect_timeout: Duration::from_secs(20),
            read_timeout: Duration::from_secs(20),
            user_agent: "assay/0.0.0".to_owned(),
        };
        let caller = Caller::new(Credential::token("t0k3n".to_owned()));
        ask(&Origin::new(config).expect("sound"), &caller, whose).await
    }

    /// X-09, K-58: the account is the number that the forge gives, to the last digit; what is no account's number is none.
    #[tokio::test]
    async fn an_account_is_a_number() {
        let numbered = |number| Account::Numbered(NonZeroU64::new(number).expect("it is none"));
        for (body, account) in [
            (r#"{"id":7,"login":"alice"}"#, numbered(7)),
            (r#"{"login":"\"id\":3","id":9007199254740993,"more":{"id":4}}"#, numbered(9_007_199_254_740_993)),
            ("{}", Account::Unnamed),
            ("", Account::Unnamed),
            ("[7]", Account::Unnamed),
            (r#"{"id":0}"#, Account::Unnamed),
            // What several machines of a forge share.
            (r#"{"id":-2}"#, Account::Unnamed),
            (r#"{"id":7.0}"#, Account::Unnamed),
            (r#"{"id":"7"}"#, Account::Unnamed),
            (r#"{"id":7,"id":8}"#, Account::Unnamed),
            (r#"{"id":18446744073709551616}"#, Account::Unnamed),
            (r#"{"id":7} "#, numbered(7)),
            (r#"{"id":7}x"#, Account::Unnamed),
        ] {
            let said = learned(move || answer("200 OK", body), true).await;
            assert_eq!(said, Ok(Verdict::Accepted(account)), "{body}");
        }
    }

    /// X-09, K-79: a token that may not say whose it is, and an answer that is too long or breaks off, are no account, and the
    /// token is let in all the same; where nobody's documents are served the answer is not read.
    #[tokio::test]
    async fn a_token_without_an_account_comes_in() {
        assert_eq!(learned(|| answer("403 Forbidden", "{}"), true).await, Ok(Verdict::Accepted(Account::Withheld)));
        assert_eq!(learned(|| answer("401 Unauthorized", r#"{"id":7}"#), true).await, Ok(Verdict::Refused));
        assert_eq!(learned(|| answer("500 Oops", r#"{"id":7}"#), true).await, Ok(Verdict::Unknown(500)));
        let long: Arc<str> = format!(r#"{{"id":7,"login":"{}"}}"#, "a".repeat(ACCOUNT_BYTES)).into();
        assert_eq!(learned(move || answer("200 OK", &long), true).await, Ok(Verdict::Accepted(Account::Unnamed)));
        let broken = || vec![Step::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"id\":7}".to_vec())];
        assert_eq!(learned(broken, true).await, Ok(Verdict::Accepted(Account::Unnamed)));
        assert_eq!(learned(broken, false).await, Ok(Verdict::Accepted(Account::Unasked)));
    }
}
