//! Every recorded exchange of a real forge, before the tool that meets it: what the tool says of it is right.
//!
//! `table.json` names every recording once: with the tool and what must come of it, or with the reason why no tool meets
//! it. What a tool asks besides is answered by further recordings, which the table names, and where there is none out of
//! the recorded repository, made anew by git (`made.rs`). A body whose middle was cut by the recorder is mended where the
//! middle is known, by git or by another recording; its length and both its ends must agree (`mend.rs`). One that cannot be
//! mended breaks off where it was cut, and nothing of it may be shown.

mod arguments;
mod expect;
mod forge;
mod git;
mod made;
mod mend;
mod ports;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use assay_kit::Recording;

use crate::{git::Git, table::Table};

/// A recording that nobody thought of fails here, and so does one that is named twice.
#[test]
fn every_recording_is_replayed_or_left_out_for_a_reason() {
    let table = Table::read();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let left_out = table.left_out.values().flatten();
    for name in table.first_names().chain(left_out.map(String::as_str)) {
        *times.entry(name).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?} are named more than once");
    let named: BTreeSet<&str> = times.into_keys().collect();
    let there = Recording::names();
    assert_eq!(named, there.iter().map(String::as_str).collect(), "each is named");
    assert!(table.left_out.keys().all(|reason| !reason.trim().is_empty()));
}

#[test]
fn every_tool_is_right_about_what_was_recorded() {
    let table = Table::read();
    let git = Git::recorded();
    let mut failures = Vec::new();
    let mut told = BTreeSet::new();
    for group in &table.replayed {
        for name in &group.recordings {
            let done = forge::replay(&table, group, name, &git, &mut told);
            failures.extend(done.err().map(|what| format!("{name}, {}: {what}", group.tool)));
        }
    }
    assert!(failures.is_empty(), "{} replays do not hold\n\n{}", failures.len(), failures.join("\n\n"));
    // Two absent members are the same, and say nothing.
    let members = table.members.iter().flat_map(|(of, members)| members.keys().map(move |at| format!("{of} {at}")));
    let untold: Vec<String> = members.filter(|member| !told.contains(member)).collect();
    assert!(untold.is_empty(), "{untold:?} are nowhere in what was recorded");
}
