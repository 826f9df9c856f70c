//! `GET /pulls/{i}/files`: the changed files, against a merge base that is found anew and may differ from the stored one.

use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use serde::Serialize;

use crate::{
    Error,
    content::contents::escaped,
    git::{run::Failure, source::MAX_REFS},
    operator::stock::Flavour,
    serve::{routes::One, target::Query},
    wire::answer::{Answer, json, streamed},
};

/// What the recorded forge shows when it breaks off in the middle of its own code.
const BROKEN: &str = "<!DOCTYPE html>\n<html lang=\"en-US\">\n<head><title>Internal Server Error</title></head>\n\
    <body><h1>500 Internal Server Error</h1></body>\n</html>\n";

#[derive(Serialize)]
struct Shown {
    filename: String,
    status: &'static str,
    additions: u64,
    deletions: u64,
    changes: u64,
    html_url: String,
    contents_url: String,
    raw_url: String,
}

/// A changed file, by its new name.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    /// git's letter.
    status: u8,
    path: Vec<u8>,
    additions: u64,
    deletions: u64,
}

impl One<'_> {
    pub(crate) async fn files(&self, index: &[u8], query: &Query) -> Result<Answer, Error> {
        let Some((number, pull, _)) = self.find(index) else { return Ok(self.forge.wording.not_found()) };
        let forkless = self.forge.live.is_forkless((self.repository.id, number));
        if forkless && self.forge.stock.flavour == Flavour::Forgejo {
            let mut answer = streamed(StatusCode::INTERNAL_SERVER_ERROR, BROKEN.into());
            answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
            return Ok(answer);
        }
        let git = &self.forge.git;
        let range = self.repository.range(git, pull).await?;
        let arguments = ["diff", "--raw", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv"];
        let arguments = arguments.into_iter().chain([&*range.merge_base, &*pull.head, "--"]);
        let said = git.ask(self.repository.dir(), arguments, MAX_REFS).await?;
        let changes = parse(&said).ok_or(Failure::Unexpected("diff"))?;
        let (page, total) = (self.forge.page(query), changes.len());
        let shown = page.cut(changes.into_iter().map(|change| self.shown_file(change, &pull.head)));
        let mut answer = json(StatusCode::OK, &shown);
        page.describe_twice(&mut answer, total, &format!("{}/pulls/{number}/files", self.api()), query, false);
        Ok(answer)
    }

    fn shown_file(&self, change: Change, head: &str) -> Shown {
        let (web, api) = (self.web(), self.api());
        let filename = String::from_utf8_lossy(&change.path).into_owned();
        // Of a name that is no UTF-8 the links lead nowhere, as on the recorded forge.
        let path = escaped(filename.as_bytes());
        Shown {
            status: match change.status {
                b'A' => "added",
                b'D' => "deleted",
                b'R' => "renamed",
                b'C' => "copied",
                _ if change.additions == 0 && change.deletions == 0 => "unchanged",
                _ => "changed",
            },
            additions: change.additions,
            deletions: change.deletions,
            changes: change.additions + change.deletions,
            html_url: format!("{web}/src/commit/{head}/{path}"),
            contents_url: format!("{api}/contents/{path}?ref={head}"),
            raw_url: format!("{web}/raw/commit/{head}/{path}"),
            filename,
        }
    }
}

/// Reads the raw changes and then their line counts, which come in the same order.
fn parse(said: &[u8]) -> Option<Vec<Change>> {
    let mut fields = said.split(|&b| b == 0).filter(|field| !field.is_empty()).peekable();
    let mut changes = Vec::new();
    while let Some(raw) = fields.next_if(|field| field.starts_with(b":")) {
        let status = *raw.split(|&b| b == b' ').next_back()?.first()?;
        let mut path = fields.next()?;
        if matches!(status, b'R' | b'C') {
            path = fields.next()?;
        }
        changes.push(Change { status, path: path.to_vec(), additions: 0, deletions: 0 });
    }
    for change in &mut changes {
        let counts = fields.next()?;
        let mut columns = counts.splitn(3, |&b| b == b'\t');
        // A binary file has dashes for numbers.
        let mut number = || columns.next().and_then(|n| std::str::from_utf8(n).ok()).and_then(|n| n.parse().ok());
        (change.additions, change.deletions) = (number().unwrap_or(0), number().unwrap_or(0));
        if columns.next().is_some_and(<[u8]>::is_empty) {
            fields.next()?;
            fields.next()?;
        }
    }
    fields.next().is_none().then_some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_their_counts_are_brought_together() {
        let said = b":100644 100644 1 2 M\0a\0:100644 100644 1 1 R100\0old\0new\0:000000 100644 0 1 A\0bin\0\
            3\t1\ta\x000\t0\t\0old\0new\0-\t-\tbin\0";
        let change =
            |status, path: &str, additions, deletions| Change { status, path: path.into(), additions, deletions };
        let expected = vec![change(b'M', "a", 3, 1), change(b'R', "new", 0, 0), change(b'A', "bin", 0, 0)];
        assert_eq!(parse(said), Some(expected));
        assert_eq!(parse(b""), Some(Vec::new()));
        assert_eq!(parse(b":100644 100644 1 2 M\0a\0"), None);
    }
}
