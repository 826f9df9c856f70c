//! An MCP client that reads a diff to its end and checks everything it can check.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::{
    RoleClient, ServiceExt as _,
    model::CallToolRequestParams,
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

use crate::{Pull, programs::Forge};

/// The official SDK's client.
pub(crate) struct Reader(RunningService<RoleClient, ()>);

/// A walk to the end.
pub(crate) struct Whole {
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: String,
    pub(crate) windows: usize,
    pub(crate) manifest: Value,
}

impl Reader {
    pub(crate) async fn over_stdio(program: &Path, forge: &Forge) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("stdio").env("FORGEJO_URL", &forge.url).env("FORGEJO_TOKEN", &forge.token);
        Ok(Self(().serve(TokioChildProcess::new(command)?).await?))
    }

    pub(crate) async fn over_http(url: &str, token: &str) -> Result<Self> {
        let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(token);
        Ok(Self(().serve(StreamableHttpClientTransport::from_config(config)).await?))
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.0.cancel().await?;
        Ok(())
    }

    /// The whole diff, held against the manifest's count and hash.
    pub(crate) async fn whole(&self, pull: &Pull) -> Result<Whole> {
        let whole = self.walk(pull.arguments()).await?;
        ensure!(whole.manifest["content"]["bytes"] == whole.bytes.len(), "the count is not the manifest's");
        ensure!(whole.manifest["content"]["sha256"] == whole.sha256.as_str(), "the hash is not the manifest's");
        Ok(whole)
    }

    /// One file's section.
    pub(crate) async fn slice(&self, pull: &Pull, path: &str) -> Result<Whole> {
        let mut arguments = pull.arguments();
        arguments["file_path"] = path.into();
        self.walk(arguments).await
    }

    async fn walk(&self, mut arguments: Value) -> Result<Whole> {
        let (mut bytes, mut windows) = (Vec::new(), 0);
        loop {
            let page = self.page(&arguments).await?;
            let data = STANDARD.decode(page["data"].as_str().context("no data")?)?;
            ensure!(page["byte_offset"] == bytes.len(), "the windows do not join");
            ensure!(page["chunk_sha256"] == sha256(&data).as_str(), "a window's hash is wrong");
            bytes.extend(data);
            windows += 1;
            match page["next_cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = cursor.into(),
                None => {
                    return Ok(Whole { sha256: sha256(&bytes), bytes, windows, manifest: page["manifest"].clone() });
                }
            }
        }
    }

    async fn page(&self, arguments: &Value) -> Result<Value> {
        let Value::Object(arguments) = arguments.clone() else { bail!("arguments are an object") };
        let call = CallToolRequestParams::new("get_pull_request_diff").with_arguments(arguments);
        let result = self.0.call_tool(call).await?;
        let text = serde_json::to_value(&result)?.pointer("/content/0/text").and_then(Value::as_str).map(str::to_owned);
        let text = text.context("the answer has no text")?;
        ensure!(result.is_error != Some(true), "refused: {text}");
        Ok(serde_json::from_str(&text)?)
    }
}

/// SHA-256 in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
