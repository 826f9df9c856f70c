//! What can be counted from outside: names, labels of few values, and where they are read.
//!
//! Nothing is kept until a recorder is installed, and no label holds what a caller chose: tools are named as the catalogue
//! names them.

use std::{future::Future, io, time::Duration};

use axum::{
    Router,
    http::{StatusCode, header},
    routing::get,
};
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;

/// Seconds that split calls by how long they took.
const BUCKETS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// How often what is read is brought up to date though nobody reads it, so that it stays bounded.
const UPKEEP: Duration = Duration::from_secs(5);

/// Starts counting.
///
/// # Errors
/// Where something in this process counts already.
pub fn install() -> anyhow::Result<PrometheusHandle> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)?
        .install_recorder()?;
    metrics::describe_counter!("assay_http_requests_total", "Requests to /mcp, by status.");
    metrics::describe_gauge!("assay_http_connections", "Open connections.");
    metrics::describe_counter!("assay_tool_calls_total", "Calls by tool and outcome.");
    metrics::describe_histogram!("assay_tool_call_seconds", "How long calls took, by tool.");
    metrics::describe_gauge!("assay_tool_calls_in_flight", "Calls under way.");
    metrics::describe_counter!("assay_forge_requests_total", "Requests to the forge, by class and result.");
    metrics::describe_counter!("assay_preflights_total", "Tokens asked about, by what the forge said.");
    metrics::describe_counter!(
        "assay_budget_refusals_total",
        "Requests that a caller's budget did not pay for, by class."
    );
    Ok(handle)
}

/// Serves them at `/metrics` until `until` resolves.
///
/// # Errors
/// Where connections can no longer be accepted.
pub async fn serve(
    listener: TcpListener,
    handle: PrometheusHandle,
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let upkeep = handle.clone();
    let keeping = tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            upkeep.run_upkeep();
        }
    });
    let render = move || {
        let text = handle.render();
        async move { (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text) }
    };
    let served =
        axum::serve(listener, Router::new().route("/metrics", get(render))).with_graceful_shutdown(until).await;
    keeping.abort();
    served
}

pub(crate) fn http_answered(status: StatusCode) {
    counter!("assay_http_requests_total", "status" => status.as_str().to_owned()).increment(1);
}

/// A connection, as long as it is held.
pub(crate) fn connection() -> Open {
    Open::new("assay_http_connections")
}

/// A call under way, as long as it is held.
pub(crate) fn call() -> Open {
    Open::new("assay_tool_calls_in_flight")
}

pub(crate) fn call_ended(tool: &str, outcome: &'static str, took: Duration) {
    counter!("assay_tool_calls_total", "tool" => tool.to_owned(), "outcome" => outcome).increment(1);
    histogram!("assay_tool_call_seconds", "tool" => tool.to_owned()).record(took.as_secs_f64());
}

pub(crate) fn forge_asked(class: &'static str, result: &'static str) {
    counter!("assay_forge_requests_total", "class" => class, "result" => result).increment(1);
}

pub(crate) fn preflight(said: &'static str) {
    counter!("assay_preflights_total", "result" => said).increment(1);
}

pub(crate) fn budget_refused(class: &'static str) {
    counter!("assay_budget_refusals_total", "class" => class).increment(1);
}

/// Something that is there as long as this is.
pub(crate) struct Open(&'static str);

impl Open {
    fn new(name: &'static str) -> Self {
        gauge!(name).increment(1.0);
        Self(name)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}
