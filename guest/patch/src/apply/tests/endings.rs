//! Line endings that are carried along: what a file is after its text was edited (X-02, P-024).

use proptest::prelude::*;

use super::*;
use crate::text::Source;

/// The file after the actions.
pub(super) fn saved(file: &str, actions: impl IntoIterator<Item = Action>) -> String {
    let (text, source) = Source::read(file.as_bytes()).expect("it is text");
    let extras = Extras { endings: Some(source.endings), warnings: true };
    let applied = apply(&text, &transaction(actions), &current(), extras).expect("it applies");
    let endings = applied.endings.expect("they were given");
    String::from_utf8(endings.restore(&applied.text, source.has_bom).expect("they are the text's")).expect("it is text")
}

/// X-02, P-024: several changes of one transaction, each of which moves the lines of the next.
#[test]
fn endings_follow_every_change() {
    for (file, actions, expected) in [
        ("a\r\nb\nc\rd", vec![replace("a", "A"), replace("d", "D")], "A\r\nb\nc\rD"),
        ("a\r\nb\nc\rd", vec![replace("a\n", ""), replace("c", "C")], "b\nC\rd"),
        ("a\r\nb\nc\rd", vec![replace("b\n", ""), replace("c\n", "c\nnew\n")], "a\r\nc\rnew\rd"),
        ("a\r\nb\nc\rd", vec![span(7, 7, "", "\n"), span(0, 0, "", "0\n")], "0\r\na\r\nb\nc\rd\r"),
        ("a\r\nb\nc\rd", vec![Action::ReplaceAll { replace: "b\nc\n".into() }, replace("c", "x")], "b\nx\r"),
        ("\u{feff}a\r\n", vec![replace("a", ""), span(0, 0, "", "b")], "\u{feff}b\r\n"),
        ("a\r\nb\r\n", vec![Action::ReplaceAll { replace: String::new() }, span(0, 0, "", "x\n")], "x\r\n"),
    ] {
        assert_eq!(saved(file, actions.clone()), expected, "{actions:?} of {file:?}");
    }
}

/// A file: its lines, and how each of them ends.
#[derive(Clone, Debug)]
struct File {
    lines: Vec<(Vec<char>, &'static str)>,
}

impl File {
    /// As bytes. An LF that comes to be right behind a CR would be one line end with it, so it becomes CRLF.
    fn bytes(&self) -> String {
        let mut file = String::new();
        for (line, ending) in &self.lines {
            file.extend(line);
            file.push_str(if *ending == "\n" && file.ends_with('\r') { "\r\n" } else { ending });
        }
        file
    }

    /// Where a line begins in the text.
    fn start(&self, line: usize) -> usize {
        self.lines.iter().take(line).map(|(line, ending)| line.len() + usize::from(!ending.is_empty())).sum()
    }
}

fn file() -> impl Strategy<Value = File> {
    // No line is empty at first: a CR, no line and an LF would be read as CRLF.
    let line = ("(a|é|\u{1f9ea}| ){1,5}", prop::sample::select(vec!["\n", "\r\n", "\r"]));
    (prop::collection::vec(line, 1..7), any::<bool>()).prop_map(|(lines, is_open)| {
        let mut lines: Vec<_> = lines.into_iter().map(|(line, ending)| (line.chars().collect(), ending)).collect();
        if let (true, Some((_, ending))) = (is_open, lines.last_mut()) {
            *ending = "";
        }
        File { lines }
    })
}

proptest! {
    /// X-02, P-024, E-05, E-06: changes within lines leave every line its ending, whatever the file is made of.
    #[test]
    fn lines_keep_their_endings(
        mut file in file(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, 0usize..6, "(b|é|漢){0,4}"), 1..6),
    ) {
        let before = file.bytes();
        let mut actions = Vec::new();
        for (line, from, to, added) in edits {
            let line = line.index(file.lines.len());
            let length = file.lines[line].0.len();
            let (from, to) = (from.min(length).min(to), to.min(length));
            let (start, end) = (file.start(line) + from, file.start(line) + to);
            let removed: String = file.lines[line].0.splice(from..to, added.chars()).collect();
            actions.push(span(start, end, &removed, &added));
        }
        prop_assert_eq!(saved(&before, actions), file.bytes());
    }
}
