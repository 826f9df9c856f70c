//! A forge that says exactly what a script says, byte by byte, over real sockets on the loopback.
//!
//! It runs on a thread of its own, so that a test may be synchronous, asynchronous, or another process altogether. What
//! it was asked is logged; a request that no script foresees is answered with 599 and is for the test to assert on
//! ([`ScriptedForge::assert_foreseen`]).

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    net::{SocketAddr, TcpListener as StdListener},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
};

use crate::response::Response;

/// Bytes of a request's head and of its body: a file of 8 MiB as base64, and what is around it.
const REQUEST_BYTES: usize = 16 << 20;

/// One act of an answer.
#[derive(Clone, Debug)]
pub enum Step {
    /// These bytes go out.
    Bytes(Vec<u8>),
    /// Nothing happens for this long.
    Pause(Duration),
    /// Nothing happens until the test opens the gate.
    Wait(Gate),
    /// Nothing happens any more; the connection stays open until the client leaves.
    Stall,
    /// The connection ends well: FIN.
    Close,
    /// The connection breaks: RST.
    Reset,
}

/// Holds an answer back until a test lets it go.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets everything through, now and later.
    pub fn open(&self) {
        self.0.close();
    }

    /// Lets one answer through, which may have come already or not.
    pub fn let_one_through(&self) {
        self.0.add_permits(1);
    }

    async fn pass(&self) {
        if let Ok(permit) = self.0.acquire().await {
            permit.forget();
        }
    }
}

/// An answer as the acts that make it.
#[derive(Clone, Debug, Default)]
pub struct Delivery(pub Vec<Step>);

impl From<Response> for Delivery {
    fn from(response: Response) -> Self {
        let mut steps = vec![Step::Bytes(response.bytes())];
        if response.closes() {
            steps.push(Step::Close);
        }
        Self(steps)
    }
}

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The request target, as on the wire.
    pub target: String,
    /// The fields in order, names as they came.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
    /// Which connection it came over, counted from 0 as they were accepted.
    pub connection: usize,
    /// Whether a script had an answer for it.
    pub foreseen: bool,
}

impl Request {
    /// The values of a field, in order.
    #[must_use]
    pub fn header(&self, name: &str) -> Vec<&[u8]> {
        let same = self.headers.iter().filter(|(have, _)| have.eq_ignore_ascii_case(name));
        same.map(|(_, value)| value.as_slice()).collect()
    }
}

/// A forge on the loopback; it ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedForge {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    end: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct State {
    scripts: BTreeMap<(String, String), VecDeque<Delivery>>,
    requests: Vec<Request>,
    connections: usize,
}

impl ScriptedForge {
    /// Listens on a free port of the loopback, with an empty script.
    ///
    /// # Panics
    /// Where the system has no port, thread or event queue left.
    #[must_use]
    pub fn start() -> Self {
        let listener = StdListener::bind(("127.0.0.1", 0)).expect("the loopback has a free port");
        listener.set_nonblocking(true).expect("a socket can be made non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state = Arc::new(Mutex::new(State::default()));
        let (end, ended) = watch::channel(false);
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new()
            .name("scripted-forge".into())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("the system has an event queue").block_on(accept(listener, shared, ended));
            })
            .expect("the system has a thread");
        Self { address, state, end, thread: Some(thread) }
    }

    /// Adds answers for a method and an exact target, one a request; the last is repeated.
    pub fn script<D: Into<Delivery>>(&self, method: &str, target: &str, answers: impl IntoIterator<Item = D>) {
        let key = (method.to_owned(), target.to_owned());
        let mut state = locked(&self.state);
        state.scripts.entry(key).or_default().extend(answers.into_iter().map(Into::into));
    }

    /// Forgets the answers for a method and target, so that others can be scripted.
    pub fn forget(&self, method: &str, target: &str) {
        locked(&self.state).scripts.remove(&(method.to_owned(), target.to_owned()));
    }

    /// Forgets every answer.
    pub fn forget_all(&self) {
        locked(&self.state).scripts.clear();
    }

    /// The origin: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        locked(&self.state).requests.clone()
    }

    /// How many connections were accepted so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        locked(&self.state).connections
    }

    /// # Panics
    /// Where a request came that no script foresaw.
    pub fn assert_foreseen(&self) {
        let requests = self.requests();
        let unforeseen: Vec<_> =
            requests.iter().filter(|r| !r.foreseen).map(|r| format!("{} {}", r.method, r.target)).collect();
        assert!(unforeseen.is_empty(), "requests that no script foresaw: {unforeseen:?}");
    }
}

