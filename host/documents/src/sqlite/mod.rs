//! One file, without a server.
//!
//! The file is in WAL mode, so readers and the one writer do not wait for each other. A write transaction is `BEGIN
//! IMMEDIATE`: one that began by reading could not go on to write what another changed meanwhile
//! (`SQLITE_BUSY_SNAPSHOT`), and would fail where it should wait. Commits are synced whole.
//!
//! Within one process writers queue in the order they came. Between processes SQLite has no queue, so the first of each
//! tries again and again, at short intervals, until its patience ends.
//!
//! A file that is taken away is not written to any more, though it could be: see [`connect`].

mod connect;
mod fault;
mod prepare;
mod session;

use std::{fmt, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use crate::{
    Documents, Fault, Options, Transaction, View,
    rows::Rows,
    schema::{Intent, Prepared, Step},
    sqlite::{
        connect::Connections,
        session::{Mode, SqliteSession},
    },
};

/// A file of documents.
pub(crate) struct Sqlite {
    connections: Arc<Connections>,
    /// One permit: the writer's turn.
    turn: Arc<Semaphore>,
    /// As many as there may be connections that read.
    readers: Arc<Semaphore>,
    options: Options,
}

impl Sqlite {
    /// Finds or creates the file, and its schema where that is meant.
    pub(crate) async fn open(
        path: PathBuf,
        options: Options,
        steps: &'static [Step],
        intent: Intent,
    ) -> Result<(Self, Prepared), Fault> {
        let connections = Arc::new(Connections::to(path, options.patience, options.connections, steps));
        let (preparing, ground) = (Arc::clone(&connections), Arc::clone(&options.ground));
        let prepared = blocking(move || prepare::prepare(&preparing, ground.as_ref(), steps, intent)).await?;
        let turn = Arc::new(Semaphore::new(1));
        let readers = Arc::new(Semaphore::new(options.connections.max(1)));
        Ok((Self { connections, turn, readers, options }, prepared))
    }

    async fn session(&self, queue: &Arc<Semaphore>, mode: Mode) -> Result<SqliteSession, Fault> {
        let deadline = Instant::now() + self.options.patience;
        let permit: OwnedSemaphorePermit = timeout_at(deadline, Arc::clone(queue).acquire_owned())
            .await
            .map_err(|_| Fault::Locked)?
            .map_err(|_| Fault::Aborted)?;
        let connections = Arc::clone(&self.connections);
        let attached = blocking(move || connections.take()).await?;
        let session = SqliteSession::of(attached, Arc::clone(&self.connections), permit);
        session.begin(mode, deadline, &self.options).await
    }
}

#[async_trait]
impl Documents for Sqlite {
    async fn begin(&self) -> Result<Box<dyn Transaction>, Fault> {
        let session = self.session(&self.turn, Mode::Write).await?;
        Ok(Box::new(Rows::of(session, Arc::clone(&self.options.ground))))
    }

    async fn view(&self) -> Result<Box<dyn View>, Fault> {
        let session = self.session(&self.readers, Mode::Read).await?;
        Ok(Box::new(Rows::of(session, Arc::clone(&self.options.ground))))
    }

    async fn close(&self) {
        self.turn.close();
        self.readers.close();
        let connections = Arc::clone(&self.connections);
        // The last one takes the log over into the file.
        let closed = blocking(move || {
            connections.close();
            Ok(())
        });
        let _ = closed.await;
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.connections.path()).finish_non_exhaustive()
    }
}

/// Runs what may wait for a disk where that holds up nobody.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Fault> + Send + 'static) -> Result<T, Fault> {
    // It is neither cancelled nor does it panic, unless the runtime ends.
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Fault::Aborted))
}
