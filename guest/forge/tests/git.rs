//! The grammar and the slices against real git: awkward and random repositories, both object formats, every style.

use assay_forge::{
    RepoPath, Sink as _, Slicer,
    diff::{Events, LineKind, Parser, SectionHeader, Status},
};
use assay_kit::{AwkwardRepository, Change, DiffStyle, ObjectFormat, repository::slice_of};
use proptest::prelude::*;

/// Everything a parser tells, the bytes of each section by themselves.
#[derive(Default, PartialEq, Eq, Debug)]
struct Told {
    sections: Vec<Vec<u8>>,
    headers: Vec<SectionHeader>,
    counts: Vec<(u64, u64)>,
    hunks: usize,
}

impl Events for Told {
    fn section(&mut self, offset: u64) {
        assert_eq!(offset, self.sections.concat().len() as u64);
        self.sections.push(Vec::new());
        self.counts.push((0, 0));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.sections.last_mut().expect("in a section").extend_from_slice(bytes);
    }

    fn header(&mut self, header: &SectionHeader) {
        self.headers.push(header.clone());
    }

    fn hunk(&mut self, _: &assay_forge::diff::HunkHeader) {
        self.hunks += 1;
    }

    fn line(&mut self, kind: LineKind) {
        let (added, removed) = self.counts.last_mut().expect("in a section");
        match kind {
            LineKind::Added => *added += 1,
            LineKind::Removed => *removed += 1,
            LineKind::Context | LineKind::NoNewline => {}
        }
    }
}

fn told(diff: &[u8], pieces: impl IntoIterator<Item = usize>) -> Told {
    let (mut parser, mut told, mut rest) = (Parser::new(), Told::default(), diff);
    for piece in pieces {
        let (now, later) = rest.split_at(piece.min(rest.len()));
        parser.feed(now, &mut told).unwrap_or_else(|fault| panic!("{fault}"));
        rest = later;
    }
    parser.feed(rest, &mut told).unwrap_or_else(|fault| panic!("{fault}"));
    parser.finish(&mut told).unwrap_or_else(|fault| panic!("{fault}"));
    told
}

fn slice(diff: &[u8], path: &[u8]) -> Vec<u8> {
    let mut slicer = Slicer::new(RepoPath::new(path).expect("a path"), 0);
    diff.chunks(4_093).for_each(|piece| slicer.push(piece));
    let slice = slicer.finish().unwrap_or_else(|error| panic!("{}: {error}", path.escape_ascii()));
    assert!(slice.captured.count <= assay_forge::WINDOW_BYTES as u64 || slice.captured.window.len() == assay_forge::WINDOW_BYTES);
    slice.captured.window
}

/// S-003, S-004, S-005, S-007, S-012, S-013, S-014: sections, names, modes and counts are git's own, and every path's slice is
/// what git prints for it. K-18, K-19, K-21, K-22, K-30, K-31 are among the paths.
fn agrees(repository: &AwkwardRepository, branch: &str, style: DiffStyle) {
    let diff = repository.diff("main", branch, style);
    let changes = repository.changes("main", branch, style);
    let told = told(&diff, []);
    let sections: Vec<Vec<u8>> = changes.iter().flat_map(|change| change.sections.clone()).collect();
    assert_eq!(told.sections, sections, "{branch}");
    let names = changes.iter().flat_map(|change| change.sections.iter().map(move |_| change));
    for (header, change) in told.headers.iter().zip(names) {
        assert_eq!(header.paths, Some((change.old.clone(), change.new.clone())), "{branch}");
        assert!(statuses(change).contains(&header.status), "{branch}: {change:?}");
    }
    assert_eq!(told.headers.len(), sections.len());
    for path in changes.iter().flat_map(|change| [&change.old, &change.new]) {
        let expected = slice_of(&changes, path);
        let window = expected.get(..expected.len().min(assay_forge::WINDOW_BYTES)).expect("not past the end");
        assert!(slice(&diff, path) == window, "{branch}: {}", path.escape_ascii());
    }
}

fn statuses(change: &Change) -> &'static [Status] {
    match change.status {
        'A' => &[Status::Added],
        'C' => &[Status::Copied],
        'D' => &[Status::Deleted],
        'R' => &[Status::Renamed],
        'T' => &[Status::Deleted, Status::Added],
        _ => &[Status::Modified],
    }
}

