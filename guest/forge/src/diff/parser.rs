//! The machine: lines in, events out.

use super::{
    Events, Fault, HunkHeader, LineKind, Rule,
    binary::Binary,
    header::{Extended, SectionHeader, Status},
    name,
};

/// Bytes of a line that are kept: `diff --git ` with two quoted names of 4,096 bytes, each byte as an octal escape. A
/// longer header line names no path that can be asked for (S-018).
pub const HEADER_LINE_BYTES: usize = 11 + 2 * (4 + 4 * 4_096) + 1;

const SECTION: &[u8] = b"diff --git ";
const NO_NEWLINE: &[u8] = b"\\ No newline at end of file";

/// Reads a diff that comes in pieces, split anywhere (D-078, S-016).
#[derive(Debug)]
pub struct Parser {
    /// Bytes before the current line.
    line_start: u64,
    /// Bytes taken.
    taken: u64,
    line: Line,
    place: Place,
    fault: Option<Fault>,
}

/// What is done with the bytes of the current line.
#[derive(Debug)]
enum Line {
    /// They are kept until the line is whole.
    Held(Vec<u8>),
    /// They pass: the line has been judged by its beginning.
    Passing,
}

/// Where in the grammar the current line stands.
#[derive(Debug)]
enum Place {
    /// A section has to start.
    Start,
    /// Within the extended header.
    Extended(Box<Extended>),
    /// After `---`: `+++` has to follow.
    Labels(SectionHeader),
    /// After `+++`, or after a hunk's last line.
    Hunks { first: bool, ended: bool, last: Option<(LineKind, u64, u64)> },
    /// Within a hunk: lines left on the old and the new side, and what the line before was.
    Body { old: u64, new: u64, ended: bool, last: Option<LineKind> },
    Binary(Binary),
    /// A section without a body, or with one that is over: another may start.
    Between,
}

impl Default for Parser {
    fn default() -> Self {
        Self { line_start: 0, taken: 0, line: Line::Held(Vec::new()), place: Place::Start, fault: None }
    }
}

