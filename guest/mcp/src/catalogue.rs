//! What a client is told about the tools: checked once, shared by every request.
//!
//! The components describe their tools; the order they come in is the order they are listed in, so that a client's cache
//! and a model's prompt stay the same from call to call.

use std::{collections::HashSet, sync::Arc};

use assay_envelope::Refusal;
use rmcp::model::{Tool, ToolAnnotations};

use crate::{
    arguments::ArgumentRule,
    choice::{Choice, UnknownName},
    schema::{self, SchemaFault},
    sent::{Arguments, EDITING_TOOLS},
};

/// One tool as its component describes it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "MCP has four booleans here")]
pub struct ToolSpec {
    /// 1 to 48 bytes of `a` to `z`, `0` to `9` and `_`, not starting with a digit: the names that every client takes
    /// as they are, whatever it puts before them.
    pub name: String,
    /// For people.
    pub title: String,
    /// The set that it is switched on and off with.
    pub toolset: String,
    /// For models: when to use it and when not.
    pub description: String,
    /// JSON Schema 2020-12 of the arguments, as text.
    pub input_schema: String,
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// Its answers hold text by third parties.
    pub open_world: bool,
}

/// The tools of a surface. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Catalogue {
    tools: Arc<[Tool]>,
    /// Of each tool, in the same order.
    entries: Arc<[Entry]>,
}

/// What is not published of a tool.
#[derive(Clone, Debug)]
struct Entry {
    toolset: String,
    read_only: bool,
    rule: Arc<ArgumentRule>,
}

/// A tool that cannot be offered, by its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The name does not fit every client.
    #[error("`{0}` is no tool name: 1 to 48 of a-z, 0-9 and _, not starting with a digit")]
    Name(String),
    /// Two tools share a name.
    #[error("there are two tools `{0}`")]
    Duplicate(String),
    /// Clients could not read its input schema.
    #[error("the input schema of `{tool}` {fault}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong with it.
        fault: SchemaFault,
    },
}

impl Catalogue {
    /// Checks the tools and keeps their order.
    ///
    /// # Errors
    /// For the first tool with a bad or repeated name, or a schema that clients drop (G-080a).
    pub fn new(specs: Vec<ToolSpec>) -> Result<Self, CatalogueError> {
        let mut names = HashSet::new();
        let (mut tools, mut entries) = (Vec::with_capacity(specs.len()), Vec::with_capacity(specs.len()));
        for spec in specs {
            if !is_name(&spec.name) {
                return Err(CatalogueError::Name(spec.name));
            }
            if !names.insert(spec.name.clone()) {
                return Err(CatalogueError::Duplicate(spec.name));
            }
            let (toolset, read_only) = (spec.toolset.clone(), spec.read_only);
            let (tool, rule) = published(spec)?;
            tools.push(tool);
            entries.push(Entry { toolset, read_only, rule: Arc::new(rule) });
        }
        Ok(Self { tools: tools.into(), entries: entries.into() })
    }

    /// All of them, in order, in the shape of MCP's `tools/list`.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The one of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// What an operator's choice offers of them.
    ///
    /// # Errors
    /// A name in it that is none.
    pub fn offered(&self, choice: &Choice) -> Result<Self, UnknownName> {
        choice.check(|name| self.get(name).is_some())?;
        Ok(self.filtered(|tool, entry| choice.offers(&tool.name, &entry.toolset, entry.read_only)))
    }

    /// What a client's choice leaves of them. Its names were held against all tools that there are: see [`Choice::check`].
    #[must_use]
    pub fn kept(&self, choice: &Choice) -> Self {
        self.filtered(|tool, entry| choice.keeps(&tool.name, &entry.toolset, entry.read_only))
    }

