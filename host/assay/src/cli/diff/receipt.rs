//! A receipt in words: what was read, what is known about it, and what is not.

use std::fmt::Write as _;

use super::{
    manifest::{Kind, Manifest, Observed},
    walk::Assembled,
};
use crate::cli::shown::shown;

/// What native evidence leaves open; the other kind says it itself.
const NATIVE_LEAVES_OPEN: [&str; 3] = ["merge_base_is_current", "latest_head", "git_objects"];

/// What is told, beside the manifest.
pub(crate) struct Subject<'a> {
    /// Such as `team/project#7`, and the forge's address.
    pub(crate) pull: String,
    pub(crate) forge: &'a str,
    /// The one file that was asked for.
    pub(crate) file: Option<&'a str>,
}

/// Of a diff that was read to its end.
pub(crate) fn of_diff(subject: &Subject<'_>, assembled: &Assembled) -> String {
    let mut text = inputs(subject, &assembled.manifest);
    known(&mut text, &assembled.manifest);
    let whole = &assembled.manifest.content;
    if let Some(file) = subject.file {
        line(&mut text, "file", &shown(file));
        line(&mut text, "read", &format!("{} of {} bytes", assembled.content.bytes, whole.bytes));
        line(&mut text, "sha256", &format!("{} (of the file's part)", shown(&assembled.content.sha256)));
        line(&mut text, "", &format!("{} (of the whole diff)", shown(&whole.sha256)));
    } else {
        line(
            &mut text,
            "read",
            &format!("{} bytes, each window and the whole compared with their hashes", whole.bytes),
        );
        line(&mut text, "sha256", &shown(&whole.sha256));
    }
    open(&mut text, &assembled.manifest);
    text
}

/// Of the list of files.
pub(crate) fn of_list(subject: &Subject<'_>, manifest: &Manifest) -> String {
    let mut text = inputs(subject, manifest);
    known(&mut text, manifest);
    line(&mut text, "diff", &format!("{} bytes, sha256 {}", manifest.content.bytes, shown(&manifest.content.sha256)));
    open(&mut text, manifest);
    text
}

fn inputs(subject: &Subject<'_>, manifest: &Manifest) -> String {
    let mut text = format!("receipt for {} at {}\n", shown(&subject.pull), shown(subject.forge));
    line(&mut text, "merge base", &shown(&manifest.merge_base));
    line(&mut text, "head", &shown(&manifest.head));
    text
}

fn known(text: &mut String, manifest: &Manifest) {
    match &manifest.kind {
        Kind::Native => line(
            text,
            "level",
            "native evidence: the forge's whole answer arrived with the count and hash that the forge gave it",
        ),
        Kind::Observed(observed) => of_observed(text, observed),
    }
}

fn of_observed(text: &mut String, observed: &Observed) {
    let proof = &observed.proof;
    let level = match observed.level.as_str() {
        "transform" => format!(
            "proven: applied to the merge base's tree this diff gives the head's tree; {} files checked against git objects \
             by their hashes, with {} requests",
            proof.files_proven, proof.requests
        ),
        "tree_set" => lower("tree_set", "its paths, modes and object ids are those in which the two trees differ"),
        "bracketed" => {
            lower("bracketed", "it is well-formed, and merge base and head were the same before and after it")
        }
        "parsed" => lower("parsed", "it follows git's grammar to its last byte"),
        "framed" => lower("framed", "the answer arrived to its end"),
        other => lower(&shown(other), "this program does not know this level"),
    };
    line(text, "level", &level);
    if let Some(stopped) = &proof.stopped {
        let why = match stopped.as_str() {
            "off" => "proofs are turned off: GATEWAY_DIFF_PROOF",
            "file_too_large" => "a file is larger than GATEWAY_PROOF_FILE_BYTES",
            "object_unavailable" => "the forge did not give a git object that it needs",
            "object_damaged" => "the forge gave something else for a git object that it needs",
            "too_many_objects" => "the change has more paths or folders than are held",
            "unexplained_heading" => "a hunk's heading is no line of its file above the hunk",
            "unexplained_similarity" => "a similarity index does not tell equal contents from others",
            "binary_not_shown" => "a changed binary file is only said to differ",
            "name_too_long" => "a path is longer than what is read",
            _ => "it did not come further",
        };
        line(text, "stopped", &format!("{} ({why}); {} files were proven", shown(stopped), proof.files_proven));
    }
    if proof.names != "bytes" {
        line(text, "names", "compared as UTF-8 alone: the forge does not show trees as they are");
    }
    let settled = if observed.settled {
        "yes"
    } else {
        "no: the pull request changed moments ago, and a forge takes a second or two to catch up; read it again"
    };
    line(text, "settled", settled);
}

