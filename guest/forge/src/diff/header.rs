//! A section's extended header and a hunk's first line.

use super::{Rule, name};

/// A file's mode, as git writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(u32);

impl Mode {
    /// The six octal digits as a number: `0o100644`, `0o120000`, `0o160000`.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// A commit of another repository.
    #[must_use]
    pub const fn is_submodule(self) -> bool {
        self.0 & 0o170_000 == 0o160_000
    }

    /// A symbolic link.
    #[must_use]
    pub const fn is_symlink(self) -> bool {
        self.0 & 0o170_000 == 0o120_000
    }

    fn parse(digits: &[u8]) -> Result<Self, Rule> {
        if digits.len() != 6 {
            return Err(Rule::Extended);
        }
        let octal = |value: u32, digit: &u8| match digit {
            b'0'..=b'7' => Ok(value << 3 | u32::from(digit - b'0')),
            _ => Err(Rule::Extended),
        };
        // A diff between two trees has no others: git folds what else stands in a tree into these.
        match digits.iter().try_fold(0, octal)? {
            bits @ (0o100_644 | 0o100_755 | 0o120_000 | 0o160_000) => Ok(Self(bits)),
            _ => Err(Rule::Extended),
        }
    }
}

/// What a section does to its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It is there on the new side alone.
    Added,
    /// It is there on the old side alone.
    Deleted,
    /// Its content, its mode or both differ.
    #[default]
    Modified,
    /// It has another path.
    Renamed,
    /// It is new, and was made from another.
    Copied,
}

/// What follows a section's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Nothing: a change of mode, a whole rename, an empty file.
    #[default]
    None,
    /// Hunks of lines.
    Text,
    /// `Binary files … differ`, which says no more than that.
    Differ,
    /// `GIT binary patch`.
    Binary,
}

impl Body {
    /// Reads it from the first line that is not the header's.
    pub(super) fn announced_by(line: &[u8]) -> Option<Self> {
        match line {
            b"GIT binary patch" => Some(Self::Binary),
            _ if line.starts_with(b"diff --git ") => Some(Self::None),
            _ if line.starts_with(b"--- ") => Some(Self::Text),
            _ if line.starts_with(b"Binary files ") => Some(Self::Differ),
            _ => None,
        }
    }
}

/// What a section says of its file before its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionHeader {
    /// Its path on either side, the same for a file that is added or deleted; nothing where a name is longer than
    /// [`super::HEADER_LINE_BYTES`] allows, and so than any path that can be asked for (S-018).
    pub paths: Option<(Vec<u8>, Vec<u8>)>,
    /// What happens to it.
    pub status: Status,
    /// Its mode on the old side, where the header says it.
    pub old_mode: Option<Mode>,
    /// Its mode on the new side, where the header says it.
    pub new_mode: Option<Mode>,
    /// The blobs' ids, abbreviated or whole, in lower-case hex, where the header says them.
    pub ids: Option<(Vec<u8>, Vec<u8>)>,
    /// `similarity index` or `dissimilarity index` in per cent.
    pub similarity: Option<u8>,
    /// What follows.
    pub body: Body,
}

/// The ids of the file that has no byte: it is the one that is added or deleted without a body.
const EMPTY: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];

/// The extended header while it is read. `stage` keeps git's order: no line may follow one of its own or a later stage.
#[derive(Clone, Debug)]
pub(super) struct Extended {
    /// The first line's names; nothing where the line is too long.
    names: Option<Vec<u8>>,
    stage: u8,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    too_long: bool,
    /// Lines that come in pairs and whose second is still owed.
    owed: bool,
    header: SectionHeader,
}

impl Extended {
    /// `names` is the rest of the `diff --git ` line.
    pub(super) fn new(names: Option<&[u8]>) -> Self {
        Self {
            names: names.map(<[u8]>::to_vec),
            stage: 0,
            from: None,
            to: None,
            too_long: names.is_none(),
            owed: false,
            header: SectionHeader::default(),
        }
    }

