//! The least that could stand where the gateway does: a bare hyper server that makes the same two requests and hands on
//! the second answer.

use std::{convert::Infallible, io::Write as _, sync::Arc};

use anyhow::Result;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    header::AUTHORIZATION,
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tokio::net::TcpListener;

type Forge = Client<HttpConnector, Full<Bytes>>;

/// Says where it listens, and serves until it is killed.
pub(crate) fn serve(forge: String) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client: Forge = Client::builder(TokioExecutor::new()).build(connector);
        let forge: Arc<str> = forge.into();
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let (client, forge) = (client.clone(), Arc::clone(&forge));
            let service = service_fn(move |request| {
                let (client, forge) = (client.clone(), Arc::clone(&forge));
                async move { Ok::<_, Infallible>(hand_on(&client, &forge, request).await) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}

async fn hand_on(client: &Forge, forge: &str, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let credential = request.headers().get(AUTHORIZATION).cloned();
    let _ = request.into_body().collect().await;
    let mut last = Bytes::new();
    for path in ["user", "repos/o/r/pulls/7"] {
        let mut get = Request::get(format!("{forge}/api/v1/{path}"));
        if let Some(credential) = &credential {
            get = get.header(AUTHORIZATION, credential);
        }
        let get = get.body(Full::default()).expect("a plain request");
        match client.request(get).await {
            Ok(answer) => last = answer.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default(),
            Err(_) => return Response::builder().status(502).body(Full::default()).expect("a plain answer"),
        }
    }
    Response::new(Full::new(last))
}
