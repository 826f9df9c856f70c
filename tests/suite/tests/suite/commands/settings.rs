//! Settings: who gave them, what is wrong with them, and what a client is told.

use assay_kit::{AwkwardRepository, ObjectFormat};
use serde_json::{Value, json};

use super::{Desk, Forge, done, failed, text};

/// Flag over environment over file over default, each shown with where it came from; secrets only as `set`.
#[test]
fn settings_are_shown_with_their_giver() {
    let desk = Desk::new();
    desk.settings(
        "url = \"https://file.example\"\ntimeout = 7\nrate_read = 8\nrate_write = 9\nspool_bytes = \"2GiB\"\n",
    );
    let output = desk
        .assay(&["config", "--json", "--rate-write", "3"])
        .env("GATEWAY_RATE_READ", "5")
        .env("GATEWAY_RATE_WRITE", "6")
        .env("FORGEJO_TOKEN", "s3cret")
        .output()
        .expect("it runs");
    done(&output);
    let all: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let file = desk.path("config/assay/config.toml").display().to_string();
    for (key, value, from, which) in [
        ("url", json!("https://file.example"), "file", json!(file)),
        ("timeout", json!("7"), "file", json!(file)),
        ("rate_read", json!("5"), "environment", json!("GATEWAY_RATE_READ")),
        ("rate_write", json!("3"), "flag", json!("--rate-write")),
        ("rate_window", json!("60"), "default", Value::Null),
        ("spool_bytes", json!("2GiB"), "file", json!(file)),
        ("ca_file", Value::Null, "nobody", Value::Null),
        ("token", json!("set"), "environment", json!("FORGEJO_TOKEN")),
        ("password", Value::Null, "nobody", Value::Null),
        ("log", json!("warn,rmcp=error"), "default", Value::Null),
    ] {
        assert_eq!(
            (&all[key]["value"], &all[key]["from"], &all[key]["which"]),
            (&value, &json!(from), &which),
            "{key}"
        );
    }
    let table = desk.assay(&["config"]).env("FORGEJO_TOKEN", "s3cret").output().expect("it runs");
    done(&table);
    let table = text(&table.stdout);
    assert!(table.contains("token") && table.contains("set  (environment FORGEJO_TOKEN)"), "{table}");
    assert!(table.contains("password") && table.contains("not set") && !table.contains("s3cret"), "{table}");
}

/// G-017: what is wrong stops the start, by the name under which it was given.
#[test]
fn a_wrong_setting_stops_the_start_by_its_name() {
    let desk = Desk::new();
    for (name, value, part) in [
        ("GATEWAY_TIMEOUT", "0", "from 1 to 3600"),
        ("GATEWAY_TIMEOUT", "", "from 1 to 3600"),
        ("GATEWAY_RATE_READ", "many", "whole number"),
        ("GATEWAY_RESULT_BYTES", "49001", "from 4KiB to 49000"),
        ("GATEWAY_SPOOL_BYTES", "1TB", "number of bytes"),
        ("GATEWAY_DIFF_SOURCE", "native", "auto, evidence, observed"),
        ("GATEWAY_DIFF_PROOF", "REQUIRED", "preferred, required, off"),
        ("GATEWAY_DIFF_ENCODING", "utf8", "base64, text, auto"),
        ("GATEWAY_PROOF_CONCURRENCY", "65", "from 1 to 64"),
        ("FORGEJO_USER", "", "empty"),
        ("ASSAY_LOG", "loud=loud", "level"),
    ] {
        let output = desk.assay(&["call", "get_pull_request"]).env(name, value).output().expect("it runs");
        let said = failed(&output, 2);
        assert!(said.contains(&format!("{name}: ")) && said.contains(part), "{name}={value}: {said}");
    }
    let user = [("FORGEJO_URL", "http://127.0.0.1:9"), ("FORGEJO_USER", "alice"), ("FORGEJO_PASSWORD", "")];
    let pull = r#"{"owner":"o","repo":"r","index":7}"#;
    let empty = desk.assay(&["call", "get_pull_request", pull]).envs(user).output().expect("it runs");
    assert!(failed(&empty, 2).contains("FORGEJO_PASSWORD is empty"));
    for address in ["http://u:s3cret@h/", "u:s3cret@h", "http://u:s3/cr@et@h"] {
        let shown = desk.assay(&["config"]).env("FORGEJO_URL", address).output().expect("it runs");
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("***@h") && !shown.contains("s3"), "G-038: {shown}");
    }
    let flag = desk.assay(&["call", "--timeout", "0", "x"]).env("GATEWAY_TIMEOUT", "5").output().expect("it runs");
    let said = failed(&flag, 2);
    assert!(said.contains("--timeout") && !said.contains("GATEWAY_TIMEOUT:"), "{said}");

    desk.settings("timeout = 5\ntimout = 6\n");
    let said = failed(&desk.run(&["tools"]), 2);
    assert!(said.contains("config.toml") && said.contains("`timout`"), "{said}");
    desk.settings("token = \"s3cret\"\n");
    let said = failed(&desk.run(&["tools"]), 2);
    assert!(said.contains("FORGEJO_TOKEN") && !said.contains("s3cret"), "{said}");
    let named = failed(&desk.run(&["tools", "--config", "missing.toml"]), 2);
    assert!(named.contains("missing.toml"), "{named}");
}

/// The file's token is a file of its own; a token in the environment comes before it.
#[test]
fn a_token_file_can_stand_in_the_file() {
    let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
    let forge = Forge::over(&repository, true);
    let desk = Desk::new();
    let token = desk.path("token");
    std::fs::write(&token, format!("{}\n", &*forge.token)).expect("there is room");
    desk.settings(&format!("url = {:?}\ntoken_file = {:?}\n", forge.url(), token.display().to_string()));
    let output = desk.run(&["doctor"]);
    assert!(text(&output.stdout).contains("speaks for local"), "{}{}", text(&output.stdout), text(&output.stderr));
    let other = desk.assay(&["doctor"]).env("FORGEJO_TOKEN", "wrong").output().expect("it runs");
    assert!(text(&other.stdout).contains("does not know it"), "{}", text(&other.stdout));
}

/// O-017: each client's own format, with the settings for models, and without the token.
#[test]
fn a_clients_snippet_is_of_its_format() {
    let desk = Desk::new();
    for client in ["claude-code", "codex", "cursor", "vscode", "zed"] {
        let output = desk
            .assay(&["config", "client", client, "--url", "https://forge.example/git"])
            .env("FORGEJO_TOKEN", "s3cret")
            .output()
            .expect("it runs");
        let place = done(&output);
        let snippet = text(&output.stdout);
        let parsed: Value = if client == "codex" {
            toml::from_str(&snippet).expect("it is TOML")
        } else {
            serde_json::from_str(&snippet).expect("it is JSON")
        };
        let flat = parsed.to_string();
        for part in ["\"assay\"", "\"stdio\"", "https://forge.example/git", "\"auto\"", "\"32000\""] {
            assert!(flat.contains(part), "{client}: {part} is not in {flat}");
        }
        assert!(!flat.contains("s3cret") && place.starts_with("for "), "{client}: {flat} {place}");
    }
    assert!(failed(&desk.run(&["config", "client", "zed"]), 2).contains("FORGEJO_URL"));
    let local = desk.run(&["config", "client", "codex", "--local", "repository"]);
    done(&local);
    assert!(text(&local.stdout).contains(&desk.path("repository").display().to_string()), "{}", text(&local.stdout));
}
