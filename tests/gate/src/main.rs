//! The program against a forge that is really there: `assay-gate mcp` over stdio, `assay-gate remote` over HTTP,
//! `assay-gate all` both against a local forge of its own, merged into one record.
//!
//! A suite is admitted by its variables alone, and only on the loopback (T-060, T-061, T-072). It prints one JSON record and
//! ends with 0 where everything was shown, 1 where something was not, 3 where it was not run (T-070, T-071). What was not run
//! is never told as passed (T-075).

mod admission;
mod checks;
mod ground;
mod talk;

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::{
    admission::{Admission, Suite},
    talk::Talk,
};

#[tokio::main]
async fn main() -> ExitCode {
    // One provider for the process; an Err says that it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let record = match std::env::args().nth(1).as_deref() {
        Some("mcp") => run(Suite::Mcp, &|name| std::env::var(name).ok()).await,
        Some("remote") => run(Suite::Remote, &|name| std::env::var(name).ok()).await,
        Some("all") => all().await,
        _ => {
            eprintln!("usage: assay-gate mcp|remote|all");
            return ExitCode::from(2);
        }
    };
    println!("{record}");
    ExitCode::from(code(&record))
}

fn code(record: &Value) -> u8 {
    match record["result"].as_str() {
        Some("PASS") => 0,
        Some("NOT_RUN") => 3,
        _ => 1,
    }
}

/// One suite's record.
async fn run(suite: Suite, variable: &dyn Fn(&str) -> Option<String>) -> Value {
    let record = |result: &str, more: Value| {
        let mut record = json!({"schema": 1, "suite": suite.name(), "result": result});
        if let (Some(record), Some(more)) = (record.as_object_mut(), more.as_object()) {
            record.extend(more.clone());
        }
        record
    };
    let admitted = match suite.admit(variable) {
        Admission::Missing(missing) => return record("NOT_RUN", json!({"missing": missing})),
        Admission::Refused(why) => return record("FAIL", json!({"refused": why})),
        Admission::Admitted(admitted) => admitted,
    };
    let told = async {
        let mut talk = Talk::start(suite, &admitted).await?;
        checks::all(&mut talk, &admitted).await
    };
    match told.await {
        Ok(shown) => record("PASS", json!({"shown": shown})),
        Err(error) => record("FAIL", json!({"failed": format!("{error:#}")})),
    }
}

/// Both suites on ground of our own, and what comes of them together (T-073, T-074).
async fn all() -> Value {
    let ground = match ground::Ground::make().await {
        Ok(ground) => ground,
        Err(error) => return json!({"schema": 1, "suite": "all", "result": "FAIL", "failed": format!("{error:#}")}),
    };
    let mut results = Vec::new();
    for suite in [Suite::Mcp, Suite::Remote] {
        results.push(run(suite, &|name| ground.variable(name)).await);
    }
    ground.end().await;
    merged(results)
}

fn merged(results: Vec<Value>) -> Value {
    let worst = ["FAIL", "NOT_RUN"].into_iter().find(|bad| results.iter().any(|record| record["result"] == *bad));
    json!({"schema": 1, "suite": "all", "result": worst.unwrap_or("PASS"), "results": results})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-070, T-075: one suite that was not run keeps the whole from passing, and one that failed from being called not run.
    #[test]
    fn what_was_not_run_is_not_passed() {
        let record = |results: &[&str]| merged(results.iter().map(|result| json!({"result": result})).collect());
        for (results, code_of_it) in [(&["PASS", "PASS"][..], 0), (&["PASS", "NOT_RUN"], 3), (&["NOT_RUN", "FAIL"], 1)]
        {
            assert_eq!(code(&record(results)), code_of_it, "{results:?}");
        }
        assert_eq!(code(&json!({})), 1);
    }
}