    /// Takes a line if it is one of the extended header; `whole` says that it was not cut.
    pub(super) fn line(&mut self, line: &[u8], whole: bool) -> Result<bool, Rule> {
        let header = &mut self.header;
        let (stage, opens) = if let Some(mode) = line.strip_prefix(b"old mode ") {
            header.old_mode = Some(Mode::parse(mode)?);
            (1, true)
        } else if let Some(mode) = line.strip_prefix(b"new mode ") {
            header.new_mode = Some(Mode::parse(mode)?);
            (2, false)
        } else if let Some(mode) = line.strip_prefix(b"deleted file mode ") {
            (header.old_mode, header.status) = (Some(Mode::parse(mode)?), Status::Deleted);
            (3, false)
        } else if let Some(mode) = line.strip_prefix(b"new file mode ") {
            (header.new_mode, header.status) = (Some(Mode::parse(mode)?), Status::Added);
            (3, false)
        } else if let Some(percent) = line.strip_prefix(b"similarity index ") {
            header.similarity = Some(percentage(percent)?);
            (4, true)
        } else if let Some(percent) = line.strip_prefix(b"dissimilarity index ") {
            header.similarity = Some(percentage(percent)?);
            (6, false)
        } else if let Some((from, status)) = either(line, b"rename from ", b"copy from ") {
            header.status = status;
            self.from = Some(from.to_vec());
            self.too_long |= !whole;
            (5, true)
        } else if let Some((to, status)) = either(line, b"rename to ", b"copy to ") {
            if status != header.status {
                return Err(Rule::Extended);
            }
            self.to = Some(to.to_vec());
            self.too_long |= !whole;
            (6, false)
        } else if let Some(ids) = line.strip_prefix(b"index ") {
            self.index(ids)?;
            (7, false)
        } else {
            return Ok(false);
        };
        // The second line of a pair follows its first and nothing else does; `dissimilarity index` stands in the place
        // of a rename, and beside a file that is added or deleted stand its ids alone.
        let same_mode = stage == 2 && !changes_mode(self.header.old_mode, self.header.new_mode);
        let follows = if self.owed { stage == self.stage + 1 } else { stage > self.stage && !matches!(stage, 2 | 5) };
        let fits = match self.header.status {
            Status::Added | Status::Deleted => (stage == 3 && self.stage == 0) || stage == 7,
            Status::Modified => !(stage == 6 && self.owed),
            Status::Renamed | Status::Copied => stage != 6 || self.to.is_some(),
        };
        let named = matches!(self.header.status, Status::Renamed | Status::Copied) && matches!(stage, 5 | 6);
        if !follows || !fits || same_mode || (!whole && !named) {
            return Err(Rule::Extended);
        }
        (self.stage, self.owed) = (stage, opens);
        Ok(true)
    }

    fn index(&mut self, ids: &[u8]) -> Result<(), Rule> {
        let mut words = ids.split(|byte| *byte == b' ');
        let range = words.next().unwrap_or_default();
        if let Some(mode) = words.next() {
            let mode = Some(Mode::parse(mode)?);
            if self.header.old_mode.is_some() || self.header.new_mode.is_some() || words.next().is_some() {
                return Err(Rule::Extended);
            }
            (self.header.old_mode, self.header.new_mode) = (mode, mode);
        }
        let at = memchr::memmem::find(range, b"..").ok_or(Rule::Extended)?;
        let (old, new) = range.split_at(at);
        let new = new.strip_prefix(b"..").unwrap_or_default();
        let is_id =
            |id: &[u8]| (4..=64).contains(&id.len()) && id.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_id(old) || !is_id(new) {
            return Err(Rule::Extended);
        }
        self.header.ids = Some((old.to_vec(), new.to_vec()));
        Ok(())
    }

    /// Whether the names can still be known (S-018).
    pub(super) const fn is_named(&self) -> bool {
        !self.too_long
    }

    /// The header is over: its names are judged, and whether it says a change that `body` can follow.
    pub(super) fn finish(&mut self, body: Body) -> Result<SectionHeader, Rule> {
        if self.owed {
            return Err(Rule::Extended);
        }
        let mut header = self.header.clone();
        header.body = body;
        if let Some(names) = self.names.as_deref().filter(|_| !self.too_long) {
            header.paths = Some(match (&self.from, &self.to) {
                (Some(from), Some(to)) => {
                    let (from, to) = (name::whole(from)?, name::whole(to)?);
                    name::two_paths(names, &from, &to)?;
                    if from.is_empty() || to.is_empty() {
                        return Err(Rule::Names);
                    }
                    (from, to)
                }
                _ => {
                    let path = name::same_path(names)?;
                    (path.clone(), path)
                }
            });
        }
        if header.says_a_change() { Ok(header) } else { Err(Rule::Patch) }
    }
}

