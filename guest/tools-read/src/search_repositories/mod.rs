//! `search_repositories`: the forge's own search over the repositories that the caller can see.

use assay_envelope::{Arguments, Refusal};
use assay_forge::listing::Asked;
use serde::Serialize;

use crate::{
    native_list::{take_limit, take_page},
    ports::Ports,
    repositories::{Members, Page, Rows},
};

/// Bounds of `query` in bytes.
const QUERY: (usize, usize) = (1, 256);
/// Rows to a page, where a call does not say: few, since a search wants one repository.
const DEFAULT_LIMIT: u64 = 10;
/// What a forge grants by default.
const MOST_LIMIT: u64 = 50;

const ADVICE: &str = "Begin again at page 1 with a smaller `limit`.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let query = arguments.text("query", QUERY)?;
    let page = take_page(&mut arguments)?;
    let limit = take_limit(&mut arguments, DEFAULT_LIMIT, MOST_LIMIT)?;
    arguments.finish()?;
    let (page_text, limit_text) = (page.to_string(), limit.to_string());
    let sent = [("q", query.as_str()), ("page", &page_text), ("limit", &limit_text)];
    let pending = ports.lists.get(&[b"repos", b"search"], &sent);
    let found = Page::read(ports, pending, Rows::InData, Asked { page, limit }, None)?;
    found.render(room, ADVICE, |members| {
        serde_json::to_string(&Answer { query: &query, members }).expect("its members have string keys")
    })
}

#[derive(Serialize)]
struct Answer<'a> {
    query: &'a str,
    #[serde(flatten)]
    members: Members<'a>,
}