    /// The text of a call's arguments as its tool gets it: in their plain spelling (G-083), held against the tool's
    /// published schema. The editing tools judge theirs themselves: an edit of a wrong shape is an attempt, which its
    /// document's history tells of (P-066, P-082).
    ///
    /// # Errors
    /// `invalid_argument`, naming the place; the arguments of an unknown tool pass.
    pub fn checked(&self, name: &str, arguments: Arguments) -> Result<String, Refusal> {
        let read = match arguments {
            Arguments::Sent(sent) => return Ok(sent.as_str().to_owned()),
            Arguments::Read(read) => read,
        };
        let at = self.tools.iter().position(|tool| tool.name == name);
        let plain = match at.and_then(|at| self.entries.get(at)) {
            Some(entry) if !name.starts_with(EDITING_TOOLS) => {
                entry.rule.check(read).map_err(|what| Refusal::new("invalid_argument", what))?
            }
            _ => read,
        };
        Ok(serde_json::to_string(&plain).expect("a map with string keys serializes"))
    }

    fn filtered(&self, keep: impl Fn(&Tool, &Entry) -> bool) -> Self {
        let both = self.tools.iter().zip(self.entries.iter()).filter(|(tool, entry)| keep(tool, entry));
        let (tools, entries): (Vec<_>, Vec<_>) = both.map(|(tool, entry)| (tool.clone(), entry.clone())).unzip();
        Self { tools: tools.into(), entries: entries.into() }
    }
}

fn is_name(name: &str) -> bool {
    (1..=48).contains(&name.len())
        && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// All four hints are said: their defaults are the pessimistic ones.
fn published(spec: ToolSpec) -> Result<(Tool, ArgumentRule), CatalogueError> {
    let wrong = |fault| CatalogueError::Schema { tool: spec.name.clone(), fault };
    let input_schema = schema::read(&spec.input_schema).map_err(wrong)?;
    let rule = ArgumentRule::new(&input_schema).map_err(wrong)?;
    let annotations = ToolAnnotations::new()
        .read_only(spec.read_only)
        .destructive(spec.destructive)
        .idempotent(spec.idempotent)
        .open_world(spec.open_world);
    let tool =
        Tool::new(spec.name, spec.description, input_schema).with_title(spec.title).with_annotations(annotations);
    Ok((tool, rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, input_schema: &str) -> ToolSpec {
        ToolSpec {
            name: name.to_owned(),
            title: "Title".to_owned(),
            toolset: "pulls".to_owned(),
            description: "Description.".to_owned(),
            input_schema: input_schema.to_owned(),
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: true,
        }
    }

    const OBJECT: &str = r#"{"type":"object"}"#;

    #[test]
    fn lists_in_the_given_order_with_all_hints() {
        let catalogue = Catalogue::new(vec![spec("b", OBJECT), spec("a", OBJECT)]).expect("both are sound");
        expect_test::expect![[r#"[{"name":"b","title":"Title","description":"Description.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}},{"name":"a","title":"Title","description":"Description.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}}]"#]]
            .assert_eq(&serde_json::to_string(catalogue.tools()).expect("tools serialize"));
        assert!(catalogue.get("a").is_some() && catalogue.get("c").is_none());
    }

    /// G-081: a tool without a readable schema is not offered, and the error names it.
    #[test]
    fn names_the_tool_that_cannot_be_offered() {
        let longest = "a".repeat(48);
        for good in ["a", "_", "get_pull_request_diff", "x2", longest.as_str()] {
            assert!(Catalogue::new(vec![spec(good, OBJECT)]).is_ok(), "{good}");
        }
        for bad in ["", "2x", "A", "a-b", "a.b", "a b", "é", &"a".repeat(49)] {
            let error = Catalogue::new(vec![spec(bad, OBJECT)]).expect_err(bad);
            assert_eq!(error, CatalogueError::Name(bad.to_owned()));
        }
        assert_eq!(
            Catalogue::new(vec![spec("a", OBJECT), spec("a", OBJECT)]).expect_err("twice"),
            CatalogueError::Duplicate("a".to_owned())
        );
        let error = Catalogue::new(vec![spec("a", OBJECT), spec("broken", "{}")]).expect_err("no type");
        assert_eq!(error.to_string(), "the input schema of `broken` does not say `\"type\": \"object\"` at its root");
    }
}
