//! The very repository that the recorded forge served, in a folder of its own.

use assay_kit::recorded_repo::{self, BASE, HEAD, TAG};

use crate::ground::{Repo, git_at};

/// The repository with `main` alone.
pub(crate) fn base() -> Repo {
    let repo = Repo::empty("sha1");
    import(&repo, &recorded_repo::base());
    assert_eq!(repo.git(["rev-parse", "main"]), BASE, "it is the recorded repository");
    repo
}

/// Adds the two tags, an annotated one and one that is no more than a name.
pub(crate) fn tag(repo: &Repo) {
    let tag = git_at(&repo.path(), ["hash-object", "-t", "tag", "-w", "--stdin"], TAG.as_bytes());
    assert_eq!(tag, b"7570222f2c4c05ab8dd5613a964505cd3670b0d6\n");
    repo.git(["update-ref", "refs/tags/v1.0", "7570222f2c4c05ab8dd5613a964505cd3670b0d6"]);
    repo.git(["update-ref", "refs/tags/light", BASE]);
}

/// Adds one of the recorded branches.
pub(crate) fn add(repo: &Repo, branch: &str) {
    import(repo, &recorded_repo::branch(branch));
    if branch == "feature" {
        assert_eq!(repo.git(["rev-parse", branch]), HEAD, "it is the recorded branch");
    }
}

/// Moves `main` as the recorded forge did, by two commits.
pub(crate) fn move_main(repo: &Repo) {
    import(repo, &recorded_repo::moved_main());
}

fn import(repo: &Repo, stream: &[u8]) {
    git_at(&repo.path(), ["fast-import", "--quiet"], stream);
}
