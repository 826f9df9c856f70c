//! Connections: how many, how long one may take to say what it wants, and how they end.

use std::{convert::Infallible, future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{net::TcpListener, pin, sync::Semaphore};
use tower::ServiceExt as _;

use crate::metrics;

/// How long a client may take for a request's head; what is idle for so long is closed as well.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait after the system had no connection to give, as when it is out of files.
const BREATH: Duration = Duration::from_millis(50);

/// The other end of a request's connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Takes connections until `until` resolves, then waits for the requests under way.
pub(super) async fn accept(
    listener: TcpListener,
    app: Router,
    places: usize,
    until: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(places));
    let graceful = GracefulShutdown::new();
    pin!(until);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut until => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "no connection could be accepted");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let app = app.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            let app = app.clone();
            async move { Ok::<_, Infallible>(app.oneshot(request.map(Body::new)).await.unwrap_or_else(|e| match e {})) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_PATIENCE)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _open = metrics::connection();
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}