impl Drop for ScriptedForge {
    fn drop(&mut self) {
        let _ = self.end.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: StdListener, state: Arc<Mutex<State>>, mut ended: watch::Receiver<bool>) {
    let listener = TcpListener::from_std(listener).expect("the socket is non-blocking");
    // Dropping the set ends every connection, stalled ones too.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = ended.wait_for(|ended| *ended) => return,
            _ = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let number = {
                    let mut state = locked(&state);
                    state.connections += 1;
                    state.connections - 1
                };
                connections.spawn(converse(stream, number, Arc::clone(&state)));
            }
        }
    }
}

// An I/O error is the client's leaving, which a faulty answer may well cause.
async fn converse(mut stream: TcpStream, connection: usize, state: Arc<Mutex<State>>) {
    let _ = stream.set_nodelay(true);
    let mut pending = Vec::new();
    while let Ok(Some(mut request)) = read_request(&mut stream, &mut pending).await {
        request.connection = connection;
        let delivery = answer(&state, request);
        match deliver(&mut stream, delivery).await {
            Ok(true) => {}
            Ok(false) | Err(_) => return,
        }
    }
}

fn answer(state: &Mutex<State>, mut request: Request) -> Delivery {
    let mut state = locked(state);
    let script = state.scripts.get_mut(&(request.method.clone(), request.target.clone()));
    let delivery = match script {
        Some(script) if script.len() > 1 => script.pop_front(),
        Some(script) => script.front().cloned(),
        None => None,
    };
    request.foreseen = delivery.is_some();
    state.requests.push(request);
    delivery.unwrap_or_else(|| Response::new(599, "no script foresees this request").into())
}

