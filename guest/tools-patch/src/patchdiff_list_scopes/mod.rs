//! `patchdiff_list_scopes`: the parts of a text that can be observed and edited by name (P-142, P-143, PG-28).

use assay_patch::{
    json::{self, Value},
    scopes::{DEFAULT_RESULTS, Kind, MAX_RESULTS, outline},
};

use crate::{
    answer::{Stop, fits, fitted, number},
    ask::Ask,
    ports::Ports,
    scoped,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "kinds", "start", "max_results"])?;
    let id = ask.target()?;
    let kinds = kinds(&ask)?;
    let start = ask.clamped("start", 0, 0, u64::MAX)?;
    let mut most = ask.clamped("max_results", 1, DEFAULT_RESULTS as u64, MAX_RESULTS as u64)?;
    let mut session = ports.documents.begin()?;
    let target = session.target(&id)?.ok_or_else(|| Stop::not_found("target"))?;
    let snapshot = session.put_scopes(&id, target.state.version, &target.state.current_hash, Vec::new())?;
    session.commit()?;
    loop {
        let page = outline(&target.state.content, kinds.as_deref(), start, most);
        let scopes = page.scopes.iter().map(|listed| scope_value(&scoped::listed(listed)));
        let own = [
            ("snapshot_id", snapshot.id.as_str().into()),
            ("scopes", Value::Array(scopes.collect())),
            ("total_scopes", number(page.total)),
            ("next_start", page.next_start.map(number).into()),
        ];
        let answer = json::object(target.members().into_iter().chain(own));
        let fewer = page.scopes.len() / 2;
        if fewer == 0 || fits(&answer, room) {
            return Ok(fitted(answer, room)?);
        }
        most = fewer;
    }
}

pub(crate) fn scope_value(scope: &crate::ports::Scope) -> Value {
    json::object([
        ("scope_id", scope.scope_id.as_str().into()),
        ("kind", scope.kind.as_str().into()),
        ("name", scope.name.as_deref().into()),
        ("path", scope.path.as_deref().into()),
        ("start", scope.start.into()),
        ("end", scope.end.into()),
        ("sha256", scope.sha256.as_str().into()),
        ("parser", scope.parser.as_str().into()),
        ("grammar_version", scope.grammar_version.as_deref().into()),
        ("has_error", scope.has_error.into()),
    ])
}

fn kinds(ask: &Ask) -> Result<Option<Vec<Kind>>, Stop> {
    let Some(given) = ask.given("kinds") else { return Ok(None) };
    let known = |kind: &Value| Kind::BUILT_IN.into_iter().find(|known| kind.as_str() == Some(known.name()));
    let kinds: Option<Vec<Kind>> = given.as_array().and_then(|kinds| kinds.iter().map(known).collect());
    match kinds.filter(|kinds| !kinds.is_empty()) {
        Some(kinds) => Ok(Some(kinds)),
        None => {
            let known = Kind::BUILT_IN.map(|kind| kind.name().to_owned()).join(", ");
            Err(Stop::invalid(format!("`kinds` must be a list of {known}")))
        }
    }
}
