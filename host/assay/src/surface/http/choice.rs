//! What a client wants of the tools and the repositories, by its headers: less than the operator offers, never more.
//!
//! A value that names nothing is refused and not passed over (G-085): a misspelled name in a list of what is to be left out
//! would otherwise leave it in.

use std::collections::BTreeSet;

use assay_mcp::{Catalogue, Choice};
use assay_policy::RepositoryName;
use axum::http::HeaderMap;

use super::refused::Refused;
use crate::origin::Repositories;

const TOOLSETS: &str = "x-mcp-toolsets";
const TOOLS: &str = "x-mcp-tools";
const EXCLUDE_TOOLS: &str = "x-mcp-exclude-tools";
const READ_ONLY: &str = "x-mcp-readonly";
const REPOSITORIES: &str = "x-mcp-repositories";

/// What is wanted.
pub(super) struct Wanted {
    pub(super) choice: Choice,
    pub(super) repositories: Repositories,
}

/// Reads the headers. `all` is every tool that there is, `listed` the operator's list of repositories.
pub(super) fn wanted(headers: &HeaderMap, all: &Catalogue, listed: &Repositories) -> Result<Wanted, Refused> {
    let choice = Choice {
        toolsets: names(headers, TOOLSETS)?,
        tools: names(headers, TOOLS)?,
        exclude_tools: names(headers, EXCLUDE_TOOLS)?.unwrap_or_default(),
        read_only: is_read_only(headers)?,
    };
    choice.check(|name| all.get(name).is_some()).map_err(|unknown| Refused::Header(unknown.to_string()))?;
    let repositories = match names(headers, REPOSITORIES)? {
        None => Repositories::all(),
        Some(names) => {
            let names: Result<Vec<RepositoryName>, _> = names.iter().map(|name| name.parse()).collect();
            let names = names.map_err(|error| wrong(REPOSITORIES, &error.to_string()))?;
            listed.narrowed(names).map_err(|error| wrong(REPOSITORIES, &error.to_string()))?
        }
    };
    Ok(Wanted { choice, repositories })
}

/// The names of a comma-separated header, of all fields of that name; none where it did not come.
fn names(headers: &HeaderMap, header: &str) -> Result<Option<BTreeSet<String>>, Refused> {
    let mut found = None;
    for value in headers.get_all(header) {
        let text = value.to_str().map_err(|_| wrong(header, "it is not ASCII"))?;
        let named = text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        found.get_or_insert_with(BTreeSet::new).extend(named);
    }
    Ok(found)
}

fn is_read_only(headers: &HeaderMap) -> Result<bool, Refused> {
    let mut read_only = false;
    for value in headers.get_all(READ_ONLY) {
        match value.to_str().map(|text| text.trim().to_ascii_lowercase()).as_deref() {
            Ok("true" | "1" | "yes" | "on") => read_only = true,
            Ok("false" | "0" | "no" | "off" | "") => {}
            _ => return Err(wrong(READ_ONLY, "it is neither true nor false")),
        }
    }
    Ok(read_only)
}

fn wrong(header: &str, what: &str) -> Refused {
    Refused::Header(format!("{header}: {what}"))
}
