//! One conversation with the program, over the transport of the suite.

use std::process::Stdio;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use crate::admission::{Admitted, Suite};

pub(crate) struct Talk {
    /// It ends with this.
    _child: Child,
    way: Way,
    id: u64,
}

enum Way {
    Lines { input: ChildStdin, output: Lines<BufReader<ChildStdout>> },
    Http { url: String, token: String, client: reqwest::Client },
}

/// What came of a call.
pub(crate) enum Called {
    Answer(Value),
    Refused(String),
}

impl Talk {
    pub(crate) async fn start(suite: Suite, admitted: &Admitted) -> Result<Self> {
        let program = std::env::current_exe()?.with_file_name("assay");
        let mut command = Command::new(&program);
        command.env("FORGEJO_URL", &admitted.url).stdout(Stdio::piped()).kill_on_drop(true);
        match suite {
            Suite::Mcp => command.arg("stdio").stdin(Stdio::piped()).envs(admitted.credential.iter().cloned()),
            Suite::Remote => command.args(["serve", "--listen", "127.0.0.1:0"]),
        };
        let mut child = command.spawn().with_context(|| program.display().to_string())?;
        let mut output = BufReader::new(child.stdout.take().context("piped")?).lines();
        let way = match suite {
            Suite::Mcp => Way::Lines { input: child.stdin.take().context("piped")?, output },
            Suite::Remote => {
                let line = output.next_line().await?.context("it says where it listens")?;
                let url = line.rsplit(' ').next().unwrap_or_default().to_owned();
                let token = admitted.credential.first().context("admitted")?.1.clone();
                Way::Http { url, token, client: reqwest::Client::new() }
            }
        };
        Ok(Self { _child: child, way, id: 0 })
    }

    /// The result of a request.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).to_string();
        let answer = match &mut self.way {
            Way::Lines { input, output } => {
                input.write_all(format!("{message}\n").as_bytes()).await?;
                output.next_line().await?.context("every line is answered by one")?
            }
            Way::Http { url, token, client } => {
                let request = client.post(&*url).bearer_auth(token).header("content-type", "application/json");
                let response = request.body(message).send().await?;
                ensure!(response.status() == 200, "HTTP {}", response.status());
                response.text().await?
            }
        };
        let mut answer: Value = serde_json::from_str(&answer)?;
        ensure!(answer["id"] == self.id, "it answers under another id");
        match answer["result"].take() {
            Value::Null => bail!("{method}: {}", answer["error"]),
            result => Ok(result),
        }
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Called> {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await?;
        let text = result["content"][0]["text"].as_str().context("one text block")?;
        if result["isError"] == true {
            return Ok(Called::Refused(text.to_owned()));
        }
        Ok(Called::Answer(serde_json::from_str(text).context("one JSON object")?))
    }

    /// An answer, or the refusal as an error.
    pub(crate) async fn answer(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        match self.call(tool, arguments).await? {
            Called::Answer(answer) => Ok(answer),
            Called::Refused(why) => bail!("{tool}: {why}"),
        }
    }

    /// Over HTTP: the status of a request with this credential, or with none. Over stdio there is no such thing.
    pub(crate) async fn status_with(&self, authorization: Option<&str>) -> Result<Option<u16>> {
        let Way::Http { url, client, .. } = &self.way else { return Ok(None) };
        let mut request = client.post(url).header("content-type", "application/json").body("{not json");
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        Ok(Some(request.send().await?.status().as_u16()))
    }
}
