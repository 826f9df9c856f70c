//! Permissions: those of the file before, at no moment more.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use assay_workspace::Workspace;

use crate::{
    child,
    ground::{Ends, Ground, expecting, own_files, path, save},
};

const MODES: [u32; 9] = [0o750, 0o600, 0o644, 0o640, 0o700, 0o666, 0o777, 0o606, 0o2750];

/// E-19, X-02: the mode is kept, whatever the process's mask is.
#[test]
fn the_mode_is_kept() {
    let ground = Ground::new();
    let workspace = ground.open();
    for mode in MODES {
        let file = ground.put("file", "old");
        fs::set_permissions(&file, Permissions::from_mode(mode)).expect("its mode is set");
        let published = save(&workspace, "file", "old", "new").expect("it is published");
        assert_eq!((ground.mode("file"), published.mode), (mode, mode), "{mode:o}");
        fs::remove_file(file).expect("it is removed");
    }
}

/// E-19: neither the staged file nor the file itself is ever wider than the file before, even where the process masks
/// nothing.
#[test]
fn no_file_is_wider_at_any_moment() {
    for mask in ["000", "077"] {
        let ground = Ground::new();
        child::succeed("watch", ground.root(), "", Some(&format!("umask {mask}; exec \"$@\"")));
    }
}

/// The job for that: looks at every step, and all the time between them.
pub(crate) fn watch(root: &Path) {
    let workspace = Workspace::open(root).expect("it opens");
    let file = root.join("file");
    for mode in MODES {
        fs::write(&file, "old").expect("it writes");
        fs::set_permissions(&file, Permissions::from_mode(mode)).expect("its mode is set");
        let look_at = |at: &Path| {
            // It may be gone by now.
            if let Ok(found) = fs::symlink_metadata(at) {
                let found = found.mode() & 0o7777;
                assert_eq!(found & !mode, 0, "{} is {found:o}, and the file was {mode:o}", at.display());
            }
        };
        let staged = Mutex::new(None);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let watching = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let at: Option<PathBuf> = staged.lock().expect("nobody fails with it").clone();
                    for _ in 0..20 {
                        at.as_deref().map_or_else(|| look_at(&file), look_at);
                    }
                }
            });
            let ends = Ends(&done);
            for (old, new) in
                (0..20).map(|number| (if number == 0 { "old".into() } else { number.to_string() }, number + 1))
            {
                let saved = workspace.publish(&path("file"), &expecting(old), new.to_string().as_bytes(), &mut |_| {
                    let beside = own_files(root).first().map(|name| root.join(name));
                    beside.iter().chain([&file]).for_each(|at| look_at(at));
                    *staged.lock().expect("nobody fails with it") = beside;
                    Ok(())
                });
                saved.expect("it is published");
            }
            drop(ends);
            watching.join().expect("nothing was wider");
        });
        assert_eq!(fs::metadata(&file).expect("it is there").mode() & 0o7777, mode);
        fs::remove_file(&file).expect("it is removed");
    }
}

/// E-19: an access list is part of who may do what: the file's own is kept, and one that a directory gives new files is not
/// taken on.
#[cfg(target_os = "linux")]
#[test]
fn access_lists_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    /// User 65533 may do this, and everyone else what the mode says.
    fn list(user: u16, mode: u32) -> Vec<u8> {
        let digit = |at: u32| u16::try_from(mode >> at & 7).expect("three bits");
        let none = u32::MAX;
        let entries = [(1, digit(6), none), (2, user, 65533), (4, digit(3), none), (16, 7, none), (32, digit(0), none)];
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            bytes.extend(u16::to_le_bytes(tag));
            bytes.extend(rights.to_le_bytes());
            bytes.extend(u32::to_le_bytes(id));
        }
        bytes
    }
    fn of(file: &Path, name: &str) -> Option<Vec<u8>> {
        let mut value = vec![0; 1024];
        let length = getxattr(file, name, value.as_mut_slice()).ok()?;
        value.truncate(length);
        Some(value)
    }
    const ACCESS: &str = "system.posix_acl_access";

    let ground = Ground::new();
    let workspace = ground.open();
    let (plain, listed) = (ground.put("dir/plain", "old"), ground.put("dir/listed", "old"));
    fs::set_permissions(&plain, Permissions::from_mode(0o640)).expect("its mode is set");
    let given = setxattr(&listed, ACCESS, &list(4, 0o640), XattrFlags::empty())
        .and_then(|()| setxattr(&listed, "user.note", b"keep me", XattrFlags::empty()))
        .and_then(|()| setxattr(ground.at("dir"), "system.posix_acl_default", &list(6, 0o666), XattrFlags::empty()));
    if given.is_err() {
        return; // A file system without such lists has none to keep.
    }
    let (mode, kept) = (ground.mode("dir/listed"), of(&listed, ACCESS));
    assert!(kept.is_some());
    for name in ["dir/plain", "dir/listed"] {
        save(&workspace, name, "old", "new").expect("it is published");
    }
    assert_eq!((ground.mode("dir/plain"), of(&plain, ACCESS)), (0o640, None));
    assert_eq!((ground.mode("dir/listed"), of(&listed, ACCESS)), (mode, kept));
    assert_eq!(of(&listed, "user.note").as_deref(), Some(b"keep me".as_slice()));
}
