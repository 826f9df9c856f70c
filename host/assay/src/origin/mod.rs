//! The one way to the forge, and the only network code: requests below one API root, with the caller's credential.
//!
//! It judges paths, keeps the credential areas closed, adds the credential, and sends one request at a time without
//! following anything. What one call may reach, and which redirect it may follow, is [`Reach`]'s; what an answer means is
//! the component's.

mod address;
mod answer;
mod client;
mod fault;
mod moved;
mod reach;
mod repositories;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, time::Duration};

use assay_policy::{ApiPath, credential_area, encode_query};
use reqwest::{Client, Method, RequestBuilder, Response, Url, header};

use self::address::Address;
pub(crate) use self::reach::{Follow, Reach};
pub use self::{
    answer::Answer,
    fault::{Fault, WriteFault},
    repositories::Repositories,
};
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
    /// What the operator lets tools reach (G-085).
    repositories: Repositories,
    /// What it is called where its address says nothing that lasts.
    name: Option<String>,
}

#[derive(Debug)]
struct Forge {
    address: Address,
    /// Keeps connections.
    client: Client,
    /// Keeps none.
    fresh: Client,
    connect_timeout: Duration,
    read_timeout: Duration,
}

/// A request that was judged and can be sent.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Raw, below the API root.
    path: Vec<Vec<u8>>,
    /// Encoded.
    query: String,
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
        let (client, fresh) = client::build(&address, &config)?;
        let OriginConfig { connect_timeout, read_timeout, .. } = config;
        let forge = Forge { address, client, fresh, connect_timeout, read_timeout };
        Ok(Self { forge: Some(forge), repositories: Repositories::all(), name: None })
    }

    /// Lets tools reach these repositories alone.
    #[must_use]
    pub fn within(self, repositories: Repositories) -> Self {
        Self { repositories, ..self }
    }

    /// Calls it so, where its address is another at each start.
    #[must_use]
    pub fn known_as(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// By what it is told from other forges: its address in one spelling, without the API's part.
    #[must_use]
    pub fn name(&self) -> &str {
        let address = || self.forge.as_ref().map_or("", |forge| forge.address.name());
        self.name.as_deref().unwrap_or_else(address)
    }

    /// What tools may reach.
    #[must_use]
    pub fn repositories(&self) -> &Repositories {
        &self.repositories
    }

    /// No forge: every request is denied. For what needs none, as listing the tools.
    #[must_use]
    pub fn nowhere() -> Self {
        Self { forge: None, repositories: Repositories::all(), name: None }
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
        let path: Vec<Vec<u8>> = path.iter().map(|segment| segment.as_ref().to_vec()).collect();
        let query = encode_query(query);
        forge.target(path, query, range)
    }

    /// Sends what was judged.
    pub(crate) async fn send(&self, caller: &Caller, target: Target) -> Result<Answer, Fault> {
        match self.forge()?.read(caller, &target).await? {
            Told::Answer(answer) => Ok(answer),
            Told::Redirect { status, .. } => Err(Fault::Moved(status)),
        }
    }

    fn forge(&self) -> Result<&Forge, Fault> {
        self.forge.as_ref().ok_or_else(|| Fault::denied("the program was started without a forge"))
    }
}

/// What a forge says to a request: itself, or that something is elsewhere.
enum Told {
    Answer(Answer),
    Redirect { status: u16, location: Option<Vec<u8>> },
}

impl Forge {
    /// G-086: whoever asks, the credential areas are closed.
    fn target(&self, path: Vec<Vec<u8>>, query: String, range: Option<(u64, u64)>) -> Result<Target, Fault> {
        let encoded = ApiPath::from_segments(&path).map_err(|rule| Fault::Denied(rule.to_string()))?;
        if let Some(area) = credential_area(&path) {
            return Err(Fault::Denied(format!("credentials are not a tool's business ({area})")));
        }
        if encoded.encoded().len() + query.len() > TARGET_BYTES {
            return Err(Fault::denied("a path and its query have at most 16,384 bytes once encoded"));
        }
        let text = self.address.below(encoded.encoded(), &query);
        // A parser that rewrote a checked path would undo the check.
        match Url::parse(&text) {
            Ok(url) if url.as_str() == text => Ok(Target { path, query, url, range }),
            _ => Err(Fault::denied("the path does not stand as it is in a URL")),
        }
    }

    /// A kept connection may end just as a request goes out on it, and then nobody answers (RFC 9112, 9.3.1). A read that
    /// this happens to is sent once more, on a connection of its own; one that had its own is not.
    async fn read(&self, caller: &Caller, target: &Target) -> Result<Told, Fault> {
        let (answered, is_kept) = self.ask(&self.client, caller, target).await?;
        let answered = match answered {
            Err(error) if is_kept && fault::broke_off(&error) => self.ask(&self.fresh, caller, target).await?.0,
            answered => answered,
        };
        answered.map(|response| self.told(response)).map_err(fault::of_request)
    }

    /// The answer, and whether the request went out on a kept connection.
    async fn ask(
        &self,
        client: &Client,
        caller: &Caller,
        target: &Target,
    ) -> Result<(reqwest::Result<Response>, bool), Fault> {
        let mut request = client.get(target.url.clone());
        if let Some((first, last)) = target.range {
            request = request.header(header::RANGE, format!("bytes={first}-{last}"));
        }
        let sent = client::send(plain(caller.authorize(request)));
        tokio::time::timeout(self.patience(), sent).await.map_err(|_| Fault::TimedOut)
    }

    /// Once (G-160).
    async fn write(
        &self,
        caller: &Caller,
        method: Method,
        target: &Target,
        body: Vec<u8>,
    ) -> Result<Answer, WriteFault> {
        let mut request = self.fresh.request(method, target.url.clone());
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        }
        let sent = tokio::time::timeout(self.patience(), plain(caller.authorize(request)).send());
        let response = sent
            .await
            .map_err(|_| WriteFault::Uncertain("no answer came in time".to_owned()))?
            .map_err(fault::of_write)?;
        match self.told(response) {
            Told::Answer(answer) => Ok(answer),
            Told::Redirect { status, .. } => Err(WriteFault::Moved(status)),
        }
    }

    fn told(&self, response: Response) -> Told {
        let status = response.status();
        if status.is_redirection() && status != reqwest::StatusCode::NOT_MODIFIED {
            let location = response.headers().get(header::LOCATION).map(|value| value.as_bytes().to_vec());
            return Told::Redirect { status: status.as_u16(), location };
        }
        Told::Answer(Answer::new(response, self.read_timeout))
    }

    /// The client times the connection; the head's own time starts after that.
    fn patience(&self) -> Duration {
        self.connect_timeout.saturating_add(self.read_timeout)
    }
}

/// Asks for what is there, as it is.
fn plain(request: RequestBuilder) -> RequestBuilder {
    request.header(header::ACCEPT, "*/*").header(header::ACCEPT_ENCODING, "identity")
}
