//! The redirect matrix, the lists of repositories and writes, against a forge on the loopback that says what a test wants.

use super::*;
use crate::{
    budget::{Budget, Rates},
    loopback::Loopback,
    origin::{Follow, Reach, Repositories, WriteFault},
};

const FREE: Rates = Rates { read: 0, write: 0, window: Duration::from_secs(60) };

fn reach_of(origin: Origin, caller: Caller, rates: Rates) -> Reach {
    Reach::new(Arc::new(origin), Arc::new(Budget::new(rates)), Arc::new(caller))
}

fn reach(server: &Loopback) -> Reach {
    reach_of(origin(server.url()), caller(), FREE)
}

async fn read(reach: &Reach, path: &str, follow: Follow) -> Result<u16, Fault> {
    let segments: Vec<_> = path.split('/').collect();
    let target = reach.origin.target(&segments, &[("page".to_owned(), "2".to_owned())], None)?;
    reach.read(target, follow).await.map(|answer| answer.status())
}

/// Method, path, and whether the credential came along.
fn asked(server: &Loopback) -> Vec<String> {
    let short = |head: &String| {
        let line = head.lines().next().unwrap_or_default();
        let target = line.strip_suffix(" HTTP/1.1").unwrap_or_default().replace("/api/v1/", "");
        let own = head.to_ascii_lowercase().contains("\r\nauthorization: ");
        format!("{target}{}", if own { " +" } else { "" })
    };
    server.heads().iter().map(short).collect()
}

fn moved(location: &str) -> Vec<Step> {
    raw(&format!("HTTP/1.1 301 Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"))
}

/// T-024, G-053, G-054, G-057: after a rename the new place is asked without the credential, and once with it where that is denied. Our
/// own query goes along, not the one that the forge cleaned up.
#[tokio::test]
async fn a_renamed_repository_is_found() {
    for (open, requests) in [
        (true, vec!["GET repos/a/old/pulls/7?page=2 +", "GET repos/a/new/pulls/7?page=2"]),
        (
            false,
            vec![
                "GET repos/a/old/pulls/7?page=2 +",
                "GET repos/a/new/pulls/7?page=2",
                "GET repos/a/new/pulls/7?page=2 +",
            ],
        ),
    ] {
        let server = Loopback::start(move |head| match head {
            old if old.contains("/a/old/") => moved("/api/v1/repos/a/new/pulls/7?page=9"),
            own if open || own.contains("authorization") => answer("200 OK", "{}"),
            _ => answer("404 Not Found", "{}"),
        })
        .await;
        assert_eq!(read(&reach(&server), "repos/a/old/pulls/7", Follow::Renames).await, Ok(200));
        assert_eq!(asked(&server), requests);
    }
}

/// G-053: file reads, diffs and issues, whose port call does not follow, see a redirect as one.
#[tokio::test]
async fn who_does_not_follow_stays() {
    let server = Loopback::start(|_| moved("/api/v1/repos/a/new/pulls/7")).await;
    assert_eq!(read(&reach(&server), "repos/a/old/pulls/7", Follow::Never).await, Err(Fault::Moved(301)));
    let basic = Caller::new(Credential::basic("alice".to_owned(), "pw".to_owned()));
    let basic = reach_of(origin(server.url()), basic, FREE);
    assert_eq!(read(&basic, "repos/a/old/pulls/7", Follow::Renames).await, Err(Fault::Moved(301)));
    assert_eq!(server.heads().len(), 2);
}

/// G-051, G-052, G-053a, K-73, K-74: no other origin is contacted, and nothing but another name is taken.
#[tokio::test]
async fn a_foreign_hop_is_never_made() {
    let foreign = Loopback::start(|_| answer("200 OK", "{\"id\":1}")).await;
    let path = "/api/v1/repos/a/new/pulls/7";
    for location in [
        format!("{}{path}", foreign.url()),
        format!("//127.0.0.1:{}{path}", foreign.port()),
        format!("http://u:p@127.0.0.1:{}{path}", foreign.port()),
        "/api/v1/users/a/tokens".to_owned(),
        "/api/v1/repos/a/new/pulls/8".to_owned(),
        "/alicepi/v1/repos/a/old/pulls/7".to_owned(),
    ] {
        let server = Loopback::start(move |_| moved(&location)).await;
        assert_eq!(read(&reach(&server), "repos/a/old/pulls/7", Follow::Renames).await, Err(Fault::Moved(301)));
        assert_eq!(server.heads().len(), 1);
    }
    assert_eq!(foreign.connections(), 0);
}

