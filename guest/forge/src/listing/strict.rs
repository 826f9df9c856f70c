//! The paging rule of the issue list: what the forge says must agree, or nothing is shown (G-125 to G-129).

use super::{Evidence, Fault, Inconsistent, Links, Target};

/// What the list's relations must lead back to.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The last segments of the path, compared without letter case as forges do.
    pub path: &'a [&'a str],
    /// Pairs that, where a relation has them, have this value.
    pub query: &'a [(&'a str, &'a str)],
    /// Scheme and authority of the rows' own addresses, in lower case. The forge writes both from one setting, which need
    /// not be the address that it was asked at.
    pub origins: &'a [String],
}

/// Whether and where the list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// As the forge counts, null where that is unusable.
    pub total: Option<u64>,
    /// The next page.
    pub next_page: Option<u64>,
}

/// Judges page `page`, on which the forge sent `native` rows.
///
/// # Errors
/// [`Fault::Paging`] for what is missing or does not agree.
pub fn strict(page: u64, native: usize, evidence: &Evidence, expected: &Expected<'_>) -> Result<Continuation, Fault> {
    judge(page, native as u64, evidence, expected).map_err(Fault::Paging)
}

fn judge(page: u64, native: u64, evidence: &Evidence, expected: &Expected<'_>) -> Result<Continuation, Inconsistent> {
    let total = evidence.total;
    if total.is_some_and(|total| total < native) {
        return Err(Inconsistent::TotalTooSmall);
    }
    let (next, last) = match &evidence.links {
        // G-127.
        Links::Absent if page > 1 => return Err(Inconsistent::NoLinkLater),
        Links::Absent if total != Some(native) => return Err(Inconsistent::NoLink),
        Links::Absent => return Ok(Continuation { total, next_page: None }),
        Links::Malformed => return Err(Inconsistent::MalformedLink),
        Links::Given { next, last } => (next.as_ref(), last.as_ref()),
    };
    for target in [next, last].into_iter().flatten() {
        belongs(target, expected)?;
    }
    let last_page = last.map(|last| last.page().ok_or(Inconsistent::Last)).transpose()?;
    let Some(next) = next else {
        if last_page.is_some_and(|last| last > page) {
            return Err(Inconsistent::Last);
        }
        if page == 1 && total != Some(native) {
            return Err(Inconsistent::FirstWithoutNext);
        }
        return Ok(Continuation { total, next_page: None });
    };
    let next_page = next.page().filter(|next| page.checked_add(1) == Some(*next)).ok_or(Inconsistent::NotNext)?;
    if last_page.is_some_and(|last| last < next_page) {
        return Err(Inconsistent::Last);
    }
    if native == 0 {
        // K-83: else a walk over pages that the forge counts and does not show would not end.
        return Err(Inconsistent::EmptyWithNext);
    }
    Ok(Continuation { total, next_page: Some(next_page) })
}

