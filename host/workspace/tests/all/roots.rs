//! The root: what can be one, what identifies it, and what happens when another takes its place.

use std::{fs, os::unix::fs::symlink};

use assay_workspace::{Fault, Refusal, Workspace};

use crate::ground::{BOUND, Ground, path, refused, save, save_while};

/// P-005, PG-03: what is no folder that can be worked in does not open, and the sentence says what to do.
#[test]
fn only_a_folder_opens() {
    let ground = Ground::new();
    let file = ground.put("file", "");
    symlink("nothing", ground.at("dangling")).expect("it links");
    for (root, name) in [
        (ground.at("none"), "workspace_missing"),
        (ground.at("dangling"), "workspace_missing"),
        (file.clone(), "workspace_not_a_directory"),
        (file.join("deeper"), "workspace_not_a_directory"),
    ] {
        let fault = Workspace::open(&root).expect_err("it is no folder");
        assert_eq!(fault.name(), name, "{}: {fault}", root.display());
        assert!(fault.to_string().contains("configure"), "{fault}");
    }
    assert!(matches!(Workspace::open(&file), Err(Fault::NotADirectory(_))));
}

/// P-156, PG-03: the identity is the folder's, whatever path led to it, and another folder's is another.
#[test]
fn a_root_is_known_again() {
    let ground = Ground::new();
    symlink(ground.root(), ground.outside().join("alias")).expect("it links");
    let identity = ground.open().identity();
    for same in
        [ground.root(), ground.root().join("."), ground.outside().join("../root"), ground.outside().join("alias")]
    {
        let workspace = Workspace::open(&same).expect("it opens");
        assert_eq!(workspace.identity(), identity, "{}", same.display());
        assert_eq!(workspace.root(), ground.root().canonicalize().expect("it is there"));
        workspace.check_binding(&identity).expect("it is the same");
    }
    let other = Workspace::open(&ground.outside()).expect("it opens");
    assert_ne!(other.identity(), identity);
    let refusal = other.check_binding(&identity).expect_err("it is another");
    assert_eq!(refusal.name(), "workspace_binding_mismatch");
    assert!(refusal.to_string().contains(&identity.to_string()), "{refusal}");

    // Its path is part of it.
    fs::rename(ground.root(), ground.folder().join("moved")).expect("it moves");
    assert_ne!(Workspace::open(&ground.folder().join("moved")).expect("it opens").identity(), identity);
}

/// P-156, PG-03: an operation after the root was replaced, moved or removed is refused and touches neither folder.
#[test]
fn a_replaced_root_is_noticed() {
    let ground = Ground::new();
    ground.put("file", "old");
    let moved = ground.folder().join("moved");
    for workspace in ground.walks() {
        fs::rename(ground.root(), &moved).expect("it moves");
        let gone = refused(&workspace, "file");
        assert!(matches!(gone, Refusal::BindingMismatch { found: None, .. }), "{gone}");

        symlink(&moved, ground.root()).expect("it links");
        let linked = refused(&workspace, "file");
        assert!(matches!(linked, Refusal::BindingMismatch { found: Some(_), .. }), "{linked}");
        fs::remove_file(ground.root()).expect("it is removed");

        ground.put("file", "old");
        let replaced = refused(&workspace, "file");
        assert_eq!(replaced.name(), "workspace_binding_mismatch", "{replaced}");
        let failed = save(&workspace, "file", "old", "new").expect_err("it is another folder");
        assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_binding_mismatch", "untouched"));
        assert_eq!(ground.get("file"), b"old");
        fs::remove_dir_all(ground.root()).expect("it is removed");

        fs::rename(&moved, ground.root()).expect("it moves back");
        assert_eq!(workspace.read(&path("file"), BOUND).expect("it is itself again").bytes, b"old");
    }
}

/// P-156: the same during SAVE, up to the last look.
#[test]
fn a_root_that_is_replaced_during_save_is_noticed() {
    let ground = Ground::new();
    ground.put("dir/file", "old");
    for workspace in ground.walks() {
        let moved = ground.folder().join("moved");
        let swap = || {
            fs::rename(ground.root(), &moved).expect("it moves");
            ground.put("dir/file", "old");
        };
        let failed =
            save_while(&workspace, "dir/file", "old", "new", assay_workspace::Step::Recheck, swap).expect_err("no");
        assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_binding_mismatch", "untouched"));
        assert_eq!(ground.get("dir/file"), b"old");
        assert!(ground.own_files("dir").is_empty());
        fs::remove_dir_all(ground.root()).expect("it is removed");
        fs::rename(&moved, ground.root()).expect("it moves back");
        assert_eq!(ground.get("dir/file"), b"old");
        assert!(ground.own_files("dir").is_empty());
    }
}
