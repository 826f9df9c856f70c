//! Arguments that several tools take, and their bounds.

use assay_envelope::{Arguments, Refusal};
use assay_forge::ObjectId;

/// Bounds of a title in characters: what a forge stores.
pub(crate) const TITLE: (usize, usize) = (1, 255);
/// Bounds of a branch in characters.
pub(crate) const BRANCH: (usize, usize) = (1, 255);
/// Bounds of a text in bytes: by default a whole call has no more.
pub(crate) const TEXT: (usize, usize) = (0, 1 << 20);

/// A refusal of what the caller gave.
pub(crate) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new("invalid_argument", message)
}

/// A full object id that may be absent.
pub(crate) fn object_id(arguments: &mut Arguments, name: &str) -> Result<Option<ObjectId>, Refusal> {
    let Some(hex) = arguments.optional_text(name, (0, 64))? else { return Ok(None) };
    let name = arguments.name(name);
    ObjectId::from_hex(&hex)
        .map(Some)
        .map_err(|_| invalid(format!("`{name}` must be a full object id: 40 or 64 lower-case hexadecimal digits")))
}

/// A branch's name, as far as every forge agrees: what it may be called, the forge says.
pub(crate) fn branch(arguments: &mut Arguments, name: &str) -> Result<String, Refusal> {
    let branch = arguments.characters(name, BRANCH)?;
    plain(arguments, name, branch)
}

/// The same, where it may be absent or null.
pub(crate) fn optional_branch(arguments: &mut Arguments, name: &str) -> Result<Option<String>, Refusal> {
    let branch = arguments.optional_characters(name, BRANCH)?;
    branch.map(|branch| plain(arguments, name, branch)).transpose()
}

fn plain(arguments: &Arguments, name: &str, branch: String) -> Result<String, Refusal> {
    if is_branch(&branch) {
        return Ok(branch);
    }
    Err(invalid(format!("`{}` must be a branch: no space, no colon, no control character", arguments.name(name))))
}

/// Whether it can be a branch's name, or a user's.
pub(crate) fn is_branch(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_control() || c == ' ' || c == ':')
}
