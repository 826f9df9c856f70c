//! A history as it is stored: the first text, the accepted rows, the target.

use crate::{
    Profile, Sha256Hex,
    replay::{Accepted, Broken, Checks, Initial, Replay, Stored},
    text::Canonical,
};

/// The target.
pub(super) const ID: &str = "3f0d5c9a-6f3b-4b62-9d0e-7a1c2e4b5d60";

#[derive(Clone, Debug)]
pub(super) struct History {
    pub(super) initial: First,
    pub(super) rows: Vec<Entry>,
    pub(super) target: Target,
}

#[derive(Clone, Debug)]
pub(super) struct First {
    pub(super) target_file_id: String,
    pub(super) content: String,
    pub(super) content_hash: String,
    pub(super) version: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) pdcp_log_id: String,
    pub(super) target_file_id: String,
    pub(super) protocol_version: String,
    pub(super) runtime_version: Option<String>,
    pub(super) pdcp_content: String,
    pub(super) pdcp_content_hash: String,
    pub(super) before_version: u64,
    pub(super) after_version: u64,
    pub(super) before_hash: String,
    pub(super) after_hash: String,
}

#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) content: String,
    pub(super) current_hash: String,
    pub(super) version: u64,
}

impl History {
    /// Nothing but a first text, as it was uploaded.
    pub(super) fn of(content: &str, version: u64) -> Self {
        let text = Canonical::of(content);
        let hash = text.sha256().to_string();
        Self {
            initial: First {
                target_file_id: ID.to_owned(),
                content: content.to_owned(),
                content_hash: hash.clone(),
                version,
            },
            rows: Vec::new(),
            target: Target { content: text.into_string(), current_hash: hash, version },
        }
    }

    /// One more row, and the target that it makes.
    pub(super) fn push(&mut self, profile: &Profile, content: &str, after: &str) {
        let before = &self.target;
        let after_hash = Sha256Hex::of(after).to_string();
        self.rows.push(Entry {
            pdcp_log_id: format!("log-{}", self.rows.len()),
            target_file_id: ID.to_owned(),
            protocol_version: profile.protocol.name().to_owned(),
            runtime_version: Some(profile.runtime.to_owned()),
            pdcp_content: content.to_owned(),
            pdcp_content_hash: Sha256Hex::of(content).to_string(),
            before_version: before.version,
            after_version: before.version + 1,
            before_hash: before.current_hash.clone(),
            after_hash: after_hash.clone(),
        });
        self.target = Target { content: after.to_owned(), current_hash: after_hash, version: before.version + 1 };
    }

    /// Follows all rows.
    pub(super) fn replay(&self) -> Result<Replay<'static>, Broken> {
        let First { target_file_id, content, content_hash, version } = &self.initial;
        let mut replay = Replay::from(ID, &Initial { target_file_id, content, content_hash, version: *version })?;
        for row in &self.rows {
            replay.step(&row.row())?;
        }
        Ok(replay)
    }

    /// Follows them, and compares.
    pub(super) fn checks(&self) -> Result<Checks, Broken> {
        let Target { content, current_hash, version } = &self.target;
        Ok(self.replay()?.compare(&Stored { content, current_hash, version: *version }))
    }
}

impl Entry {
    pub(super) fn row(&self) -> Accepted<'_> {
        Accepted {
            pdcp_log_id: &self.pdcp_log_id,
            target_file_id: &self.target_file_id,
            protocol_version: &self.protocol_version,
            runtime_version: self.runtime_version.as_deref(),
            pdcp_content: &self.pdcp_content,
            pdcp_content_hash: &self.pdcp_content_hash,
            before_version: self.before_version,
            after_version: self.after_version,
            before_hash: &self.before_hash,
            after_hash: &self.after_hash,
        }
    }
}
