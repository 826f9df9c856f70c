//! The one way to the forge, and the only network code: GET below one API root, with the caller's credential.
//!
//! It judges paths, adds the credential, and follows no redirect; who may ask how often is the budget's business, what
//! an answer means is the component's.

mod address;
mod answer;
mod client;
mod fault;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, time::Duration};

use assay_policy::{ApiPath, encode_query};
use reqwest::{Client, Url, header};

use self::address::Address;
pub use self::{answer::Answer, fault::Fault};
use crate::{Error, caller::Caller};

/// Bytes of an encoded path and query together; servers commonly take 8 KiB of a request line.
const TARGET_BYTES: usize = 16 * 1024;

/// Which forge, and how it is asked.
#[derive(Clone, Debug)]
pub struct OriginConfig {
    /// `https://host[:port][/path]`, with or without a last slash and `api/v1` (K-77).
    pub url: String,
    /// Certificate authorities in PEM, trusted besides the platform's (K-75).
    pub ca_file: Option<PathBuf>,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long to wait for an answer's head, and for each next piece of its body.
    pub read_timeout: Duration,
    /// What this program calls itself.
    pub user_agent: String,
}

/// A forge's API root and the connections to it.
#[derive(Debug)]
pub struct Origin {
    /// None where the program was started without a forge.
    forge: Option<Forge>,
}

#[derive(Debug)]
struct Forge {
    address: Address,
    client: Client,
    connect_timeout: Duration,
    read_timeout: Duration,
}

/// A request that was judged and can be sent.
#[derive(Debug)]
pub(crate) struct Target {
    url: Url,
    /// The first and the last byte.
    range: Option<(u64, u64)>,
}

impl Origin {
    /// Checks the address, reads the certificates and makes the client. Nothing is sent.
    ///
    /// # Errors
    /// What is wrong with the address, the file of certificates or the platform's own.
    pub fn new(config: OriginConfig) -> Result<Self, Error> {
        let address = Address::parse(&config.url).map_err(|fault| Error::Address(fault.to_string()))?;
        let client = client::build(&address, &config)?;
        let OriginConfig { connect_timeout, read_timeout, .. } = config;
        Ok(Self { forge: Some(Forge { address, client, connect_timeout, read_timeout }) })
    }

    /// No forge: every request is denied. For what needs none, as listing the tools.
    #[must_use]
    pub fn nowhere() -> Self {
        Self { forge: None }
    }

    /// Asks for one path as `caller`. Segments and pairs are raw and are encoded once.
    ///
    /// # Errors
    /// Why there is no answer; of a redirect its status alone, the address it names is not looked at (G-051, D-076).
    pub async fn get<S: AsRef<[u8]>>(
        &self,
        caller: &Caller,
        path: &[S],
        query: &[(String, String)],
    ) -> Result<Answer, Fault> {
        self.send(caller, self.target(path, query, None)?).await
    }

    /// Judges a path, its query and the range of bytes that is wanted without sending anything.
    pub(crate) fn target<S: AsRef<[u8]>>(
        &self,
        path: &[S],
        query: &[(String, String)],
        range: Option<(u64, u64)>,
    ) -> Result<Target, Fault> {
        let forge = self.forge()?;
        if range.is_some_and(|(first, last)| first > last) {
            return Err(Fault::denied("a range ends where it starts or behind"));
        }
        let path = ApiPath::from_segments(path).map_err(|rule| Fault::Denied(rule.to_string()))?;
        let query = encode_query(query);
        if path.encoded().len() + query.len() > TARGET_BYTES {
            return Err(Fault::denied("a path and its query have at most 16,384 bytes once encoded"));
        }
        let text = forge.address.below(path.encoded(), &query);
        // A parser that rewrote a checked path would undo the check.
        match Url::parse(&text) {
            Ok(url) if url.as_str() == text => Ok(Target { url, range }),
            _ => Err(Fault::denied("the path does not stand as it is in a URL")),
        }
    }

    /// Sends what was judged.
    pub(crate) async fn send(&self, caller: &Caller, target: Target) -> Result<Answer, Fault> {
        let forge = self.forge()?;
        let mut request =
            forge.client.get(target.url).header(header::ACCEPT, "*/*").header(header::ACCEPT_ENCODING, "identity");
        if let Some((first, last)) = target.range {
            request = request.header(header::RANGE, format!("bytes={first}-{last}"));
        }
        // The client times the connection; the head's own time starts after that.
        let patience = forge.connect_timeout.saturating_add(forge.read_timeout);
        let response = tokio::time::timeout(patience, caller.authorize(request).send())
            .await
            .map_err(|_| Fault::TimedOut)?
            .map_err(fault::of_request)?;
        let status = response.status();
        if status.is_redirection() && status != reqwest::StatusCode::NOT_MODIFIED {
            return Err(Fault::Moved(status.as_u16()));
        }
        Ok(Answer::new(response, forge.read_timeout))
    }

    fn forge(&self) -> Result<&Forge, Fault> {
        self.forge.as_ref().ok_or_else(|| Fault::denied("the program was started without a forge"))
    }
}
