//! The machine: lines in, events out.

use super::{
    Body, Events, Fault, HunkHeader, LineKind, Rule, SectionEnd,
    binary::Binary,
    header::{Extended, SectionHeader, Status},
    name,
};

/// Bytes that a `diff --git` line can have and still name a path that can be asked for: two quoted names of 4,096 bytes,
/// each byte as an octal escape (S-018).
pub const HEADER_LINE_BYTES: usize = 11 + 2 * (4 + 4 * 4_096) + 1;

/// Bytes of a line that are kept. The same two names fit into every other line that has them.
const HELD_BYTES: usize = HEADER_LINE_BYTES + 64;

const SECTION: &[u8] = b"diff --git ";
const NO_NEWLINE: &[u8] = b"\\ No newline at end of file";
/// Lines that are as long as the names in them.
const NAMING: [&[u8]; 6] = [b"rename from ", b"rename to ", b"copy from ", b"copy to ", b"--- ", b"Binary files "];

/// Reads a diff that comes in pieces, split anywhere (D-078, S-016).
#[derive(Debug)]
pub struct Parser {
    /// Bytes before the current line.
    line_start: u64,
    /// Bytes taken.
    taken: u64,
    line: Line,
    /// The current line so far, where it is not passed on at once: at most [`HELD_BYTES`].
    held: Vec<u8>,
    place: Place,
    section: Section,
    fault: Option<Fault>,
}

/// What is done with the bytes of the current line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// They are kept until the line is whole.
    Held,
    /// They pass: the line has been judged by its beginning.
    Passing {
        /// They are a hunk's.
        text: bool,
    },
}

/// Where in the grammar the current line stands.
#[derive(Debug)]
enum Place {
    /// A section has to start: nothing is before it, or a section that is over.
    Between,
    /// Within the extended header.
    Extended(Box<Extended>),
    /// After `---`: `+++` has to follow.
    Labels(SectionHeader),
    /// After `+++`, or after a hunk's last line, which `\ No newline at end of file` can follow.
    Hunks { last: Option<LineKind> },
    /// Within a hunk: lines left on the old and the new side, and what the line before was.
    Body { old: u64, new: u64, last: Option<LineKind> },
    /// Within `GIT binary patch`.
    Binary(Binary),
}

