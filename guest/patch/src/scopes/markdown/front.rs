//! Front matter: the YAML that many documents begin with. CommonMark knows none and would make its last line a heading.

use crate::scopes::mark::LineReader;

/// Where the document begins: after the front matter, or at 0 where there is none. It is between a first line `---` and the
/// next `---` or `...`, and begins with a key, so that a document that begins with a rule is not taken for it.
pub(super) fn end(text: &str) -> usize {
    let mut lines = LineReader::of(text);
    let rule = lines.next().is_some_and(|line| line.text.trim_end() == "---");
    if !rule || !lines.next().is_some_and(|line| is_entry(line.text)) {
        return 0;
    }
    lines.find(|line| matches!(line.text.trim_end(), "---" | "...")).map_or(0, |line| line.end)
}

/// Whether a line is `key:` or `key: value`.
fn is_entry(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.');
    !key.is_empty() && key.chars().all(name) && (value.is_empty() || value.starts_with([' ', '\t']))
}
