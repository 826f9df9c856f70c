//! What was found: a line for each check, with what to do where something is to be done.

use std::fmt::Write as _;

use serde::Serialize;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Ok,
    /// It works, with something to know.
    Warning,
    /// It does not work.
    Failed,
}

/// One line.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    check: &'static str,
    outcome: Outcome,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// All of them, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: Vec<Check>,
}

#[derive(Serialize)]
struct Shape<'a> {
    usable: bool,
    checks: &'a [Check],
}

impl Report {
    pub(super) fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.checks.push(Check { check, outcome: Outcome::Ok, found: found.into(), advice: None });
    }

    pub(super) fn warning(&mut self, check: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        let advice = Some(advice.into());
        self.checks.push(Check { check, outcome: Outcome::Warning, found: found.into(), advice });
    }

    pub(super) fn failed(&mut self, check: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        let advice = Some(advice.into());
        self.checks.push(Check { check, outcome: Outcome::Failed, found: found.into(), advice });
    }

    /// How many checks failed.
    pub(super) fn failures(&self) -> usize {
        self.checks.iter().filter(|check| check.outcome == Outcome::Failed).count()
    }

    pub(super) fn json(&self) -> String {
        let shape = Shape { usable: self.failures() == 0, checks: &self.checks };
        serde_json::to_string_pretty(&shape).expect("it has string keys")
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for Check { check, outcome, found, advice } in &self.checks {
            let outcome = match outcome {
                Outcome::Ok => "ok",
                Outcome::Warning => "warning",
                Outcome::Failed => "failed",
            };
            writeln!(text, "{outcome:<8} {check:<16} {found}").expect("a string takes everything");
            if let Some(advice) = advice {
                writeln!(text, "{:<25} -> {advice}", "").expect("a string takes everything");
            }
        }
        let failures = self.failures();
        text.push_str(match failures {
            0 => "usable",
            1 => "not usable: one check failed",
            _ => "not usable: more than one check failed",
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_to_do() {
        let mut report = Report::default();
        report.ok("reachable", "it is");
        report.warning("clock", "it is late", "set it");
        assert_eq!((report.failures(), report.text().lines().count()), (0, 4));
        report.failed("token", "it is none", "make one");
        let text = report.text();
        assert!(text.contains("failed   token            it is none\n") && text.contains("-> make one"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&report.json()).expect("it is JSON");
        assert_eq!((json["usable"].as_bool(), json["checks"][1]["advice"].as_str()), (Some(false), Some("set it")));
        assert_eq!(json["checks"][0].get("advice"), None);
    }
}
