//! How the program ends while a submission is under way: it is answered, or nothing of it is there.
//!
//! The submission is held where it waits for its document's lock, which a connection of the test's own has.

use std::net::TcpStream;

use assay_kit::postgres::{Client, Database, Server};
use serde_json::{Value, json};

use super::{Ground, Served, edit};

/// A connection that has the lock of a document.
pub(super) async fn held(database: &Database, id: &Value) -> Client {
    let client = database.client().await;
    let id = id.as_str().expect("an id").to_owned();
    client.batch_execute("BEGIN").await.expect("it begins");
    let locked = client.query("SELECT id FROM cloud_target_files WHERE id = $1 FOR UPDATE", &[&id]).await;
    assert_eq!(locked.expect("it is locked").len(), 1);
    client
}

/// Returns when so many of the program's connections wait for a lock, as the database says.
pub(super) async fn waiting(database: &Database, connections: i64) {
    let query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                 AND application_name = 'assay' AND wait_event_type = 'Lock'";
    let client = database.client().await;
    while client.query_one(query, &[]).await.expect("a row").get::<_, i64>(0) < connections {
        tokio::task::yield_now().await;
    }
}

/// Returns when the program has no connection any more.
async fn gone(database: &Database) {
    let query =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'assay'";
    let client = database.client().await;
    while client.query_one(query, &[]).await.expect("a row").get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
}

/// A submission that waits, and the program that was told to stop and takes nobody in any more.
struct Stopping<'a> {
    served: Served<'a>,
    database: Database,
    holder: Client,
    submitted: tokio::task::JoinHandle<Result<String, reqwest::Error>>,
}

impl<'a> Stopping<'a> {
    fn of(ground: &'a Ground) -> Self {
        let database = ground.runtime.block_on(Server::shared().database());
        let served = ground.start_with(&[("PATCHDIFF_DATABASE_URL", database.url())]);
        let id = served.made(&ground.alice, "alpha")["target_file_id"].clone();
        let call = json!({"name": "patchdiff_submit_edits", "arguments": edit(&id, 1, "alpha", "beta")});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).to_string();
        let request = served.client.post(&served.url).header("content-type", "application/json");
        let request = request.bearer_auth(&*ground.alice).body(body);
        let (holder, submitted) = ground.runtime.block_on(async {
            let holder = held(&database, &id).await;
            let submitted = tokio::spawn(async move { request.send().await?.text().await });
            waiting(&database, 1).await;
            (holder, submitted)
        });
        served.signal("-TERM");
        let address = served.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        while TcpStream::connect(&address).is_ok() {}
        Self { served, database, holder, submitted }
    }

    /// Lets the submission have its lock.
    async fn let_go(&self) {
        self.holder.batch_execute("COMMIT").await.expect("it lets go");
    }

    /// The version of the one document, and how many attempts on it there are.
    async fn stored(&self) -> (i64, i64) {
        let query = "SELECT version, (SELECT count(*) FROM append_only_pdcp_logs) FROM cloud_target_files";
        let row = self.holder.query_one(query, &[]).await.expect("a row");
        (row.get(0), row.get(1))
    }
}

/// X-09, P-160: a program that is told to stop answers the submission that is under way, which is kept, and then has no
/// connection to the database.
#[test]
fn a_submission_under_way_is_answered() {
    let ground = Ground::new();
    let mut stopping = Stopping::of(&ground);
    ground.runtime.block_on(async {
        stopping.let_go().await;
        let answered = (&mut stopping.submitted).await.expect("no panic").expect("it is answered");
        let answer: Value = serde_json::from_str(&answered).expect("JSON");
        assert_eq!(super::page(&answer["result"])["status"], json!("accepted"), "{answer}");
    });
    stopping.served.ended();
    ground.runtime.block_on(async {
        gone(&stopping.database).await;
        assert_eq!(stopping.stored().await, (2, 1));
    });
}

/// X-09, P-022, P-112: told twice, it does not wait, and nothing of the submission is there: neither in the text nor in its
/// history, and its connection has left no lock behind.
#[test]
fn a_submission_that_is_not_waited_for_leaves_nothing() {
    let ground = Ground::new();
    let mut stopping = Stopping::of(&ground);
    stopping.served.signal("-TERM");
    stopping.served.ended();
    ground.runtime.block_on(async {
        // Usually nobody is left to answer it; where somebody is, it says that nothing was done.
        if let Ok(answer) = (&mut stopping.submitted).await.expect("no panic") {
            assert!(!answer.contains("accepted"), "{answer}");
        }
        stopping.let_go().await;
        gone(&stopping.database).await;
        assert_eq!(stopping.stored().await, (1, 0));
        let locked = stopping.holder.query("SELECT id FROM cloud_target_files FOR UPDATE NOWAIT", &[]).await;
        assert_eq!(locked.expect("nobody has it").len(), 1);
    });
}
