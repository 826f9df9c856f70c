//! What a request names, looked up under the target's lock: the attempt of its key, its parent, its scopes.

use assay_patch::{
    Protocol, Sha256Hex,
    json::Value,
    record::{ObservedScope, named},
    submit::{Keyed, Locked, Observed, Parent, Submission, sought_key},
    text::{Canonical, LineEndings, Span},
};

use crate::{
    answer::Stop,
    ask::uuid,
    ports::{Session, Target},
};

/// What was found.
pub(crate) struct Looked {
    pub(crate) locked: Locked,
    keyed: Option<Keyed>,
    parent: Parent,
    observed: Option<Observed>,
}

impl Looked {
    pub(crate) fn up(session: &mut dyn Session, target: &Target, request: &Value) -> Result<Self, Stop> {
        Ok(Self {
            locked: locked(target),
            keyed: keyed(session, target, request)?,
            parent: parent(session, target, request)?,
            observed: observed(session, request)?,
        })
    }

    pub(crate) fn submission<'a>(
        &self,
        protocol: Protocol,
        request: &'a Value,
        bundle: Option<&'a Sha256Hex>,
    ) -> Submission<'a> {
        Submission {
            protocol,
            request,
            keyed: self.keyed.clone(),
            parent: self.parent.clone(),
            observed: self.observed.clone(),
            bundle,
        }
    }
}

pub(crate) fn locked(target: &Target) -> Locked {
    let text = Canonical::of(target.state.content.as_str());
    let line_breaks = memchr::memchr_iter(b'\n', text.as_str().as_bytes()).count();
    let endings = target.state.line_endings.as_deref();
    Locked {
        id: target.id.clone(),
        version: target.state.version,
        current_hash: target.state.current_hash.clone(),
        // A map of another text is none.
        endings: endings.and_then(|stored| LineEndings::parse(stored, line_breaks).ok()),
        text,
    }
}

/// P-121: any key that can be stored is looked for, whatever new ones must look like.
fn keyed(session: &mut dyn Session, target: &Target, request: &Value) -> Result<Option<Keyed>, Stop> {
    let Some(key) = sought_key(request) else { return Ok(None) };
    let attempt = session.keyed(&target.id, key)?;
    Ok(attempt.map(|attempt| Keyed {
        pdcp_log_id: attempt.id,
        request_fingerprint: attempt.facts.request_fingerprint.unwrap_or_default(),
    }))
}

/// P-078, P-120.
fn parent(session: &mut dyn Session, target: &Target, request: &Value) -> Result<Parent, Stop> {
    let Some(given) = request.get("parent_pdcp_log_id").filter(|given| !given.is_null()) else {
        return Ok(Parent::None);
    };
    let Some(id) = given.as_str().and_then(uuid) else { return Ok(Parent::Unfit) };
    let attempt = session.attempt(&target.id, &id, false)?;
    Ok(attempt.filter(|attempt| !attempt.facts.accepted).map_or(Parent::Unfit, |attempt| Parent::Rejected(attempt.id)))
}

/// PG-28: the snapshot that a batch names, and those of its scopes that are there.
fn observed(session: &mut dyn Session, request: &Value) -> Result<Option<Observed>, Stop> {
    let (Some(snapshot), ids) = named(request) else { return Ok(None) };
    let Some(snapshot) = session.scope_snapshot(snapshot)? else { return Ok(None) };
    let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
    let scopes = session.scopes(&snapshot.id, &ids)?;
    let place = |offset: u64| usize::try_from(offset).ok();
    let scopes = scopes.into_iter().filter_map(|scope| {
        let span = Span { start: place(scope.start)?, end: place(scope.end)? };
        Some(ObservedScope { scope_id: scope.scope_id, span, sha256: Sha256Hex::from_hex(&scope.sha256)? })
    });
    Ok(Some(Observed {
        target_file_id: snapshot.target_file_id,
        version: snapshot.version,
        current_hash: snapshot.current_hash,
        scopes: scopes.collect(),
    }))
}
