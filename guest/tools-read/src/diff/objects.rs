//! Git objects from the forge or from what the process keeps, each checked against its id before it is used (O-010).
//!
//! Several are under way at once: what a proof will need next is asked for ahead, and waits unread in its connection, so
//! that memory holds one object at a time.

use std::{cell::Cell, collections::VecDeque};

use assay_envelope::Refusal;
use assay_forge::{
    ObjectId, http,
    object::{self, BlobAnswer, Kind, Object, TreeAnswer},
    proof::{ObjectSource, Stopped, Wanted},
};
use assay_origin::{Answer, Fault, Origin, Pending, PullTarget, head, refuse};

use super::inputs::Look;
use crate::ports::Objects;

/// Requests for objects under way at once; the diff itself takes a place of the call's as well.
const AHEAD: usize = 8;

/// The forge, with a count of what it was asked.
pub(super) struct Counted<'a> {
    origin: &'a dyn Origin,
    requests: Cell<u64>,
}

impl<'a> Counted<'a> {
    pub(super) const fn new(origin: &'a dyn Origin) -> Self {
        Self { origin, requests: Cell::new(0) }
    }

    pub(super) fn get(&self, path: &[&[u8]], query: &[(&str, &str)], range: Option<(u64, u64)>) -> Box<dyn Pending> {
        self.requests.set(self.requests.get() + 1);
        self.origin.get(path, query, range)
    }

    pub(super) const fn count(&self) -> u64 {
        self.requests.get()
    }
}

/// Where a proof's objects come from.
pub(super) struct ForgeObjects<'a> {
    is_open: bool,
    kept: &'a dyn Objects,
    origin: &'a Counted<'a>,
    target: &'a PullTarget,
    repository: u64,
    merge_base: ObjectId,
    /// The file whose blob is asked for now.
    path: Vec<u8>,
    /// What will be asked for, in this order.
    coming: VecDeque<Wanted>,
    /// What was asked for, in this order.
    started: VecDeque<(ObjectId, Box<dyn Pending>)>,
    /// Why the whole call must end.
    refusal: Option<Refusal>,
    names_are_utf8_only: bool,
}

impl<'a> ForgeObjects<'a> {
    /// Unless it `is_open` it gives nothing and asks for nothing: for who does not want a proof.
    pub(super) fn new(
        kept: &'a dyn Objects,
        origin: &'a Counted<'a>,
        target: &'a PullTarget,
        look: &Look,
        is_open: bool,
    ) -> Self {
        Self {
            is_open,
            kept,
            origin,
            target,
            repository: look.pull.repository,
            merge_base: look.pull.merge_base,
            path: Vec::new(),
            coming: VecDeque::new(),
            started: VecDeque::new(),
            refusal: None,
            names_are_utf8_only: false,
        }
    }

    /// Why the whole call must end, if it must; whether trees came as listings.
    pub(super) fn finish(self) -> (Option<Refusal>, bool) {
        (self.refusal, self.names_are_utf8_only)
    }

    /// Starts what is coming, as far as there is room.
    fn start(&mut self) {
        while self.started.len() < AHEAD {
            let Some(wanted) = self.coming.pop_front() else { return };
            let known = self.started.iter().any(|(id, _)| *id == wanted.id);
            if !known && !self.kept.has(self.repository, &wanted.id) {
                let pending = self.ask(&wanted.id);
                self.started.push_back((wanted.id, pending));
            }
        }
    }

    fn ask(&self, id: &ObjectId) -> Box<dyn Pending> {
        let id = id.to_string();
        self.origin.get(&self.below(&[b"git", b"blobs", id.as_bytes()]), &[], None)
    }