#[test]
fn awkward_repositories_read_as_git_writes_them() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = AwkwardRepository::new(format);
        for branch in repository.branches() {
            for style in DiffStyle::ALL {
                agrees(&repository, branch, style);
            }
        }
    }
}

/// The lines that hunks add and remove are as many as git counts.
#[test]
fn line_counts_are_gits() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let numstat = repository.git(["diff", "--numstat", "--no-renames", "--diff-filter=AMD", "main", "everything"]);
    let numstat = String::from_utf8_lossy(&numstat).into_owned();
    let sum = |column: usize| -> u64 {
        let numbers = numstat.lines().filter_map(|line| line.split('\t').nth(column)?.parse::<u64>().ok());
        numbers.sum()
    };
    let diff = repository.git(["diff", "-p", "--histogram", "--no-renames", "--diff-filter=AMD", "main", "everything"]);
    let told = told(&diff, []);
    let (added, removed) = told.counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    assert_eq!((added, removed), (sum(0), sum(1)));
    assert!(told.hunks > 10);
}

/// S-003, O-005: a diff that ends anywhere but behind a whole section is refused, and so is one with more behind it.
#[test]
fn every_cut_is_seen() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    for branch in ["endings", "patchless", "renames", "links"] {
        let diff = repository.diff("main", branch, DiffStyle::FORGE);
        let whole = told(&diff, []);
        let ends: Vec<usize> = whole.sections.iter().scan(0, |at, s| { *at += s.len(); Some(*at) }).collect();
        for at in 1..diff.len() {
            let mut parser = Parser::new();
            let mut cut = Told::default();
            let fed = parser.feed(&diff[..at], &mut cut).and_then(|()| parser.finish(&mut cut));
            // K-29: a section that has no body yet may look whole.
            let bodiless = cut.counts.last() == Some(&(0, 0)) && !diff[..at].ends_with(b"\n") || cut.hunks == 0;
            let between = ends.contains(&at) || diff[..at].ends_with(b"\n");
            assert!(fed.is_err() || between || bodiless, "{branch}: cut at {at}");
        }
        let mut appended = diff.clone();
        appended.extend(b"{\"message\":\"\",\"url\":\"http://forge/api/swagger\"}\n");
        let mut parser = Parser::new();
        let fed = parser.feed(&appended, &mut Told::default()).and_then(|()| parser.finish(&mut Told::default()));
        assert!(fed.is_err(), "{branch}: an error body behind the diff");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn random_repositories_read_as_git_writes_them(seed in any::<u64>(), sha256 in any::<bool>(), style in 0_usize..4) {
        let format = if sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
        agrees(&AwkwardRepository::random(seed, format), "change", DiffStyle::ALL[style]);
    }

    /// D-078, S-016: any chunking tells the same.
    #[test]
    fn any_chunking_tells_the_same(seed in any::<u64>(), pieces in prop::collection::vec(0_usize..200, 0..400)) {
        let repository = AwkwardRepository::random(seed, ObjectFormat::Sha1);
        let diff = repository.diff("main", "change", DiffStyle::FORGE);
        let whole = told(&diff, []);
        prop_assert_eq!(&told(&diff, pieces), &whole);
        prop_assert_eq!(&told(&diff, std::iter::repeat_n(1, diff.len())), &whole);
    }

    /// Hostile bytes end in a fault or in a parse, never in a panic; what was told joins to what was fed.
    #[test]
    fn mutations_never_panic(seed in 0_u64..16, edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let repository = AwkwardRepository::random(seed, ObjectFormat::Sha1);
        let mut diff = repository.diff("main", "change", DiffStyle::FORGE);
        if diff.is_empty() {
            return Ok(());
        }
        for (at, byte) in edits {
            let at = at.index(diff.len());
            diff[at] = byte;
        }
        let (mut parser, mut told) = (Parser::new(), Told::default());
        let fed = parser.feed(&diff, &mut told).and_then(|()| parser.finish(&mut told));
        if fed.is_ok() {
            prop_assert_eq!(told.sections.concat(), diff);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..3_000)) {
        let (mut parser, mut told) = (Parser::new(), Told::default());
        let _ = parser.feed(&bytes, &mut told).and_then(|()| parser.finish(&mut told));
    }
}
