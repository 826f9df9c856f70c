//! A branch of a local repository as the pull request that the local forge makes of it.

use std::sync::Arc;

use anyhow::anyhow;
use serde_json::Value;

use super::{Failed, connection::Connected, diff::Pull, probe::Probe, shown::shown};
use crate::caller::Caller;

/// Finds the pull request of `branch`. Where `base` is written it must be the branch that it is compared with.
pub(crate) async fn pull(
    connected: &Connected,
    caller: &Arc<Caller>,
    base: Option<&str>,
    branch: &str,
) -> Result<Pull, Failed> {
    let Some((forge, _)) = &connected.local else {
        return Err(Failed::Configuration(anyhow!("a range needs --local PATH")));
    };
    let refuse = |text: String| Failed::Configuration(anyhow!(text));
    let pulls = forge.pulls();
    let named: Vec<_> = pulls.iter().filter(|pull| pull.branch == branch).collect();
    let pull = match named.as_slice() {
        [pull] => pull,
        [] => {
            let known: Vec<String> = pulls.iter().map(|pull| shown(&pull.branch)).take(20).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(refuse(format!(
                "there is no branch `{}` that can be read besides the default one; there are: {known}. Only local branches count: `git branch NAME origin/NAME` makes one",
                shown(branch)
            )));
        }
        _ => {
            return Err(refuse(format!(
                "more than one repository has a branch `{}`: name the pull request as `assay local-forge` lists it, such as {}/{}#{}",
                shown(branch),
                named.first().map_or("local", |pull| &pull.owner),
                named.first().map_or("project", |pull| &pull.repo),
                named.first().map_or(1, |pull| pull.index),
            )));
        }
    };
    if let Some(base) = base {
        let default = default_branch(connected, caller, &pull.owner, &pull.repo).await?;
        if default != base {
            return Err(refuse(format!(
                "a local repository's branches are compared with its default branch, `{}`, not with `{}`: write {}..{}",
                shown(&default),
                shown(base),
                shown(&default),
                shown(branch)
            )));
        }
    }
    Ok(Pull { owner: pull.owner.clone(), repo: pull.repo.clone(), index: pull.index })
}

async fn default_branch(
    connected: &Connected,
    caller: &Arc<Caller>,
    owner: &str,
    repo: &str,
) -> Result<String, Failed> {
    let asked = Probe::ask(connected.engine.origin(), caller, &["repos", owner, repo], &[]).await;
    let body = asked.map_err(|fault| Failed::Fault(anyhow!("the local forge does not answer: {fault}")))?.json;
    let named = body.as_ref().and_then(|body| body.get("default_branch")).and_then(Value::as_str);
    named.map(str::to_owned).ok_or_else(|| Failed::Fault(anyhow!("the local forge does not name a default branch")))
}
