//! Native evidence: the entity of D-033 and its transport.

use assay_local_forge::{Config, LocalForge, start};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    diffs::awkward,
    ground::{Reply, Repo, ask, get, serving},
};

const TARGET: &str = "/api/v1/repos/alice/proj/pulls/1.diff?binary=true&evidence=v1";
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// D-069, D-070, D-071, D-072, D-073, D-074: one way to carry it. D-033, D-034, D-036: the whole diff, named and hashed.
fn diff_of(reply: &Reply) -> (Value, Vec<u8>) {
    assert_eq!(reply.status_line, "HTTP/1.1 200 OK");
    assert_eq!(reply.header("Content-Type"), Some("application/json;charset=utf-8"));
    assert_eq!(reply.header("Cache-Control"), Some("private, no-store"));
    assert_eq!(reply.header("Accept-Ranges"), Some("none"));
    assert_eq!(reply.header("Content-Length"), Some(reply.body.len().to_string().as_str()));
    for absent in ["Transfer-Encoding", "Content-Encoding", "Content-Range", "Location"] {
        assert_eq!(reply.header(absent), None);
    }
    let entity = reply.json();
    let data = STANDARD.decode(entity["data"].as_str().expect("data is a string")).expect("it is canonical");
    assert_eq!(entity["manifest"]["content"]["bytes"].as_u64(), Some(data.len() as u64));
    assert_eq!(entity["manifest"]["content"]["sha256"], hex(&data).as_str());
    (entity, data)
}

async fn manifest(forge: &LocalForge, number: u64) -> Value {
    let target = format!("/api/v1/repos/alice/proj/pulls/{number}.diff?binary=true&evidence=v1");
    diff_of(&get(forge, &target).await).0["manifest"].clone()
}

/// D-033: exactly these members. D-024: ids in the repository's format. D-044: the bytes are those of git's own diff.
#[tokio::test]
async fn the_entity_says_what_was_diffed_and_carries_it_whole() {
    for format in ["sha1", "sha256"] {
        let (repo, base, head) = awkward(format);
        let forge = serving([repo.source()]).await;
        let pull = get(&forge, "/api/v1/repos/alice/proj/pulls/1").await.json();
        let reply = get(&forge, TARGET).await;
        let (entity, data) = diff_of(&reply);
        assert!(data == repo.diff(&base, &head), "{format}");

        let manifest = &entity["manifest"];
        let (captured, generated) = (&manifest["times"]["captured_at"], &manifest["times"]["generated_at"]);
        let moment = |text: &Value| OffsetDateTime::parse(text.as_str().unwrap_or(""), &Rfc3339).expect("RFC 3339");
        assert!(moment(captured) <= moment(generated));
        assert!(captured.as_str().is_some_and(|text| text.ends_with('Z')));
        let version = String::from_utf8(crate::ground::git_at(&repo.path(), ["version"], &[])).expect("text");
        let version = version.trim().trim_start_matches("git version ").to_owned();
        let repository_id = &pull["base"]["repo_id"];
        let label = |name: &str| json!({"encoding": "base64", "data": STANDARD.encode(name)});
        assert_eq!(
            entity,
            json!({
                "schema": "forgejo.pr-diff-evidence.v1",
                "manifest": {
                    "contract": "observed_input_range",
                    "atomic_latest_pr_snapshot": false,
                    "repository": {"id": repository_id, "object_format": format},
                    "pull_request": {"id": pull["id"], "index": 1},
                    "generation": {
                        "profile": {
                            "name": "pr-diff-binary.v1",
                            "arguments": ["diff", "-p", "--binary", "--histogram"],
                            "binary": true,
                            "git_version": version.split(' ').next(),
                        },
                        "inputs": {
                            "merge_base": {"oid": base, "source": "stored_merge_base", "repository_id": repository_id},
                            "head": {
                                "oid": head,
                                "source": "hidden_pull_head",
                                "repository_id": repository_id,
                                "ref": label("refs/pull/1/head"),
                            },
                        },
                    },
                    "observations": {
                        "target_tip": {
                            "status": "present",
                            "oid": base,
                            "repository_id": repository_id,
                            "ref": label("refs/heads/main"),
                        },
                        "original_fork": {
                            "repository_id": repository_id,
                            "branch": label("awkward"),
                            "resolution": "not_read",
                            "generation_input": false,
                        },
                    },
                    "times": {"captured_at": captured, "generated_at": generated},
                    "content": {"encoding": "base64", "bytes": data.len(), "sha256": hex(&data)},
                },
                "data": STANDARD.encode(&data),
            })
        );
    }
}

