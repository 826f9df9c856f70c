//! Who may do what with a replaced file: the same as before, at no moment more (E-19).
//!
//! The order matters. The owner comes first, since the rest is said in terms of him; then what refines the mode; then the
//! mode itself. Where something cannot be kept and others could then do more than before, nothing is published.

use std::{fs, os::unix::fs::PermissionsExt as _};

use rustix::fs::{Access, AtFlags, Gid, Uid, accessat, fchown};

use super::{Facts, Leaf, Refusal, RelativePath, Unsupported};

const KEEP: &str = "keep the owner, attributes and mode of";

/// Whether this process may write to the file. The rename would not ask: it needs the directory's consent alone.
pub(super) fn check_writable(directory: &fs::File, path: &RelativePath) -> Result<(), Refusal> {
    accessat(directory, path.name(), Access::WRITE_OK, AtFlags::EACCESS)
        .map_err(|errno| Refusal::of_work(path, "write to", errno))
}

/// Gives the staged file what the old one has, and says whether that includes its owner and group.
pub(super) fn carry(path: &RelativePath, old: &Leaf, staged: &fs::File) -> Result<bool, Refusal> {
    let owner_kept = own(path, &old.facts, staged)?;
    extended::carry(&old.handle, staged).map_err(|errno| Refusal::of_work(path, KEEP, errno))?;
    staged
        .set_permissions(fs::Permissions::from_mode(old.facts.mode))
        .map_err(|error| Refusal::of_work(path, KEEP, error))?;
    // Some systems drop special bits without a word.
    let mode = facts(path, staged)?.mode;
    if mode == old.facts.mode { Ok(owner_kept) } else { Err(Refusal::unsupported(path, Unsupported::Ownership)) }
}

fn own(path: &RelativePath, old: &Facts, staged: &fs::File) -> Result<bool, Refusal> {
    let now = facts(path, staged)?;
    let group = Some(Gid::from_raw(old.gid));
    if (now.uid, now.gid) == (old.uid, old.gid) || fchown(staged, Some(Uid::from_raw(old.uid)), group).is_ok() {
        return Ok(true);
    }
    // Who may not give a file away may still give it to a group of his own.
    let group_kept = now.gid == old.gid || fchown(staged, None, group).is_ok();
    let runs_as_another = old.mode & 0o6000 != 0;
    let group_is_special = (old.mode >> 3) & 7 != old.mode & 7;
    if runs_as_another || !group_kept && group_is_special {
        return Err(Refusal::unsupported(path, Unsupported::Ownership));
    }
    Ok(false)
}

fn facts(path: &RelativePath, file: &fs::File) -> Result<Facts, Refusal> {
    file.metadata().map(|metadata| Facts::of(&metadata)).map_err(|error| Refusal::of_work(path, KEEP, error))
}

/// The access list, which is part of who may do what, and what users have noted on the file. Labels and capabilities are
/// the system's: it gives and takes them by rules of its own.
#[cfg(target_os = "linux")]
mod extended {
    use std::fs;

    use rustix::{
        fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr},
        io::Errno,
    };

    const ACCESS_LIST: &[u8] = b"system.posix_acl_access";
    const USERS_OWN: &[u8] = b"user.";
    /// No list of names and no value is longer.
    const MAX_BYTES: usize = 64 * 1024;

    pub(super) fn carry(old: &fs::File, staged: &fs::File) -> Result<(), Errno> {
        let wanted = names(old)?;
        // A directory may give new files an access list that the old file does not have.
        for name in names(staged)?.iter().filter(|name| !wanted.contains(name)) {
            fremovexattr(staged, name.as_slice())?;
        }
        let mut value = vec![0; MAX_BYTES];
        for name in wanted {
            let length = fgetxattr(old, name.as_slice(), value.as_mut_slice())?;
            fsetxattr(staged, name.as_slice(), value.get(..length).unwrap_or_default(), XattrFlags::empty())?;
        }
        Ok(())
    }

    fn names(file: &fs::File) -> Result<Vec<Vec<u8>>, Errno> {
        let mut list = vec![0; MAX_BYTES];
        let length = match flistxattr(file, list.as_mut_slice()) {
            Err(Errno::OPNOTSUPP) => 0,
            listed => listed?,
        };
        let ours = |name: &&[u8]| *name == ACCESS_LIST || name.starts_with(USERS_OWN);
        Ok(list.get(..length).unwrap_or_default().split(|byte| *byte == 0).filter(ours).map(<[u8]>::to_vec).collect())
    }
}

#[cfg(not(target_os = "linux"))]
mod extended {
    use std::fs;

    use rustix::io::Errno;

    pub(super) fn carry(_: &fs::File, _: &fs::File) -> Result<(), Errno> {
        Ok(())
    }
}