impl SectionHeader {
    /// Whether header and body are together what git writes: git names the two contents wherever they differ and shows
    /// then how, so a header that lacks either was cut (K-29, K-30).
    fn says_a_change(&self) -> bool {
        let is_zero = |id: &[u8]| id.iter().all(|digit| *digit == b'0');
        let is_empty = |id: &[u8]| EMPTY.iter().any(|empty| empty.as_bytes().starts_with(id));
        let Some((old, new)) = &self.ids else {
            let said = match self.status {
                Status::Added | Status::Deleted => false,
                Status::Modified => self.old_mode != self.new_mode,
                Status::Renamed | Status::Copied => self.similarity == Some(100),
            };
            return said && self.body == Body::None;
        };
        let bodiless = self.body == Body::None;
        match self.status {
            // The id of what is there can begin with as many zeros as are shown of it; the trees tell.
            Status::Added => is_zero(old) && (!bodiless || is_empty(new)),
            Status::Deleted => is_zero(new) && (!bodiless || is_empty(old)),
            _ => !bodiless && self.old_mode.is_some(),
        }
    }
}

/// `old mode` and `new mode` stand where they differ and are of one type; another type is a deletion and an addition.
fn changes_mode(old: Option<Mode>, new: Option<Mode>) -> bool {
    matches!((old, new), (Some(old), Some(new)) if old != new && old.0 >> 12 == new.0 >> 12)
}

fn either<'a>(line: &'a [u8], rename: &[u8], copy: &[u8]) -> Option<(&'a [u8], Status)> {
    let renamed = line.strip_prefix(rename).map(|name| (name, Status::Renamed));
    renamed.or_else(|| line.strip_prefix(copy).map(|name| (name, Status::Copied)))
}

fn percentage(text: &[u8]) -> Result<u8, Rule> {
    let number = text.strip_suffix(b"%").and_then(decimal).filter(|number| *number <= 100).ok_or(Rule::Extended)?;
    u8::try_from(number).map_err(|_| Rule::Extended)
}

/// A hunk's ranges: where it starts, counted from 1, and how many lines it has on either side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkHeader {
    /// The first line on the old side; the line before it where there is none.
    pub old_start: u64,
    /// Lines on the old side.
    pub old_lines: u64,
    /// The first line on the new side; the line before it where there is none.
    pub new_start: u64,
    /// Lines on the new side.
    pub new_lines: u64,
    /// What stands behind the ranges: the beginning of a line above the hunk; empty where there is none.
    pub heading: Vec<u8>,
}

impl HunkHeader {
    /// Reads `@@ -a[,b] +c[,d] @@[ heading]`.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Rule> {
        let ranges = line.strip_prefix(b"@@ -").ok_or(Rule::Hunk)?;
        let end = memchr::memmem::find(ranges, b" @@").ok_or(Rule::Hunk)?;
        let (ranges, heading) = ranges.split_at(end);
        let heading = match heading.strip_prefix(b" @@") {
            Some([]) => Vec::new(),
            Some([b' ', heading @ ..]) if !heading.is_empty() => heading.to_vec(),
            _ => return Err(Rule::Hunk),
        };
        let at = memchr::memmem::find(ranges, b" +").ok_or(Rule::Hunk)?;
        let (old, new) = ranges.split_at(at);
        let (old_start, old_lines) = range(old)?;
        let (new_start, new_lines) = range(new.strip_prefix(b" +").unwrap_or_default())?;
        if old_lines == 0 && new_lines == 0 {
            return Err(Rule::Hunk);
        }
        Ok(Self { old_start, old_lines, new_start, new_lines, heading })
    }
}

fn range(text: &[u8]) -> Result<(u64, u64), Rule> {
    let mut numbers = text.splitn(2, |byte| *byte == b',');
    let start = numbers.next().and_then(decimal).ok_or(Rule::Hunk)?;
    let lines = numbers.next().map_or(Some(1), decimal).ok_or(Rule::Hunk)?;
    // Line numbers count from 1; only an empty range can name the place before the first line.
    if start == 0 && lines > 0 { Err(Rule::Hunk) } else { Ok((start, lines)) }
}

/// A number as git prints one: digits without a leading zero.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || (digits.len() > 1 && digits.first() == Some(&b'0')) {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}
