//! A server on the loopback that says byte for byte what a test wants, and remembers what it was asked.
//!
//! For tests of the network code alone: what a forge says is the business of other tests.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// What the server does about one request, in order. When it has done all, it closes the connection.
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends the same bytes again and again until the flag is set.
    Repeat(Vec<u8>, Arc<AtomicBool>),
    /// Waits for the test.
    Until(Arc<Notify>),
    /// Waits for the client to close the connection, and tells the test.
    Closed(Arc<Notify>),
    /// Takes the next request on the same connection.
    Keep,
}

/// The steps for a request's head.
type Script = dyn Fn(&str) -> Vec<Step> + Send + Sync;

/// The running server; it ends with it.
pub(crate) struct Loopback {
    address: SocketAddr,
    seen: Arc<Seen>,
    listening: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    heads: Mutex<Vec<String>>,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Loopback {
    /// Speaks HTTP in clear text.
    pub(crate) async fn start(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::listen(None, script).await
    }

    /// Speaks it over TLS.
    pub(crate) async fn start_tls(
        acceptor: TlsAcceptor,
        script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Some(acceptor), script).await
    }

    async fn listen(acceptor: Option<TlsAcceptor>, script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback has free ports");
        let address = listener.local_addr().expect("it is bound");
        let (seen, script) = (Arc::new(Seen::default()), Arc::new(script));
        let told = Arc::clone(&seen);
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                told.connections.fetch_add(1, Ordering::SeqCst);
                let (told, script, acceptor) = (Arc::clone(&told), Arc::clone(&script), acceptor.clone());
                // A client that goes away in the middle is often what the test wants.
                tokio::spawn(async move { serve(stream, acceptor, &told, script.as_ref()).await });
            }
        });
        Self { address, seen, listening }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The heads of all requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.heads.lock().expect("no holder panics").clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn serve(tcp: TcpStream, acceptor: Option<TlsAcceptor>, seen: &Seen, script: &Script) -> io::Result<()> {
    let mut stream: Box<dyn Stream> = match acceptor {
        Some(acceptor) => Box::new(acceptor.accept(tcp).await?),
        None => Box::new(tcp),
    };
    'requests: loop {
        let Some(head) = head(&mut stream).await? else { return Ok(()) };
        seen.heads.lock().expect("no holder panics").push(head.clone());
        for step in script(&head) {
            match step {
                Step::Send(bytes) => stream.write_all(&bytes).await?,
                Step::Repeat(bytes, until) => {
                    while !until.load(Ordering::SeqCst) {
                        stream.write_all(&bytes).await?;
                    }
                }
                Step::Until(told) => told.notified().await,
                Step::Closed(tell) => {
                    let mut rest = Vec::new();
                    let _ = stream.read_to_end(&mut rest).await;
                    tell.notify_one();
                }
                Step::Keep => continue 'requests,
            }
        }
        return stream.shutdown().await;
    }
}

/// One request's head; none where the client has closed the connection.
async fn head(stream: &mut Box<dyn Stream>) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            // The first byte of TLS: like any HTTP server, this one has had enough.
            Ok(0x16) if head.is_empty() => return Ok(Some(String::new())),
            Ok(byte) => head.push(byte),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(String::from_utf8(head).expect("heads are ASCII")))
}

/// A whole answer with a length, after which the connection stays.
pub(crate) fn answer(status: &str, body: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
    vec![Step::Send((head + body).into_bytes()), Step::Keep]
}

/// Bytes, after which the connection is closed.
pub(crate) fn raw(bytes: &str) -> Vec<Step> {
    vec![Step::Send(bytes.as_bytes().to_vec())]
}
