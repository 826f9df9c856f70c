//! `assay doctor`: what is there, what is missing, and what to do about it.

use assay_kit::{AwkwardRepository, ObjectFormat, Response, ScriptedForge};
use assay_local_forge::{Accounts, Area, Grant, PrivateReads, Scope, Token};
use serde_json::Value;

use super::{Desk, Forge, done, failed, text};

/// G-029, O-018: what is there, what is missing, and what to do about it.
#[test]
fn the_doctor_tells_one_ill_from_another() {
    let repository = AwkwardRepository::large(10_000, ObjectFormat::Sha1);
    let desk = Desk::new();
    for (native, receipt) in [(true, "native evidence"), (false, "proof: a stock forge")] {
        let forge = Forge::over(&repository, native);
        let output = desk.on(&forge, &["doctor", "--pull", &forge.pull("large")]);
        let found = text(&output.stdout);
        assert_eq!(done(&output), "", "{found}");
        assert!(
            found.contains(receipt) && found.contains("speaks for local") && found.ends_with("\nusable\n"),
            "{found}"
        );
        assert!(native || found.contains("shown as they are"), "{found}");
        assert!(!found.contains(&*forge.token), "the token is shown");

        let wrong = forge.told(&mut desk.assay(&["doctor", "--json"])).env("FORGEJO_TOKEN", "wrong").output();
        let wrong = wrong.expect("it runs");
        failed(&wrong, 1);
        let found: Value = serde_json::from_slice(&wrong.stdout).expect("it is JSON");
        assert_eq!(found["usable"], false);
        let checks = found["checks"].as_array().expect("a list");
        let outcomes: Vec<&Value> = checks.iter().map(|check| &check["outcome"]).collect();
        assert_eq!(outcomes, ["ok", "failed"], "{found}");
        assert!(checks[1]["advice"].as_str().is_some_and(|advice| advice.contains("read:repository")), "{found}");

        let none = desk.assay(&["doctor"]).env("FORGEJO_URL", forge.url()).output().expect("it runs");
        failed(&none, 1);
        assert!(text(&none.stdout).contains("FORGEJO_TOKEN is not set"));
    }
    let gone =
        desk.assay(&["doctor", "--url", "http://127.0.0.1:9"]).env("FORGEJO_TOKEN", "x").output().expect("it runs");
    failed(&gone, 1);
    assert!(text(&gone.stdout).contains("refused: nothing listens"), "{}", text(&gone.stdout));
    let unset = desk.run(&["doctor"]);
    assert!(failed(&unset, 2).contains("FORGEJO_URL"));
}

/// D-003, G-029: a token for something else is a token, and the missing scope is named.
#[test]
fn the_doctor_names_the_missing_scope() {
    let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
    let desk = Desk::new();
    for (scopes, usable, parts) in [
        (vec![Scope::Read(Area::User)], false, ["speaks for alice", "read:repository  not granted"]),
        (vec![Scope::Read(Area::Repository)], true, ["takes read:user", "read:repository  granted"]),
    ] {
        let token = Token::random();
        let grant = Grant { login: "alice".to_owned(), token: token.clone(), scopes, private: PrivateReads::All };
        let forge = Forge::with(&repository, true, Accounts::public().granting(grant), token);
        let output = desk.on(&forge, &["doctor"]);
        let found = text(&output.stdout);
        assert_eq!(output.status.code(), Some(if usable { 0 } else { 1 }), "{found}");
        for part in parts {
            assert!(found.contains(part), "{part} is not in\n{found}");
        }
    }
}

/// A forge is what says so: other servers, other paths and redirects have advice of their own.
#[test]
fn the_doctor_knows_what_is_no_forge() {
    let desk = Desk::new();
    for (response, part) in [
        (Response::new(200, "<html>"), "not as a Forgejo or Gitea"),
        (Response::new(404, "404 page not found"), "not as a Forgejo or Gitea"),
        (Response::new(502, "bad gateway"), "status 502"),
        (Response::new(301, "").header("location", "https://elsewhere.example/"), "FORGEJO_URL"),
    ] {
        let forge = ScriptedForge::start();
        forge.script("GET", "/api/v1/version", [response]);
        let output = desk.assay(&["doctor"]).env("FORGEJO_URL", forge.url()).env("FORGEJO_TOKEN", "x").output();
        let output = output.expect("it runs");
        failed(&output, 1);
        let found = text(&output.stdout);
        assert!(found.contains(part) && !found.contains("elsewhere") && !found.contains("<html>"), "{found}");
    }
}
