use serde_json::{Value, json};

use super::*;

fn target() -> (Owner, RepoName, Index) {
    let index = Index::new(9).expect("within bounds");
    (Owner::new("team").expect("a name"), RepoName::new("pro ject").expect("a name"), index)
}

fn issue() -> Value {
    json!({
        "id": 9_007_199_254_740_993_u64, "number": 9, "title": "t", "state": "open", "labels": [{"id": 1, "name": "bug"}],
        "user": {"id": 2, "login": "alice"}, "comments": 3, "created_at": "2026-12-02T01:15:23Z", "updated_at": 7,
        "closed_at": null, "html_url": "https://Forge.example/team/pro%20ject/issues/9", "pull_request": null,
        "repository": {"id": 1, "name": "Pro Ject", "owner": "Team", "full_name": "Team/Pro Ject"},
    })
}

fn with(member: &str, value: Value) -> Value {
    let mut changed = issue();
    changed[member] = value;
    changed
}

fn read(forge: &Value) -> Result<Issue, Fault> {
    let (owner, repo, index) = target();
    Issue::read(forge.to_string().as_bytes(), &owner, &repo, index)
}

/// G-133, G-142, K-58: members as the forge has them; what is not sound is null, and so is the privacy.
#[test]
fn a_row_shows_what_is_sound() {
    let row = read(&issue()).expect("an issue").row;
    assert_eq!(
        serde_json::to_string(&row).expect("plain members"),
        r#"{"id":9007199254740993,"number":9,"title":"t","state":"open","labels":[{"id":1,"name":"bug"}],"author":{"id":2,"login":"alice"},"comments":3,"created_at":"2026-12-02T01:15:23Z","updated_at":null,"closed_at":null,"html_url":"https://Forge.example/team/pro%20ject/issues/9","repository":{"id":1,"full_name":"Team/Pro Ject","owner":"Team","name":"Pro Ject","private":null}}"#
    );
    assert_eq!(row.origin().as_deref(), Some("https://forge.example"));
    let bare = read(&json!({"id": 1, "number": 9})).expect("enough").row;
    assert_eq!((bare.labels, bare.author), (None, Author::default()));
}

/// G-132, G-146: an issue is told from everything else.
#[test]
fn refuses_what_is_not_the_issue() {
    for marker in [json!({}), json!({"merged": false}), json!(false), json!(0)] {
        assert_eq!(read(&with("pull_request", marker)).unwrap_err(), Fault::PullRequest);
    }
    assert_eq!(read(&with("number", json!(8))).unwrap_err(), Fault::Foreign);
    for other in [json!({"owner": "other"}), json!({"name": "x"}), json!({"full_name": "team/x"})] {
        assert_eq!(read(&with("repository", other)).unwrap_err(), Fault::Foreign);
    }
    for (member, value) in [("id", json!("1")), ("number", json!("9")), ("body", json!({})), ("id", json!(0))] {
        assert_eq!(read(&with(member, value)).unwrap_err(), Fault::Malformed, "{member}");
    }
    assert_eq!(read(&json!([issue()])).unwrap_err(), Fault::Malformed);
}

/// G-131: the text is whole, or only its size is known.
#[test]
fn a_text_is_whole() {
    let body = |value: Value| read(&with("body", value)).map(|issue| issue.body);
    assert_eq!(
        body(json!("a\u{200b}\u{e0041}\u{202e}\r\n\u{0}")),
        Ok(Ok("a\u{200b}\u{e0041}\u{202e}\r\n\u{0}".into()))
    );
    assert_eq!(body(json!("x".repeat(65_536))), Ok(Ok("x".repeat(65_536))));
    assert_eq!(body(json!("x".repeat(65_537))), Ok(Err(65_537)));
    assert_eq!(body(json!(null)), Ok(Ok(String::new())));
}

#[test]
fn labels_are_bounded() {
    let labels = |count: usize| json!(vec![json!({"id": 1, "name": "x".repeat(84)}); count]);
    let kept = |count| read(&with("labels", labels(count))).expect("an issue").row.labels.map(|labels| labels.len());
    assert_eq!((kept(160), kept(164), kept(100_000)), (Some(160), None, None));
}

/// G-135, G-146: oldest first, and only the issue's own.
#[test]
fn comments_are_sorted_and_the_issues_own() {
    let read = |comments: Value| {
        let (owner, repo, index) = target();
        Comments::read(comments.to_string().as_bytes(), &owner, &repo, index)
    };
    let comment = |id: u64, at: &str| json!({"id": id, "body": "b", "created_at": at});
    let found = read(json!([
        comment(5, "2026-12-02T01:00:01Z"),
        comment(4, "2026-12-02T02:00:01+01:00"),
        comment(9, "2026-12-02T00:59:59Z")
    ]));
    let ids: Vec<u64> = found.expect("a list").rows.expect("few").iter().map(|comment| comment.id).collect();
    assert_eq!(ids, [9, 4, 5]);
    let at = |member: &str, url: &str| read(json!([{"id": 1, "body": "b", member: url}])).map(|found| found.count);
    assert_eq!(at("issue_url", "https://f/git/api/v1/repos/Team/Pro%20ject/issues/9"), Ok(1));
    assert_eq!(at("issue_url", ""), Ok(1));
    for (member, url) in [
        ("issue_url", "https://f/team/pro%20ject/issues/8"),
        ("issue_url", "https://f/team/other/issues/9"),
        ("issue_url", "https://f/issues/9"),
        ("issue_url", "nonsense"),
        ("pull_request_url", "https://f/team/pro%20ject/pulls/9"),
    ] {
        assert_eq!(at(member, url), Err(listing::Fault::ForeignRow), "{url}");
    }
    assert_eq!(read(json!([{"body": "no id"}])).unwrap_err(), listing::Fault::Malformed);
}
