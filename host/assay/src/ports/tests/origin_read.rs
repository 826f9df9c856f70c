//! The port as a component would use it, call by call, against a server on the loopback.

use std::{sync::Arc, time::Duration};

use tokio::sync::{Barrier, Notify};
use wasmtime::component::Resource;

use super::super::{
    CallerHandle,
    bindings::assay::ports::{
        callers,
        origin_read::{self as port, Fault, Host as _, HostAnswer as _, HostPending as _},
    },
    origin_read::{Open, Pending},
};
use crate::{
    budget::{Budget, Rates},
    caller::{Caller, Credential},
    engine::{Meter, Parts, State},
    loopback::{Loopback, Step, answer},
    origin::{Origin, OriginConfig},
};

/// A call in the middle: its state and the handle it was lent.
struct Call {
    state: State,
    caller: u32,
}

impl Call {
    fn to(server: &Loopback, budget: &Arc<Budget>) -> Self {
        let origin = Origin::new(OriginConfig {
            url: server.url(),
            ca_file: None,
            connect_timeout: Duration::from_secs(20),
            read_timeout: Duration::from_secs(20),
            user_agent: "assay/0.0.0".to_owned(),
        });
        let origin = Arc::new(origin.expect("the address is sound"));
        let mut state = State::new(Parts::new(origin, Arc::clone(budget)), Meter::at_rest(), "test".into());
        let caller = Arc::new(Caller::new(Credential::token("one".to_owned())));
        let caller = state.table.push(CallerHandle(caller)).expect("there is room").rep();
        Self { state, caller }
    }

    /// The handle of what was started; the host never holds it, the guest does.
    fn get(&mut self, path: &[&[u8]]) -> u32 {
        self.get_range(path, None)
    }

    fn get_range(&mut self, path: &[&[u8]], range: Option<(u64, u64)>) -> u32 {
        let path = path.iter().map(|segment| segment.to_vec()).collect();
        let lent = Resource::new_borrow(self.caller);
        self.state.get(lent, path, Vec::new(), range).expect("the caller is known").rep()
    }

    async fn wait(&mut self, pending: u32) -> Result<u32, Fault> {
        let waited = self.state.wait(Resource::new_borrow(pending)).await.expect("the handle is known");
        waited.map(|answer| answer.rep())
    }

    async fn body(&mut self, answer: u32) -> Result<Vec<u8>, Fault> {
        let mut whole = Vec::new();
        loop {
            let read = self.state.read(Resource::new_borrow(answer), 3).await.expect("the handle is known")?;
            if read.is_empty() {
                return Ok(whole);
            }
            whole.extend(read);
        }
    }

    fn drop_pending(&mut self, pending: u32) {
        let handle = Resource::<Pending>::new_own(pending);
        port::HostPending::drop(&mut self.state, handle).expect("it is known");
    }

    fn drop_answer(&mut self, answer: u32) {
        let handle = Resource::<Open>::new_own(answer);
        port::HostAnswer::drop(&mut self.state, handle).expect("it is known");
    }
}

fn free() -> Arc<Budget> {
    Arc::new(Budget::new(Rates { read: 0, write: 0, window: Duration::from_secs(60) }))
}

/// Start, wait, look, read; and what is asked twice.
#[tokio::test]
async fn a_request_from_start_to_end() {
    let server = Loopback::start(|_| answer("404 Not Found", "nothing")).await;
    let mut call = Call::to(&server, &free());
    let pending = call.get(&[b"user"]);
    let answer = call.wait(pending).await.expect("an answer");
    assert!(matches!(call.wait(pending).await, Err(Fault::Denied(_))), "an answer is handed over once");
    call.drop_pending(pending);
    assert_eq!(call.state.status(Resource::new_borrow(answer)).expect("known"), 404);
    let headers = call.state.headers(Resource::new_borrow(answer)).expect("known");
    assert_eq!(headers, [("content-length".to_owned(), b"7".to_vec())]);
    assert!(matches!(call.state.read(Resource::new_borrow(answer), 0).await, Ok(Err(Fault::Denied(_)))));
    assert_eq!(call.body(answer).await.expect("whole"), b"nothing");
    assert_eq!(call.body(answer).await.expect("the end stays the end"), b"");
    assert_eq!(server.heads().len(), 1);
}

/// Two requests are under way at once: each is answered only after both have come.
#[tokio::test]
async fn several_requests_run_at_once() {
    let both = Arc::new(Barrier::new(2));
    let gates: [Arc<Notify>; 2] = Default::default();
    let opened = gates.clone();
    let server = Loopback::start(move |head| {
        let which = usize::from(head.contains("/second"));
        let (mine, both) = (Arc::clone(&opened[which]), Arc::clone(&both));
        tokio::spawn({
            let mine = Arc::clone(&mine);
            async move {
                both.wait().await;
                mine.notify_one();
            }
        });
        let mut steps = vec![Step::Until(mine)];
        steps.extend(answer("200 OK", if which == 0 { "first" } else { "second" }));
        steps
    })
    .await;
    let mut call = Call::to(&server, &free());
    let pending = [call.get(&[b"first"]), call.get(&[b"second"])];
    // Waited for in the other order, too.
    for (pending, body) in [(pending[1], "second"), (pending[0], "first")] {
        let answer = call.wait(pending).await.expect("an answer");
        assert_eq!(call.body(answer).await.expect("whole"), body.as_bytes());
    }
    assert_eq!(server.connections(), 2);
}

