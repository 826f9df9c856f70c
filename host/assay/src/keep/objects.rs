//! Git objects in memory: found by repository and id, bounded by bytes, the least recently used forgotten first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::identity::{Kind, ObjectId};

/// What an object takes besides its content: its key, its place in the table, the allocations.
const OVERHEAD: u64 = 256;

/// One object that may take no more than this part of the bound, so that a few do not drive out all others.
const LARGEST: u64 = 4;

/// A git object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) content: Box<[u8]>,
}

#[derive(Debug)]
pub(super) struct Objects {
    bound: u64,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    by_id: LruCache<(u64, ObjectId), Arc<Object>>,
    bytes: u64,
}

impl Objects {
    /// At most `bound` bytes; 0 keeps nothing.
    pub(super) fn new(bound: u64) -> Self {
        Self { bound, held: Mutex::new(Held { by_id: LruCache::unbounded(), bytes: 0 }) }
    }

    pub(super) fn get(&self, repository: u64, id: &ObjectId) -> Option<Arc<Object>> {
        self.held().by_id.get(&(repository, *id)).cloned()
    }

    /// Computes the id again first, so what is found is always what it is called (O-012).
    pub(super) fn put(&self, repository: u64, id: ObjectId, object: Object) -> bool {
        let weight = weight(&object);
        if weight > self.bound / LARGEST || !id.names(object.kind, &object.content) {
            return false;
        }
        let mut forgotten = Vec::new();
        let mut held = self.held();
        held.bytes += weight;
        forgotten.extend(held.by_id.push((repository, id), Arc::new(object)).map(|(_, same)| same));
        held.bytes -= forgotten.iter().map(|same| self::weight(same)).sum::<u64>();
        while held.bytes > self.bound
            && let Some((_, oldest)) = held.by_id.pop_lru()
        {
            held.bytes -= self::weight(&oldest);
            forgotten.push(oldest);
        }
        // What is freed is freed after others can go on.
        drop(held);
        true
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn weight(object: &Object) -> u64 {
    u64::try_from(object.content.len()).unwrap_or(u64::MAX).saturating_add(OVERHEAD)
}

#[cfg(test)]
mod tests {
    use super::{super::identity::tests::id_of, *};

    fn blob(content: &[u8]) -> (ObjectId, Object) {
        (id_of(Kind::Blob, content), Object { kind: Kind::Blob, content: content.into() })
    }

    fn put(objects: &Objects, repository: u64, content: &[u8]) -> bool {
        let (id, object) = blob(content);
        objects.put(repository, id, object)
    }

    fn has(objects: &Objects, repository: u64, content: &[u8]) -> bool {
        let (id, object) = blob(content);
        objects.get(repository, &id).is_some_and(|found| *found == object)
    }

    /// O-012: found by id within its repository alone, with its kind.
    #[test]
    fn an_object_is_found_where_it_was_put() {
        let objects = Objects::new(1 << 20);
        assert!(put(&objects, 1, b"one") && has(&objects, 1, b"one"));
        assert!(!has(&objects, 2, b"one") && !has(&objects, 1, b"two"));
        let commit = Object { kind: Kind::Commit, content: b"tree 1\n".as_slice().into() };
        let id = id_of(Kind::Commit, b"tree 1\n");
        assert!(objects.put(1, id, commit));
        assert_eq!(objects.get(1, &id).map(|found| found.kind), Some(Kind::Commit));
    }

    /// O-012: what has another id is not kept, nor is what stands there already lost by it.
    #[test]
    fn what_has_another_id_is_not_kept() {
        let objects = Objects::new(1 << 20);
        let (id, _) = blob(b"right");
        for _ in 0..2 {
            for (kind, content) in [(Kind::Blob, &b"wrong"[..]), (Kind::Tree, b"right"), (Kind::Blob, b"")] {
                assert!(!objects.put(1, id, Object { kind, content: content.into() }));
            }
            let sha256 = ObjectId::Sha256([7; 32]);
            assert!(!objects.put(1, sha256, Object { kind: Kind::Blob, content: b"right".as_slice().into() }));
            assert_eq!(has(&objects, 1, b"right"), objects.held().bytes > 0);
            assert!(put(&objects, 1, b"right"));
        }
    }

    /// O-012: ten thousand objects stay within the bound, each counted once, and the newest are there.
    #[test]
    fn the_bound_holds() {
        let objects = Objects::new(100_000);
        let content =
            |n: u32| vec![b'x'; usize::try_from(n % 5_000).expect("small")].into_iter().chain(n.to_le_bytes());
        for n in 0..10_000 {
            let content: Vec<_> = content(n).collect();
            assert!(put(&objects, 1, &content) && put(&objects, 1, &content), "the same once more is fine");
            let held = objects.held();
            assert!(held.bytes <= 100_000);
            assert_eq!(held.bytes, held.by_id.iter().map(|(_, object)| weight(object)).sum::<u64>());
        }
        assert!(objects.held().bytes > 50_000, "it is put to use");
        assert!(has(&objects, 1, &content(9_999).collect::<Vec<_>>()));
    }

    /// O-012: objects without content are bounded as well.
    #[test]
    fn the_least_recently_used_goes_first() {
        let objects = Objects::new(4 * (OVERHEAD + 1));
        for content in [b"a", b"b", b"c", b"d"] {
            assert!(put(&objects, 1, content));
        }
        assert!(has(&objects, 1, b"a"), "used again");
        assert!(put(&objects, 1, b"e"));
        assert!(!has(&objects, 1, b"b"));
        assert!([b"a", b"c", b"d", b"e"].iter().all(|content| has(&objects, 1, *content)));
    }

    /// O-012: a quarter of the bound is the most for one; no bound keeps nothing.
    #[test]
    fn one_object_does_not_drive_out_all_others() {
        let objects = Objects::new(4_000);
        assert!(put(&objects, 1, b"small"));
        assert!(!put(&objects, 1, &vec![b'x'; 1_000 - usize::try_from(OVERHEAD).expect("small") + 1]));
        assert!(put(&objects, 1, &vec![b'x'; 1_000 - usize::try_from(OVERHEAD).expect("small")]));
        assert!(has(&objects, 1, b"small"));
        assert!(!put(&Objects::new(0), 1, b""));
    }
}