/// What is known of the section so far.
#[derive(Debug, Default)]
struct Section {
    offset: u64,
    status: Status,
    end: SectionEnd,
    /// The line after the last hunk on either side.
    after: Option<(u64, u64)>,
    /// A side's last line was shown, so no hunk can follow.
    ended: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self {
            line_start: 0,
            taken: 0,
            line: Line::Held,
            held: Vec::new(),
            place: Place::Between,
            section: Section::default(),
            fault: None,
        }
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
            self.taken = self.taken.saturating_add(piece.len() as u64);
            self.take(piece, end.is_some(), events).map_err(|rule| self.fail(rule))?;
            if end.is_some() {
                self.line = Line::Held;
                self.line_start = self.taken;
            }
        }
        Ok(())
    }

    /// The diff is over.
    ///
    /// # Errors
    /// The rule that is broken: [`Rule::End`] where the diff ends inside a section's body, [`Rule::Patch`] where it ends
    /// before the body that a header announces.
    pub fn finish(mut self, events: &mut impl Events) -> Result<(), Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.end(events).map_err(|rule| self.fail(rule))
    }

    /// The diff is over, and complete only at the end of a line: nothing else vouches for its last byte (O-005).
    ///
    /// # Errors
    /// As [`Parser::finish`], and [`Rule::End`] where the last line has no line feed.
    pub fn finish_line(mut self, events: &mut impl Events) -> Result<(), Fault> {
        if self.fault.is_none() && self.taken > self.line_start {
            return Err(self.fail(Rule::End));
        }
        self.finish(events)
    }

    fn fail(&mut self, rule: Rule) -> Fault {
        let offset = if rule == Rule::Names { self.section.offset } else { self.line_start };
        *self.fault.insert(Fault { offset, rule })
    }

    /// Takes a piece of one line, up to its line feed if `ends`.
    fn take(&mut self, piece: &[u8], ends: bool, events: &mut impl Events) -> Result<(), Rule> {
        let content = piece.strip_suffix(b"\n").filter(|_| ends).unwrap_or(piece);
        if let Line::Passing { text } = self.line {
            if text && !content.is_empty() {
                events.text(content);
            }
            events.bytes(piece);
            return Ok(());
        }
        // A line of a hunk is judged by its first byte, and passes however long it is.
        if let Place::Body { old, new, .. } = self.place
            && self.held.is_empty()
            && content.first() != Some(&b'\\')
        {
            self.line = Line::Passing { text: true };
            return self.hunk_line(piece, content, (old, new), events);
        }
        // Most lines are whole in one piece, and are not copied.
        if self.held.is_empty() && ends && content.len() <= HELD_BYTES {
            self.judge(content, true, events)?;
            events.bytes(piece);
            return Ok(());
        }
        // What is kept does not depend on how the line is split (D-078): as much as fits, and then a judgement.
        let room = HELD_BYTES.saturating_sub(self.held.len());
        let (fits, beyond) = piece.split_at_checked(room).filter(|_| content.len() > room).unwrap_or((piece, b""));
        self.held.extend_from_slice(fits);
        if !ends && beyond.is_empty() {
            return Ok(());
        }
        let whole = beyond.is_empty();
        let mut line = std::mem::take(&mut self.held);
        self.judge(line.strip_suffix(b"\n").filter(|_| whole).unwrap_or(&line), whole, events)?;
        events.bytes(&line);
        if !whole {
            events.bytes(beyond);
            self.line = Line::Passing { text: false };
        }
        line.clear();
        self.held = line;
        Ok(())
    }

    /// The beginning of a line of a hunk that has `left` on its sides.
    fn hunk_line(
        &mut self,
        piece: &[u8],
        content: &[u8],
        left: (u64, u64),
        events: &mut impl Events,
    ) -> Result<(), Rule> {
        let (kind, text) = match content.split_first() {
            Some((b' ', text)) => (LineKind::Context, text),
            Some((b'-', text)) => (LineKind::Removed, text),
            Some((b'+', text)) => (LineKind::Added, text),
            // git can leave out the space of an empty context line.
            None => (LineKind::Context, content),
            Some(_) => return Err(Rule::Count),
        };
        let (mut old, mut new) = left;
        if kind != LineKind::Added {
            old = old.checked_sub(1).ok_or(Rule::Count)?;
        }
        if kind != LineKind::Removed {
            new = new.checked_sub(1).ok_or(Rule::Count)?;
        }
        let end = &mut self.section.end;
        end.additions = end.additions.saturating_add(u64::from(kind == LineKind::Added));
        end.deletions = end.deletions.saturating_add(u64::from(kind == LineKind::Removed));
        let last = Some(kind);
        self.place = if old == 0 && new == 0 { Place::Hunks { last } } else { Place::Body { old, new, last } };
        events.line(kind);
        if !text.is_empty() {
            events.text(text);
        }
        events.bytes(piece);
        Ok(())
    }

    /// Judges a line by its text, or by its beginning where it is not `whole`.
    fn judge(&mut self, line: &[u8], whole: bool, events: &mut impl Events) -> Result<(), Rule> {
        if !whole && !self.may_be_long(line) {
            return Err(Rule::Long);
        }
        match &mut self.place {
            Place::Between => self.section(line, whole, events),
            Place::Extended(extended) => {
                if extended.line(line, whole)? {
                    return Ok(());
                }
                let body = Body::announced_by(line).ok_or(Rule::Extended)?;
                let header = extended.finish(body)?;
                self.section.status = header.status;
                events.header(&header);
                self.body(header, line, whole, events)
            }
            Place::Labels(header) => {
                label(line, b"+++ ", b"b/", header, Status::Deleted)?;
                self.place = Place::Hunks { last: None };
                Ok(())
            }
            Place::Hunks { last } => match line.first() {
                Some(b'@') => self.hunk(line, events),
                Some(b'\\') => {
                    no_newline(line, last.take(), 0, 0)?;
                    self.section.ended = true;
                    events.line(LineKind::NoNewline);
                    Ok(())
                }
                _ if self.section.end.hunks == 0 => Err(Rule::Labels),
                _ => self.section(line, whole, events),
            },
            Place::Body { old, new, last } => {
                no_newline(line, last.take(), *old, *new)?;
                self.section.ended = true;
                events.line(LineKind::NoNewline);
                Ok(())
            }
            Place::Binary(Binary::Done) => self.section(line, whole, events),
            Place::Binary(binary) => {
                *binary = binary.line(line, events)?;
                Ok(())
            }
        }
    }

    /// Whether a line may be longer than what is kept of it: where its section's names are beyond what can be asked for,
    /// every line that has them is (S-018).
    fn may_be_long(&self, line: &[u8]) -> bool {
        line.starts_with(SECTION)
            || match &self.place {
                Place::Extended(extended) => !extended.is_named() && NAMING.iter().any(|start| line.starts_with(start)),
                Place::Labels(header) => header.paths.is_none() && line.starts_with(b"+++ "),
                _ => false,
            }
    }

    /// The first line of a section.
    fn section(&mut self, line: &[u8], whole: bool, events: &mut impl Events) -> Result<(), Rule> {
        let names = line.strip_prefix(SECTION).ok_or(Rule::Section)?;
        self.close(events);
        let offset = self.line_start;
        self.section = Section { offset, end: SectionEnd { offset, ..SectionEnd::default() }, ..Section::default() };
        events.section(offset);
        let names = Some(names).filter(|_| whole && line.len() <= HEADER_LINE_BYTES);
        self.place = Place::Extended(Box::new(Extended::new(names)));
        Ok(())
    }

    /// Tells the end of the section before the current line, if there is one.
    fn close(&mut self, events: &mut impl Events) {
        if self.line_start > 0 {
            events.section_end(SectionEnd { offset: self.line_start, ..self.section.end });
        }
    }

    /// The first line after the extended header.
    fn body(&mut self, header: SectionHeader, line: &[u8], whole: bool, events: &mut impl Events) -> Result<(), Rule> {
        match header.body {
            Body::None => return self.section(line, whole, events),
            Body::Text => {
                label(line, b"--- ", b"a/", &header, Status::Added)?;
                self.place = Place::Labels(header);
            }
            Body::Differ => {
                differ(line, &header)?;
                self.place = Place::Between;
            }
            Body::Binary => self.place = Place::Binary(Binary::START),
        }
        Ok(())
    }

    /// A hunk's first line.
    fn hunk(&mut self, line: &[u8], events: &mut impl Events) -> Result<(), Rule> {
        if self.section.ended {
            return Err(Rule::NoNewline);
        }
        let hunk = HunkHeader::parse(line)?;
        self.section.after = Some(self.section.lead_to(&hunk).ok_or(Rule::Order)?);
        self.section.end.hunks = self.section.end.hunks.saturating_add(1);
        events.hunk(&hunk);
        self.place = Place::Body { old: hunk.old_lines, new: hunk.new_lines, last: None };
        Ok(())
    }

    fn end(&mut self, events: &mut impl Events) -> Result<(), Rule> {
        // K-29: a section without hunks may end without a line feed.
        if !self.held.is_empty() {
            let line = std::mem::take(&mut self.held);
            if !matches!(self.place, Place::Extended(_)) {
                return Err(Rule::End);
            }
            self.judge(&line, true, events)?;
            events.bytes(&line);
        } else if matches!(self.line, Line::Passing { text: true }) {
            return Err(Rule::End);
        }
        match &mut self.place {
            Place::Between | Place::Binary(Binary::Done) => {}
            Place::Hunks { .. } if self.section.end.hunks > 0 => {}
            Place::Extended(extended) => {
                let header = extended.finish(Body::None)?;
                events.header(&header);
            }
            Place::Labels(_) | Place::Hunks { .. } | Place::Body { .. } | Place::Binary(_) => return Err(Rule::End),
        }
        self.line_start = self.taken;
        self.close(events);
        Ok(())
    }
}

