//! `GET /git/trees/{sha}`: a directory, or all below it, in pages.
//!
//! git lists the tree once for each page, because the answer says how many entries there are; only those of the page
//! are kept.

use http::{HeaderName, HeaderValue, StatusCode, header::ACCESS_CONTROL_EXPOSE_HEADERS};
use serde::Serialize;

use crate::{
    Error,
    git::{
        listing::{Entry, Listing},
        objects::{self, Kind},
        run::Failure,
    },
    operator::stock::Flavour,
    serve::{
        routes::{One, is_true},
        target::Query,
    },
    wire::{
        answer::{Answer, json},
        shapes::text,
    },
};

#[derive(Serialize)]
struct Tree {
    sha: String,
    url: String,
    tree: Option<Vec<Shown>>,
    truncated: bool,
    page: usize,
    total_count: usize,
}

#[derive(Serialize)]
struct Shown {
    path: String,
    mode: String,
    r#type: &'static str,
    size: u64,
    sha: String,
    url: String,
}

impl One<'_> {
    /// `name` is a tree's or a commit's id, or any other name of one of them.
    pub(crate) async fn tree(&self, name: &[u8], query: &Query) -> Result<Answer, Error> {
        let (git, dir) = (&self.forge.git, self.repository.dir());
        let refuse = || {
            let message = format!("sha not found [{}]", text(name));
            Ok(self.forge.wording.refused(StatusCode::BAD_REQUEST, &message))
        };
        let Some(named) = objects::find(git, dir, name).await? else { return refuse() };
        let named = match named.kind {
            // An annotated tag is shown as the commit it names.
            Kind::Tag => objects::find(git, dir, format!("{}^{{}}", named.oid).as_bytes()).await?,
            _ => Some(named),
        };
        let Some(named) = named.filter(|named| matches!(named.kind, Kind::Commit | Kind::Tree)) else {
            return refuse();
        };
        let wanted = Wanted::of(query, self.forge.stock.trees_per_page);
        let mut listing =
            Listing::start(git, dir, &named.oid, query.get("recursive").is_some_and(is_true)).map_err(Failure::from)?;
        let (mut entries, mut total) = (Vec::new(), 0);
        while let Some(entry) = listing.next().await? {
            if wanted.holds(total) {
                entries.push(entry);
            }
            total += 1;
        }
        let more_follows = wanted.end() < total;
        let truncated = match self.forge.stock.flavour {
            Flavour::Forgejo => total > wanted.limit && !entries.is_empty(),
            Flavour::Gitea => more_follows && !entries.is_empty(),
        };
        let shown = if entries.is_empty() { None } else { Some(self.shown_entries(entries).await?) };
        let url = format!("{}/git/trees/{}", self.api(), named.oid);
        let tree = Tree { sha: named.oid, url, tree: shown, truncated, page: wanted.page, total_count: total };
        let mut answer = json(StatusCode::OK, &tree);
        answer.headers_mut().insert(HeaderName::from_static("x-total-count"), HeaderValue::from(total));
        answer.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("X-Total-Count"));
        Ok(answer)
    }

    async fn shown_entries(&self, entries: Vec<Entry>) -> Result<Vec<Shown>, Failure> {
        let api = self.api();
        let blobs: Vec<&str> = entries.iter().filter(|e| e.kind == "blob").map(|e| &*e.oid).collect();
        let mut sizes = objects::sizes(&self.forge.git, self.repository.dir(), &blobs).await?.into_iter();
        let show = |entry: Entry| Shown {
            path: text(&entry.path),
            size: if entry.kind == "blob" { sizes.next().flatten().unwrap_or(0) } else { 0 },
            url: match entry.kind {
                "blob" => format!("{api}/git/blobs/{}", entry.oid),
                "tree" => format!("{api}/git/trees/{}", entry.oid),
                _ => String::new(),
            },
            mode: entry.mode,
            r#type: entry.kind,
            sha: entry.oid,
        };
        Ok(entries.into_iter().map(show).collect())
    }
}

/// The page that was asked for; what cannot be is corrected in silence.
struct Wanted {
    page: usize,
    limit: usize,
}

impl Wanted {
    fn of(query: &Query, most: usize) -> Self {
        let number = |name| query.get(name).and_then(|text| text.parse::<usize>().ok()).filter(|&n| n > 0);
        let limit = number("per_page").filter(|&limit| limit <= most).unwrap_or(most);
        Self { page: number("page").unwrap_or(1), limit: limit.max(1) }
    }

    fn end(&self) -> usize {
        self.page.saturating_mul(self.limit)
    }

    fn holds(&self, index: usize) -> bool {
        index < self.end() && index >= self.end().saturating_sub(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::target::Target;

    #[test]
    fn pages_are_bounded_in_silence() {
        for (text, page, limit) in [
            ("", 1, 1000),
            ("per_page=5000", 1, 1000),
            ("per_page=0&page=0", 1, 1000),
            ("per_page=-1&page=x", 1, 1000),
            ("per_page=60&page=2", 2, 60),
        ] {
            let query = Target::parse(&format!("/?{text}").parse().expect("a target")).expect("well formed").query;
            let wanted = Wanted::of(&query, 1000);
            assert_eq!((wanted.page, wanted.limit), (page, limit), "{text}");
        }
    }

    #[test]
    fn a_page_holds_its_own_entries() {
        let wanted = Wanted { page: 2, limit: 3 };
        assert_eq!((0..9).filter(|&n| wanted.holds(n)).collect::<Vec<_>>(), [3, 4, 5]);
        let far = Wanted { page: usize::MAX, limit: 1000 };
        assert!(!(0..9).any(|n| far.holds(n)));
    }
}
