//! Somebody between a client and its server who breaks the connection in the very moment of a commit.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    thread,
};

/// What becomes of the next commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Commit {
    /// It is made and answered.
    Answered,
    /// It is made, and the answer does not come through.
    Unanswered,
    /// It does not come through.
    Lost,
}

/// One that listens on the loopback. It ends with the process.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    next: Arc<AtomicU8>,
}

impl Proxy {
    /// Before the server at this port.
    pub(crate) fn before(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("the loopback has a port");
        let port = listener.local_addr().expect("it is bound").port();
        let next = Arc::new(AtomicU8::new(Commit::Answered as u8));
        let commits = Arc::clone(&next);
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("it is one");
                let server = TcpStream::connect(("127.0.0.1", server)).expect("it listens");
                let twin = |stream: &TcpStream| stream.try_clone().expect("it can be");
                let (up, down) = ((twin(&client), twin(&server)), (server, client));
                let (asked, answered) = (Arc::clone(&commits), Arc::clone(&commits));
                thread::spawn(move || pump(up.0, up.1, |bytes| !(has_commit(bytes) && is(&asked, Commit::Lost))));
                thread::spawn(move || {
                    pump(down.0, down.1, |bytes| !(is_committed(bytes) && is(&answered, Commit::Unanswered)));
                });
            }
        });
        Self { port, next }
    }

    /// From now on this becomes of a commit, once.
    pub(crate) fn next(&self, commit: Commit) {
        self.next.store(commit as u8, Ordering::SeqCst);
    }
}

/// Whether it is this that becomes of this commit; the next one is answered again.
fn is(next: &AtomicU8, commit: Commit) -> bool {
    next.compare_exchange(commit as u8, Commit::Answered as u8, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// A simple query, as the client sends it.
fn has_commit(bytes: &[u8]) -> bool {
    bytes.windows(7).any(|window| window == b"COMMIT\0")
}

/// The server says so of a commit alone.
fn is_committed(bytes: &[u8]) -> bool {
    has_commit(bytes)
}

/// Carries bytes until one side ends, or until some must not come through.
fn pump(mut from: TcpStream, mut to: TcpStream, may_pass: impl Fn(&[u8]) -> bool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if !may_pass(&bytes[..read]) || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
