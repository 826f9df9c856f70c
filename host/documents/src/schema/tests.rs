//! Steps in their order, over schemas that are made up for it.

use assay_kit::postgres::Server;

use super::*;
use crate::{
    Options,
    open::prepare,
    schema::{Intent, Prepared},
};

const fn step(revision: &'static str, text: &'static str) -> Step {
    Step { revision, refuses_when: &[], sqlite: text, postgres: text }
}

const FIRST: Step = step("20260101_0001", "CREATE TABLE cloud_target_files (id TEXT)");
const SECOND: Step = step("20260202_0002", "ALTER TABLE cloud_target_files ADD COLUMN origin TEXT DEFAULT 'old'");
const THIRD: Step = Step {
    refuses_when: &[("SELECT 1 FROM cloud_target_files WHERE origin <> 'typed'", "a document is not typed")],
    ..step("20260303_0003", "CREATE TABLE third (id TEXT)")
};
const BROKEN: Step = step("20260404_0004", "CREATE TABLE fourth (id TEXT); CREATE TABLE third (id TEXT)");

const ONE: &[Step] = &[FIRST];
const TWO: &[Step] = &[FIRST, SECOND];
const THREE: &[Step] = &[FIRST, SECOND, THIRD];
const ALTERED: &[Step] = &[FIRST, step("20260202_0002", "SELECT 1")];
const FOUR: &[Step] = &[FIRST, SECOND, THIRD, BROKEN];

fn done(steps: usize) -> Vec<Recorded> {
    let recorded = |step: &Step| Recorded { revision: step.revision.to_owned(), sha256: step.sha256(Dialect::Sqlite) };
    THREE[..steps].iter().map(recorded).collect()
}

/// a database stands where its steps are the first of the program's, and nowhere else.
#[test]
fn a_database_is_placed_by_its_steps() {
    let place = |recorded: Option<&[Recorded]>, has| standing(recorded, has, TWO, Dialect::Sqlite);
    assert_eq!(place(None, false), Ok(Standing::Absent));
    assert!(matches!(place(None, true), Err(Fault::ForeignSchema(_))));
    assert_eq!(place(Some(&[]), true), Ok(Standing::Behind { found: None, done: 0 }));
    let behind = Standing::Behind { found: Some("20260101_0001".to_owned()), done: 1 };
    assert_eq!(place(Some(&done(1)), true), Ok(behind));
    assert_eq!(place(Some(&done(2)), true), Ok(Standing::Current));
    let newer = Fault::NewerSchema { found: "20260303_0003".to_owned(), head: "20260202_0002" };
    assert_eq!(place(Some(&done(3)), true), Err(newer));
    let mut turned = done(2);
    turned.reverse();
    assert!(matches!(place(Some(&turned), true), Err(Fault::ForeignSchema(_))));
    let other_text = standing(Some(&done(2)), true, ALTERED, Dialect::Sqlite);
    assert!(matches!(other_text, Err(Fault::ForeignSchema(_))));
}

/// the one step there is has its name, in two texts with a digest each.
#[test]
fn there_is_one_step() {
    let [step] = STEPS else { panic!("a later step needs tests of its own") };
    assert_eq!((step.revision, head(STEPS)), ("20261105_0006", "20261105_0006"));
    assert_ne!(step.sha256(Dialect::Sqlite), step.sha256(Dialect::Postgres));
}

/// P-153, X-10, X-11: an older database is refused until it is migrated, then goes through what is missing in order; a
/// step that refuses or fails leaves all as it was.
#[tokio::test]
async fn missing_steps_are_gone_through_in_order() {
    let folder = tempfile::tempdir().expect("room");
    let file = folder.path().join("documents.db").to_str().expect("a plain name").to_owned();
    for location in [file, Server::shared().database().await.url()] {
        let go = async |steps: &'static [Step], intent| {
            prepare(&location, Options::default(), steps, intent).await.map(|(_, prepared)| prepared)
        };
        let prepared = |from: Option<&str>, applied: &[&'static str]| {
            Ok(Prepared { from: from.map(str::to_owned), applied: applied.to_vec() })
        };
        assert_eq!(go(ONE, Intent::Use).await, prepared(None, &["20260101_0001"]));
        let older = Fault::OlderSchema { found: Some("20260101_0001".to_owned()), head: "20260202_0002" };
        assert_eq!(go(TWO, Intent::Use).await, Err(older));
        assert_eq!(go(TWO, Intent::Migrate).await, prepared(Some("20260101_0001"), &["20260202_0002"]));
        assert_eq!(go(TWO, Intent::Use).await, prepared(Some("20260202_0002"), &[]));
        let newer = Fault::NewerSchema { found: "20260202_0002".to_owned(), head: "20260101_0001" };
        assert_eq!(go(ONE, Intent::Migrate).await, Err(newer));

        put(&location, "INSERT INTO cloud_target_files (id) VALUES ('a')").await;
        let refusal = Fault::MigrationRefused { revision: "20260303_0003", why: "a document is not typed" };
        assert_eq!(go(THREE, Intent::Migrate).await, Err(refusal));
        assert_eq!(go(TWO, Intent::Use).await, prepared(Some("20260202_0002"), &[]), "nothing was changed");
        put(&location, "UPDATE cloud_target_files SET origin = 'typed'").await;
        go(FOUR, Intent::Migrate).await.expect_err("the last step fails");
        assert_eq!(go(TWO, Intent::Use).await, prepared(Some("20260202_0002"), &[]), "all or nothing");
        assert_eq!(go(THREE, Intent::Migrate).await, prepared(Some("20260202_0002"), &["20260303_0003"]));
    }
}

/// Runs a statement round the store.
async fn put(location: &str, statement: &str) {
    if location.starts_with("postgres") {
        let (client, connection) = tokio_postgres::connect(location, tokio_postgres::NoTls).await.expect("it is there");
        drop(tokio::spawn(connection));
        client.batch_execute(statement).await.expect("it is taken");
    } else {
        rusqlite::Connection::open(location).expect("it is there").execute_batch(statement).expect("it is taken");
    }
}