/// T-024, G-055, G-056: a chain is bounded, and one that comes back is refused.
#[tokio::test]
async fn a_chain_ends() {
    let server = Loopback::start(|head| {
        let hop: u32 = head.split("/r").nth(2).and_then(|rest| rest.split('/').next()?.parse().ok()).unwrap_or(0);
        moved(&format!("/api/v1/repos/a/r{}/pulls/7", hop + 1))
    })
    .await;
    assert_eq!(read(&reach(&server), "repos/a/r0/pulls/7", Follow::Renames).await, Err(Fault::Moved(301)));
    assert_eq!(server.heads().len(), 6, "the first and five hops");
    let server = Loopback::start(|head| {
        let other = if head.contains("/a/one/") { "two" } else { "one" };
        moved(&format!("/api/v1/repos/a/{other}/pulls/7"))
    })
    .await;
    assert_eq!(read(&reach(&server), "repos/a/one/pulls/7", Follow::Renames).await, Err(Fault::Moved(301)));
    assert_eq!(asked(&server).len(), 2);
}

/// G-061: each hop spends a unit, and the one that is not paid for is not made.
#[tokio::test]
async fn every_hop_is_counted() {
    let server = Loopback::start(|head| match head {
        old if old.contains("/a/old/") => moved("/api/v1/repos/a/new/pulls/7"),
        _ => answer("404 Not Found", "{}"),
    })
    .await;
    let two = reach_of(origin(server.url()), caller(), Rates { read: 2, write: 0, window: Duration::from_secs(3_600) });
    let refused = read(&two, "repos/a/old/pulls/7", Follow::Renames).await;
    assert!(matches!(refused, Err(Fault::Budget(_))), "{refused:?}");
    assert_eq!(server.heads().len(), 2);
}

fn listed(names: &[&str]) -> Repositories {
    Repositories::only(names.iter().map(|name| name.parse().expect("a name"))).expect("a short list")
}

/// A forge where `a/x` and its new name `a/y` are number 7, `a/z` is 8, and `b/hidden` is nobody's business.
async fn forge() -> Loopback {
    Loopback::start(|head| {
        let path = head.split(' ').nth(1).unwrap_or_default().to_ascii_lowercase();
        let name = path.trim_start_matches("/api/v1/repos/").split(['?', '/']).take(2).collect::<Vec<_>>().join("/");
        match name.as_str() {
            "a/x" | "a/y" => answer("200 OK", "{\"id\":7}"),
            "a/z" => answer("200 OK", "{\"id\":8}"),
            _ => answer("404 Not Found", "{}"),
        }
    })
    .await
}

/// G-085: a repository is let through by its number, whatever its name's case, and everything else is closed.
#[tokio::test]
async fn a_list_is_kept_by_number() {
    let server = forge().await;
    let reach = reach_of(origin(server.url()).within(listed(&["A/x"])), caller(), FREE);
    for open in ["repos/a/x/pulls/7", "repos/A/X", "repos/a/y/pulls/7"] {
        assert_eq!(read(&reach, open, Follow::Never).await, Ok(200), "{open}");
    }
    for closed in ["repos/a/z", "repos/b/hidden", "user/repos", "repos/search", "repositories/7", "user"] {
        let refused = read(&reach, closed, Follow::Never).await;
        assert!(matches!(refused, Err(Fault::Denied(_))), "{closed}: {refused:?}");
    }
    assert!(!asked(&server).iter().any(|target| target.contains("a/z?page") || target.contains("user")));
    assert_eq!(reach.shows(&[7, 8, 9]).await, Ok(vec![true, false, false]));
}

/// G-085: what takes a listed name later is another repository.
#[tokio::test]
async fn a_name_keeps_its_number() {
    let taken = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&taken);
    let server = Loopback::start(move |_| {
        answer("200 OK", if flag.load(Ordering::SeqCst) { "{\"id\":9}" } else { "{\"id\":7}" })
    })
    .await;
    let origin = Arc::new(origin(server.url()).within(listed(&["a/x"])));
    let budget = Arc::new(Budget::new(FREE));
    let call = || Reach::new(Arc::clone(&origin), Arc::clone(&budget), Arc::new(caller()));
    assert_eq!(read(&call(), "repos/a/x", Follow::Never).await, Ok(200));
    taken.store(true, Ordering::SeqCst);
    assert!(matches!(read(&call(), "repos/a/x", Follow::Never).await, Err(Fault::Denied(_))));
}

/// G-053a, G-085: the list is asked again where a redirect leads.
#[tokio::test]
async fn a_rename_does_not_leave_the_list() {
    let server = Loopback::start(|head| match head.split(' ').nth(1).unwrap_or_default() {
        "/api/v1/repos/a/x" => answer("200 OK", "{\"id\":7}"),
        path if path.starts_with("/api/v1/repos/a/x/") => moved("/api/v1/repos/a/z/pulls/7"),
        _ => answer("200 OK", "{\"id\":8}"),
    })
    .await;
    let reach = reach_of(origin(server.url()).within(listed(&["a/x"])), caller(), FREE);
    assert!(matches!(read(&reach, "repos/a/x/pulls/7", Follow::Renames).await, Err(Fault::Denied(_))));
    assert!(!asked(&server).iter().any(|target| target.contains("a/z/pulls")));
}

