//! `assay config client`: what to put where, so that an agent's program starts this one.
//!
//! No snippet holds the token. Each client has a way to name it, or is given a file to read it from.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::{Failed, connection::Connection, credential::OwnCredential, print, settings::usual_place};

/// What models read cheaply, in answers that common clients show whole (O-017).
const FOR_MODELS: [(&str, &str); 2] = [("GATEWAY_DIFF_ENCODING", "auto"), ("GATEWAY_RESULT_BYTES", "32000")];

/// Print the configuration of an agent's program: the snippet on standard output, where it belongs on standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay config client claude-code --url https://forge.example > .mcp.json
  assay config client zed --token-file ~/.config/assay/token
  assay config client codex --local ~/src/project")]
pub(crate) struct Client {
    /// The program.
    name: Name,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    credential: OwnCredential,
}

/// The programs that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Cursor,
    Vscode,
    Zed,
}

/// How the process is started, without the token.
struct Start {
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
    /// Whether a token is needed that the arguments do not name.
    token: bool,
}

impl Client {
    pub(crate) fn run(&self) -> Result<(), Failed> {
        let mut start = self.start()?;
        let (snippet, place) = render(self.name, &mut start)?;
        print(snippet.as_bytes())?;
        eprintln!("{place}");
        Ok(())
    }

    fn start(&self) -> Result<Start, Failed> {
        let mut start = Start { arguments: vec!["stdio".to_owned()], environment: Vec::new(), token: false };
        if self.connection.local().is_empty() {
            start.environment.push(("FORGEJO_URL", self.connection.address()?));
            match self.credential.token_file() {
                Some(file) => start.name_file(file)?,
                None => start.token = true,
            }
        }
        for path in self.connection.local() {
            start.arguments.extend(["--local".to_owned(), text(&absolute(path)?)?]);
        }
        if self.connection.stock() {
            start.arguments.push("--stock".to_owned());
        }
        start.environment.extend(FOR_MODELS.map(|(name, value)| (name, value.to_owned())));
        Ok(start)
    }
}

impl Start {
    fn name_file(&mut self, file: &Path) -> Result<(), Failed> {
        self.arguments.extend(["--token-file".to_owned(), text(&absolute(file)?)?]);
        self.token = false;
        Ok(())
    }

    /// For a client that hands its settings on as they stand: the token can only be named by its file. What to do about it.
    fn by_file(&mut self) -> Result<&'static str, Failed> {
        if !self.token {
            return Ok("");
        }
        self.name_file(&own_token_file()?)?;
        Ok("; put the token into the file that --token-file names, readable by you alone (chmod 600)")
    }

    /// The variables as a JSON object; `token` is how the client names the token.
    fn environment(&self, token: &str) -> Value {
        let named = self.token.then(|| ("FORGEJO_TOKEN".to_owned(), json!(token)));
        let others = self.environment.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
        Value::Object(others.chain(named).collect::<Map<_, _>>())
    }

    fn server(&self, token: &str) -> Value {
        json!({"command": "assay", "args": self.arguments, "env": self.environment(token)})
    }
}

/// The snippet, and where it belongs.
fn render(name: Name, start: &mut Start) -> Result<(String, String), Failed> {
    let needs = if start.token { "; FORGEJO_TOKEN must be set where the client is started" } else { "" };
    Ok(match name {
        Name::ClaudeCode => (
            pretty(&json!({"mcpServers": {"assay": start.server("${FORGEJO_TOKEN}")}})),
            format!("for .mcp.json in the project's folder{needs}"),
        ),
        Name::Cursor => (
            pretty(&json!({"mcpServers": {"assay": start.server("${env:FORGEJO_TOKEN}")}})),
            format!("for .cursor/mcp.json in the project's folder, or ~/.cursor/mcp.json{needs}"),
        ),
        Name::Vscode => {
            let mut server = start.server("${input:token}");
            if let Some(server) = server.as_object_mut() {
                server.insert("type".to_owned(), json!("stdio"));
            }
            let mut whole = json!({"servers": {"assay": server}});
            if let (true, Some(whole)) = (start.token, whole.as_object_mut()) {
                let input =
                    json!({"id": "token", "type": "promptString", "password": true, "description": "Forge token"});
                whole.insert("inputs".to_owned(), json!([input]));
            }
            let asks = if start.token { "; VS Code asks for the token once and keeps it" } else { "" };
            (pretty(&whole), format!("for .vscode/mcp.json in the project's folder{asks}"))
        }
        Name::Codex => (codex(start), format!("for ~/.codex/config.toml{needs}")),
        Name::ClaudeDesktop => {
            let write = start.by_file()?;
            let mut server = start.server("");
            if let Some(server) = server.as_object_mut() {
                // It has not the search path of a shell.
                server.insert("command".to_owned(), json!(own_path()?));
            }
            (
                pretty(&json!({"mcpServers": {"assay": server}})),
                format!("for claude_desktop_config.json (Settings, Developer, Edit Config){write}"),
            )
        }
        Name::Zed => {
            let write = start.by_file()?;
            (
                pretty(&json!({"context_servers": {"assay": start.server("")}})),
                format!("for ~/.config/zed/settings.json{write}"),
            )
        }
    })
}

