//! A real PostgreSQL server of the test's own, in a temporary folder, gone when the test is.
//!
//! Nothing has to run before: the programs are looked for where distributions put them, and where there are none the
//! test fails and says what to install. The server listens on a socket in its folder, where everybody is trusted who
//! can reach it, and on the loopback, where a password is asked for. It keeps nothing safe, so it is quick.
//!
//! A shell stands between it and the test. It waits for the end of its input, which comes with the end of the test's
//! process, however that ends, then stops the server and removes the folder. So none is ever left behind.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Write as _},
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio_postgres::NoTls;

pub use tokio_postgres::Client;

/// The password of [`USER`] on the loopback.
pub const PASSWORD: &str = "pa:ss wörd/?#%";

/// Who owns everything.
pub const USER: &str = "assay";

/// The oldest version that is used.
const OLDEST: u32 = 15;

/// How long it may take until a server is there. It is one on a machine that does much else.
const START: Duration = Duration::from_secs(120);

/// Ends the server at once and starts it anew as its input says. At the end of that it ends it for good and removes the
/// folder.
const KEEPER: &str = r#"folder=$1; shift; "$@" & server=$!
stop() { if [ -n "$server" ]; then kill -QUIT $server; wait $server; server=; fi; rm -f data/postmaster.pid; }
while read -r word; do
  case $word in
    stop) stop ;;
    start) stop; "$@" & server=$! ;;
  esac
done
stop; rm -rf -- "$folder""#;

/// How a server is to be, beside what all are.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Files in its folder, by name, for the server alone to read. Its data is in the folder `data` beside them.
    pub files: Vec<(String, Vec<u8>)>,
    /// Settings; a path is taken from the data's folder.
    pub settings: Vec<(String, String)>,
}

/// A server. It ends when this is dropped, or when the process ends.
#[derive(Debug)]
pub struct Server {
    keeper: Child,
    folder: TempDir,
    port: u16,
    databases: AtomicU32,
}

/// A database on a server.
#[derive(Clone, Debug)]
pub struct Database {
    name: String,
    folder: PathBuf,
    port: u16,
}

