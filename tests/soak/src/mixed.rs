//! One client: calls of every kind in an order of its own, each held to its reply or given up on purpose.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use assay_local_forge::PullSummary;
use serde_json::{Value, json};
use tokio::time::timeout;

/// No reply may take longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came of it.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) replies: u64,
    pub(crate) given_up: u64,
}

impl Told {
    pub(crate) fn add(&mut self, other: &Self) {
        self.replies += other.replies;
        self.given_up += other.given_up;
    }
}

pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
    pull: Value,
    random: u64,
    id: u64,
}

impl Client {
    pub(crate) fn new(seed: u64, url: String, token: String, pull: &PullSummary) -> Self {
        let pull = json!({"owner": pull.owner, "repo": pull.repo, "index": pull.index});
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { http: reqwest::Client::new(), url, token, pull, random, id: seed << 32 }
    }

    pub(crate) async fn run(mut self, until: Instant) -> Result<Told> {
        let mut told = Told::default();
        while Instant::now() < until {
            match self.next() % 10 {
                0 => self.garbage().await?,
                1 => self.stranger().await?,
                2 | 3 => {
                    self.give_up().await;
                    told.given_up += 1;
                    continue;
                }
                _ => self.call().await?,
            }
            told.replies += 1;
        }
        Ok(told)
    }

    /// One that is answered, by an answer or by a refusal, under its own id.
    async fn call(&mut self) -> Result<()> {
        let body = self.message();
        let id = body["id"].clone();
        let answer =
            timeout(PATIENCE, self.request(&body.to_string(), true).send()).await.context("a lost reply")??;
        ensure!(answer.status() == 200, "HTTP {} to {body}", answer.status());
        let text = timeout(PATIENCE, answer.text()).await.context("a lost reply")??;
        let answer: Value = serde_json::from_str(&text)?;
        ensure!(answer["id"] == id, "{body} is answered as {}", answer["id"]);
        let is_told = answer["result"].is_object() || answer["error"]["code"].is_i64();
        ensure!(is_told && answer["error"]["code"] != -32603, "{body}: {answer}");
        Ok(())
    }

    /// No message at all.
    async fn garbage(&mut self) -> Result<()> {
        let body = ["{", "[[[[", "null", "\u{1}", "[{}]"][(self.next() % 5) as usize];
        let answer = timeout(PATIENCE, self.request(body, true).send()).await.context("a lost reply")??;
        ensure!(answer.status() == 400, "HTTP {} to {body}", answer.status());
        Ok(())
    }

    /// A token that the forge does not know.
    async fn stranger(&mut self) -> Result<()> {
        let body = self.message().to_string();
        let answer = timeout(PATIENCE, self.request(&body, false).send()).await.context("a lost reply")??;
        ensure!(answer.status() == 401, "HTTP {}", answer.status());
        Ok(())
    }

    /// The client goes away, some time or other.
    async fn give_up(&mut self) {
        let soon = Duration::from_micros(self.next() % 20_000);
        let body = self.message().to_string();
        let _ = timeout(soon, async { self.request(&body, true).send().await?.bytes().await }).await;
    }

    fn request(&self, body: &str, known: bool) -> reqwest::RequestBuilder {
        let token = if known { self.token.as_str() } else { "0000000000000000000000000000000000000000" };
        let request = self.http.post(&self.url).bearer_auth(token).header("content-type", "application/json");
        request.body(body.to_owned())
    }

    fn message(&mut self) -> Value {
        self.id += 1;
        let (owner, repo) = (self.pull["owner"].clone(), self.pull["repo"].clone());
        let (name, arguments) = match self.next() % 8 {
            0 => ("get_pull_request", self.pull.clone()),
            1 => ("get_pull_request_diff", self.pull.clone()),
            2 => ("list_pull_request_files", self.pull.clone()),
            3 => ("list_tree", json!({"owner": owner, "repo": repo})),
            4 => ("get_file", json!({"owner": owner, "repo": repo, "path": "no/such/file"})),
            5 => ("get_pull_request", json!({"owner": owner, "repo": repo, "index": 999})),
            6 => ("get_pull_request", json!({"owner": owner, "index": "x"})),
            _ => ("no_such_tool", json!({})),
        };
        let params = json!({"name": name, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": params})
    }

    /// Xorshift: enough to mix.
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}