impl Parser {
    /// A parser before the first byte.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// The first rule that is broken; from then on every call says the same.
    pub fn feed(&mut self, mut bytes: &[u8], events: &mut impl Events) -> Result<(), Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        while !bytes.is_empty() {
            let end = memchr::memchr(b'\n', bytes);
            let (piece, rest) = bytes.split_at(end.map_or(bytes.len(), |at| at + 1));
            bytes = rest;
            self.take(piece, end.is_some(), events).map_err(|rule| self.fail(rule))?;
        }
        Ok(())
    }

    /// The diff is over.
    ///
    /// # Errors
    /// The rule that is broken, [`Rule::End`] where the diff ends inside a section's body.
    pub fn finish(mut self, events: &mut impl Events) -> Result<(), Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.end(events).map_err(|rule| self.fail(rule))
    }

    fn fail(&mut self, rule: Rule) -> Fault {
        *self.fault.insert(Fault { offset: self.line_start, rule })
    }

    /// Takes a piece of one line, up to its line feed if `ends`.
    fn take(&mut self, piece: &[u8], ends: bool, events: &mut impl Events) -> Result<(), Rule> {
        self.taken = self.taken.saturating_add(piece.len() as u64);
        let mut held = match &mut self.line {
            Line::Held(held) => std::mem::take(held),
            Line::Passing => {
                events.bytes(piece);
                self.next_line(ends);
                return Ok(());
            }
        };
        // A line of a hunk is judged by its first byte; most lines are whole in one piece, and are not copied.
        let in_body = matches!(self.place, Place::Body { .. }) && held.is_empty() && piece.first() != Some(&b'\\');
        if held.is_empty() && (ends || in_body) {
            self.judge_and_pass(piece, ends, events)?;
        } else {
            held.extend_from_slice(piece);
            if ends || held.len() > HEADER_LINE_BYTES {
                self.judge_and_pass(&held, ends, events)?;
            } else {
                self.line = Line::Held(held);
            }
        }
        self.next_line(ends);
        Ok(())
    }

    fn judge_and_pass(&mut self, line: &[u8], whole: bool, events: &mut impl Events) -> Result<(), Rule> {
        self.judge(line.strip_suffix(b"\n").unwrap_or(line), whole, events)?;
        events.bytes(line);
        self.line = Line::Passing;
        Ok(())
    }

    fn next_line(&mut self, ends: bool) {
        if ends {
            self.line = Line::Held(Vec::new());
            self.line_start = self.taken;
        }
    }

    /// Judges a line by its text, or by its beginning where it is not `whole`.
    fn judge(&mut self, line: &[u8], whole: bool, events: &mut impl Events) -> Result<(), Rule> {
        match &mut self.place {
            Place::Body { old, new, ended, last } => {
                let kind = match line.first() {
                    // git can leave out the space of an empty context line.
                    Some(b' ') => LineKind::Context,
                    None => LineKind::Context,
                    Some(b'-') => LineKind::Removed,
                    Some(b'+') => LineKind::Added,
                    Some(b'\\') => {
                        no_newline(line, whole, *last, *old, *new)?;
                        events.line(LineKind::NoNewline);
                        (*ended, *last) = (true, None);
                        return Ok(());
                    }
                    Some(_) => return Err(Rule::Count),
                };
                if kind != LineKind::Added {
                    *old = old.checked_sub(1).ok_or(Rule::Count)?;
                }
                if kind != LineKind::Removed {
                    *new = new.checked_sub(1).ok_or(Rule::Count)?;
                }
                *last = Some(kind);
                events.line(kind);
                if let (0, 0) = (*old, *new) {
                    self.place = Place::Hunks { first: false, ended: *ended, last: Some((kind, 0, 0)) };
                }
                Ok(())
            }
            Place::Extended(extended) => {
                if extended.line(line, whole)? {
                    return Ok(());
                }
                let header = extended.finish()?;
                events.header(&header);
                self.body(header, line, whole, events)
            }
            Place::Labels(header) => {
                label(line, whole, b"+++ ", b"b/", header, Status::Deleted)?;
                self.place = Place::Hunks { first: true, ended: false, last: None };
                Ok(())
            }
            Place::Hunks { first, ended, last } => {
                if line.starts_with(b"@@ ") {
                    if *ended {
                        return Err(Rule::NoNewline);
                    }
                    let hunk = HunkHeader::parse(line)?;
                    events.hunk(&hunk);
                    self.place = Place::Body { old: hunk.old_lines, new: hunk.new_lines, ended: false, last: None };
                    return Ok(());
                }
                if line.starts_with(b"\\") {
                    let (kind, old, new) = last.take().ok_or(Rule::NoNewline)?;
                    no_newline(line, whole, Some(kind), old, new)?;
                    events.line(LineKind::NoNewline);
                    *ended = true;
                    return Ok(());
                }
                if *first { Err(Rule::Labels) } else { self.section(line, whole, events) }
            }
            Place::Binary(binary) => {
                if binary.may_end() && line.starts_with(SECTION) {
                    return self.section(line, whole, events);
                }
                *binary = if whole { binary.line(line)? } else { return Err(Rule::Binary) };
                Ok(())
            }
            Place::Start | Place::Between => self.section(line, whole, events),
        }
    }

    /// The first line of a section.
    fn section(&mut self, line: &[u8], whole: bool, events: &mut impl Events) -> Result<(), Rule> {
        let names = line.strip_prefix(SECTION).ok_or(Rule::Section)?;
        events.section(self.line_start);
        self.place = Place::Extended(Box::new(Extended::new(whole.then_some(names))));
        Ok(())
    }

    /// The first line after the extended header.
    fn body(
        &mut self,
        header: SectionHeader,
        line: &[u8],
        whole: bool,
        events: &mut impl Events,
    ) -> Result<(), Rule> {
        if line.starts_with(SECTION) {
            return self.section(line, whole, events);
        }
        if line.starts_with(b"--- ") {
            label(line, whole, b"--- ", b"a/", &header, Status::Added)?;
            self.place = Place::Labels(header);
            return Ok(());
        }
        if line == b"GIT binary patch" {
            self.place = Place::Binary(Binary::START);
            return Ok(());
        }
        if line.starts_with(b"Binary files ") {
            differ(line, whole, &header)?;
            self.place = Place::Between;
            return Ok(());
        }
        Err(Rule::Extended)
    }

    fn end(&mut self, events: &mut impl Events) -> Result<(), Rule> {
        // K-29: a section without a body may end without a line feed.
        if let Line::Held(held) = &mut self.line
            && !held.is_empty()
        {
            let line = std::mem::take(held);
            if !matches!(self.place, Place::Start | Place::Between | Place::Extended(_) | Place::Hunks { first: false, .. })
            {
                return Err(Rule::End);
            }
            self.judge(&line, true, events)?;
            events.bytes(&line);
            if !matches!(self.place, Place::Extended(_) | Place::Between) {
                return Err(Rule::End);
            }
        } else if matches!(self.line, Line::Passing) {
            return Err(Rule::End);
        }
        match &mut self.place {
            Place::Start | Place::Between | Place::Hunks { first: false, .. } => Ok(()),
            Place::Extended(extended) => {
                events.header(&extended.finish()?);
                Ok(())
            }
            Place::Binary(binary) if binary.may_end() => Ok(()),
            Place::Labels(_) | Place::Hunks { .. } | Place::Body { .. } | Place::Binary(_) => Err(Rule::End),
        }
    }
}

