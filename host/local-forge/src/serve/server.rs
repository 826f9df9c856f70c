//! Starts and ends a forge, and carries its answers: connections, their number, their end.

use std::{
    convert::Infallible,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::{Method, Request, request::Parts};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{RwLock, Semaphore, watch},
    task::JoinSet,
    time::timeout,
};

use crate::{
    Config, Control, Error, Source, State,
    git::run::Git,
    operator::{config::named_apart, live::Live},
    pulls::answers,
    serve::{
        access::Access,
        log::{Log, LoggedRequest},
        routes::Forge,
    },
    state::{ledger::Ledger, repository::Repository},
    wire::answer::{Answer, Wording},
};

/// Connections at once; more wait to be accepted.
const MAX_CONNECTIONS: usize = 256;
/// How long answers may take to end when the forge does.
const GRACE: Duration = Duration::from_secs(1);
/// How long killed processes may take to be gone.
const REAPING: Duration = Duration::from_secs(10);
/// How long a client may take to say what it wants.
const HEADERS: Duration = Duration::from_secs(30);

/// A running forge. Dropping it ends it at once; [`LocalForge::shutdown`] ends it in order.
#[derive(Debug)]
pub struct LocalForge {
    shared: Arc<Shared>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    /// One task, which holds those of the connections.
    acceptor: JoinSet<()>,
}

/// An open pull request, for showing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullSummary {
    /// The repository's owner.
    pub owner: String,
    /// The repository's name.
    pub repo: String,
    /// The number, from 1.
    pub index: u64,
    /// The branch; U+FFFD stands for what is no UTF-8.
    pub branch: String,
    /// The subject of its last commit, or its name.
    pub title: String,
}

struct Shared {
    forge: Arc<Forge>,
    log: Mutex<Log>,
    /// Held by every change, so that a shutdown can wait for them.
    changes: Arc<RwLock<()>>,
    /// Goes when the forge does.
    _temporary: Option<TempDir>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("base", &self.forge.wording.base).finish_non_exhaustive()
    }
}

/// Opens the repositories, copies them, and serves them until the forge is shut down or dropped.
///
/// # Errors
/// Every way in which [`Error`] says the forge cannot be what was asked for; nothing is left running then.
pub async fn start(config: Config) -> Result<LocalForge, Error> {
    if !config.listen.ip().is_loopback() {
        return Err(Error::NotLoopback(config.listen));
    }
    let sources = named_apart(config.repositories)?;
    let (folder, temporary) = state_folder(config.state, &sources)?;
    let (home, copies, spool) = (folder.join("home"), folder.join("copies"), folder.join("spool"));
    let ledger = Ledger::open(&folder)?;
    for path in [&home, &copies, &spool] {
        make(path)?;
    }
    let git = Git::find(&home).await?;
    // Row ids are given now, so that the first thing that is remembered has them.
    for login in config.accounts.grants.iter().map(|grant| &grant.login).chain(sources.iter().map(|s| &s.owner)) {
        ledger.user(login);
    }
    let mut repositories = Vec::with_capacity(sources.len());
    for source in sources {
        repositories
            .push(Arc::new(Repository::open(&git, &ledger, &copies, source, config.stock.branches_are_pulls).await?));
    }
    repositories.iter().for_each(|repository| repository.make_way(&repositories));
    let listen = |source| Error::Listen { address: config.listen, source };
    let listener = TcpListener::bind(config.listen).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let forge = Forge {
        git,
        access: Access::new(config.accounts),
        wording: Wording { base: format!("http://{address}") },
        repositories,
        ledger,
        native_evidence: config.native_evidence,
        stock: config.stock,
        live: Live::default(),
        spool,
        started: OffsetDateTime::now_utc().unix_timestamp(),
    };
    let shared = Arc::new(Shared {
        forge: Arc::new(forge),
        log: Mutex::default(),
        changes: Arc::default(),
        _temporary: temporary,
    });
    let (stop, stopped) = watch::channel(false);
    let mut acceptor = JoinSet::new();
    acceptor.spawn(accept(listener, shared.clone(), stopped));
    Ok(LocalForge { shared, address, stop, acceptor })
}

impl LocalForge {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Such as `http://127.0.0.1:3000`, without a slash at its end.
    pub fn url(&self) -> String {
        self.shared.forge.wording.base.clone()
    }

    /// The open pull requests as they were when somebody last asked for something of their repository.
    pub fn pulls(&self) -> Vec<PullSummary> {
        let mut summaries = Vec::new();
        for repository in &self.shared.forge.repositories {
            let snapshot = repository.latest();
            for (&index, pull) in snapshot.numbered.pulls.iter().filter(|(_, pull)| pull.open) {
                let branch = String::from_utf8_lossy(&pull.branch).into_owned();
                let said = snapshot.tracker.posts.get(&index).and_then(|post| post.title.clone());
                let title = || snapshot.pull(index).map(|(_, tip)| answers::title(tip, &branch));
                let title = said.or_else(title).unwrap_or_default();
                let (owner, repo) = (repository.owner.clone(), repository.name.clone());
                summaries.push(PullSummary { owner, repo, index, branch, title });
            }
        }
        summaries
    }

    /// Looks at the served repositories again, as every request does for its own.
    ///
    /// # Errors
    /// [`Error::Git`] or [`Error::State`] when one of them cannot be read or its copy cannot follow.
    pub async fn refresh(&self) -> Result<(), Error> {
        self.shared.forge.refresh().await
    }