impl Section {
    /// The lines after `hunk`, if it stands where the hunks before it lead to: what lies between two hunks is the same
    /// on both sides, at least one line of it, and what does not exist has no line.
    fn lead_to(&self, hunk: &HunkHeader) -> Option<(u64, u64)> {
        // An empty range names the line before it.
        let old = hunk.old_start.checked_add(u64::from(hunk.old_lines == 0))?;
        let new = hunk.new_start.checked_add(u64::from(hunk.new_lines == 0))?;
        let absent = match self.status {
            Status::Added => (hunk.old_start, hunk.old_lines) == (0, 0),
            Status::Deleted => (hunk.new_start, hunk.new_lines) == (0, 0),
            _ => true,
        };
        let (after_old, after_new) = self.after.unwrap_or((0, 0));
        let between = (old.checked_sub(after_old)?, new.checked_sub(after_new)?);
        let follows = absent && between.0 == between.1 && between.0 > 0;
        follows.then_some((old.checked_add(hunk.old_lines)?, new.checked_add(hunk.new_lines)?))
    }
}

/// `\ No newline at end of file` ends the sides that the line before it is on.
fn no_newline(line: &[u8], last: Option<LineKind>, old: u64, new: u64) -> Result<(), Rule> {
    let ends = match last {
        Some(LineKind::Context) => old == 0 && new == 0,
        Some(LineKind::Removed) => old == 0,
        Some(LineKind::Added) => new == 0,
        Some(LineKind::NoNewline) | None => false,
    };
    if ends && line == NO_NEWLINE { Ok(()) } else { Err(Rule::NoNewline) }
}

