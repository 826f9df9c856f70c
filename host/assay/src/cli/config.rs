//! `assay config`: every setting, its value and who gave it.

use std::env;

use anyhow::anyhow;
use clap::{Arg, ArgMatches, Args, Command, Subcommand};
use serde::Serialize;

use super::{
    Failed,
    clients::Client,
    connection::Connection,
    credential::OwnCredential,
    editing::{EditingOptions, OverHttp},
    offer::Offer,
    say,
    serve::Door,
    settings::{Giver, Read, SECRETS, key, usual_place},
    shown::shown,
};

/// Show every setting, its value and where it came from; secrets as `set` or `not set`.
///
/// A flag comes before the environment, the environment before the file, the file before the default.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  assay config
  assay config --json --timeout 5
  assay config client codex

The file is ~/.config/assay/config.toml where --config and ASSAY_CONFIG name no other. Its keys are those of the list:
  url = \"https://forge.example\"
  token_file = \"/home/me/.config/assay/token\"
  timeout = 60
  spool_bytes = \"4GiB\"
  allowed_hosts = [\"assay.example\"]"
)]
pub(crate) struct Config {
    #[command(subcommand)]
    below: Option<Below>,
    /// One JSON object by key: `value`, `from` (flag, environment, file, default or nobody), and which.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    credential: OwnCredential,
    #[command(flatten)]
    offer: Offer,
    #[command(flatten)]
    door: Door,
    #[command(flatten)]
    editing: EditingOptions,
    #[command(flatten)]
    over_http: OverHttp,
}

#[derive(Debug, Subcommand)]
enum Below {
    Client(Client),
}

/// One setting as it is shown.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(skip)]
    key: String,
    /// Nothing where nobody gave one; of a secret only whether it is there.
    value: Option<String>,
    from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    which: Option<String>,
}

impl Config {
    /// Every value was checked by being parsed.
    pub(crate) fn run(self, command: &Command, read: &Read) -> Result<(), Failed> {
        if let Some(Below::Client(client)) = self.below {
            return client.run();
        }
        let (Some(command), Some(matches)) =
            (command.find_subcommand("config"), read.matches.subcommand_matches("config"))
        else {
            return Err(Failed::Fault(anyhow!("the settings are not where they were read")));
        };
        let rows = rows(command, matches, read, |name| env::var_os(name).is_some());
        say(&if self.json { json(&rows) } else { text(&rows, read) })
    }
}

fn rows(command: &Command, matches: &ArgMatches, read: &Read, is_set: impl Fn(&str) -> bool) -> Vec<Row> {
    // Global options are those of the program, and stand in every command's matches.
    let settings = command.get_arguments().filter_map(|arg| Some(row(key(arg)?, arg, matches, read)));
    let secrets = SECRETS.iter().map(|(name, key)| {
        let there = is_set(name);
        let (from, which) = if there { ("environment", Some((*name).to_owned())) } else { ("nobody", None) };
        Row { key: (*key).to_owned(), value: there.then(|| "set".to_owned()), from, which }
    });
    settings.chain(secrets).collect()
}

fn row(key: String, arg: &Arg, matches: &ArgMatches, read: &Read) -> Row {
    let id = arg.get_id().as_str();
    let raw = matches.try_get_raw(id).ok().flatten();
    let value = raw.map(|values| values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(","));
    let value = value.map(|value| match key.as_str() {
        "url" => without_user(&value),
        "database" => without_secrets(&value),
        _ => value,
    });
    let flag = || format!("--{}", arg.get_long().unwrap_or_default());
    let (from, which) = match read.giver(matches, arg) {
        Giver::Flag => ("flag", Some(flag())),
        Giver::Environment => ("environment", arg.get_env().map(|name| name.to_string_lossy().into_owned())),
        Giver::File(path) => ("file", Some(path.display().to_string())),
        Giver::Default => ("default", None),
        Giver::Nobody => ("nobody", None),
    };
    Row { key, value, from, which }
}

/// An address as it is shown: what somebody wrote before its host may be a password. (No forge is asked at such an address.)
fn without_user(address: &str) -> String {
    // The last `@` of all: a password may hold what ends an authority elsewhere.
    let Some((before, host)) = address.rsplit_once('@') else { return address.to_owned() };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    if scheme.is_empty() { format!("***@{host}") } else { format!("{scheme}://***@{host}") }
}

/// A database as it is shown: a file's path as it is, of an address neither user nor parameters, each of which may hold a
/// password. Where it cannot be told what is what, nothing of it.
fn without_secrets(place: &str) -> String {
    let Some((scheme, rest)) = place.split_once("://") else { return place.to_owned() };
    let (address, parameters) = match rest.split_once('?') {
        Some((address, _)) => (address, "?***"),
        None => (rest, ""),
    };
    match (address.split_once('@'), rest.matches('@').count()) {
        (None, 0) => format!("{scheme}://{address}{parameters}"),
        (Some((_, host)), 1) => format!("{scheme}://***@{host}{parameters}"),
        _ => format!("{scheme}://***"),
    }
}

fn json(rows: &[Row]) -> String {
    let all: serde_json::Map<_, _> =
        rows.iter().map(|row| (row.key.clone(), serde_json::to_value(row).expect("it has string keys"))).collect();
    serde_json::to_string_pretty(&all).expect("it has string keys")
}

fn text(rows: &[Row], read: &Read) -> String {
    let widest = rows.iter().map(|row| row.key.len()).max().unwrap_or(0);
    let mut lines: Vec<String> = rows
        .iter()
        .map(|Row { key, value, from, which }| {
            let value = value.as_deref().map_or_else(|| "not set".to_owned(), shown);
            let from = match (*from, which) {
                ("nobody", _) => String::new(),
                (from, Some(which)) => format!("  ({from} {})", shown(which)),
                (from, None) => format!("  ({from})"),
            };
            format!("{key:<widest$}  {value}{from}")
        })
        .collect();
    if read.file().is_none()
        && let Some(place) = usual_place()
    {
        lines.push(format!("no file of settings: there is none at {}", shown(&place.display().to_string())));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-038: a database is shown without what may be a password, wherever in its URL that stands.
    #[test]
    fn a_database_is_shown_without_its_password() {
        for (place, said) in [
            ("/srv/assay/documents.sqlite", "/srv/assay/documents.sqlite"),
            ("postgres://db.example/assay", "postgres://db.example/assay"),
            ("postgres://u:s3cret@db.example/assay", "postgres://***@db.example/assay"),
            ("postgres://u:s3/cr@et@db.example/assay", "postgres://***"),
            ("postgres://u:s3?cret@db.example/assay", "postgres://***"),
            ("postgres://u@db/assay?password=s3cret&sslmode=require", "postgres://***@db/assay?***"),
            ("postgres://db/assay?password=s3@cret", "postgres://***"),
        ] {
            assert_eq!(without_secrets(place), said);
        }
    }
}
