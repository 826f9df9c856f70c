//! Connections to the server, each set up once and then kept.

use std::{fmt::Write as _, time::Duration};

use deadpool_postgres::{Client, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime};
use tokio_postgres::{NoTls, config::SslMode};

use crate::{
    Fault, Options,
    postgres::{fault::fault, tls, url::Place},
};

/// What a session must have whatever the server's own settings are: that a client which vanished loses its locks within
/// a minute, that a commit is on the disk when it is answered, that texts mean what they are.
const SETTINGS: &str = "
    SET client_encoding = 'UTF8';
    SET standard_conforming_strings = on;
    SET tcp_keepalives_idle = 30;
    SET tcp_keepalives_interval = 10;
    SET tcp_keepalives_count = 3;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

/// How long the network may lose what was sent, on our side of it.
const LOST: Duration = Duration::from_secs(60);

/// Connections to a place, none of them made yet.
pub(super) fn pool(place: Place, options: &Options) -> Result<Pool, Fault> {
    let Place { mut config, root } = place;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(options.patience);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(LOST);
    }
    let how = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match config.get_ssl_mode() {
        SslMode::Disable => Manager::from_config(config, NoTls, how),
        _ => Manager::from_config(config, tls::connector(root.as_deref())?, how),
    };
    let mut settings = SETTINGS.to_owned();
    let lock_timeout = options.patience.as_millis().clamp(1, i32::MAX as u128);
    write!(settings, "SET lock_timeout = {lock_timeout};").expect("a String takes everything");
    let set_up = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
        let settings = settings.clone();
        Box::pin(async move { client.batch_execute(&settings).await.map_err(HookError::Backend) })
    });
    Pool::builder(manager)
        .max_size(options.connections.max(1))
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(options.patience))
        // With the connection's own time-out for each address, and an answer that never comes.
        .create_timeout(Some(options.patience * 2))
        .post_create(set_up)
        .build()
        .map_err(|error| Fault::Location(error.to_string()))
}

/// One that is idle, or a new one.
pub(super) async fn client(pool: &Pool) -> Result<Client, Fault> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => fault(error),
        PoolError::Timeout(deadpool_postgres::TimeoutType::Wait) => Fault::Locked,
        PoolError::Timeout(_) => Fault::Unavailable("it does not answer".to_owned()),
        PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => Fault::Aborted,
    })
}
