//! When the program is asked to stop: an interrupt, or what a terminal or a service supervisor sends.

use std::time::Duration;

/// How long calls under way may take to finish once the program was asked to stop.
pub const GRACE: Duration = Duration::from_secs(10);

/// Resolves at the first SIGINT, SIGTERM or SIGHUP that comes after this call.
///
/// # Panics
/// Where the system refuses to watch for signals, which it does to no ordinary process.
pub async fn requested() {
    let interrupt = async { tokio::signal::ctrl_c().await.expect("signals can be watched") };
    #[cfg(unix)]
    let other = async {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).expect("signals can be watched");
        let mut hang_up = signal(SignalKind::hangup()).expect("signals can be watched");
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    };
    #[cfg(not(unix))]
    let other = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = other => {}
    }
}

/// Resolves when patience is at its end: a while after the first signal, or at a second one.
pub async fn overdue() {
    requested().await;
    tokio::select! {
        () = tokio::time::sleep(GRACE) => {}
        () = requested() => {}
    }
}
