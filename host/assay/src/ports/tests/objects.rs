//! What is kept, through the port.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use wasmtime::component::Resource;

use super::{
    super::{
        bindings::assay::ports::objects::{
            DiffKey, Host as _, HostDiff as _, HostDraft as _, Kind, Object, {self as port},
        },
        objects::{Diff, Draft},
    },
    call, parts,
};
use crate::{
    engine::{Parts, State},
    keep::{Keep, KeepLimits},
};

/// The id of the empty tree.
const EMPTY_TREE: [u8; 20] = *b"\x4b\x82\x5d\xc6\x42\xcb\x6e\xb9\xa0\x60\xe5\x4b\xf8\xd6\x92\x88\xfb\xee\x49\x04";

fn object(kind: Kind, content: &[u8]) -> Object {
    Object { kind, content: content.to_vec() }
}

fn git_sha256(kind: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("{kind} {}\0", content.len());
    Sha256::new().chain_update(head).chain_update(content).finalize().to_vec()
}

fn key(repository: u64, diff: &[u8]) -> DiffKey {
    let sha256 = Sha256::digest(diff).to_vec();
    DiffKey { repository, merge_base: vec![1; 32], head: vec![2; 32], sha256 }
}

fn draft(state: &mut State) -> u32 {
    state.new().expect("there is room").rep()
}

async fn write(state: &mut State, draft: u32, bytes: Vec<u8>) -> bool {
    state.write(Resource::new_borrow(draft), bytes).await.expect("the handle is known")
}

async fn keep(state: &mut State, draft: u32, key: DiffKey, receipt: &[u8]) -> bool {
    state.keep(Resource::new_borrow(draft), key, receipt.to_vec()).await.expect("the handle is known")
}

fn find(state: &mut State, key: DiffKey) -> Option<u32> {
    state.find_diff(key).expect("there is room").map(|diff| diff.rep())
}

/// O-012: an object comes back with its kind in a later call, small and large, and only where it was put.
#[tokio::test]
async fn an_object_comes_back() {
    let parts = parts();
    let large = vec![b'x'; 3 << 20];
    let large_id = git_sha256("blob", &large);
    let mut first = call(&parts);
    assert!(first.put(7, EMPTY_TREE.to_vec(), object(Kind::Tree, b"")).await.expect("it runs"));
    assert!(first.put(7, large_id.clone(), object(Kind::Blob, &large)).await.expect("it runs"));
    let mut second = call(&parts);
    let tree = port::Host::get(&mut second, 7, EMPTY_TREE.to_vec()).expect("it runs").expect("it is kept");
    assert_eq!((tree.kind, tree.content.as_slice()), (Kind::Tree, &b""[..]));
    let blob = port::Host::get(&mut second, 7, large_id.clone()).expect("it runs").expect("it is kept");
    assert!(blob.kind == Kind::Blob && blob.content == large);
    assert!(second.has(7, large_id.clone()).expect("it runs") && !second.has(8, large_id.clone()).expect("it runs"));
    assert!(port::Host::get(&mut second, 8, large_id).expect("it runs").is_none());
}

/// O-012: what has another id, or none that is full, is neither kept nor found.
#[tokio::test]
async fn a_wrong_id_keeps_nothing() {
    let mut state = call(&parts());
    for (kind, content) in [(Kind::Blob, &b""[..]), (Kind::Commit, b""), (Kind::Tag, b""), (Kind::Tree, b"x")] {
        assert!(!state.put(7, EMPTY_TREE.to_vec(), object(kind, content)).await.expect("it runs"));
    }
    let large = vec![b'x'; 1 << 20];
    assert!(!state.put(7, git_sha256("tree", &large), object(Kind::Blob, &large)).await.expect("it runs"));
    for bytes in [0, 10, 21, 64] {
        let id: Vec<_> = EMPTY_TREE.iter().copied().cycle().take(bytes).collect();
        assert!(!state.put(7, id.clone(), object(Kind::Tree, b"")).await.expect("it runs"));
        assert!(!state.has(7, id.clone()).expect("it runs"));
        assert!(port::Host::get(&mut state, 7, id).expect("it runs").is_none());
    }
    assert!(port::Host::get(&mut state, 7, EMPTY_TREE.to_vec()).expect("it runs").is_none());
}

/// O-012: a diff from draft to reader, across calls, small and in a file.
#[tokio::test]
async fn a_diff_comes_back() {
    let parts = parts();
    for bytes in [5, 700_000] {
        let diff = vec![b'd'; bytes];
        let mut first = call(&parts);
        let draft = draft(&mut first);
        for piece in diff.chunks(300_000) {
            assert!(write(&mut first, draft, piece.to_vec()).await);
        }
        assert!(first.annotate(Resource::new_borrow(draft), b"notes".to_vec()).await.expect("it runs"));
        assert_eq!(find(&mut first, key(7, &diff)), None);
        assert!(keep(&mut first, draft, key(7, &diff), b"receipt").await);
        assert!(!write(&mut first, draft, b"more".to_vec()).await);
        drop(first);
        let mut second = call(&parts);
        let found = find(&mut second, key(7, &diff)).expect("it is kept");
        let lent = || Resource::<Diff>::new_borrow(found);
        assert_eq!(second.length(lent()).expect("known"), u64::try_from(bytes).expect("fits"));
        assert_eq!(second.receipt(lent()).expect("known"), b"receipt");
        assert!(port::HostDiff::read(&mut second, lent(), 2, u32::MAX).await.expect("known") == diff[2..]);
        assert_eq!(second.read_annotations(lent(), 1, 3).await.expect("known"), b"ote");
        port::HostDiff::drop(&mut second, Resource::new_own(found)).expect("known");
        assert!(second.length(lent()).is_err(), "it was let go");
    }
}

