//! What can be wrong with a file.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use assay_documents::{Fault, open};

use crate::ground::{Place, accepted, created, step};

async fn refused(place: &Place) -> Fault {
    open(&place.location()).await.map(drop).expect_err("it is refused")
}

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// the file is made with its folder on first use, both for this user alone, and so are SQLite's files beside it.
#[tokio::test]
async fn a_new_file_is_for_its_user_alone() {
    let place = Place::sqlite();
    let file = place.file();
    let store = place.open().await;
    created(&store, "x").await;
    assert_eq!(mode(file.parent().expect("a folder")), 0o700);
    for end in ["", "-wal", "-shm"] {
        let name = format!("{}{end}", file.display());
        assert_eq!(mode(name.as_ref()), 0o600, "{name}");
    }
    let setting = |name: &str| place.sqlite_connection().query_row(&format!("PRAGMA {name}"), [], |row| row.get(0));
    assert_eq!(setting("journal_mode"), Ok("wal".to_owned()));
}

/// What is there is not changed: an empty file and a folder with modes of their own, and a link to a file elsewhere.
#[tokio::test]
async fn what_is_there_stays_as_it_is() {
    let place = Place::sqlite();
    let real = place.folder().join("real.db");
    fs::write(&real, "").expect("room");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("it is ours");
    fs::create_dir(place.file().parent().expect("a folder")).expect("room");
    fs::set_permissions(place.file().parent().expect("a folder"), fs::Permissions::from_mode(0o750)).expect("ours");
    symlink(&real, place.file()).expect("room");
    let store = place.open().await;
    created(&store, "x").await;
    assert_eq!(mode(&real), 0o640);
    assert_eq!(mode(place.file().parent().expect("a folder")), 0o750);
}

/// P-112: whatever else is in the place, it is refused by name and left as it was.
#[tokio::test]
async fn another_thing_in_the_place_is_refused() {
    let place = Place::sqlite();
    fs::create_dir_all(place.file()).expect("room");
    assert!(matches!(refused(&place).await, Fault::Location(_)), "a folder");
    fs::remove_dir(place.file()).expect("it is empty");

    for garbage in [
        &b"no database at all, but longer than a header of SQLite would be, which has one hundred bytes, yes"[..],
        &[0xff; 9_000],
    ] {
        fs::write(place.file(), garbage).expect("room");
        assert_eq!(refused(&place).await, Fault::NotADatabase);
        assert_eq!(fs::read(place.file()).expect("it is there"), garbage);
    }
    fs::remove_file(place.file()).expect("it is there");

    place.sqlite_connection().execute_batch("CREATE TABLE somebody (elses)").expect("created");
    let before = fs::read(place.file()).expect("it is there");
    assert!(matches!(refused(&place).await, Fault::ForeignSchema(_)));
    assert_eq!(fs::read(place.file()).expect("it is there"), before, "not even its mode was changed");

    let blocked = place.folder().join("plain");
    fs::write(&blocked, "x").expect("room");
    let under = blocked.join("documents.db");
    let fault = open(under.to_str().expect("plain")).await.map(drop).expect_err("a file is no folder");
    assert!(matches!(fault, Fault::Unavailable(_)), "{fault}");
}

/// P-112: a file that cannot be written can be read, and writing says why it cannot. The number in its header that says
/// so binds even root.
#[tokio::test]
async fn a_read_only_file_can_be_read() {
    let place = Place::sqlite();
    let id = created(&place.open().await, "x").await;
    let mut file = fs::read(place.file()).expect("it is there");
    assert_eq!(file[18], 2, "the version that may write it");
    file[18] = 3;
    fs::write(place.file(), file).expect("room");
    let store = place.open().await;
    let mut view = store.view().await.expect("begun");
    assert_eq!(view.head("", &id).await.expect("read").map(|head| head.version), Some(1));
    assert_eq!(store.begin().await.map(drop), Err(Fault::ReadOnly));
    assert_eq!(step(&store, &id, 1).await, Err(Fault::ReadOnly));
}

/// P-112: a damaged file is told as one.
#[tokio::test]
async fn a_damaged_file_is_told() {
    let place = Place::sqlite();
    let id = created(&place.open().await, &"x".repeat(100_000)).await;
    let mut file = fs::read(place.file()).expect("it is there");
    // All but the header and the schema.
    let page = 4_096;
    let tables = file.len() / page / 2;
    file[page * tables..].fill(0xa5);
    fs::write(place.file(), file).expect("room");
    let fault = match open(&place.location()).await {
        Ok(store) => {
            let mut view = store.view().await.expect("begun");
            view.target("", &id).await.expect_err("it is damaged")
        }
        Err(fault) => fault,
    };
    assert!(matches!(fault, Fault::Damaged(_)), "{fault:?}");
}

/// P-112, P-010: a file that is taken away while it is open is not written to any more, though the system would let it be;
/// back in its place it serves, and so does a copy of it.
#[tokio::test]
async fn a_file_that_is_taken_away_is_told() {
    let place = Place::sqlite();
    let store = place.open().await;
    let id = created(&store, "x").await;
    let away = place.folder().join("away.db");
    let mut transaction = store.begin().await.expect("begun");
    let target = transaction.lock("", &id).await.expect("read").expect("there");
    let (attempt, state) = accepted(&target, "y");
    transaction.append(attempt, Vec::new(), Some(state)).await.expect("appended");
    fs::rename(place.file(), &away).expect("it is ours");
    let fault = transaction.commit().await.expect_err("it would be lost");
    assert!(matches!(fault, Fault::Unavailable(_)), "{fault:?}");
    for fault in [store.begin().await.map(drop), store.view().await.map(drop)] {
        assert!(matches!(fault, Err(Fault::Unavailable(_))), "{fault:?}");
    }
    fs::rename(&away, place.file()).expect("it is ours");
    assert_eq!(step(&store, &id, 1).await, Ok(2));
    place.run(&format!("VACUUM INTO '{}'", away.display())).await.expect("copied");
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", place.file().display())).expect("it is there");
    }
    fs::rename(&away, place.file()).expect("it is ours");
    assert_eq!(step(&store, &id, 1).await, Ok(3));
}