    /// Segments below the repository.
    fn below<'b>(&'b self, rest: &[&'b [u8]]) -> Vec<&'b [u8]> {
        let [repos, owner, repo, ..] = self.target.segments("");
        [repos, owner, repo].into_iter().chain(rest.iter().copied()).collect()
    }

    fn fetch(&mut self, wanted: &Wanted, most: u64) -> Result<Object, Stopped> {
        let at = self.started.iter().position(|(id, _)| *id == wanted.id);
        let started = at.and_then(|at| self.started.remove(at));
        let pending = started.map_or_else(|| self.ask(&wanted.id), |(_, pending)| pending);
        let content = match self.blob(pending, most)? {
            Some(content) => content,
            None if wanted.kind == Kind::Tree => self.listing(&wanted.id, most)?,
            None => return Err(Stopped::ObjectUnavailable),
        };
        let content = match content {
            Content::Whole(bytes) => bytes,
            Content::Withheld(size) => self.raw(size, most)?,
        };
        let content = self.kept.put(self.repository, &wanted.id, wanted.kind, content);
        Object::checked(wanted.id, wanted.kind, content).map_err(|_| Stopped::ObjectDamaged)
    }

    /// The object's bytes from `/git/blobs`; nothing where the forge does not give it there.
    fn blob(&mut self, pending: Box<dyn Pending>, most: u64) -> Result<Option<Content>, Stopped> {
        let Some(mut answer) = self.answer(pending, http::judge_json)? else { return Ok(None) };
        let mut blob = BlobAnswer::new(most);
        let fed = self.feed(answer.as_mut(), |bytes| blob.feed(bytes));
        match fed?.and_then(|()| blob.finish()) {
            Ok(bytes) => Ok(Some(Content::Whole(bytes))),
            Err(object::Fault::Withheld { size }) => Ok(Some(Content::Withheld(size))),
            Err(fault) => Err(fault.into()),
        }
    }

    /// A tree made again from its listing, for a forge that shows trees in no other way. Only the exact bytes have the
    /// tree's id, so a name that the listing cannot show stops the proof.
    fn listing(&mut self, id: &ObjectId, most: u64) -> Result<Content, Stopped> {
        self.names_are_utf8_only = true;
        let mut tree = TreeAnswer::new(most);
        let name = id.to_string();
        let mut page = Some(1_u32);
        while let Some(number) = page {
            let number = number.to_string();
            let query = [("page", number.as_str()), ("per_page", "1000")];
            let pending = self.origin.get(&self.below(&[b"git", b"trees", name.as_bytes()]), &query, None);
            let mut answer = self.answer(pending, http::judge_json)?.ok_or(Stopped::ObjectUnavailable)?;
            self.feed(answer.as_mut(), |bytes| tree.feed(bytes))??;
            page = tree.end_page()?;
        }
        Ok(Content::Whole(tree.finish()))
    }

    /// A blob above the size that the forge shows as an object: the file at its path, as one range.
    fn raw(&mut self, size: u64, most: u64) -> Result<Vec<u8>, Stopped> {
        if size > most {
            return Err(Stopped::FileTooLarge);
        }
        let last = size.checked_sub(1).ok_or(Stopped::ObjectUnavailable)?;
        let rest: Vec<&[u8]> = [&b"raw"[..]].into_iter().chain(self.path.split(|byte| *byte == b'/')).collect();
        let reference = self.merge_base.to_string();
        let range = (0, last);
        let pending = self.origin.get(&self.below(&rest), &[("ref", reference.as_str())], Some(range));
        let judge = |head: &http::Head| http::judge_raw(head, range, size);
        let mut answer = self.answer(pending, judge)?.ok_or(Stopped::ObjectUnavailable)?;
        let mut content = Vec::with_capacity(usize::try_from(size).map_err(|_| Stopped::FileTooLarge)?);
        let fed = self.feed(answer.as_mut(), |bytes| {
            if content.len().saturating_add(bytes.len()) > content.capacity() {
                return Err(());
            }
            content.extend_from_slice(bytes);
            Ok(())
        })?;
        fed.map_err(|()| Stopped::ObjectDamaged)?;
        Ok(content)
    }

    /// A sound answer; nothing where the forge refuses this one object. What concerns the whole call ends it: a used-up
    /// budget (O-011), a credential that is valid no more, a forge that has had too much.
    fn answer(
        &mut self,
        pending: Box<dyn Pending>,
        judge: impl FnOnce(&http::Head) -> Result<(), http::Fault>,
    ) -> Result<Option<Box<dyn Answer>>, Stopped> {
        let answer = match pending.wait() {
            Ok(answer) => answer,
            Err(fault) => return Err(self.broken(fault)),
        };
        match judge(&head(answer.as_ref())) {
            Ok(()) => Ok(Some(answer)),
            Err(fault @ (http::Fault::Unauthorized | http::Fault::RateLimited(..))) => Err(self.abort(refuse(fault))),
            Err(_) => Ok(None),
        }
    }

    fn feed<E>(
        &mut self,
        answer: &mut dyn Answer,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Result<(), E>, Stopped> {
        let mut taken = Ok(());
        loop {
            match answer.read(assay_origin::READ_BYTES) {
                Ok(bytes) if bytes.is_empty() => return Ok(taken),
                Ok(bytes) => taken = take(&bytes),
                Err(fault) => return Err(self.broken(fault)),
            }
            if taken.is_err() {
                return Ok(taken);
            }
        }
    }

    fn broken(&mut self, fault: Fault) -> Stopped {
        match fault {
            Fault::TimedOut | Fault::Transport(_) => Stopped::ObjectUnavailable,
            Fault::Denied(_) | Fault::Budget(_) | Fault::Moved(_) => self.abort(fault.into()),
        }
    }

    fn abort(&mut self, refusal: Refusal) -> Stopped {
        self.refusal.get_or_insert(refusal);
        self.coming.clear();
        self.started.clear();
        Stopped::Aborted
    }
}

impl ObjectSource for ForgeObjects<'_> {
    fn expect(&mut self, wanted: &[Wanted]) {
        if !self.is_open {
            return;
        }
        self.coming.extend(wanted.iter().cloned());
        self.start();
    }

    fn at(&mut self, path: &[u8]) {
        self.path.clear();
        self.path.extend_from_slice(path);
    }

    fn get(&mut self, wanted: Wanted, most: u64) -> Result<Object, Stopped> {
        if !self.is_open || self.refusal.is_some() {
            return Err(Stopped::Aborted);
        }
        self.coming.retain(|coming| coming.id != wanted.id);
        if let Some((kind, content)) = self.kept.get(self.repository, &wanted.id) {
            if content.len() as u64 > most {
                return Err(Stopped::FileTooLarge);
            }
            if let Ok(object) = Object::checked(wanted.id, kind, content)
                && kind == wanted.kind
            {
                return Ok(object);
            }
        }
        let object = self.fetch(&wanted, most)?;
        self.start();
        Ok(object)
    }
}

enum Content {
    Whole(Vec<u8>),
    /// The forge gives its size alone.
    Withheld(u64),
}
