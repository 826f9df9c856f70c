//! Who may read what, asked over HTTP.

use assay_local_forge::{Accounts, Config, Error, Grant, LocalForge, PrivateReads, Source, Token, start};

use crate::ground::{Repo, ask, get, get_as, serving};

const REPO: &str = "/api/v1/repos/alice/proj";
const DIFF: &str = "/api/v1/repos/alice/proj/pulls/1.diff?binary=true&evidence=v1";

async fn private(repo: &Repo, accounts: Accounts) -> LocalForge {
    let source = Source { private: true, ..repo.source() };
    start(Config { accounts, ..Config::serving(vec![source]) }).await.expect("the forge starts")
}

fn grant(token: &str, scopes: &[&str], private: PrivateReads) -> Grant {
    let scopes = scopes.iter().map(|scope| scope.parse().expect("a scope")).collect();
    Grant { login: "carol".into(), token: Token::new(token), scopes, private }
}

/// D-003: reading a diff needs `read:repository` and the repository's permission, nothing else.
#[tokio::test]
async fn a_token_with_the_scope_and_the_permission_reads_and_no_other_does() {
    let repo = Repo::small();
    let named = PrivateReads::Named(vec![("Alice".into(), "PROJ".into())]);
    let accounts = Accounts::public()
        .granting(grant("reads", &["read:repository"], named.clone()))
        .granting(grant("writes", &["write:repository"], PrivateReads::All))
        .granting(grant("lacks-scope", &["read:user", "read:issue"], named))
        .granting(grant("lacks-permission", &["all"], PrivateReads::None));
    let forge = private(&repo, accounts).await;
    for (token, status) in [("reads", 200), ("writes", 200), ("lacks-scope", 403), ("lacks-permission", 404)] {
        for target in [REPO, DIFF] {
            assert_eq!(get_as(&forge, token, target).await.status, status, "{token} {target}");
        }
    }
    assert_eq!(get(&forge, DIFF).await.status, 404);
    assert_eq!(get_as(&forge, "lacks-scope", "/api/v1/user").await.json()["login"], "carol");
}

/// D-059: a revoked token is refused at its next request, on public data too.
#[tokio::test]
async fn revoking_works_at_once() {
    let repo = Repo::small();
    let (accounts, token) = Accounts::with_owner();
    let forge = private(&repo, accounts).await;
    assert_eq!(get_as(&forge, &token, DIFF).await.status, 200);
    forge.revoke(&token);
    for target in [DIFF, "/api/v1/version"] {
        let reply = get_as(&forge, &token, target).await;
        assert_eq!(reply.status, 401, "{target}");
        assert!(!reply.text().contains(&*token));
    }
    let log: Vec<_> = forge.requests().into_iter().map(|r| (r.method, r.target, r.status, r.had_credential)).collect();
    let line = |target: &str, status| ("GET".to_owned(), target.to_owned(), status, true);
    assert_eq!(log, [line(DIFF, 200), line(DIFF, 401), line("/api/v1/version", 401)]);
}

#[tokio::test]
async fn a_forge_can_require_everybody_to_sign_in() {
    let repo = Repo::small();
    let (accounts, token) = Accounts::with_owner();
    let config = Config { accounts: accounts.requiring_sign_in(), ..Config::serving(vec![repo.source()]) };
    let forge = start(config).await.expect("the forge starts");
    for target in [REPO, "/api/v1/version", "/api/v1/user"] {
        let reply = get(&forge, target).await;
        assert_eq!(reply.status, 403, "{target}");
        assert_eq!(reply.json(), serde_json::json!({"message": "Only signed in user is allowed to call APIs."}));
        assert_eq!(get_as(&forge, &token, target).await.status, 200, "{target}");
    }
}

#[tokio::test]
async fn only_this_machine_is_served() {
    let repo = Repo::small();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let listen = address.parse().expect("an address");
        let refused = start(Config { listen, ..Config::serving(vec![repo.source()]) }).await;
        assert!(matches!(refused, Err(Error::NotLoopback(_))), "{address}");
    }
    let forge = serving([repo.source()]).await;
    let reply = ask(forge.address(), "GET", REPO, &[]).await;
    assert_eq!(reply.status, 200);
    // A page of a site that made its name point here would send this.
    let mut stream = tokio::net::TcpStream::connect(forge.address()).await.expect("the forge listens");
    let request = format!("GET {REPO} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.expect("the forge reads");
    let mut said = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut said).await.expect("it answers");
    assert!(said.starts_with("HTTP/1.1 421 "), "{said}");
}