// Whether the connection goes on.
async fn deliver(stream: &mut TcpStream, delivery: Delivery) -> io::Result<bool> {
    for step in delivery.0 {
        match step {
            Step::Bytes(bytes) => stream.write_all(&bytes).await?,
            Step::Pause(time) => tokio::time::sleep(time).await,
            Step::Wait(gate) => gate.pass().await,
            Step::Stall => {
                let mut unread = [0; 1_024];
                while stream.read(&mut unread).await? > 0 {}
                return Ok(false);
            }
            Step::Close => {
                stream.shutdown().await?;
                return Ok(false);
            }
            Step::Reset => {
                stream.set_zero_linger()?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

// None at the end of the connection, or where what came is no request.
async fn read_request(stream: &mut TcpStream, pending: &mut Vec<u8>) -> io::Result<Option<Request>> {
    let head_end = loop {
        if let Some(at) = pending.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if pending.len() > REQUEST_BYTES || stream.read_buf(pending).await? == 0 {
            return Ok(None);
        }
    };
    let head: Vec<u8> = pending.drain(..head_end).collect();
    let Some(mut request) = parse_head(&head) else { return Ok(None) };
    let length = request.header("content-length").first().and_then(|v| str::from_utf8(v).ok()?.parse().ok());
    let length = length.unwrap_or(0);
    if length > REQUEST_BYTES {
        return Ok(None);
    }
    while pending.len() < length {
        if stream.read_buf(pending).await? == 0 {
            return Ok(None);
        }
    }
    request.body = pending.drain(..length).collect();
    Ok(Some(request))
}

fn parse_head(head: &[u8]) -> Option<Request> {
    let mut lines = head.strip_suffix(b"\r\n\r\n")?.split(|byte| *byte == b'\n');
    let first = String::from_utf8(lines.next()?.trim_ascii_end().to_vec()).ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    if words.next()? != "HTTP/1.1" || words.next().is_some() {
        return None;
    }
    let mut headers = Vec::new();
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = line.split_at_checked(colon)?;
        let name = String::from_utf8(name.to_vec()).ok()?;
        headers.push((name, value.strip_prefix(b":")?.trim_ascii().to_vec()));
    }
    Some(Request { method, target, headers, body: Vec::new(), connection: 0, foreseen: false })
}

// A panic elsewhere does not make the log unreadable.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream,
    };

    use super::*;

    fn exchange(forge: &ScriptedForge, request: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(forge.address()).expect("the forge listens");
        stream.write_all(request.as_bytes()).expect("the forge reads");
        // The forge may have ended the connection already.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the forge ends well");
        answer
    }

    #[test]
    fn answers_follow_the_script_over_one_connection_and_are_logged() {
        let forge = ScriptedForge::start();
        forge.script("GET", "/a?b=%20", [Response::new(200, "one"), Response::new(404, "two")]);
        let ask = "GET /a?b=%20 HTTP/1.1\r\nHost: x\r\nAuthorization: token t\r\n\r\n";
        let answers = exchange(&forge, &ask.repeat(3));
        let answers = String::from_utf8(answers).expect("ASCII");
        let bodies: Vec<_> = answers.split("HTTP/1.1 ").skip(1).collect();
        assert_eq!(bodies.len(), 3, "{answers}");
        assert!(bodies.iter().zip(["one", "two", "two"]).all(|(answer, body)| answer.ends_with(body)), "{answers}");
        let requests = forge.requests();
        assert_eq!(requests.len(), 3);
        assert_eq!(forge.connections(), 1);
        assert_eq!(requests.last().expect("three").header("authorization"), [b"token t"]);
        forge.assert_foreseen();
    }

    #[test]
    fn bodies_are_read_by_their_length() {
        let forge = ScriptedForge::start();
        forge.script("POST", "/x", [Response::new(200, "")]);
        let _ = exchange(&forge, "POST /x HTTP/1.1\r\nContent-Length: 4\r\n\r\nbodyPOST /x HTTP/1.1\r\n\r\n");
        let bodies: Vec<_> = forge.requests().into_iter().map(|request| request.body).collect();
        assert_eq!(bodies, [b"body".to_vec(), Vec::new()]);
    }

    #[test]
    #[should_panic(expected = "GET /other")]
    fn an_unforeseen_request_is_answered_and_told() {
        let forge = ScriptedForge::start();
        forge.script("GET", "/", [Response::new(200, "")]);
        assert!(exchange(&forge, "GET /other HTTP/1.1\r\n\r\n").starts_with(b"HTTP/1.1 599 "));
        forge.assert_foreseen();
    }

    #[test]
    fn a_gate_holds_until_it_is_opened() {
        let forge = ScriptedForge::start();
        let gate = Gate::closed();
        let response = Response::new(200, "late");
        let steps =
            vec![Step::Bytes(response.head()), Step::Wait(gate.clone()), Step::Bytes(response.body), Step::Close];
        forge.script("GET", "/", [Delivery(steps)]);
        let mut stream = TcpStream::connect(forge.address()).expect("the forge listens");
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("the forge reads");
        let mut head = vec![0; Response::new(200, "late").head().len()];
        stream.read_exact(&mut head).expect("the head comes first");
        stream.set_nonblocking(true).expect("a socket");
        let held = stream.read(&mut [0; 1]).expect_err("nothing comes before the gate opens");
        assert_eq!(held.kind(), io::ErrorKind::WouldBlock);
        stream.set_nonblocking(false).expect("a socket");
        gate.open();
        let mut body = String::new();
        stream.read_to_string(&mut body).expect("the rest comes");
        assert_eq!(body, "late");
    }
}
