//! Which objects and arrays are open, and the names that each open object has had.

use std::collections::BTreeSet;

use super::Fault;

/// Bytes of one name.
const NAME_BYTES: usize = 128;
/// Bytes that the names of all open objects may cost together, with what the set adds to each.
const NAMES_BYTES: usize = 64 * 1024;
const NAME_OVERHEAD: usize = 48;

/// The open objects and arrays, outermost first.
#[derive(Debug)]
pub(super) struct Nest {
    open: Vec<Kind>,
    most: usize,
    cost: usize,
}

/// An open object or array.
#[derive(Debug)]
enum Kind {
    Object(BTreeSet<Box<str>>),
    Array,
}

impl Nest {
    pub(super) const fn new(most: usize) -> Self {
        Self { open: Vec::new(), most, cost: 0 }
    }

    pub(super) const fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn in_object(&self) -> bool {
        matches!(self.open.last(), Some(Kind::Object(_)))
    }

    pub(super) fn open_object(&mut self) -> Result<(), Fault> {
        self.open(Kind::Object(BTreeSet::new()))
    }

    pub(super) fn open_array(&mut self) -> Result<(), Fault> {
        self.open(Kind::Array)
    }

    /// Closes what is open, if `closer` belongs to it.
    pub(super) fn close(&mut self, closer: u8) -> Result<(), Fault> {
        match (self.open.pop(), closer) {
            (Some(Kind::Object(names)), b'}') => {
                self.cost -= names.iter().map(|name| cost(name)).sum::<usize>();
                Ok(())
            }
            (Some(Kind::Array), b']') => Ok(()),
            _ => Err(Fault::Syntax),
        }
    }

    /// Adds a name of the innermost object.
    pub(super) fn add(&mut self, name: &str) -> Result<(), Fault> {
        let Some(Kind::Object(names)) = self.open.last_mut() else { return Err(Fault::Syntax) };
        self.cost += cost(name);
        if self.cost > NAMES_BYTES {
            return Err(Fault::Names);
        }
        if names.insert(name.into()) { Ok(()) } else { Err(Fault::Duplicate) }
    }

    fn open(&mut self, kind: Kind) -> Result<(), Fault> {
        if self.open.len() == self.most {
            return Err(Fault::Depth);
        }
        self.open.push(kind);
        Ok(())
    }

    #[cfg(test)]
    pub(super) const fn cost(&self) -> usize {
        self.cost
    }
}

/// A name while it is read, unescaped.
#[derive(Debug, Default)]
pub(super) struct Name(String);

impl Name {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, character: char) -> Result<(), Fault> {
        if self.0.len() + character.len_utf8() > NAME_BYTES {
            return Err(Fault::Names);
        }
        self.0.push(character);
        Ok(())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

const fn cost(name: &str) -> usize {
    name.len() + NAME_OVERHEAD
}
