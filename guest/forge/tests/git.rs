//! The grammar and the slices against real git: awkward and random repositories, both object formats, every style.

use assay_forge::{
    RepoPath, Sink as _, Slicer,
    diff::{BinaryBlock, Body, Events, HunkHeader, LineKind, Parser, SectionEnd, SectionHeader, Status},
};
use assay_kit::{AwkwardRepository, Change, DiffStyle, ObjectFormat, repository::slice_of};
use proptest::prelude::*;

/// Everything a parser tells, the bytes of each section by themselves.
#[derive(Default, PartialEq, Eq, Debug)]
struct Told {
    sections: Vec<Vec<u8>>,
    headers: Vec<SectionHeader>,
    counts: Vec<(u64, u64)>,
    ends: Vec<SectionEnd>,
    hunks: Vec<HunkHeader>,
    /// Each line with its text, joined whatever the pieces.
    lines: Vec<(LineKind, Vec<u8>)>,
    blocks: Vec<(BinaryBlock, Vec<u8>)>,
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

    fn hunk(&mut self, hunk: &HunkHeader) {
        self.hunks.push(hunk.clone());
    }

    fn text(&mut self, piece: &[u8]) {
        self.lines.last_mut().expect("in a line").1.extend_from_slice(piece);
    }

    fn binary_block(&mut self, block: BinaryBlock) {
        self.blocks.push((block, Vec::new()));
    }

    fn binary_data(&mut self, bytes: &[u8]) {
        assert!((1..=52).contains(&bytes.len()));
        self.blocks.last_mut().expect("in a block").1.extend_from_slice(bytes);
    }

    fn section_end(&mut self, end: SectionEnd) {
        assert_eq!(end.offset, self.sections.concat().len() as u64);
        assert_eq!(Some(&(end.additions, end.deletions)), self.counts.last());
        self.ends.push(end);
    }

    fn line(&mut self, kind: LineKind) {
        self.lines.push((kind, Vec::new()));
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
    assert!(
        slice.captured.count <= assay_forge::WINDOW_BYTES as u64
            || slice.captured.window.len() == assay_forge::WINDOW_BYTES
    );
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
    assert!(told.hunks.len() > 10);
}

/// S-003, O-005: a diff that ends anywhere but behind a whole section is refused, and so is one with more behind it.
#[test]
fn every_cut_is_seen() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    for branch in ["endings", "patchless", "renames", "links"] {
        let diff = repository.diff("main", branch, DiffStyle::FORGE);
        let whole = told(&diff, []);
        let ends: Vec<usize> = whole
            .sections
            .iter()
            .scan(0, |at, s| {
                *at += s.len();
                Some(*at)
            })
            .collect();
        for at in 1..diff.len() {
            let mut parser = Parser::new();
            let mut cut = Told::default();
            let fed = parser.feed(&diff[..at], &mut cut).and_then(|()| parser.finish(&mut cut));
            let behind = ends.iter().rev().find(|end| **end <= at).copied().unwrap_or(0);
            // Behind a hunk no grammar can tell that another one, or a missing line feed, was to follow: a proof can.
            let hunk =
                diff[..at].ends_with(b"\n") && [&b"@@ "[..], b"\\ "].iter().any(|next| diff[at..].starts_with(next));
            let first = !diff[behind..at].windows(4).any(|four| four == b"\n@@ ");
            let whole = behind == at || (hunk && !first) || may_look_whole(&diff[behind..at]);
            assert!(fed.is_err() || whole, "{branch}: cut at {at}");
            assert!(fed.is_ok() || behind != at, "{branch}: whole sections up to {at}");
        }
        let mut appended = diff.clone();
        appended.extend(b"{\"message\":\"\",\"url\":\"http://forge/api/swagger\"}\n");
        let mut parser = Parser::new();
        let fed = parser.feed(&appended, &mut Told::default()).and_then(|()| parser.finish(&mut Told::default()));
        assert!(fed.is_err(), "{branch}: an error body behind the diff");
    }
}