    /// The last 4,096 requests, oldest first.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.shared.log().answered.iter().cloned().collect()
    }

    /// The last 4,096 requests in the order in which they came, answered or not: the method, and the path and query
    /// below `/api/v1` (the whole path where it lies elsewhere), such as `GET /repos/o/r/pulls/7.diff?binary=true`.
    pub fn asked(&self) -> Vec<String> {
        self.shared.log().asked.iter().cloned().collect()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        *self.shared.log() = Log::default();
    }

    /// What changes this forge while it serves.
    pub fn control(&self) -> Control {
        Control::new(self.shared.forge.clone())
    }

    /// From now on the token opens nothing and is answered like one that never was.
    pub fn revoke(&self, token: &str) {
        self.shared.forge.access.revoke(token);
    }

    /// Resolves when no git process of this forge is left. Does not keep new ones from starting.
    pub async fn quiet(&self) {
        self.shared.forge.git.quiet().await;
    }

    /// Stops listening, lets answers end for a second, cuts the others, and waits for every git process to be gone.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        while self.acceptor.join_next().await.is_some() {}
        let _ = timeout(REAPING, self.shared.changes.write()).await;
        // Killed processes end as soon as the system gets to it; the bound is for one that is stuck in the kernel.
        let _ = timeout(REAPING, self.quiet()).await;
    }
}

impl Shared {
    async fn serve(&self, request: Request<Incoming>) -> Result<Answer, Infallible> {
        let (parts, body) = request.into_parts();
        let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        let target = self.log().asked(&parts.method, target);
        let (method, headers) = (parts.method.clone(), parts.headers.clone());
        let answer = if method == Method::GET {
            self.forge.answer(&parts.method, &parts.uri, &parts.headers, body).await
        } else {
            self.changing(parts, body).await
        };
        self.log().answered(&method, target, &headers, answer.status());
        Ok(answer)
    }

    /// Apart from its connection: a client that leaves ends what it reads, but a change is made whole or not at all.
    async fn changing(&self, parts: Parts, body: Incoming) -> Answer {
        let (forge, turn) = (self.forge.clone(), self.changes.clone().read_owned().await);
        let change = tokio::spawn(async move {
            let answer = forge.answer(&parts.method, &parts.uri, &parts.headers, body).await;
            // In this order: who waits for the turn may want the forge's folder next.
            drop(forge);
            drop(turn);
            answer
        });
        change.await.unwrap_or_else(|_| self.forge.wording.broken())
    }

    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes connections until told to stop; then gives them their grace.
async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let place = places.clone().acquire_owned();
        let next = async { (place.await, listener.accept().await) };
        let (place, accepted) = tokio::select! {
            next = next => next,
            // A dropped forge ends this task itself; either way there is nothing more to accept.
            _ = stopped.changed() => break,
        };
        while connections.try_join_next().is_some() {}
        let (Ok(place), Ok((stream, _))) = (place, accepted) else { continue };
        let (shared, stopped) = (shared.clone(), stopped.clone());
        connections.spawn(async move {
            carry(stream, shared, stopped).await;
            drop(place);
        });
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    if timeout(GRACE, ended).await.is_err() {
        connections.shutdown().await;
    }
}

/// One connection to its end. A client that leaves takes its answer, and so its git, with it.
async fn carry(stream: TcpStream, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| shared.serve(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

fn state_folder(state: State, sources: &[Source]) -> Result<(PathBuf, Option<TempDir>), Error> {
    match state {
        State::Folder(path) => {
            if let Some(source) = sources.iter().find(|source| lies_in(&path, &source.path)) {
                let detail =
                    format!("it lies in {}, which is only read: name a folder elsewhere", source.path.display());
                return Err(Error::State { path, detail });
            }
            make(&path)?;
            // git works elsewhere, so a relative path would be another one to it.
            let path = path.canonicalize().map_err(|e| Error::State { path, detail: e.to_string() })?;
            Ok((path, None))
        }
        State::Temporary => {
            let folder = tempfile::Builder::new().prefix("assay-local-forge-").tempdir();
            let folder = folder.map_err(|e| Error::State { path: std::env::temp_dir(), detail: e.to_string() })?;
            Ok((folder.path().to_owned(), Some(folder)))
        }
    }
}

/// Whether `path`, which need not exist, is `folder` or lies in it.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = whole.ancestors().find_map(|above| above.canonicalize().ok());
    real.zip(folder.canonicalize().ok()).is_some_and(|(real, folder)| real.starts_with(folder))
}

/// Makes a folder that nobody else can look into: copies of private repositories lie there.
fn make(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path).map_err(|e| Error::State { path: path.to_owned(), detail: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_temporary_state_folder_goes_with_the_forge_and_a_given_one_stays() {
        let forge = start(Config::serving(Vec::new())).await.expect("nothing is needed to serve nothing");
        let temporary = forge.shared.forge.spool.clone();
        assert!(temporary.is_dir());
        forge.shutdown().await;
        assert!(temporary.parent().is_some_and(|folder| !folder.exists()));

        let parent = tempfile::tempdir().expect("a temporary folder");
        // Never within what is served, be it there or not yet.
        for inside in ["", ".git/inside", "new/er"] {
            let source = Source::from_path(parent.path());
            let state = State::Folder(parent.path().join(inside));
            let refused = start(Config { state, ..Config::serving(vec![source]) }).await;
            assert!(matches!(refused, Err(Error::State { .. })), "{inside}");
            assert_eq!(fs::read_dir(parent.path()).expect("it is there").count(), 0);
        }

        let given = parent.path().join("made by the forge");
        let config = Config { state: State::Folder(given.clone()), ..Config::serving(Vec::new()) };
        start(config).await.expect("the folder is made").shutdown().await;
        assert!(given.join("lock").exists());
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&given.metadata().expect("it is there").permissions());
            assert_eq!(mode & 0o777, 0o700, "copies of private repositories are nobody else's");
        }
    }
}
