//! Through a value in its order, without recursion, knowing where it is.
//!
//! A value that is read has a bounded depth, but one that is built has none, and its spelling must not depend on the stack.

use std::collections::btree_map;
use std::slice;

use super::{Preview, Text, Value};

/// One way down from a value to one that it holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    Key(&'a Text),
    Index(usize),
}

/// What comes next.
pub(super) enum Event<'a> {
    /// A value begins; arrays and objects are followed by what they hold.
    Enter {
        /// Whether nothing came before it in what holds it.
        is_first: bool,
        /// Its key, where it is a member.
        key: Option<&'a Text>,
        value: &'a Value,
    },
    /// An array or object ends.
    Leave(&'a Value),
}

/// An iterator over a value and all that it holds.
pub(super) struct Walk<'a> {
    root: Option<&'a Value>,
    open: Vec<Open<'a>>,
}

/// An array or object that was entered and not left.
struct Open<'a> {
    value: &'a Value,
    held: Held<'a>,
    /// To what was entered last of it.
    step: Option<Step<'a>>,
}

enum Held<'a> {
    Items(std::iter::Enumerate<slice::Iter<'a, Value>>),
    Members(btree_map::Iter<'a, Text, Value>),
}

impl<'a> Walk<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        Self { root: Some(value), open: Vec::new() }
    }

    /// The JSON pointer of the value that was entered last.
    pub(super) fn pointer(&self) -> Preview {
        Preview::of_pointer(self.open.iter().filter_map(|open| open.step))
    }

    fn enter(&mut self, is_first: bool, key: Option<&'a Text>, value: &'a Value) -> Event<'a> {
        let held = match value {
            Value::Array(items) => Some(Held::Items(items.iter().enumerate())),
            Value::Object(members) => Some(Held::Members(members.iter())),
            _ => None,
        };
        self.open.extend(held.map(|held| Open { value, held, step: None }));
        Event::Enter { is_first, key, value }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        let Some(open) = self.open.last_mut() else {
            let root = self.root.take()?;
            return Some(self.enter(true, None, root));
        };
        let next = match &mut open.held {
            Held::Items(items) => items.next().map(|(index, value)| (Step::Index(index), value)),
            Held::Members(members) => members.next().map(|(key, value)| (Step::Key(key), value)),
        };
        let Some((step, value)) = next else {
            let left = open.value;
            self.open.pop();
            return Some(Event::Leave(left));
        };
        let is_first = open.step.replace(step).is_none();
        let key = match step {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        };
        Some(self.enter(is_first, key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    /// P-104: every value has its place.
    #[test]
    fn a_walk_knows_where_it_is() {
        let value = read(r#"{"":[],"a/b":[1,{"m~n":{}}],"\ud800":null}"#).unwrap();
        let mut walk = Walk::of(&value);
        let mut places = Vec::new();
        while let Some(event) = walk.next() {
            if let Event::Enter { .. } = event {
                places.push(walk.pointer().text);
            }
        }
        assert_eq!(places, ["", "/", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/m~0n", "/\\ud800"]);
    }
}
