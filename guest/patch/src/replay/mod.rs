//! Whether history makes the stored text: every accepted transaction applied again to the first one (P-124 to P-141).
//!
//! Nothing is repaired. Warnings, size limits, line endings and scopes' parsers are not asked (P-141): history depends on its
//! rows alone.

#[cfg(test)]
mod tests;

use crate::{Profile, Reason, Sha256Hex, apply::Extras, json, record::Work, text::Canonical};

/// The first text (P-132).
#[derive(Clone, Debug)]
pub struct Initial<'a> {
    /// Whose it is.
    pub target_file_id: &'a str,
    /// As it is stored.
    pub content: &'a str,
    /// As it is stored.
    pub content_hash: &'a str,
    /// The version it is.
    pub version: u64,
}

/// An accepted row (P-133).
#[derive(Clone, Debug)]
pub struct Accepted<'a> {
    /// Its id, which a refusal names.
    pub pdcp_log_id: &'a str,
    /// Whose it is.
    pub target_file_id: &'a str,
    /// The format.
    pub protocol_version: &'a str,
    /// The rules.
    pub runtime_version: Option<&'a str>,
    /// The record.
    pub pdcp_content: &'a str,
    /// Of the record.
    pub pdcp_content_hash: &'a str,
    /// The target's before.
    pub before_version: u64,
    /// The target's after.
    pub after_version: u64,
    /// Of the text before.
    pub before_hash: &'a str,
    /// Of the text after.
    pub after_hash: &'a str,
}

/// The target, as it is stored.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    /// Its text, not made canonical.
    pub content: &'a str,
    /// Its hash.
    pub current_hash: &'a str,
    /// Its version.
    pub version: u64,
}

/// History that cannot be followed, and where (P-126, P-130).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Broken {
    /// The row that breaks it; nothing where it is the first text.
    pub pdcp_log_id: Option<String>,
    /// The version it starts from.
    pub version: u64,
    /// What does not hold.
    pub detail: String,
}

impl Broken {
    /// What it counts as.
    pub const REASON: Reason = Reason::ReplayProtocolInvalid;

    /// There is no first text (P-132).
    #[must_use]
    pub fn without_initial() -> Self {
        Self { pdcp_log_id: None, version: 0, detail: "there is no first text".to_owned() }
    }
}

/// How the stored target compares with what history makes (P-135, P-136).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// The stored text is the reconstructed one, byte for byte.
    pub content_matches: bool,
    /// The stored hash is that of the reconstructed text.
    pub stored_hash_matches: bool,
    /// The stored text, made canonical, has that hash.
    pub recomputed_hash_matches: bool,
    /// The stored version is the reconstructed one.
    pub version_matches: bool,
}

impl Checks {
    /// Whether all four hold.
    #[must_use]
    pub fn all(self) -> bool {
        self.content_matches && self.stored_hash_matches && self.recomputed_hash_matches && self.version_matches
    }
}

/// A replay, row by row: its memory is one text.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    target_file_id: &'a str,
    text: Canonical,
    /// Of the text.
    hash: Sha256Hex,
    version: u64,
    applied: u64,
}

impl<'a> Replay<'a> {
    /// From the first text.
    ///
    /// # Errors
    /// [`Broken`] where it is not the target's, or not what its hash says.
    pub fn from(target_file_id: &'a str, initial: &Initial<'_>) -> Result<Self, Broken> {
        let text = Canonical::of(initial.content);
        let broken = |detail: &str| Broken { pdcp_log_id: None, version: initial.version, detail: detail.to_owned() };
        if initial.target_file_id != target_file_id {
            return Err(broken("the first text is another target's"));
        }
        let hash = text.sha256();
        if hash.as_str() != initial.content_hash {
            return Err(broken("the first text has not the hash that is stored with it"));
        }
        Ok(Self { target_file_id, text, hash, version: initial.version, applied: 0 })
    }

    /// Applies the next accepted row.
    ///
    /// # Errors
    /// [`Broken`] where it does not follow, cannot be read, or makes another text than it says.
    pub fn step(&mut self, row: &Accepted<'_>) -> Result<(), Broken> {
        let (text, hash) = self.follow(row).map_err(|detail| Broken {
            pdcp_log_id: Some(row.pdcp_log_id.to_owned()),
            version: self.version,
            detail,
        })?;
        self.text = text;
        self.hash = hash;
        // The row says the same number, so there is one.
        self.version += 1;
        self.applied += 1;
        Ok(())
    }

    fn follow(&self, row: &Accepted<'_>) -> Result<(Canonical, Sha256Hex), String> {
        let runtime = row.runtime_version.ok_or("the row names no runtime")?;
        let profile = Profile::of(row.protocol_version, runtime).map_err(|error| error.to_string())?;
        let holds = [
            (row.target_file_id == self.target_file_id, "the row is another target's"),
            (row.before_version == self.version, "the row does not start from the version before it"),
            (row.before_version.checked_add(1) == Some(row.after_version), "the row makes no next version"),
            (row.before_hash == self.hash.as_str(), "the row does not start from the text before it"),
            // Of the bytes as they are: identity knows no line ends (P-029).
            (Sha256Hex::of(row.pdcp_content).as_str() == row.pdcp_content_hash, "the record has not its hash"),
        ];
        if let Some((_, detail)) = holds.into_iter().find(|(holds, _)| !holds) {
            return Err(detail.to_owned());
        }
        let record = json::read(row.pdcp_content).map_err(|fault| format!("the record is no JSON: {fault}"))?;
        let work = Work::read_record(&record, &profile)
            .map_err(|invalid| format!("the record is not its format's: {invalid}"))?;
        let applied = work
            .apply(&self.text, &profile, Extras::default())
            .map_err(|failure| format!("the record does not apply: {}", failure.detail))?;
        let hash = applied.text.sha256();
        if hash.as_str() != row.after_hash {
            return Err("the record makes another text than the row says".to_owned());
        }
        Ok((applied.text, hash))
    }

    /// The text so far.
    #[must_use]
    pub fn text(&self) -> &Canonical {
        &self.text
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many rows were applied.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// How the stored target compares. It is reported and never repaired (P-138).
    #[must_use]
    pub fn compare(&self, stored: &Stored<'_>) -> Checks {
        Checks {
            content_matches: stored.content == self.text.as_str(),
            stored_hash_matches: stored.current_hash == self.hash.as_str(),
            recomputed_hash_matches: Canonical::of(stored.content).sha256() == self.hash,
            version_matches: stored.version == self.version,
        }
    }
}