/// G-085: a session's own list holds beside the operator's.
#[tokio::test]
async fn both_lists_count() {
    let server = forge().await;
    let own = caller().within(listed(&["a/z"]));
    let reach = reach_of(origin(server.url()).within(listed(&["a/x", "a/z"])), own, FREE);
    assert_eq!(read(&reach, "repos/a/z", Follow::Never).await, Ok(200));
    assert!(matches!(read(&reach, "repos/a/x", Follow::Never).await, Err(Fault::Denied(_))));
    assert_eq!(reach.shows(&[7, 8]).await, Ok(vec![false, true]));
}

/// G-086: the credential areas are closed to every tool, in any case and however spelled.
#[tokio::test]
async fn credential_areas_are_closed() {
    let server = forge().await;
    let reach = reach(&server);
    for closed in ["admin/users", "ADMIN", "users/a/tokens", "user/keys/1", "repos/a/x/HOOKS", "repos/a/x/push_mirrors"]
    {
        for follow in [Follow::Never, Follow::Renames] {
            let refused = read(&reach, closed, follow).await;
            assert!(matches!(refused, Err(Fault::Denied(_))), "{closed}: {refused:?}");
        }
        assert!(matches!(write(&reach, closed).await, Err(WriteFault::Unsent(Fault::Denied(_)))), "{closed}");
    }
    assert_eq!(server.connections(), 0);
}

async fn write(reach: &Reach, path: &str) -> Result<u16, WriteFault> {
    let segments: Vec<_> = path.split('/').collect();
    let target = reach.origin.target(&segments, &[], None).map_err(WriteFault::Unsent)?;
    reach.write(Method::POST, target, b"{}".to_vec()).await.map(|answer| answer.status())
}

/// G-053, G-061, G-063, G-160: a write is sent once, spends a unit of its own class, and follows nothing.
#[tokio::test]
async fn a_write_is_sent_once() {
    let path = "repos/a/x/issues";
    let server = Loopback::start(|_| answer("201 Created", "{}")).await;
    let rates = Rates { read: 1, write: 1, window: Duration::from_secs(3_600) };
    let one = reach_of(origin(server.url()), caller(), rates);
    assert_eq!(write(&one, path).await, Ok(201));
    assert!(matches!(write(&one, path).await, Err(WriteFault::Unsent(Fault::Budget(_)))));
    assert_eq!(read(&one, "repos/a/x", Follow::Never).await, Ok(201), "reads have a budget of their own");
    let head = server.heads().remove(0);
    assert!(head.starts_with("POST /api/v1/repos/a/x/issues HTTP/1.1\r\n"), "{head}");
    for field in ["content-type: application/json", "content-length: 2", &format!("authorization: Bearer {TOKEN}")] {
        assert!(head.contains(&format!("\r\n{field}\r\n")), "{field}: {head}");
    }
    for location in ["/api/v1/repos/a/y/issues", "http://127.0.0.1:1/api/v1/repos/a/x/issues"] {
        let server = Loopback::start(move |_| moved(location)).await;
        assert_eq!(write(&reach(&server), path).await, Err(WriteFault::Moved(301)));
        assert_eq!(server.heads().len(), 1);
    }
}

/// G-160: what is known of a write that got no answer.
#[tokio::test]
async fn an_unanswered_write_is_uncertain() {
    let server = Loopback::start(|_| raw("")).await;
    let cut = write(&reach(&server), "repos/a/x/issues").await;
    assert_eq!(cut, Err(WriteFault::Uncertain("the connection ended before an answer came".to_owned())));
    assert_eq!(server.heads().len(), 1, "it is not sent again");
    let silent = Loopback::start(|_| vec![Step::Until(Arc::new(Notify::new()))]).await;
    let short = Duration::from_millis(100);
    let impatient = OriginConfig { read_timeout: short, connect_timeout: short, ..config(silent.url()) };
    let impatient = reach_of(Origin::new(impatient).expect("sound"), caller(), FREE);
    assert!(matches!(write(&impatient, "repos/a/x/issues").await, Err(WriteFault::Uncertain(_))));
    let unused = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("bound").port();
    let nobody = reach_of(origin(format!("http://127.0.0.1:{unused}")), caller(), FREE);
    assert!(matches!(write(&nobody, "repos/a/x/issues").await, Err(WriteFault::Unsent(Fault::Transport(_)))));
}
