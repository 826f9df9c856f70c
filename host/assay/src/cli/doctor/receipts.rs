//! Which receipts the forge can give, seen on one pull request (O-018).

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::report::Report;
use crate::{
    caller::Caller,
    cli::{diff::Pull, probe::Probe, shown::shown},
    origin::{Fault, Origin},
};

const RECEIPT: &str = "receipt";
const OBJECTS: &str = "git objects";

/// Looks at the pull request that was named. `evidence_alone` says that the settings take no other receipt.
pub(super) async fn check(report: &mut Report, origin: &Origin, caller: &Caller, pull: &Pull, evidence_alone: bool) {
    if let Err(fault) = look(report, origin, caller, pull, evidence_alone).await {
        let advice = match fault {
            Fault::Moved(_) => "the repository was renamed: use its new name",
            _ => "try again; the forge did not answer this time",
        };
        report.failed(RECEIPT, fault.to_string(), advice);
    }
}

async fn look(
    report: &mut Report,
    origin: &Origin,
    caller: &Caller,
    pull: &Pull,
    evidence_alone: bool,
) -> Result<(), Fault> {
    let Pull { owner, repo, index } = pull;
    let name = shown(&format!("{owner}/{repo}#{index}"));
    let number = index.to_string();
    let json = Probe::ask(origin, caller, &["repos", owner, repo, "pulls", &number], &[]).await?;
    if json.status != 200 {
        report.failed(
            RECEIPT,
            format!("{name} cannot be read: the forge answers with status {}", json.status),
            match json.status {
                404 => "a forge says so of what is not there and of what the token may not see: check both",
                _ => "the token needs read:repository, and its account the right to read code and pull requests",
            },
        );
        return Ok(());
    }
    let query = [("binary", "true"), ("evidence", "v1")];
    let diff = Probe::head(origin, caller, &["repos", owner, repo, "pulls", &format!("{number}.diff")], &query).await?;
    match (diff.status, diff.media_type.as_str()) {
        (200, "application/json") => {
            report.ok(RECEIPT, "native evidence: the forge serves forgejo.pr-diff-evidence.v1");
        }
        (200, "text/plain" | "application/octet-stream" | "") if evidence_alone => report.failed(
            RECEIPT,
            "a stock forge, without evidence; the settings take nothing else",
            "set GATEWAY_DIFF_SOURCE to auto, so that diffs are proven against git objects",
        ),
        (200, "text/plain" | "application/octet-stream" | "") => {
            report.ok(RECEIPT, "proof: a stock forge, whose diffs are proven against git objects");
            objects(report, origin, caller, pull, json.text("merge_base")).await?;
        }
        (status, _) => report.failed(
            RECEIPT,
            format!("the diff of {name} cannot be read: the forge answers with status {status}, and not as forges do"),
            "is a proxy in between that rewrites answers?",
        ),
    }
    Ok(())
}

/// Commits and trees as they are, by the route for blobs: what a proof with names as bytes needs (O-010).
async fn objects(
    report: &mut Report,
    origin: &Origin,
    caller: &Caller,
    pull: &Pull,
    merge_base: Option<&str>,
) -> Result<(), Fault> {
    let Some(merge_base) = merge_base.filter(|oid| is_oid(oid)) else {
        report.warning(
            OBJECTS,
            "the forge names no merge base for this pull request",
            "diffs of it will not be proven",
        );
        return Ok(());
    };
    let Pull { owner, repo, .. } = pull;
    let blob = async |oid: &str| Probe::ask(origin, caller, &["repos", owner, repo, "git", "blobs", oid], &[]).await;
    let commit = blob(merge_base).await?;
    let Some(tree) = commit.text("content").and_then(tree_of) else {
        report.warning(
            OBJECTS,
            format!("the forge does not show a commit as it is (status {})", commit.status),
            "diffs reach a lower level than proven; the receipt says which",
        );
        return Ok(());
    };
    if blob(&tree).await?.status == 200 {
        report.ok(OBJECTS, "commits and trees are shown as they are");
        return Ok(());
    }
    let listed = Probe::ask(origin, caller, &["repos", owner, repo, "git", "trees", &tree], &[]).await?;
    report.warning(
        OBJECTS,
        format!("the forge does not show trees as they are (as a list: status {})", listed.status),
        "names that are not UTF-8 cannot be compared; the receipt says `names: utf8_only`",
    );
    Ok(())
}

/// The tree of a commit in base64.
fn tree_of(content: &str) -> Option<String> {
    let commit = STANDARD.decode(content).ok()?;
    let line = commit.strip_prefix(b"tree ")?.split(|&b| b == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok().filter(|oid| is_oid(oid))
}

fn is_oid(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_names_its_tree() {
        let oid = "1a".repeat(20);
        let commit = STANDARD.encode(format!("tree {oid}\nauthor x\n\nmessage\n"));
        assert_eq!(tree_of(&commit), Some(oid));
        for other in ["", "!", &STANDARD.encode("tree 12\n"), &STANDARD.encode("blob"), &STANDARD.encode("tree ")] {
            assert_eq!(tree_of(other), None, "{other}");
        }
    }
}
