//! Flag over environment over file over default, and what is said where one of them is wrong.
//!
//! What the environment does is tested on the built program: a test cannot change its own without racing others.

use std::io::Write as _;

use clap::{Args as _, CommandFactory as _};
use tempfile::NamedTempFile;

use super::*;
use crate::cli::{Cli, serve::Serve};

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("there is room");
    file.write_all(text.as_bytes()).expect("there is room");
    file
}

fn read_with(text: &str, arguments: &[&str]) -> Result<Read, Unread> {
    let file = file(text);
    let mut line: Vec<OsString> = vec!["assay".into(), "--config".into(), file.path().into()];
    line.extend(arguments.iter().map(OsString::from));
    read(&Cli::command(), &line)
}

fn refused(text: &str) -> String {
    match read_with(text, &["serve"]) {
        Err(Unread::File(fault)) => fault.to_string(),
        other => panic!("`{text}` is not refused as a file: {other:?}"),
    }
}

#[test]
fn the_file_gives_what_the_flags_do_not() {
    let text = r#"
        url = "https://forge.example"
        timeout = 7
        rate_read = 0
        allowed_hosts = ["one.example", "two.example"]
        spool_bytes = "2GiB"
        object_cache_bytes = 1024
        diff_encoding = "auto"
        log = "info"
        patch = true
        database = "/srv/documents.sqlite"
        workspace = "/srv/work"
    "#;
    let read = read_with(text, &["serve", "--rate-read", "5"]).expect("it is in order");
    let (_, serve) = read.matches.subcommand().expect("it is one");
    let command = Cli::command();
    let serve_command = command.find_subcommand("serve").expect("it is one");
    let seen = |id: &str| {
        let values = serve.get_raw(id).map(|values| values.map(|value| value.to_string_lossy().into_owned()));
        let arg = serve_command.get_arguments().find(|arg| arg.get_id() == id);
        let giver = arg.map(|arg| match read.giver(serve, arg) {
            Giver::File(_) => "file",
            Giver::Flag => "flag",
            Giver::Default => "default",
            Giver::Environment => "environment",
            Giver::Nobody => "nobody",
        });
        (values.map(|values| values.collect::<Vec<_>>().join(" ")).unwrap_or_default(), giver.unwrap_or("global"))
    };
    assert_eq!(seen("url"), ("https://forge.example".into(), "file"));
    assert_eq!(seen("timeout"), ("7".into(), "file"));
    assert_eq!(seen("rate_read"), ("5".into(), "flag"));
    assert_eq!(seen("rate_write"), ("60".into(), "default"));
    assert_eq!(seen("allowed_hosts"), ("one.example two.example".into(), "file"));
    assert_eq!(seen("spool_bytes"), ("2GiB".into(), "file"));
    assert_eq!(seen("object_cache_bytes"), ("1024".into(), "file"));
    assert_eq!(seen("diff_encoding"), ("auto".into(), "file"));
    assert_eq!(seen("ca_file"), (String::new(), "nobody"));
    assert_eq!(seen("filter"), ("info".into(), "global"));
    assert_eq!(serve.get_one::<u32>("timeout"), Some(&7));
    assert_eq!((serve.get_one::<bool>("patch"), seen("database").1), (Some(&true), "file"));
    // X-09: it is a setting of other commands.
    assert!(!serve_command.get_arguments().any(|arg| arg.get_id() == "workspace"));
}

#[test]
fn what_is_wrong_in_the_file_is_named_with_its_bound() {
    for (text, parts) in [
        ("timout = 5", &["`timout`", "timeout"][..]),
        ("timeout = 0", &["`timeout`", "from 1 to 3600"]),
        ("timeout = 3601", &["`timeout`", "from 1 to 3600"]),
        ("timeout = -1", &["`timeout`", "from 1 to 3600"]),
        ("timeout = \"5\"", &["`timeout`", "a whole number", "not a text"]),
        ("timeout = 5.0", &["`timeout`", "a whole number", "a number with a fraction"]),
        ("timeout = true", &["`timeout`", "true or false"]),
        ("timeout = [5]", &["`timeout`", "a list"]),
        ("url = 5", &["`url`", "a text"]),
        ("allowed_hosts = \"one.example\"", &["`allowed_hosts`", "a list of texts"]),
        ("allowed_hosts = [1]", &["`allowed_hosts`", "a list of texts"]),
        ("allowed_hosts = [\"\"]", &["`allowed_hosts`", "empty"]),
        ("result_bytes = 49001", &["`result_bytes`", "from 4KiB to 49000"]),
        ("result_bytes = \"1M\"", &["`result_bytes`", "from 4KiB to 49000"]),
        ("proof_concurrency = 65", &["`proof_concurrency`", "from 1 to 64"]),
        ("diff_source = \"native\"", &["`diff_source`", "auto", "evidence", "observed"]),
        ("diff_proof = \"Required\"", &["`diff_proof`", "required"]),
        ("listen = \"nowhere\"", &["`listen`"]),
        ("log = \"loud=loud\"", &["`log`", "warn"]),
        ("user = \"\"", &["`user`", "empty"]),
        ("config = \"x\"", &["`config`"]),
        ("[forge]\nurl = \"x\"", &["`forge`"]),
        ("ok", &["line 1"]),
        ("timeout = 5\nurl = \"", &["line 2"]),
        ("timeout = 5\ntimeout = 6", &["line 2"]),
    ] {
        let said = refused(text);
        for part in parts {
            assert!(said.contains(part), "{text}: {part} is not in: {said}");
        }
    }
}

