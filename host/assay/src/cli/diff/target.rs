//! Which pull request a command is about: as people name one, or as a browser shows it.

use anyhow::{Context as _, anyhow, bail};
use reqwest::Url;

use crate::cli::shown::shown;

/// What was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Pull(Pull),
    /// A branch of a local repository; `base` is the one before `..`, where it was written.
    Range {
        base: Option<String>,
        branch: String,
    },
}

/// A pull request by its names. Whether these are names a forge has, the tool and the forge say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pull {
    pub(crate) owner: String,
    pub(crate) repo: String,
    pub(crate) index: u64,
}

impl Target {
    /// Of a forge: `OWNER/REPO#7`, `OWNER/REPO 7`, or the page's address below `forge`.
    pub(crate) fn on_forge(words: &[String], forge: &str) -> anyhow::Result<Self> {
        let [first, rest @ ..] = words else { bail!("no pull request is named: write OWNER/REPO#7") };
        let pull = match rest {
            [] if first.contains("://") => page(first, forge)?,
            [] => hash(first)?,
            [index] => pull(first, index).with_context(|| format!("`{} {}`", shown(first), shown(index)))?,
            _ => bail!("more than one pull request is named"),
        };
        Ok(Self::Pull(pull))
    }

    /// Of a local repository: also `main..topic`, `main...topic` or `topic`.
    ///
    /// No branch has two dots in its name, and none is taken for one that reads like `OWNER/REPO#7`.
    pub(crate) fn on_local(words: &[String], forge: &str) -> anyhow::Result<Self> {
        let [word] = words else { return Self::on_forge(words, forge) };
        if let Some((base, branch)) = word.split_once("...").or_else(|| word.split_once("..")) {
            if branch.is_empty() {
                bail!("`{}` names no branch after the dots: write main..topic", shown(word));
            }
            let base = Some(base.to_owned()).filter(|base| !base.is_empty());
            return Ok(Self::Range { base, branch: branch.to_owned() });
        }
        if word.contains("://") || hash(word).is_ok() {
            return Self::on_forge(words, forge);
        }
        Ok(Self::Range { base: None, branch: word.clone() })
    }
}

fn hash(word: &str) -> anyhow::Result<Pull> {
    let (repository, index) = word
        .split_once('#')
        .or_else(|| word.split_once('!'))
        .ok_or_else(|| anyhow!("`{}` names no pull request: write OWNER/REPO#7", shown(word)))?;
    pull(repository, index).with_context(|| format!("`{}`", shown(word)))
}

fn pull(repository: &str, index: &str) -> anyhow::Result<Pull> {
    let (owner, repo) = repository.split_once('/').ok_or_else(|| anyhow!("the repository is written OWNER/REPO"))?;
    if owner.is_empty() || repo.is_empty() || repo.contains('/') {
        bail!("the repository is written OWNER/REPO");
    }
    let digits = Some(index.trim_start_matches('#')).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let index = digits.and_then(|text| text.parse().ok()).filter(|index| (1..=i64::MAX as u64).contains(index));
    let index = index.ok_or_else(|| anyhow!("a pull request's number is a whole number from 1 on"))?;
    Ok(Pull { owner: owner.to_owned(), repo: repo.to_owned(), index })
}

/// `https://forge/OWNER/REPO/pulls/7`, with whatever a browser shows behind it.
fn page(text: &str, forge: &str) -> anyhow::Result<Pull> {
    let wrong =
        || anyhow!("`{}` is no pull request's address: https://forge.example/OWNER/REPO/pulls/7 is one", shown(text));
    let page = Url::parse(text).map_err(|_| wrong())?;
    let forge = Url::parse(forge).map_err(|_| anyhow!("the forge's address is no URL"))?;
    let root = forge.path().trim_end_matches('/');
    let root = root.strip_suffix("/api/v1").unwrap_or(root).trim_end_matches('/');
    let below = page.path().strip_prefix(root).filter(|_| page.origin() == forge.origin());
    let Some(below) = below.and_then(|path| path.strip_prefix('/')) else {
        bail!("`{}` is not a page of the forge that is asked: its address is in FORGEJO_URL or --url", shown(text));
    };
    let mut segments = below.split('/');
    let (Some(owner), Some(repo), Some("pulls"), Some(index)) =
        (segments.next(), segments.next(), segments.next(), segments.next())
    else {
        return Err(wrong());
    };
    // No forge allows names that would have to be encoded.
    if owner.contains('%') || repo.contains('%') {
        return Err(wrong());
    }
    pull(&format!("{owner}/{repo}"), index).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORGE: &str = "https://forge.example/git/";

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn seven() -> Target {
        Target::Pull(Pull { owner: "team".into(), repo: "project".into(), index: 7 })
    }

    #[test]
    fn a_pull_request_is_named_in_each_usual_way() {
        for text in [
            "team/project#7",
            "team/project!7",
            "team/project 7",
            "team/project #7",
            "https://forge.example/git/team/project/pulls/7",
            "https://FORGE.example:443/git/team/project/pulls/7/files?style=split#diff-1",
        ] {
            assert_eq!(Target::on_forge(&words(text), FORGE).expect(text), seven());
            assert_eq!(Target::on_local(&words(text), FORGE).expect(text), seven());
        }
        let api = "https://forge.example/git/api/v1";
        assert_eq!(
            Target::on_forge(&words("https://forge.example/git/team/project/pulls/7"), api).expect("one"),
            seven()
        );
    }

    #[test]
    fn what_names_none_is_refused() {
        for text in [
            "",
            "team/project",
            "project#7",
            "team/project#",
            "team/project#0",
            "team/project#-7",
            "team/project#+7",
            "team/project#7x",
            "team/project#9223372036854775808",
            "team/project/sub#7",
            "/project#7",
            "team/#7",
            "team/project 7 8",
            "https://other.example/git/team/project/pulls/7",
            "http://forge.example/git/team/project/pulls/7",
            "https://forge.example/team/project/pulls/7",
            "https://forge.example/gitty/team/project/pulls/7",
            "https://forge.example/git/team/project/issues/7",
            "https://forge.example/git/team/project/pulls/x",
            "https://forge.example/git/te%2fam/project/pulls/7",
            "https://forge.example/git/team",
        ] {
            assert!(Target::on_forge(&words(text), FORGE).is_err(), "{text}");
        }
        let hostile = Target::on_forge(&words("\u{1b}[2Jx"), FORGE).expect_err("it names none").to_string();
        assert!(!hostile.contains('\u{1b}'), "{hostile}");
    }

    #[test]
    fn a_local_range_names_a_branch() {
        let range = |text: &str| Target::on_local(&words(text), FORGE).ok();
        let named = |base: Option<&str>, branch: &str| {
            Some(Target::Range { base: base.map(str::to_owned), branch: branch.to_owned() })
        };
        assert_eq!(range("main..topic"), named(Some("main"), "topic"));
        assert_eq!(range("main...topic"), named(Some("main"), "topic"));
        assert_eq!(range("main..fix/a#3"), named(Some("main"), "fix/a#3"));
        assert_eq!(range("..topic"), named(None, "topic"));
        assert_eq!(range("topic"), named(None, "topic"));
        assert_eq!(range("fix/a"), named(None, "fix/a"));
        assert_eq!(range("main.."), None);
    }
}