/// K-29, K-30: what is left of a section that was cut is still one where its header alone says a change, or where only the
/// line feed of its one line is missing.
fn may_look_whole(left: &[u8]) -> bool {
    let lines: Vec<&[u8]> = left.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let last = lines.last().copied().unwrap_or_default();
    let body = [&b"--- "[..], b"@@ ", b"GIT binary patch"];
    let says = [&b"new mode "[..], b"rename to ", b"copy to ", b"index 0000000..e69de29", b"index e69de29..0000000"];
    let cut_id = last.starts_with(b"index ")
        && lines.iter().any(|line| line.starts_with(b"new file mode ") || line.starts_with(b"deleted file mode "));
    let differ = last.starts_with(b"Binary files ") && last.ends_with(b" differ");
    let header = !lines.iter().any(|line| body.iter().any(|start| line.starts_with(start)));
    header && (differ || cut_id || says.iter().any(|start| last.starts_with(start)))
}

/// Header, modes and ids are those of `git diff --raw`.
#[test]
fn modes_and_ids_are_gits() {
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::new(format);
        let raw = repository.git(["diff", "--raw", "-z", "--no-abbrev", "-M", "main", "everything"]);
        let told = told(&repository.diff("main", "everything", DiffStyle::FORGE), []);
        let mut headers = told.headers.iter();
        let mut fields = raw.split(|byte| *byte == 0);
        let mut seen = 0;
        while let Some(entry) = fields.next().and_then(|field| field.strip_prefix(b":")) {
            let words: Vec<String> = String::from_utf8_lossy(entry).split(' ').map(str::to_owned).collect();
            let [old_mode, new_mode, old_id, new_id, status] = words.as_slice() else { panic!("{words:?}") };
            let paths = if status.starts_with(['R', 'C']) { 2 } else { 1 };
            let names: Vec<&[u8]> = fields.by_ref().take(paths).collect();
            let sections = if status == "T" { 2 } else { 1 };
            for header in headers.by_ref().take(sections) {
                seen += 1;
                let paths = header.paths.as_ref().expect("short names");
                assert_eq!((paths.0.as_slice(), paths.1.as_slice()), (names[0], names[names.len() - 1]));
                let octal = |text: &str| u32::from_str_radix(text, 8).expect("octal");
                for (told, git) in [(header.old_mode, old_mode), (header.new_mode, new_mode)] {
                    assert!(told.is_none_or(|mode| mode.bits() == octal(git)), "{names:?}: {git}");
                }
                let Some((old, new)) = &header.ids else {
                    assert!(old_id == new_id && header.body == Body::None);
                    continue;
                };
                let zero = |id: &[u8]| id.iter().all(|digit| *digit == b'0');
                assert!(old_id.as_bytes().starts_with(old) || (status == "T" && zero(old)));
                assert!(new_id.as_bytes().starts_with(new) || (status == "T" && zero(new)));
            }
        }
        assert!(headers.next().is_none() && seen == told.sections.len() && seen > 20);
    }
}

/// O-005: the blocks of a binary part are what git deflated: a zlib stream each, both ways.
#[test]
fn binary_blocks_are_decoded() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let told = told(&repository.diff("main", "everything", DiffStyle::FORGE), []);
    let parts = told.headers.iter().filter(|header| header.body == Body::Binary).count();
    assert!(parts > 0 && told.blocks.len() == 2 * parts);
    for (at, (block, data)) in told.blocks.iter().enumerate() {
        assert_eq!(block.reverse, at % 2 == 1);
        let (head, _) = data.split_first_chunk::<2>().expect("a zlib header");
        assert!(head[0] == 0x78 && u16::from_be_bytes(*head) % 31 == 0);
    }
}

/// Every line of every hunk is told with its text: put together again they are the section's bytes.
#[test]
fn lines_are_told_with_their_text() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    for branch in repository.branches() {
        let diff = repository.diff("main", branch, DiffStyle::FORGE);
        let told = told(&diff, []);
        let mut texts = Vec::new();
        for (kind, text) in told.lines.iter().filter(|(kind, _)| *kind != LineKind::NoNewline) {
            texts.push(match kind {
                LineKind::Added => b'+',
                LineKind::Removed => b'-',
                _ => b' ',
            });
            texts.extend(text);
            texts.push(b'\n');
        }
        let mut from_sections = Vec::new();
        let text_sections = told.sections.iter().zip(&told.headers).filter(|(_, header)| header.body == Body::Text);
        for (section, _) in text_sections {
            let lines = section.split_inclusive(|byte| *byte == b'\n').skip_while(|line| !line.starts_with(b"@@ "));
            for line in lines {
                if !line.starts_with(b"@@ ") && !line.starts_with(b"\\ ") {
                    from_sections.extend_from_slice(line);
                }
            }
        }
        assert!(texts == from_sections, "{branch}");
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