/// `\ No newline at end of file` ends the sides that the line before it is on.
fn no_newline(line: &[u8], whole: bool, last: Option<LineKind>, old: u64, new: u64) -> Result<(), Rule> {
    let ends = match last {
        Some(LineKind::Context) => old == 0 && new == 0,
        Some(LineKind::Removed) => old == 0,
        Some(LineKind::Added) => new == 0,
        Some(LineKind::NoNewline) | None => false,
    };
    if whole && ends && line == NO_NEWLINE { Ok(()) } else { Err(Rule::NoNewline) }
}

/// `---` or `+++`: the section's path on that side, `/dev/null` where `absent` says that there is none. A name with a
/// space is followed by a tab.
fn label(line: &[u8], whole: bool, mark: &[u8], prefix: &[u8], header: &SectionHeader, absent: Status) -> Result<(), Rule> {
    let spelled = line.strip_prefix(mark).ok_or(Rule::Labels)?;
    if header.status == absent {
        return if whole && spelled == b"/dev/null" { Ok(()) } else { Err(Rule::Labels) };
    }
    let Some((old, new)) = header.paths.as_ref().filter(|_| whole) else { return Ok(()) };
    let path = if mark == b"--- " { old } else { new };
    match name::after(spelled, prefix, path)? {
        Some([]) => Ok(()),
        Some([b'\t']) if path.contains(&b' ') => Ok(()),
        _ => Err(Rule::Labels),
    }
}

/// `Binary files a/x and b/y differ`.
fn differ(line: &[u8], whole: bool, header: &SectionHeader) -> Result<(), Rule> {
    let Some((old, new)) = header.paths.as_ref().filter(|_| whole) else { return Ok(()) };
    let rest = line.strip_prefix(b"Binary files ").ok_or(Rule::Binary)?;
    let rest = if header.status == Status::Added { rest.strip_prefix(b"/dev/null") } else { name::after(rest, b"a/", old)? };
    let rest = rest.and_then(|rest| rest.strip_prefix(b" and ")).ok_or(Rule::Binary)?;
    let rest = if header.status == Status::Deleted { rest.strip_prefix(b"/dev/null") } else { name::after(rest, b"b/", new)? };
    if rest == Some(b" differ") { Ok(()) } else { Err(Rule::Binary) }
}
