//! JSON as written: members keep their order, may repeat and may be spelled in any way.
//!
//! A JSON library has no way to say "this member twice" or "seven as 7.0"; a hostile forge has.

use serde_json::Value;

/// A value as it will be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Members in order; a name is the text between its quotes, escapes included.
    Object(Vec<(String, Node)>),
    /// Anything else, as it will stand in the text.
    Text(String),
}

impl Node {
    /// The value as written: no white space.
    #[must_use]
    pub fn write(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Object(members) => {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("\"{name}\":{}", value.write())).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// The value behind a JSON pointer.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<&Self> {
        steps(pointer).try_fold(self, |node, step| match node {
            Self::Object(members) => members.iter().find(|(name, _)| name == step).map(|(_, value)| value),
            Self::Text(_) => None,
        })
    }

    /// Puts `value` where the pointer says: in the place of what is there, or as the last member of an object that is.
    ///
    /// # Panics
    /// Where the pointer's parent is no object.
    pub fn put(&mut self, pointer: &str, value: Self) {
        let (members, name) = self.parent(pointer);
        match members.iter_mut().find(|(have, _)| *have == name) {
            Some((_, have)) => *have = value,
            None => members.push((name, value)),
        }
    }

    /// Takes a member out.
    ///
    /// # Panics
    /// Where there is none: a test would be about nothing.
    pub fn take(&mut self, pointer: &str) {
        let (members, name) = self.parent(pointer);
        let before = members.len();
        members.retain(|(have, _)| *have != name);
        assert!(members.len() < before, "there is no {pointer} to remove");
    }

    /// Writes a member once more, right behind itself, under a name spelled as given.
    ///
    /// # Panics
    /// Where there is no such member.
    pub fn repeat(&mut self, pointer: &str, spelling: &str, value: Self) {
        let (members, name) = self.parent(pointer);
        let at = members.iter().position(|(have, _)| *have == name);
        let at = at.unwrap_or_else(|| panic!("there is no {pointer} to repeat"));
        members.insert(at + 1, (spelling.to_owned(), value));
    }

    /// Spells a member's name otherwise.
    ///
    /// # Panics
    /// Where there is no such member.
    pub fn respell(&mut self, pointer: &str, spelling: &str) {
        let (members, name) = self.parent(pointer);
        let member = members.iter_mut().find(|(have, _)| *have == name);
        member.unwrap_or_else(|| panic!("there is no {pointer} to respell")).0 = spelling.to_owned();
    }

    /// Puts the members of every object at and below the pointer into the reverse order.
    ///
    /// # Panics
    /// Where there is nothing behind the pointer.
    pub fn reverse(&mut self, pointer: &str) {
        let mut node = self;
        for step in steps(pointer) {
            let Self::Object(members) = node else { panic!("{pointer} leads through something that is no object") };
            let found = members.iter_mut().find(|(name, _)| name == step);
            node = &mut found.unwrap_or_else(|| panic!("there is no {pointer} to reverse")).1;
        }
        node.reverse_all();
    }

    /// The pointer of every member, objects before what they hold.
    #[must_use]
    pub fn pointers(&self) -> Vec<String> {
        let Self::Object(members) = self else { return Vec::new() };
        let mut all = Vec::new();
        for (name, value) in members {
            all.push(format!("/{name}"));
            all.extend(value.pointers().into_iter().map(|below| format!("/{name}{below}")));
        }
        all
    }

    fn reverse_all(&mut self) {
        if let Self::Object(members) = self {
            members.reverse();
            members.iter_mut().for_each(|(_, value)| value.reverse_all());
        }
    }

    fn parent(&mut self, pointer: &str) -> (&mut Vec<(String, Self)>, String) {
        let (above, name) = pointer.rsplit_once('/').unwrap_or_else(|| panic!("{pointer:?} is no pointer to a member"));
        let mut node = self;
        for step in steps(above) {
            let Self::Object(members) = node else { panic!("{pointer} leads through something that is no object") };
            let found = members.iter_mut().find(|(have, _)| have == step);
            node = &mut found.unwrap_or_else(|| panic!("{pointer}: there is no {step:?}")).1;
        }
        match node {
            Self::Object(members) => (members, name.to_owned()),
            Self::Text(_) => panic!("{pointer}: what is above it is no object"),
        }
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(name, value)| {
                        let quoted = Value::from(name.as_str()).to_string();
                        let spelled = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                        (spelled.expect("a JSON string stands in quotes").to_owned(), Self::from(value))
                    })
                    .collect(),
            ),
            other => Self::Text(other.to_string()),
        }
    }
}

fn steps(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.split('/').skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Node {
        Node::Object(vec![
            ("b".into(), Node::Text("1".into())),
            ("a".into(), Node::Object(vec![("c".into(), Node::Text("\"x\"".into()))])),
        ])
    }

    #[test]
    fn members_keep_their_order_and_can_repeat() {
        let mut node = sample();
        assert_eq!(node.write(), r#"{"b":1,"a":{"c":"x"}}"#);
        node.repeat("/a/c", "\\u0063", Node::Text("2".into()));
        assert_eq!(node.write(), r#"{"b":1,"a":{"c":"x","\u0063":2}}"#);
        node.take("/b");
        node.put("/d", Node::Text("7.0".into()));
        assert_eq!(node.write(), r#"{"a":{"c":"x","\u0063":2},"d":7.0}"#);
        assert_eq!(node.find("/a/c"), Some(&Node::Text("\"x\"".into())));
        assert_eq!(sample().pointers(), ["/b", "/a", "/a/c"]);
    }

    #[test]
    #[should_panic(expected = "there is no /a/z to remove")]
    fn removing_nothing_is_a_mistake_of_the_test() {
        sample().take("/a/z");
    }
}