/// G-128: the same list of the same forge.
fn belongs(target: &Target, expected: &Expected<'_>) -> Result<(), Inconsistent> {
    let at = target.segments.len().checked_sub(expected.path.len()).ok_or(Inconsistent::Foreign)?;
    let tail = target.segments.get(at..).unwrap_or_default();
    let same = tail.iter().zip(expected.path).all(|(have, wanted)| have.to_lowercase() == wanted.to_lowercase());
    let origin = |origin: &String| expected.origins.iter().all(|expected| expected == origin);
    if !same || !target.origin.as_ref().is_none_or(origin) {
        return Err(Inconsistent::Foreign);
    }
    let filters = |(name, wanted): &(&str, &str)| target.all(name).all(|have| have == *wanted);
    if expected.query.iter().all(filters) { Ok(()) } else { Err(Inconsistent::OtherFilter) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "https://Forge.example/git/api/v1/repos/Team/pro%6Aect/issues?limit=30&state=open&type=issues&page=";

    fn continues(page: u64, native: usize, total: Option<u64>, links: &str) -> Result<Option<u64>, Inconsistent> {
        let links = if links.is_empty() { Links::Absent } else { Links::parse([links.as_bytes()].into_iter()) };
        let expected = Expected {
            path: &["repos", "team", "Project", "issues"],
            query: &[("state", "open"), ("type", "issues")],
            origins: &["https://forge.example".to_owned()],
        };
        match strict(page, native, &Evidence { total, links }, &expected) {
            Ok(found) => {
                assert_eq!(found.total, total);
                Ok(found.next_page)
            }
            Err(Fault::Paging(what)) => Err(what),
            Err(other) => panic!("{other}"),
        }
    }

    fn links(next: &str, last: &str) -> String {
        let one = |target: &str, relation: &str| {
            if target.is_empty() { String::new() } else { format!("<{target}>; rel=\"{relation}\",") }
        };
        format!("{}{}<{LIST}1>; rel=\"first\"", one(next, "next"), one(last, "last"))
    }

    /// G-126: what forges send (201, 202).
    #[test]
    fn follows_the_relations() {
        let to = |page: u64| format!("{LIST}{page}");
        assert_eq!(continues(1, 30, Some(61), &links(&to(2), &to(3))), Ok(Some(2)));
        assert_eq!(continues(2, 30, Some(61), &links(&to(3), &to(3))), Ok(Some(3)));
        assert_eq!(continues(3, 1, Some(61), &links("", "")), Ok(None));
        // G-125, G-129: neither the width nor an unusable count is evidence beside a relation.
        assert_eq!(continues(1, 7, None, &links(&to(2), "")), Ok(Some(2)));
        assert_eq!(continues(9, 0, Some(61), &links("", "")), Ok(None));
    }

    /// G-127.
    #[test]
    fn a_page_without_link_is_the_only_one() {
        assert_eq!(continues(1, 3, Some(3), ""), Ok(None));
        assert_eq!(continues(1, 0, Some(0), ""), Ok(None));
        assert_eq!(continues(1, 3, Some(4), ""), Err(Inconsistent::NoLink));
        assert_eq!(continues(1, 30, None, ""), Err(Inconsistent::NoLink));
        assert_eq!(continues(2, 3, Some(3), ""), Err(Inconsistent::NoLinkLater));
        assert_eq!(continues(99, 0, Some(3), ""), Err(Inconsistent::NoLinkLater));
        assert_eq!(continues(1, 4, Some(3), ""), Err(Inconsistent::TotalTooSmall));
        assert_eq!(continues(1, 3, Some(9), &links("", "")), Err(Inconsistent::FirstWithoutNext));
        assert_eq!(continues(1, 3, Some(9), "nonsense"), Err(Inconsistent::MalformedLink));
    }

    /// G-128, K-83.
    #[test]
    fn what_does_not_agree_refuses() {
        let to = |page: u64| format!("{LIST}{page}");
        for (next, last, what) in [
            (to(3), to(3), Inconsistent::NotNext),
            (to(1), to(3), Inconsistent::NotNext),
            (LIST.to_owned(), to(3), Inconsistent::NotNext),
            (to(2), to(1), Inconsistent::Last),
            (to(2), LIST.to_owned(), Inconsistent::Last),
            (String::new(), to(3), Inconsistent::Last),
            (to(2).replace("Forge.example", "evil.example"), to(3), Inconsistent::Foreign),
            (to(2).replace("https", "http"), to(3), Inconsistent::Foreign),
            (to(2), to(3).replace("Team", "other"), Inconsistent::Foreign),
            (to(2).replace("/issues", "/pulls"), to(3), Inconsistent::Foreign),
            ("/issues?page=2".to_owned(), to(3), Inconsistent::Foreign),
            (to(2).replace("state=open", "state=all"), to(3), Inconsistent::OtherFilter),
            (to(2).replace("type=issues", "type=pulls"), to(3), Inconsistent::OtherFilter),
            (to(2).replace("type=issues", "type=issues&type=pulls"), to(3), Inconsistent::OtherFilter),
        ] {
            assert_eq!(continues(1, 30, Some(61), &links(&next, &last)), Err(what), "{next} {last}");
        }
        assert_eq!(continues(1, 0, Some(61), &links(&to(2), &to(3))), Err(Inconsistent::EmptyWithNext));
    }
}