fn codex(start: &Start) -> String {
    let mut server = toml::Table::new();
    server.insert("command".to_owned(), "assay".into());
    server.insert("args".to_owned(), start.arguments.clone().into());
    if start.token {
        // It hands on the variables that it is told to, with the values they have where it runs.
        server.insert("env_vars".to_owned(), vec!["FORGEJO_TOKEN"].into());
    }
    let environment: toml::Table =
        start.environment.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
    server.insert("env".to_owned(), environment.into());
    let servers: toml::Table = [("assay".to_owned(), server.into())].into_iter().collect();
    let whole: toml::Table = [("mcp_servers".to_owned(), servers.into())].into_iter().collect();
    whole.to_string()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("it has string keys") + "\n"
}

/// Where this program is.
fn own_path() -> Result<String, Failed> {
    let place = std::env::current_exe().map_err(|e| Failed::Fault(e.into()))?;
    text(&place)
}

/// Beside the file of settings.
fn own_token_file() -> Result<PathBuf, Failed> {
    let place = usual_place().map(|file| file.with_file_name("token"));
    place.ok_or_else(|| Failed::Configuration(anyhow!("HOME is not set: name the token's file with --token-file")))
}

fn absolute(path: &Path) -> Result<PathBuf, Failed> {
    std::path::absolute(path).map_err(|e| Failed::Configuration(anyhow!(e).context(format!("{}", path.display()))))
}

fn text(path: &Path) -> Result<String, Failed> {
    let named = path.to_str().map(str::to_owned);
    named.ok_or_else(|| {
        Failed::Configuration(anyhow!("{} is not UTF-8, and no client's configuration can hold it", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Start {
        let environment = [("FORGEJO_URL", "https://forge.example/\"quoted\"".to_owned())];
        let models = FOR_MODELS.map(|(name, value)| (name, value.to_owned()));
        Start {
            arguments: vec!["stdio".into()],
            environment: environment.into_iter().chain(models).collect(),
            token: true,
        }
    }

    /// O-017: every client's snippet is of its own format, tells the model's settings, and names the token.
    #[test]
    fn every_snippet_parses_and_holds_no_token() {
        for (name, root, token) in [
            (Name::ClaudeCode, "mcpServers", "${FORGEJO_TOKEN}"),
            (Name::Cursor, "mcpServers", "${env:FORGEJO_TOKEN}"),
            (Name::Vscode, "servers", "${input:token}"),
            (Name::Zed, "context_servers", "--token-file"),
        ] {
            let (snippet, _) = render(name, &mut start()).expect("it can be told");
            let snippet: Value = serde_json::from_str(&snippet).expect("it is JSON");
            let server = &snippet[root]["assay"];
            assert_eq!((&server["command"], &server["args"][0]), (&json!("assay"), &json!("stdio")), "{name:?}");
            assert_eq!(server["env"]["GATEWAY_DIFF_ENCODING"], "auto", "{name:?}");
            assert_eq!(server["env"]["GATEWAY_RESULT_BYTES"], "32000", "{name:?}");
            assert_eq!(server["env"]["FORGEJO_URL"], "https://forge.example/\"quoted\"", "{name:?}");
            assert!(server.to_string().contains(token), "{name:?}: {server}");
        }
        let (snippet, _) = render(Name::ClaudeDesktop, &mut start()).expect("it can be told");
        let snippet: Value = serde_json::from_str(&snippet).expect("it is JSON");
        let server = &snippet["mcpServers"]["assay"];
        assert!(server["command"].as_str().is_some_and(|command| Path::new(command).is_absolute()), "{server}");
        assert!(server.to_string().contains("--token-file"), "{server}");
        let (snippet, _) = render(Name::Codex, &mut start()).expect("it can be told");
        let snippet: toml::Table = snippet.parse().expect("it is TOML");
        let server = &snippet["mcp_servers"]["assay"];
        assert_eq!(server["env_vars"], vec!["FORGEJO_TOKEN"].into());
        assert_eq!(server["env"]["FORGEJO_URL"].as_str(), Some("https://forge.example/\"quoted\""));
        assert_eq!(server["env"]["GATEWAY_RESULT_BYTES"].as_str(), Some("32000"));
    }

    #[test]
    fn a_local_repository_needs_no_token() {
        for name in Name::value_variants() {
            let mut local = Start { token: false, ..start() };
            let (snippet, place) = render(*name, &mut local).expect("it can be told");
            assert!(
                !snippet.contains("token") && !snippet.contains("TOKEN") && !place.contains("oken"),
                "{snippet}{place}"
            );
        }
    }
}