/// `---` or `+++`: the section's path on that side, `/dev/null` where `absent` says that there is none. A name with a
/// space is followed by a tab.
fn label(line: &[u8], mark: &[u8], prefix: &[u8], header: &SectionHeader, absent: Status) -> Result<(), Rule> {
    let spelled = line.strip_prefix(mark).ok_or(Rule::Labels)?;
    if header.status == absent {
        return if spelled == b"/dev/null" { Ok(()) } else { Err(Rule::Labels) };
    }
    let Some((old, new)) = &header.paths else { return Ok(()) };
    let path = if prefix == b"a/" { old } else { new };
    let tab: &[u8] = if path.contains(&b' ') { b"\t" } else { b"" };
    if name::after(spelled, prefix, path)? == Some(tab) { Ok(()) } else { Err(Rule::Labels) }
}

/// `Binary files a/x and b/y differ`.
fn differ(line: &[u8], header: &SectionHeader) -> Result<(), Rule> {
    let Some((old, new)) = &header.paths else { return Ok(()) };
    let side = |rest, prefix: &[u8], path: &[u8], absent: Status| {
        if header.status == absent {
            Ok(<[u8]>::strip_prefix(rest, b"/dev/null"))
        } else {
            name::after(rest, prefix, path)
        }
    };
    let rest = line.strip_prefix(b"Binary files ").ok_or(Rule::Binary)?;
    let rest =
        side(rest, b"a/", old, Status::Added)?.and_then(|rest| rest.strip_prefix(b" and ")).ok_or(Rule::Binary)?;
    if side(rest, b"b/", new, Status::Deleted)? == Some(b" differ") { Ok(()) } else { Err(Rule::Binary) }
}
