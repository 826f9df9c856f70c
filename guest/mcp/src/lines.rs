//! One message a line, over any pair of byte streams.
//!
//! Nothing but messages is ever written, each whole and in a line of its own, whoever is cancelled meanwhile; and no line
//! ends the loop but the last (G-010, G-011, G-014, G-015). Lines are read as bytes: the locale has no say.

use std::{future::Future, io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage, serve_directly},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::mpsc,
};

use crate::{
    Server, Toolbox, budget,
    guard::{WireError, accept},
};

/// Bytes that a line may have, its end not counted: as much as a body over HTTP (G-025).
pub const LINE_BYTES: usize = 1_048_576;

/// Messages that wait for a slow reader. When they are all taken, no further line is read.
const WAITING: usize = 16;

/// Serves a toolbox until the input ends.
///
/// Requests are taken as they come, in both eras and in any order: there is no handshake that a stray notification could
/// break. Calls under way when the input ends have five seconds to finish.
///
/// # Errors
/// Where the output can no longer be written.
pub async fn serve<T, R, W>(toolbox: Arc<T>, input: R, output: W) -> io::Result<()>
where
    T: Toolbox,
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (sender, receiver) = mpsc::channel(WAITING);
    let written = tokio::spawn(write(output, receiver));
    let lines = Lines { input, line: Vec::new(), overlong: false, owed: None, output: Some(sender) };
    let running = serve_directly::<RoleServer, _, _, _, _>(Server::new(toolbox), lines, None);
    running.waiting().await.map_err(io::Error::other)?;
    written.await.map_err(io::Error::other)?
}

/// The SDK's transport over lines.
struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// The line is too long: its bytes are dropped as they come.
    overlong: bool,
    /// An error that is owed. It is kept here because the SDK may drop a `receive` that waits, and ask again.
    owed: Option<Vec<u8>>,
    output: Option<mpsc::Sender<Vec<u8>>>,
}

impl<R: AsyncBufRead + Send + Unpin> Lines<R> {
    /// The next line without its end; nothing at the end of the input, or where it cannot be read. May be dropped and
    /// asked again.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, WireError>> {
        loop {
            let read = self.input.fill_buf().await.ok()?;
            let at_end = read.is_empty();
            let newline = read.iter().position(|byte| *byte == b'\n');
            let (part, taken) = match newline {
                Some(at) => (read.get(..at).unwrap_or_default(), at + 1),
                None => (read, read.len()),
            };
            if self.overlong || self.line.len() + part.len() > LINE_BYTES {
                self.overlong = true;
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.input.consume(taken);
            if newline.is_none() && !at_end {
                continue;
            }
            if std::mem::take(&mut self.overlong) {
                return Some(Err(WireError::too_long()));
            }
            let line = std::mem::take(&mut self.line);
            return if at_end && line.is_empty() { None } else { Some(Ok(line)) };
        }
    }
}

impl<R: AsyncBufRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let line = written(&message)?;
            output.ok_or(io::ErrorKind::BrokenPipe)?.send(line).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.owed.is_some() {
                let place = self.output.as_ref()?.reserve().await.ok()?;
                place.send(self.owed.take().unwrap_or_default());
            }
            let output = self.output.clone()?;
            let line = tokio::select! {
                line = self.next_line() => line?,
                // Nobody reads any more.
                () = output.closed() => return None,
            };
            let refused = match line {
                Ok(line) if line.trim_ascii().is_empty() => continue,
                Ok(line) => match accept(&line) {
                    Ok(accepted) => return Some(accepted.message),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            self.owed = Some(refused.to_json());
        }
    }

    /// What was sent is still written; the writer ends after it.
    async fn close(&mut self) -> Result<(), io::Error> {
        self.output = None;
        Ok(())
    }
}

/// The bounded text of a message.
fn written(message: &ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    let line = serde_json::to_vec(message)?;
    let id: Option<&RequestId> = match message {
        JsonRpcMessage::Response(response) if matches!(response.result, ServerResult::ListToolsResult(_)) => {
            return Ok(line);
        }
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    };
    Ok(budget::bounded(line, id))
}

/// The one place that writes. Whole lines come in, so none can be cut by a caller that goes away.
async fn write<W: AsyncWrite + Unpin>(mut output: W, mut lines: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push(b'\n');
        output.write_all(&line).await?;
        output.flush().await?;
    }
    output.shutdown().await
}