impl Server {
    /// The one that all tests of a process share, each with a database of its own.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&Setup::default()))
    }

    /// Starts one.
    ///
    /// # Panics
    /// Where PostgreSQL is not installed, or does not start.
    #[must_use]
    pub fn start(setup: &Setup) -> Self {
        let programs = programs();
        let folder = tempfile::Builder::new().prefix("pg-").tempdir().expect("a temporary folder can be made");
        let user = Unprivileged::here(folder.path());
        let own = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("the folder can be written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
            user.give(&path);
        };
        own("password", PASSWORD.as_bytes());
        setup.files.iter().for_each(|(name, bytes)| own(name, bytes));
        user.give(folder.path());
        let output = user
            .command(programs.join("initdb"))
            .current_dir(folder.path())
            .args(["--pgdata=data", "--encoding=UTF8", "--locale=C", "--no-sync", "--pwfile=password"])
            .args(["--auth-local=trust", "--auth-host=scram-sha-256"])
            .arg(format!("--username={USER}"))
            .output()
            .expect("initdb runs");
        assert!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr));
        // A port that was free a moment ago may be taken by now.
        for _ in 0..5 {
            let port = free_port();
            if let Some(keeper) = launch(&programs, &user, folder.path(), port, setup) {
                return Self { keeper, folder, port, databases: AtomicU32::new(0) };
            }
        }
        let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        panic!("PostgreSQL does not start: {log}");
    }

    /// A new, empty database.
    pub async fn database(&self) -> Database {
        self.database_with("").await
    }

    /// A new, empty database, with what `CREATE DATABASE` takes behind its name.
    pub async fn database_with(&self, options: &str) -> Database {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let maintenance = self.named("postgres").client().await;
        maintenance.batch_execute(&format!("CREATE DATABASE {name} {options}")).await.expect("a database can be made");
        self.named(&name)
    }

    /// Ends it as a power cut would, with all of its connections. What it had committed is kept.
    pub fn stop(&mut self) {
        self.tell("stop");
        wait_until("stopped", || !self.status().exists());
    }

    /// Starts it anew where it was.
    pub fn start_again(&mut self) {
        self.tell("start");
        let status = self.status();
        wait_until("ready", || is_ready(&status));
    }

    /// Whether it is there.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.status().exists()
    }

    /// Where it listens on the loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    fn tell(&mut self, word: &str) {
        let keeper = self.keeper.stdin.as_mut().expect("it is told to end only once");
        writeln!(keeper, "{word}").expect("it listens");
    }

    fn status(&self) -> PathBuf {
        self.folder.path().join("data/postmaster.pid")
    }

    fn named(&self, name: &str) -> Database {
        Database { name: name.to_owned(), folder: self.folder.path().to_owned(), port: self.port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

impl Database {
    /// Over the socket, without a password.
    #[must_use]
    pub fn url(&self) -> String {
        let folder = encoded(self.folder.to_str().expect("temporary folders have plain names"));
        format!("postgres://{USER}@{folder}:{}/{}", self.port, self.name)
    }

    /// Over the loopback, with this password.
    #[must_use]
    pub fn url_with(&self, password: &str) -> String {
        format!("postgres://{USER}:{}@localhost:{}/{}", encoded(password), self.port, self.name)
    }

    /// A connection of the test's own.
    pub async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.expect("the server answers");
        // It ends with its client.
        drop(tokio::spawn(connection));
        client
    }
}

/// Starts the server and waits until it takes connections. Nothing where it ended.
fn launch(programs: &Path, user: &Unprivileged, folder: &Path, port: u16, setup: &Setup) -> Option<Child> {
    let log =
        fs::File::options().create(true).append(true).open(folder.join("log")).expect("the folder can be written");
    let mut command = user.command("/bin/sh");
    command.args(["-c", KEEPER, "sh"]).arg(folder).arg(programs.join("postgres")).args(["-D", "data"]);
    let sockets = folder.to_str().expect("temporary folders have plain names").to_owned();
    let fixed = [
        ("port", port.to_string()),
        ("listen_addresses", "localhost".to_owned()),
        ("unix_socket_directories", sockets),
        ("max_connections", "200".to_owned()),
        ("shared_buffers", "32MB".to_owned()),
        ("fsync", "off".to_owned()),
        ("full_page_writes", "off".to_owned()),
        ("deadlock_timeout", "100ms".to_owned()),
    ];
    let settings = fixed.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in settings.chain(setup.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()))) {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    let mut keeper = command
        .current_dir(folder)
        // What interrupts the test from a terminal is not for it: it has its own end to bring about.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("a shell runs");
    let (status, deadline) = (folder.join("data/postmaster.pid"), Instant::now() + START);
    loop {
        match fs::read_to_string(&status) {
            Ok(status) if status.lines().last().is_some_and(|line| line.trim() == "ready") => return Some(keeper),
            // It made the file early and removed it when it ended. The keeper would remove the folder, which the next
            // try needs.
            Err(error) if error.kind() == io::ErrorKind::NotFound && ended(folder) => {
                let _ = keeper.kill();
                let _ = keeper.wait();
                return None;
            }
            _ => {}
        }
        if Instant::now() > deadline {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
            panic!("PostgreSQL was not ready within {} s", START.as_secs());
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn is_ready(status: &Path) -> bool {
    fs::read_to_string(status).is_ok_and(|status| status.lines().last().is_some_and(|line| line.trim() == "ready"))
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + START;
    while !done() {
        assert!(Instant::now() < deadline, "PostgreSQL was not {what} within {} s", START.as_secs());
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether the log says that it gave up.
fn ended(folder: &Path) -> bool {
    fs::read_to_string(folder.join("log")).is_ok_and(|log| log.contains("FATAL:"))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("the loopback has a free port");
    listener.local_addr().expect("it is bound").port()
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Where `initdb` and `postgres` are: on the PATH, or where distributions keep one folder for each version.
fn programs() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find(|folder| has_programs(folder));
    on_path.or_else(|| versions().pop().map(|(_, folder)| folder)).unwrap_or_else(|| {
        panic!(
            "this test needs PostgreSQL {OLDEST} or newer: `initdb` and `postgres` are neither on the PATH nor in \
             /usr/lib/postgresql/*/bin nor in /usr/pgsql-*/bin; on Debian, `apt-get install postgresql`"
        )
    })
}

/// The installed versions, the newest last.
fn versions() -> Vec<(u32, PathBuf)> {
    let listed = |folder: &str| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let version = |path: &Path, prefix: &str| path.file_name()?.to_str()?.strip_prefix(prefix)?.parse::<u32>().ok();
    let debian = listed("/usr/lib/postgresql").filter_map(|path| Some((version(&path, "")?, path.join("bin"))));
    let red_hat = listed("/usr").filter_map(|path| Some((version(&path, "pgsql-")?, path.join("bin"))));
    let mut found: Vec<_> =
        debian.chain(red_hat).filter(|(version, folder)| *version >= OLDEST && has_programs(folder)).collect();
    found.sort();
    found
}

fn has_programs(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file())
}

/// Whom the server runs as. It refuses to run as root.
struct Unprivileged(Option<(u32, u32)>);

impl Unprivileged {
    /// This user, or for root the one that PostgreSQL was installed with, or else nobody.
    fn here(ours: &Path) -> Self {
        if fs::metadata(ours).expect("it was made").uid() != 0 {
            return Self(None);
        }
        let accounts = fs::read_to_string("/etc/passwd").expect("there are accounts");
        let account = |wanted: &str| {
            let line = accounts.lines().find(|line| line.split(':').next() == Some(wanted))?;
            let mut ids = line.split(':').skip(2).map(str::parse::<u32>);
            Some((ids.next()?.ok()?, ids.next()?.ok()?))
        };
        let found = account("postgres").or_else(|| account("nobody"));
        Self(Some(found.expect("root has somebody else to run a server as")))
    }

    fn give(&self, path: &Path) {
        if let Self(Some((uid, gid))) = *self {
            chown(path, Some(uid), Some(gid)).expect("root may give files away");
        }
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        // Neither the server's environment nor its client's is the test's.
        command.env_clear().env("LC_ALL", "C").env("PATH", "/usr/local/bin:/usr/bin:/bin");
        if let Self(Some((uid, gid))) = *self {
            command.uid(uid).gid(gid);
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_runs_serves_and_leaves_nothing() {
        let mut server = Server::start(&Setup::default());
        let (one, other) = (server.database().await, server.database().await);
        one.client().await.batch_execute("CREATE TABLE here (a int)").await.expect("it is ours");
        let gone = other.client().await.batch_execute("SELECT * FROM here").await;
        assert!(gone.is_err(), "each database is its own");
        let by_password = tokio_postgres::connect(&one.url_with(PASSWORD), NoTls).await;
        assert!(by_password.is_ok(), "the loopback takes the password");
        let by_another = tokio_postgres::connect(&one.url_with("another"), NoTls).await;
        assert!(by_another.is_err(), "and no other");
        server.stop();
        assert!(tokio_postgres::connect(&one.url(), NoTls).await.is_err(), "it is away");
        server.start_again();
        one.client().await.batch_execute("SELECT * FROM here").await.expect("what it had it has");
        let folder = server.folder.path().to_owned();
        drop(server);
        assert!(!folder.exists(), "nothing is left");
    }
}
