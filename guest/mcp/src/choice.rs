//! Which of the tools are offered: toolsets and names, as an operator or a client's headers say.
//!
//! An operator's choice is made against all tools that there are; a client's can only take away from it.

use std::collections::BTreeSet;

/// The toolsets that are on where nobody says which.
pub const DEFAULT_TOOLSETS: [&str; 4] = ["repos", "files", "pulls", "issues"];
/// Every toolset, of which some may have no tool yet.
pub const TOOLSETS: [&str; 9] = ["repos", "files", "pulls", "issues", "api", "memory", "grants", "registrar", "patch"];

/// What is wanted. Excluding wins over naming, and reading alone wins over all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// These sets; `all` is every one, `default` the default ones.
    pub toolsets: Option<BTreeSet<String>>,
    /// These tools, beside the sets that are named; alone where none is.
    pub tools: Option<BTreeSet<String>>,
    /// Not these.
    pub exclude_tools: BTreeSet<String>,
    /// None that changes anything.
    pub read_only: bool,
}

/// A name that is neither a toolset nor a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownName {
    /// No toolset.
    #[error("there is no toolset `{0}`; there are: all, default, {sets}", sets = TOOLSETS.join(", "))]
    Toolset(String),
    /// No tool.
    #[error("there is no tool `{0}`; `assay tools` lists them")]
    Tool(String),
}

impl Choice {
    /// Whether it leaves everything that is on by default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether every name in it is one.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self, is_tool: impl Fn(&str) -> bool) -> Result<(), UnknownName> {
        let is_set = |name: &str| matches!(name, "all" | "default") || TOOLSETS.contains(&name);
        if let Some(unknown) = self.toolsets.iter().flatten().find(|name| !is_set(name)) {
            return Err(UnknownName::Toolset(shortened(unknown)));
        }
        match self.tools.iter().flatten().chain(&self.exclude_tools).find(|name| !is_tool(name)) {
            Some(unknown) => Err(UnknownName::Tool(shortened(unknown))),
            None => Ok(()),
        }
    }

    /// An operator's choice: what is not named is on where its toolset is on by default.
    #[must_use]
    pub fn offers(&self, name: &str, toolset: &str, read_only: bool) -> bool {
        let named = self.tools.as_ref().is_some_and(|tools| tools.contains(name));
        let by_set = match &self.toolsets {
            Some(sets) => is_among(sets, toolset),
            None => self.tools.is_none() && DEFAULT_TOOLSETS.contains(&toolset),
        };
        (named || by_set) && self.admits(name, read_only)
    }

    /// A client's choice among what the operator offers: what is not named stays.
    #[must_use]
    pub fn keeps(&self, name: &str, toolset: &str, read_only: bool) -> bool {
        let named = self.tools.as_ref().is_some_and(|tools| tools.contains(name));
        let by_set = self.toolsets.as_ref().is_some_and(|sets| is_among(sets, toolset));
        let is_wanted = named || by_set || (self.tools.is_none() && self.toolsets.is_none());
        is_wanted && self.admits(name, read_only)
    }

    fn admits(&self, name: &str, read_only: bool) -> bool {
        !self.exclude_tools.contains(name) && (read_only || !self.read_only)
    }
}

fn is_among(sets: &BTreeSet<String>, toolset: &str) -> bool {
    sets.contains(toolset) || sets.contains("all") || (sets.contains("default") && DEFAULT_TOOLSETS.contains(&toolset))
}

fn shortened(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    const TOOLS: [(&str, &str, bool); 4] = [
        ("get_file", "files", true),
        ("update_file", "files", false),
        ("merge", "pulls", false),
        ("api_read", "api", true),
    ];

    fn offered(choice: &Choice) -> Vec<&'static str> {
        TOOLS.iter().filter(|(n, t, r)| choice.offers(n, t, *r)).map(|(name, ..)| *name).collect()
    }

    fn kept(choice: &Choice) -> Vec<&'static str> {
        TOOLS.iter().filter(|(n, t, r)| choice.keeps(n, t, *r)).map(|(name, ..)| *name).collect()
    }

    #[test]
    fn an_operator_turns_on_and_off() {
        assert_eq!(offered(&Choice::default()), ["get_file", "update_file", "merge"]);
        let all = Choice { toolsets: Some(set(&["all"])), ..Choice::default() };
        assert_eq!(offered(&all), ["get_file", "update_file", "merge", "api_read"]);
        let one = Choice { tools: Some(set(&["merge"])), ..Choice::default() };
        assert_eq!(offered(&one), ["merge"]);
        let both = Choice { toolsets: Some(set(&["api"])), ..one.clone() };
        assert_eq!(offered(&both), ["merge", "api_read"]);
        assert_eq!(offered(&Choice { exclude_tools: set(&["merge"]), ..both }), ["api_read"]);
        assert_eq!(offered(&Choice { read_only: true, ..one }), [""; 0]);
        let more = Choice { toolsets: Some(set(&["default", "api"])), read_only: true, ..Choice::default() };
        assert_eq!(offered(&more), ["get_file", "api_read"]);
    }

    /// What is not named by a client stays as the operator has it.
    #[test]
    fn a_client_only_takes_away() {
        assert_eq!(kept(&Choice::default()).len(), TOOLS.len());
        assert_eq!(kept(&Choice { toolsets: Some(set(&["files"])), ..Choice::default() }), ["get_file", "update_file"]);
        assert_eq!(kept(&Choice { tools: Some(set(&["merge"])), read_only: true, ..Choice::default() }), [""; 0]);
    }

    #[test]
    fn unknown_names_are_told() {
        let is_tool = |name: &str| TOOLS.iter().any(|(own, ..)| *own == name);
        let known =
            Choice { toolsets: Some(set(&["all", "memory"])), exclude_tools: set(&["merge"]), ..Choice::default() };
        assert_eq!(known.check(is_tool), Ok(()));
        let sets = Choice { toolsets: Some(set(&["nope"])), ..Choice::default() };
        assert_eq!(sets.check(is_tool), Err(UnknownName::Toolset("nope".to_owned())));
        let tools = Choice { exclude_tools: set(&["merg"]), ..Choice::default() };
        assert_eq!(tools.check(is_tool), Err(UnknownName::Tool("merg".to_owned())));
    }
}
