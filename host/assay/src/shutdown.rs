//! When the program is asked to stop: an interrupt, or what a service supervisor sends.

/// Resolves at the first SIGINT or SIGTERM.
///
/// # Panics
/// Where the system refuses to watch for signals, which it does to no ordinary process.
pub async fn requested() {
    let interrupt = async { tokio::signal::ctrl_c().await.expect("signals can be watched") };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate()).expect("signals can be watched").recv().await;
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
