//! Every statement of the contract that is promised has a test that names it, or a line that says why not.

use std::path::Path;

use assay_kit::contract::{named_in_tests, required};

#[test]
fn every_statement_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = named_in_tests(&root).expect("the sources can be read");
    let required = required(include_str!("../../contract-ids.txt"));
    let missing: Vec<String> = required.into_iter().filter(|id| !named.contains_key(id)).collect();
    assert!(missing.is_empty(), "neither tested by name nor given a reason in ARCHITECTURE.md: {missing:?}");
}