/// D-008, G-061, G-062: a used-up budget sends nothing; what is denied spends nothing.
#[tokio::test]
async fn a_used_up_budget_sends_nothing() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let budget = Arc::new(Budget::new(Rates { read: 2, write: 1, window: Duration::from_secs(3_600) }));
    let mut call = Call::to(&server, &budget);
    for path in [&[&b".."[..]][..], &[b"a/b"], &[b""], &[]] {
        let pending = call.get(path);
        assert!(matches!(call.wait(pending).await, Err(Fault::Denied(_))));
    }
    for _ in 0..2 {
        let pending = call.get(&[b"user"]);
        call.wait(pending).await.expect("an answer");
    }
    // A second call of the same caller's shares what is left: nothing.
    let mut next = Call::to(&server, &budget);
    for call in [&mut call, &mut next] {
        let pending = call.get(&[b"user"]);
        assert!(matches!(call.wait(pending).await, Err(Fault::Budget(3_599..=3_600))));
    }
    assert_eq!(server.heads().len(), 2);
}

/// O-010: a range goes out as it was asked for; one that ends before it starts is denied and costs nothing.
#[tokio::test]
async fn a_range_is_asked_for() {
    let server = Loopback::start(|_| answer("206 Partial Content", "part")).await;
    let budget = Arc::new(Budget::new(Rates { read: 1, write: 1, window: Duration::from_secs(3_600) }));
    let mut call = Call::to(&server, &budget);
    let denied = call.get_range(&[b"raw"], Some((5, 4)));
    assert!(matches!(call.wait(denied).await, Err(Fault::Denied(_))));
    let pending = call.get_range(&[b"raw"], Some((4, 7)));
    let answer = call.wait(pending).await.expect("an answer");
    assert_eq!(call.state.status(Resource::new_borrow(answer)).expect("known"), 206);
    assert_eq!(call.body(answer).await.expect("whole"), b"part");
    let head = server.heads().concat();
    assert!(head.contains("\r\nrange: bytes=4-7\r\n"), "{head}");
}

/// Requests and answers that are held count; what is dropped makes room.
#[tokio::test]
async fn a_call_holds_a_bounded_number_of_requests() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let mut call = Call::to(&server, &free());
    let mut held: Vec<_> = (0..16).map(|_| call.get(&[b"user"])).collect();
    let refused = call.get(&[b"user"]);
    assert!(matches!(call.wait(refused).await, Err(Fault::Denied(_))));
    let started = held.pop().expect("sixteen");
    let answer = call.wait(started).await.expect("an answer");
    let refused = call.get(&[b"user"]);
    assert!(matches!(call.wait(refused).await, Err(Fault::Denied(_))), "an answer holds its place");
    call.drop_answer(answer);
    let next = call.get(&[b"user"]);
    call.wait(next).await.expect("there is room again");
    call.drop_pending(held.pop().expect("fifteen"));
    let next = call.get(&[b"user"]);
    call.wait(next).await.expect("and again");
}

/// What a component no longer holds is broken off: a request it dropped, and everything when its call ends.
#[tokio::test]
async fn what_is_dropped_is_broken_off() {
    let closed = Arc::new(Notify::new());
    let arrived = Arc::new(Notify::new());
    let (tell, came) = (Arc::clone(&closed), Arc::clone(&arrived));
    let server = Loopback::start(move |_| {
        came.notify_one();
        vec![Step::Closed(Arc::clone(&tell))]
    })
    .await;
    let mut call = Call::to(&server, &free());
    let pending = call.get(&[b"user"]);
    arrived.notified().await;
    call.drop_pending(pending);
    closed.notified().await;
    call.get(&[b"user"]);
    arrived.notified().await;
    drop(call);
    closed.notified().await;
}

/// Every handle is looked up: one that is not there, or is another kind of thing, stops the call.
#[tokio::test]
async fn a_handle_that_is_not_there_stops_the_call() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let mut call = Call::to(&server, &free());
    let pending = call.get(&[b"user"]);
    for wrong in [pending, 999] {
        assert!(call.state.get(Resource::new_borrow(wrong), vec![b"user".to_vec()], Vec::new(), None).is_err());
    }
    for wrong in [call.caller, 999] {
        assert!(call.state.wait(Resource::new_borrow(wrong)).await.is_err());
        assert!(call.state.status(Resource::new_borrow(wrong)).is_err());
        assert!(call.state.headers(Resource::new_borrow(wrong)).is_err());
        assert!(call.state.read(Resource::new_borrow(wrong), 1).await.is_err());
    }
    let caller = Resource::<CallerHandle>::new_own(call.caller);
    callers::HostCaller::drop(&mut call.state, caller).expect("it was there");
    assert!(call.state.get(Resource::new_borrow(call.caller), vec![b"user".to_vec()], Vec::new(), None).is_err());
}

/// A component that never lets go of anything is stopped before its handles fill the host's memory.
#[tokio::test]
async fn handles_are_bounded() {
    let server = Loopback::start(|_| answer("200 OK", "{}")).await;
    let mut call = Call::to(&server, &free());
    let mut started = 0;
    while call.state.get(Resource::new_borrow(call.caller), vec![b"..".to_vec()], Vec::new(), None).is_ok() {
        started += 1;
        assert!(started <= 128, "there is no bound");
    }
    assert_eq!(server.connections(), 0);
}