/// G-038: a secret may not stand in the file; what is said names the right place and never the value.
#[test]
fn a_secret_in_the_file_is_refused_unseen() {
    for (text, name) in [
        ("token = \"s3cret\"", "FORGEJO_TOKEN"),
        ("FORGEJO_TOKEN = \"s3cret\"", "FORGEJO_TOKEN"),
        ("password = \"s3cret\"", "FORGEJO_PASSWORD"),
    ] {
        let said = refused(text);
        assert!(said.contains(name) && said.contains("token_file") && !said.contains("s3cret"), "{said}");
    }
    let broken = refused("token = \"s3cret\nurl");
    assert!(!broken.contains("s3cret"), "{broken}");
    assert!(read_with("token_file = \"/no/such\"", &["stdio"]).is_ok());
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let missing = read(&Cli::command(), &["assay", "--config", "/no/such/file.toml", "tools"].map(OsString::from));
    assert!(missing.is_err_and(|error| error.to_string().starts_with("/no/such/file.toml")));
    assert!(
        read_with(&format!("# {}", "x".repeat(70_000)), &["tools"]).is_err_and(|e| e.to_string().contains("larger"))
    );
}

/// Every setting of the contract can be given in each of the three ways.
#[test]
fn every_setting_is_a_flag_a_variable_and_a_key() {
    let command = Cli::command();
    let settings = settings(&command);
    let all: Vec<String> = settings
        .iter()
        .map(|(key, arg)| format!("{key} --{} {}", arg.get_long().unwrap_or_default(), env_name(arg)))
        .collect();
    let expected = [
        "allowed_hosts --allowed-hosts GATEWAY_ALLOWED_HOSTS",
        "budget_keys_max --budget-keys-max GATEWAY_BUDGET_KEYS_MAX",
        "ca_file --ca-file GATEWAY_CA_FILE",
        "database --database PATCHDIFF_DATABASE_URL",
        "diff_encoding --diff-encoding GATEWAY_DIFF_ENCODING",
        "diff_proof --diff-proof GATEWAY_DIFF_PROOF",
        "diff_source --diff-source GATEWAY_DIFF_SOURCE",
        "exclude_tools --exclude-tools GATEWAY_EXCLUDE_TOOLS",
        "listen --listen GATEWAY_LISTEN",
        "log --log ASSAY_LOG",
        "log_format --log-format ASSAY_LOG_FORMAT",
        "max_body --max-body GATEWAY_MAX_BODY",
        "max_calls --max-calls GATEWAY_MAX_CALLS",
        "max_calls_per_token --max-calls-per-token GATEWAY_MAX_CALLS_PER_TOKEN",
        "max_connections --max-connections GATEWAY_MAX_CONNECTIONS",
        "metrics --metrics GATEWAY_METRICS",
        "object_cache_bytes --object-cache-bytes GATEWAY_OBJECT_CACHE_BYTES",
        "patch --patch PATCHDIFF_OVER_HTTP",
        "patch_profile --patch-profile PATCHDIFF_MCP_PROFILE",
        "preflight_ttl --preflight-ttl GATEWAY_PREFLIGHT_TTL",
        "proof_concurrency --proof-concurrency GATEWAY_PROOF_CONCURRENCY",
        "proof_file_bytes --proof-file-bytes GATEWAY_PROOF_FILE_BYTES",
        "rate_read --rate-read GATEWAY_RATE_READ",
        "rate_strangers --rate-strangers GATEWAY_RATE_STRANGERS",
        "rate_window --rate-window GATEWAY_RATE_WINDOW",
        "rate_write --rate-write GATEWAY_RATE_WRITE",
        "read_only --read-only GATEWAY_READ_ONLY",
        "repositories --repositories GATEWAY_REPOSITORIES",
        "response_mode --response-mode PATCHDIFF_MCP_RESPONSE_MODE",
        "result_bytes --result-bytes GATEWAY_RESULT_BYTES",
        "spool_bytes --spool-bytes GATEWAY_SPOOL_BYTES",
        "timeout --timeout GATEWAY_TIMEOUT",
        "token_file --token-file FORGEJO_TOKEN_FILE",
        "tools --tools GATEWAY_TOOLS",
        "toolsets --toolsets GATEWAY_TOOLSETS",
        "trusted_edge --trusted-edge GATEWAY_TRUSTED_EDGE",
        "url --url FORGEJO_URL",
        "user --user FORGEJO_USER",
        "workspace --workspace PATCHDIFF_WORKSPACE",
    ];
    assert_eq!(all, expected);
    // `assay config` shows all of them.
    let shown = command.find_subcommand("config").expect("it is one");
    let shown: Vec<String> = shown.get_arguments().chain(command.get_arguments()).filter_map(key).collect();
    assert!(settings.keys().all(|key| shown.contains(key)), "{shown:?}");
}

/// O-001, O-011, O-012, O-015, O-017, G-084: the defaults are the contract's.
#[test]
fn defaults_are_the_contracts() {
    let command = Serve::augment_args(Command::new("serve"));
    let default = |id: &str| {
        let arg = command.get_arguments().find(|arg| arg.get_id() == id).expect("it is there");
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect::<String>()
    };
    for (id, value) in [
        ("diff_source", "auto"),
        ("diff_proof", "preferred"),
        ("diff_encoding", "base64"),
        ("object_cache_bytes", "64MiB"),
        ("spool_bytes", "1GiB"),
        ("proof_file_bytes", "16MiB"),
        ("proof_concurrency", "4"),
        ("result_bytes", "49000"),
        ("max_body", "1MiB"),
        ("rate_read", "600"),
        ("rate_write", "60"),
        ("rate_window", "60"),
        ("timeout", "30"),
    ] {
        assert_eq!(default(id), value, "{id}");
    }
    // Also those that nobody checks before a value is needed.
    Cli::command().debug_assert();
}

fn env_name(arg: &Arg) -> String {
    arg.get_env().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
