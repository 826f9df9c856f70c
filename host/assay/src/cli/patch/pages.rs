//! Pages of history, walked as far as a person asked for.

use serde_json::{Value, json};

use super::asked::{Answer, Asked, items, number};
use crate::cli::Failed;

/// Rows of a page at the most (P-171).
const PAGE: u32 = 200;

/// What a walk brought.
pub(super) struct Pages {
    /// What the tool answered, page by page.
    pub(super) answers: Vec<Answer>,
    /// Where older rows begin, if there are any.
    pub(super) next: Option<u64>,
}

/// Asks for pages until `limit` rows are there or none is left.
pub(super) async fn walk(asked: &Asked, tool: &str, arguments: &Value, limit: u32) -> Result<Pages, Failed> {
    let mut arguments = arguments.clone();
    let mut pages = Pages { answers: Vec::new(), next: None };
    let mut left = limit;
    while left > 0 {
        put(&mut arguments, "limit", json!(left.min(PAGE)));
        let answer = asked.told(tool, &arguments).await?;
        let rows = u32::try_from(items(&answer.value, "entries").len()).unwrap_or(u32::MAX);
        pages.next = number(&answer.value, "next_sequence");
        pages.answers.push(answer);
        left = left.saturating_sub(rows);
        match pages.next {
            Some(next) if rows > 0 => put(&mut arguments, "before_sequence", json!(next)),
            _ => break,
        }
    }
    Ok(pages)
}

impl Pages {
    /// The rows in the order of the pages.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Value> {
        self.answers.iter().flat_map(|answer| items(&answer.value, "entries"))
    }
}

pub(super) fn put(arguments: &mut Value, name: &str, value: Value) {
    if let Some(members) = arguments.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