/// D-035: schema, manifest, data, so that a reader can add up the length before the data comes.
#[tokio::test]
async fn the_members_come_in_the_order_that_lets_a_reader_check_early() {
    let repo = Repo::small();
    let forge = serving([repo.source()]).await;
    let reply = get(&forge, TARGET).await;
    let (entity, data) = diff_of(&reply);
    let text = reply.text();
    let (prefix, rest) = text.rsplit_once("\"data\":\"").expect("there is data");
    assert!(prefix.starts_with("{\"schema\":\"forgejo.pr-diff-evidence.v1\",\"manifest\":{"), "{prefix}");
    let manifest = prefix.strip_prefix("{\"schema\":\"forgejo.pr-diff-evidence.v1\",\"manifest\":");
    let manifest = manifest.and_then(|m| m.strip_suffix(',')).expect("nothing else is before the data");
    assert_eq!(serde_json::from_str::<Value>(manifest).ok().as_ref(), Some(&entity["manifest"]));
    assert_eq!(rest, format!("{}\"}}", STANDARD.encode(&data)));
    let length = prefix.len() + "\"data\":\"".len() + 4 * data.len().div_ceil(3) + "\"}".len();
    assert_eq!(reply.header("Content-Length"), Some(length.to_string().as_str()));
}

/// D-043: an empty diff is evidence too.
#[tokio::test]
async fn an_empty_diff_has_the_hash_of_nothing() {
    let repo = Repo::small();
    repo.git(["branch", "contained", "main"]);
    let forge = serving([repo.source()]).await;
    let (entity, data) = diff_of(&get(&forge, TARGET).await);
    assert_eq!((data.len(), &entity["data"]), (0, &"".into()));
    assert_eq!(entity["manifest"]["content"], json!({"encoding": "base64", "bytes": 0, "sha256": EMPTY}));
}

/// D-028: a base branch that went is said to be missing. D-029: labels are bytes.
#[tokio::test]
async fn what_cannot_be_observed_is_said_to_be_missing() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let repo = Repo::small();
    let name = b"z-latin1-\xe9";
    repo.git([OsStr::new("branch"), OsStr::from_bytes(name), OsStr::new("feature")]);
    let forge = serving([repo.source()]).await;
    let before = manifest(&forge, 2).await;
    assert_eq!(before["observations"]["original_fork"]["branch"]["data"], STANDARD.encode(name).as_str());

    repo.git([OsStr::new("branch"), OsStr::new("-D"), OsStr::from_bytes(name)]);
    assert_eq!(manifest(&forge, 2).await["observations"]["target_tip"]["status"], "present");
    repo.git(["branch", "-m", "main", "trunk"]);
    let after = manifest(&forge, 2).await;
    assert_eq!(after["observations"]["target_tip"]["status"], "missing");
    assert_eq!(after["observations"]["target_tip"]["oid"], Value::Null);
    assert_eq!(after["generation"]["inputs"], before["generation"]["inputs"]);
    let label = &manifest(&forge, 1).await["observations"]["target_tip"]["ref"]["data"];
    assert_eq!(label, STANDARD.encode("refs/heads/trunk").as_str());
}

/// D-079: a stock forge does not know of evidence and sends the plain diff.
#[tokio::test]
async fn without_native_evidence_the_question_is_ignored() {
    let repo = Repo::small();
    let config = Config { native_evidence: false, ..Config::serving(vec![repo.source()]) };
    let forge = start(config).await.expect("the forge starts");
    let reply = get(&forge, TARGET).await;
    assert_eq!(reply.header("Content-Type"), Some("text/plain; charset=utf-8"));
    assert!(reply.body.starts_with(b"diff --git "));
}

#[tokio::test]
async fn evidence_is_given_for_the_whole_question_alone() {
    let repo = Repo::small();
    let forge = serving([repo.source()]).await;
    for query in ["?evidence=v1", "?binary=yes&evidence=v1", "?binary=true&evidence=v2", "?binary=true&evidence="] {
        let reply = get(&forge, &format!("/api/v1/repos/alice/proj/pulls/1.diff{query}")).await;
        assert_eq!(reply.header("Content-Type"), Some("text/plain; charset=utf-8"), "{query}");
    }
    // A range is not understood, so it changes nothing.
    diff_of(&ask(forge.address(), "GET", TARGET, &[("Range", "bytes=0-9")]).await);
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/pulls/9.diff?binary=true&evidence=v1").await.status, 404);
}
