//! The HTTP client: one pool of kept connections, HTTP/1.1 alone, no redirect, no decompression.
//!
//! HTTP/1.1, because the framing of an answer is part of what is judged. Proxies are those of the usual variables
//! (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`); a forge on the loopback is asked without one.

use std::{cell::Cell, fs, path::Path};

use reqwest::{Certificate, Client, RequestBuilder, Response, redirect, retry};
use tower::util::MapRequestLayer;

use super::{OriginConfig, address::Address};
use crate::Error;

/// Connections kept open at most: what 256 calls at once need with a little to spare would be more than a forge likes.
const IDLE_CONNECTIONS: usize = 64;

tokio::task_local! {
    /// Whether the request of this task has had a connection made for it.
    static DIALLED: Cell<bool>;
}

/// Sends what was built, and says whether it went out on a kept connection.
pub(super) async fn send(request: RequestBuilder) -> (reqwest::Result<Response>, bool) {
    let sent = async {
        let sent = request.send().await;
        (sent, !DIALLED.with(Cell::get))
    };
    DIALLED.scope(Cell::new(false), sent).await
}

/// The client that keeps connections, and the one that keeps none. A write has a connection of its own: on a kept one that
/// the forge has just closed nobody could say whether it arrived.
pub(super) fn build(address: &Address, config: &OriginConfig) -> Result<(Client, Client), Error> {
    Ok((one(address, config, IDLE_CONNECTIONS)?, one(address, config, 0)?))
}

fn one(address: &Address, config: &OriginConfig, idle: usize) -> Result<Client, Error> {
    // One provider for the process; an Err says that it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let authorities = config.ca_file.as_deref().map(read).transpose()?.unwrap_or_default();
    let mut builder = Client::builder()
        .user_agent(&config.user_agent)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .http1_only()
        .connect_timeout(config.connect_timeout)
        .pool_max_idle_per_host(idle)
        // The client dials within the task that sends, and only where it keeps no connection that is free.
        .connector_layer(MapRequestLayer::new(|address| {
            let _ = DIALLED.try_with(|dialled| dialled.set(true));
            address
        }));
    if address.is_loopback() {
        builder = builder.no_proxy();
    }
    builder = if address.is_secure() {
        builder.tls_certs_merge(authorities)
    } else {
        // The platform's authorities take longer to read than all else here, and may not be there at all.
        builder.tls_certs_only(authorities)
    };
    builder.build().map_err(|error| Error::Client(reason(&error, address)))
}

fn read(path: &Path) -> Result<Vec<Certificate>, Error> {
    let wrong = |reason: String| Error::CaFile { path: path.to_owned(), reason };
    let pem = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    match Certificate::from_pem_bundle(&pem) {
        Ok(authorities) if !authorities.is_empty() => Ok(authorities),
        _ => Err(wrong("it holds no certificate in PEM (-----BEGIN CERTIFICATE-----)".to_owned())),
    }
}

fn reason(error: &reqwest::Error, address: &Address) -> String {
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    if address.is_secure() {
        format!("{cause}; are the system's certificate authorities installed (ca-certificates)? --ca-file adds others")
    } else {
        cause
    }
}