fn lower(level: &str, known: &str) -> String {
    format!("NOT PROVEN, {level}: {known}")
}

fn open(text: &mut String, manifest: &Manifest) {
    let codes: Vec<&str> = match &manifest.kind {
        Kind::Native => NATIVE_LEAVES_OPEN.to_vec(),
        Kind::Observed(observed) => observed.not_established.iter().map(String::as_str).collect(),
    };
    for (at, code) in codes.into_iter().enumerate() {
        let words = match code {
            "merge_base_is_current" => "that the merge base is still where the branches part".to_owned(),
            "latest_head" => "that the head is still the pull request's latest commit".to_owned(),
            "server_side_generation_profile" => "with which options the forge made the diff".to_owned(),
            "similarity_index" => "the percentages that stand beside renames and copies".to_owned(),
            "file_contents" => "that the diff turns every file into what the head has".to_owned(),
            "changed_paths" => "that these are all the paths that changed, and their modes".to_owned(),
            "inputs_of_this_diff" => "that the diff was made from these two commits".to_owned(),
            "git_objects" => "that the diff turns one tree into the other: no git object was compared".to_owned(),
            other => shown(other).replace('_', " "),
        };
        line(text, if at == 0 { "not known" } else { "" }, &words);
    }
}

fn line(text: &mut String, label: &str, what: &str) {
    writeln!(text, "  {label:<11} {what}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::diff::manifest::{
        Content,
        tests::{native, observed, parsed},
    };

    fn words(manifest: &serde_json::Value, file: Option<&str>) -> String {
        let manifest = parsed(manifest).expect("it is one");
        let content = Content { bytes: 3, sha256: "cd".into() };
        let subject = Subject { pull: "team/project#7".into(), forge: "https://forge.example", file };
        of_diff(&subject, &Assembled { manifest, content, verified: true })
    }

    #[test]
    fn native_evidence_is_told_with_what_it_leaves_open() {
        let text = words(&native(10, "ab"), None);
        for part in ["team/project#7 at https://forge.example", "native evidence", &"1".repeat(40), &"2".repeat(40)] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(
            text.contains("no git object was compared") && text.contains("10 bytes") && text.contains("ab\n"),
            "{text}"
        );
        assert!(!text.contains("proven"), "{text}");
    }

    /// O-009: a level below `transform` is never told as proven, and why it stopped is said.
    #[test]
    fn a_level_is_told_as_what_it_is() {
        let proven = words(&observed("transform", None, 10, "ab"), None);
        assert!(proven.contains("proven: applied") && !proven.contains("NOT PROVEN"), "{proven}");
        assert!(
            proven.contains("26 files") && proven.contains("28 requests") && proven.contains("settled     yes"),
            "{proven}"
        );
        assert!(proven.contains("percentages") && proven.contains("latest commit"), "{proven}");
        for level in ["tree_set", "bracketed", "parsed", "framed", "novel\u{1b}[2J"] {
            let text = words(&observed(level, Some("unexplained_heading"), 10, "ab"), None);
            assert!(text.contains("NOT PROVEN") && text.contains("hunk's heading"), "{text}");
            assert!(!text.contains('\u{1b}'), "{text}");
        }
    }

    #[test]
    fn a_file_has_its_own_count_and_hash() {
        let mut manifest = observed("transform", None, 10, "ab");
        manifest["settled"] = false.into();
        manifest["proof"]["names"] = "utf8_only".into();
        let text = words(&manifest, Some("a\u{7}b"));
        assert!(text.contains("3 of 10 bytes") && text.contains("cd (of the file's part)"), "{text}");
        assert!(text.contains("ab (of the whole diff)") && text.contains("read it again"), "{text}");
        assert!(text.contains("UTF-8 alone") && !text.contains('\u{7}'), "{text}");
    }
}