/// O-012: another hash, or a key with ids that are none, keeps nothing; the draft is over all the same.
#[tokio::test]
async fn a_wrong_key_keeps_nothing() {
    let mut state = call(&parts());
    let wrong = [
        key(7, b"other"),
        DiffKey { merge_base: vec![1; 31], ..key(7, b"diff") },
        DiffKey { head: Vec::new(), ..key(7, b"diff") },
        DiffKey { sha256: vec![0; 20], ..key(7, b"diff") },
    ];
    for key in wrong {
        let draft = draft(&mut state);
        assert!(write(&mut state, draft, b"diff".to_vec()).await);
        assert!(!keep(&mut state, draft, key.clone(), b"").await);
        assert_eq!(find(&mut state, key), None);
        assert!(!keep(&mut state, draft, self::key(7, b"diff"), b"").await);
    }
}

/// O-012: without room a draft says so, and the call goes on.
#[tokio::test]
async fn a_draft_without_room_says_so() {
    for spool_bytes in [0, 400_000] {
        let keep = Arc::new(Keep::new(KeepLimits { object_bytes: 0, spool_bytes }));
        let parts = Parts { keep, ..parts() };
        let mut state = call(&parts);
        let draft = draft(&mut state);
        let mut written = 0;
        while write(&mut state, draft, vec![b'd'; 50_000]).await {
            written += 50_000;
            assert!(written <= spool_bytes);
        }
        assert!(!self::keep(&mut state, draft, key(7, b""), b"").await);
        assert!(!state.put(7, EMPTY_TREE.to_vec(), object(Kind::Tree, b"")).await.expect("it runs"));
    }
}

/// O-012: what a call held is free again when the call ends, or when it lets go.
#[tokio::test]
async fn what_a_call_held_is_free_again() {
    let keep = Arc::new(Keep::new(KeepLimits { object_bytes: 0, spool_bytes: 1_000_000 }));
    let parts = Parts { keep, ..parts() };
    for dropped in [false, true] {
        let mut first = call(&parts);
        let taken = draft(&mut first);
        assert!(write(&mut first, taken, vec![b'd'; 600_000]).await);
        let mut second = call(&parts);
        let refused = draft(&mut second);
        assert!(!write(&mut second, refused, vec![b'd'; 600_000]).await);
        if dropped {
            port::HostDraft::drop(&mut first, Resource::<Draft>::new_own(taken)).expect("known");
        } else {
            drop(first);
        }
        let fits = draft(&mut second);
        assert!(write(&mut second, fits, vec![b'd'; 600_000]).await);
    }
}

/// Every handle is looked up: one that is not there, or is another kind of thing, stops the call.
#[tokio::test]
async fn a_handle_that_is_not_there_stops_the_call() {
    let mut state = call(&parts());
    let draft = draft(&mut state);
    for wrong in [draft, 999] {
        assert!(state.receipt(Resource::new_borrow(wrong)).is_err());
        assert!(state.length(Resource::new_borrow(wrong)).is_err());
        assert!(port::HostDiff::read(&mut state, Resource::new_borrow(wrong), 0, 1).await.is_err());
        assert!(state.read_annotations(Resource::new_borrow(wrong), 0, 1).await.is_err());
    }
    assert!(port::HostDiff::drop(&mut state, Resource::new_own(999)).is_err());
    assert!(write(&mut state, draft, b"diff".to_vec()).await);
    assert!(keep(&mut state, draft, key(7, b"diff"), b"").await);
    let diff = find(&mut state, key(7, b"diff")).expect("it is kept");
    for wrong in [diff, 999] {
        assert!(state.write(Resource::new_borrow(wrong), Vec::new()).await.is_err());
        assert!(state.annotate(Resource::new_borrow(wrong), Vec::new()).await.is_err());
        assert!(state.keep(Resource::new_borrow(wrong), key(7, b""), Vec::new()).await.is_err());
        assert!(port::HostDraft::drop(&mut state, Resource::new_own(wrong)).is_err());
    }
}

/// A component that never lets go of anything is stopped before its handles fill the host's memory.
#[tokio::test]
async fn handles_are_bounded() {
    let parts = parts();
    let mut state = call(&parts);
    let mut drafts = 0;
    while state.new().is_ok() {
        drafts += 1;
        assert!(drafts <= 128, "there is no bound");
    }
    let mut other = call(&parts);
    let draft = draft(&mut other);
    assert!(write(&mut other, draft, b"diff".to_vec()).await && keep(&mut other, draft, key(7, b"diff"), b"").await);
    let mut found = 0;
    while other.find_diff(key(7, b"diff")).is_ok() {
        found += 1;
        assert!(found <= 128, "there is no bound");
    }
    assert!(found > 0);
}
