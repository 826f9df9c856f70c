//! `patchdiff_observe_scopes`: the texts of some scopes, and the handles by which a batch edits them (P-143, PG-28).

use assay_patch::json::{self, Text, Value};

use crate::{
    answer::{Stop, fitted},
    ask::Ask,
    patchdiff_list_scopes::scope_value,
    ports::Ports,
    scoped,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["snapshot_id", "scope_ids"])?;
    let snapshot_id = ask.text("snapshot_id")?;
    let ids: Option<Vec<&str>> =
        ask.given("scope_ids").and_then(Value::as_array).and_then(|ids| ids.iter().map(Value::as_str).collect());
    let ids = ids.filter(|ids| (1..=scoped::MAX_OBSERVED).contains(&ids.len()));
    let ids = ids.ok_or_else(|| Stop::invalid("`scope_ids` must be a list of 1 to 16 ids"))?;
    if (1..ids.len()).any(|at| ids[..at].contains(&ids[at])) {
        return Err(Stop::invalid("`scope_ids` has one id twice"));
    }
    let mut session = ports.documents.begin()?;
    let snapshot = session.scope_snapshot(snapshot_id)?.ok_or_else(|| Stop::not_found("snapshot"))?;
    let target = session.target(&snapshot.target_file_id)?.ok_or_else(|| Stop::not_found("snapshot"))?;
    if target.state.version != snapshot.version || target.state.current_hash != snapshot.current_hash {
        let detail = "the target changed since its scopes were listed: list them again".to_owned();
        return Err(Stop::Status("rejected", detail, vec![("failure_reason", "scope_stale".into())]));
    }
    let positions = target.positions();
    let mut scopes = Vec::with_capacity(ids.len());
    let mut shown = Vec::with_capacity(ids.len());
    for id in ids {
        let Some((scope, span)) = scoped::find(&positions, id) else {
            let detail = "one of the scope_ids is none of this target".to_owned();
            return Err(Stop::Status("rejected", detail, vec![("failure_reason", "scope_unknown".into())]));
        };
        let mut value = scope_value(&scope);
        if let Value::Object(members) = &mut value {
            members.insert(Text::from("text"), positions.slice(span).into());
        }
        shown.push(value);
        scopes.push(scope);
    }
    let observed = session.put_scopes(&target.id, target.state.version, &target.state.current_hash, scopes)?;
    let own = [("snapshot_id", observed.id.into()), ("scopes", Value::Array(shown))];
    let answer = fitted(json::object(target.members().into_iter().chain(own)), room)?;
    session.commit()?;
    Ok(answer)
}
