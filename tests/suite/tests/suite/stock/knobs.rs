//! Forges that differ from the recorded one in what an operator may set or a release may do: what is proven on each.

use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat, Outcome,
    tree::{Tree, file},
};
use assay_local_forge::{Accounts, Flavour, Stock};

use super::{DIFF, Scene, refused};

fn on(repository: &AwkwardRepository, stock: Stock) -> Scene {
    let (accounts, token) = Accounts::with_owner();
    Scene::with(repository, accounts, &token, stock)
}

/// O-010: a blob above the size that the forge shows as an object comes raw, whichever way the forge says that it withholds
/// it, and the diff is proven all the same.
#[test]
fn withheld_blobs_come_raw() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    for flavour in [Flavour::Forgejo, Flavour::Gitea] {
        // Above every tree and commit: those have no raw route.
        let scene = on(&repository, Stock { max_blob_size: 4_096, flavour, ..Stock::default() });
        let (bytes, manifest) = scene.whole(&scene.arguments("everything"));
        assert!(bytes == repository.diff("main", "everything", DiffStyle::FORGE));
        assert_eq!(manifest["level"], "transform", "{flavour:?}: {manifest}");
        let raw = scene.forge.asked().iter().filter(|asked| asked.contains("/raw/")).count();
        assert!(raw > 0, "{flavour:?}: a blob was withheld");
    }
}

/// O-010: where the forge shows no tree as an object, listings of several pages stand in, which the receipt says.
#[test]
fn trees_come_as_listings() {
    let mut base = Tree::new();
    for number in 0..60 {
        base.insert(format!("folder/file {number} \u{e9}.txt").into_bytes(), file(format!("{number}\n")));
    }
    let mut change = base.clone();
    change.insert("folder/file 59 \u{e9}.txt".into(), file("changed\n"));
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::of_trees(format, &base, &[("topic".to_owned(), change.clone())]);
        for flavour in [Flavour::Forgejo, Flavour::Gitea] {
            let stock = Stock { refuse_trees_as_blobs: true, trees_per_page: 25, flavour, ..Stock::default() };
            let scene = on(&repository, stock);
            let (bytes, manifest) = scene.whole(&scene.arguments("topic"));
            assert!(bytes == repository.diff("main", "topic", DiffStyle::FORGE));
            assert_eq!(manifest["level"], "transform", "{flavour:?}: {manifest}");
            assert_eq!(manifest["proof"]["names"], "utf8_only");
            let pages = scene.forge.asked().iter().filter(|asked| asked.contains("git/trees/")).count();
            assert!(pages >= 6, "two folders of 60 entries are three pages each: {pages}");
        }
    }
}

/// O-010: a name that a listing cannot show stops the proof there, and never makes it lie.
#[test]
fn a_listing_does_not_guess_names() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let scene = on(&repository, Stock { refuse_trees_as_blobs: true, ..Stock::default() });
    match scene.call(DIFF, &scene.arguments("everything")) {
        Outcome::Ok(page) => {
            let page: serde_json::Value = serde_json::from_str(&page).expect("JSON");
            assert_eq!(page["whole_diff_verified"], false);
            assert_ne!(page["manifest"]["proof"]["stopped"], serde_json::Value::Null, "{}", page["manifest"]);
        }
        other => panic!("{other:?}"),
    }
}

/// O-010: one wrong byte in what the forge says an object is stops the proof, and is not remembered.
#[test]
fn a_wrong_byte_in_an_object_is_seen() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha256);
    let mut scene = on(&repository, Stock::default());
    let arguments = scene.arguments("everything");
    for object in ["everything", "everything^{tree}", "main^{tree}"] {
        scene.anew();
        scene.forge.control().flip_byte(&repository.oid(object), 3);
        match scene.call(DIFF, &arguments) {
            Outcome::Ok(page) => assert!(!page.contains("\"level\":\"transform\""), "{object}"),
            refusal @ Outcome::Refused { .. } => drop(refused(refusal)),
            fault @ Outcome::Fault(_) => panic!("{object}: {fault:?}"),
        }
        scene.forge.control().heal();
        assert_eq!(scene.page(DIFF, &arguments)["manifest"]["level"], "transform", "{object} is whole again");
    }
}
