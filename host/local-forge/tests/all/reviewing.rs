//! Reviews and their comments on lines of the diff.

use assay_local_forge::{Config, LocalForge, State, Stock, start};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    ground::{Repo, ask_with, get, get_as, write_as},
    talk::accounts,
};

const REVIEWS: &str = "/api/v1/repos/alice/proj/pulls/1/reviews";

async fn forge_of(repo: &Repo, state: &TempDir, keep_stray_comments: bool) -> LocalForge {
    let config = Config {
        accounts: accounts(),
        state: State::Folder(state.path().into()),
        stock: Stock { keep_stray_comments, ..Stock::default() },
        ..Config::serving(vec![repo.source()])
    };
    start(config).await.expect("the forge starts")
}

#[tokio::test]
async fn a_review_keeps_the_comments_that_stand_on_a_line() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    let head = repo.git(["rev-parse", "feature"]);
    let forge = forge_of(&repo, &state, false).await;
    let review = json!({
        "event": "REQUEST_CHANGES",
        "body": "No.",
        "commit_id": head,
        "comments": [
            {"path": "a.txt", "body": "new", "new_position": 2, "old_position": 0},
            {"path": "a.txt", "body": "old", "new_position": 0, "old_position": 2},
            {"path": "a.txt", "body": "astray", "new_position": 99},
            {"path": "../../etc/passwd", "body": "astray", "new_position": 1},
            {"path": ":(glob)**", "body": "astray", "new_position": 1},
            {"path": "-p", "body": "astray", "new_position": 1},
        ],
    });
    let made = write_as(&forge, "carol", "POST", REVIEWS, &review).await;
    assert_eq!(made.status, 200, "{}", made.text());
    let made = made.json();
    assert_eq!((&made["state"], &made["comments_count"]), (&"REQUEST_CHANGES".into(), &2.into()));
    assert_eq!(
        (&made["commit_id"], &made["stale"], &made["official"]),
        (&head.as_str().into(), &false.into(), &false.into())
    );
    let of = format!("{REVIEWS}/{}/comments", made["id"]);
    let comments = get(&forge, &of).await.json();
    let shown: Vec<_> = comments.as_array().into_iter().flatten().collect();
    let lines = shown.iter().map(|c| (c["body"].as_str(), c["position"].as_u64(), c["original_position"].as_u64()));
    assert_eq!(lines.collect::<Vec<_>>(), [(Some("new"), Some(2), Some(0)), (Some("old"), Some(0), Some(2))]);
    assert_eq!(shown[0]["diff_hunk"], "@@ -1,2 +1,2 @@\n one\n-two\n+2");

    // A draft is its author's alone.
    let draft = write_as(&forge, "carol", "POST", REVIEWS, &json!({"body": "later"})).await.json();
    assert_eq!(draft["state"], "PENDING");
    let count = |list: &Value| list.as_array().map(Vec::len);
    assert_eq!(count(&get(&forge, REVIEWS).await.json()), Some(1));
    assert_eq!(count(&get_as(&forge, "carol", REVIEWS).await.json()), Some(2));
    assert_eq!(get(&forge, &format!("{REVIEWS}/{}", draft["id"])).await.status, 404);

    // A push makes it stale.
    repo.git(["checkout", "--quiet", "feature"]);
    repo.write("b.txt", "b\n");
    repo.commit("More");
    let list = get_as(&forge, "carol", &format!("{REVIEWS}?limit=1")).await;
    assert_eq!(
        (&list.json()[0]["stale"], list.header("X-Total-Count"), list.header("Link")),
        (&true.into(), Some("2"), None)
    );
    forge.shutdown().await;

    let forge = forge_of(&repo, &state, true).await;
    let kept = get(&forge, REVIEWS).await.json();
    assert_eq!((&kept[0]["id"], &kept[0]["body"]), (&made["id"], &"No.".into()));
    let again = get(&forge, &of).await.json();
    assert_eq!((&again[1]["id"], &again[1]["body"]), (&comments[1]["id"], &"old".into()));
    // A forge can be told to keep those that went astray.
    let made =
        write_as(&forge, "carol", "POST", REVIEWS, &json!({"event": "COMMENT", "comments": review["comments"]})).await;
    assert_eq!(made.json()["comments_count"], 6);
    forge.shutdown().await;
}

#[tokio::test]
async fn what_is_no_review_is_refused_and_nothing_is_kept() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    let forge = forge_of(&repo, &state, false).await;
    let comment = |comment: Value| json!({"event": "COMMENT", "body": "x", "comments": [comment]});
    for (token, body, status) in [
        ("alice", json!({"event": "APPROVED"}), 422),
        ("alice", json!({"event": "REQUEST_CHANGES", "body": "x"}), 422),
        ("carol", json!({"event": "REQUEST_CHANGES"}), 422),
        ("carol", json!({"event": "COMMENT", "body": "  "}), 422),
        ("carol", json!({"event": 7}), 422),
        ("carol", json!({"event": "COMMENT", "body": "x", "commit_id": "eeee"}), 404),
        ("carol", json!({"event": "COMMENT", "body": "x", "commit_id": "e".repeat(40)}), 404),
        ("carol", json!({"event": "COMMENT", "body": "x", "commit_id": "--output=/tmp/x"}), 404),
        ("carol", comment(json!({"path": "", "new_position": 1})), 422),
        ("carol", comment(json!({"path": "a\u{0}b", "new_position": 1})), 422),
        ("carol", comment(json!({"path": "a.txt", "new_position": -1})), 422),
        ("carol", comment(json!({"path": "a.txt", "new_position": 1e300})), 422),
        ("carol", comment(json!({"path": "a.txt", "new_position": "2"})), 422),
        ("carol", comment(json!({"path": "x".repeat(5000), "new_position": 1})), 422),
        ("carol", json!({"event": "COMMENT", "comments": vec![json!({"path": "a", "new_position": 1}); 1001]}), 422),
        ("dave", json!({"event": "APPROVED"}), 403),
        ("", json!({"event": "APPROVED"}), 401),
    ] {
        let reply = write_as(&forge, token, "POST", REVIEWS, &body).await;
        let shown: String = body.to_string().chars().take(80).collect();
        assert_eq!(reply.status, status, "{token} {shown}: {}", reply.text());
    }
    let headers = [("Authorization", "token carol"), ("Content-Type", "application/json")];
    assert_eq!(ask_with(forge.address(), "POST", REVIEWS, &headers, b"[1").await.status, 422);
    let nowhere = "/api/v1/repos/alice/proj/pulls/99/reviews";
    assert_eq!(write_as(&forge, "carol", "POST", nowhere, &json!({"event": "APPROVED"})).await.status, 404);
    assert_eq!(get(&forge, REVIEWS).await.json(), json!([]));
    for id in ["0", "1", "-1", "18446744073709551615", "..%2f1"] {
        assert_eq!(get(&forge, &format!("{REVIEWS}/{id}/comments")).await.status, 404, "{id}");
    }
    assert_eq!(
        write_as(&forge, "carol", "POST", REVIEWS, &json!({"event": "APPROVED"})).await.json()["state"],
        "APPROVED"
    );
    forge.shutdown().await;
}
