//! Who may depend on whom, read from the dependency graph.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Every crate that ships, with the crates of ours it may depend on.
const MAY: &[(&str, &[&str])] = &[
    ("assay-envelope", &[]),
    ("assay-forge", &[]),
    ("assay-patch", &[]),
    ("assay-policy", &[]),
    ("assay-mcp", &["assay-envelope"]),
    ("assay-origin", &["assay-envelope", "assay-forge"]),
    ("assay-tools-patch", &["assay-envelope", "assay-patch"]),
    ("assay-tools-read", &["assay-envelope", "assay-forge", "assay-origin", "assay-policy"]),
    ("assay-tools-write", &["assay-envelope", "assay-forge", "assay-origin", "assay-policy"]),
    ("assay-local-forge", &[]),
    ("assay-documents", &[]),
    ("assay-workspace", &[]),
    (
        "assay-host",
        &["assay-documents", "assay-envelope", "assay-local-forge", "assay-mcp", "assay-policy", "assay-workspace"],
    ),
];

/// Crates that only tests use; nothing that ships may depend on them.
const TESTS: &[&str] = &[
    "assay-bench",
    "assay-bench-endless",
    "assay-conformance",
    "assay-conformance-fixture",
    "assay-demo",
    "assay-gate",
    "assay-kit",
    "assay-replay",
    "assay-soak",
    "assay-suite",
];

/// What a guest may never pull in: the network, an async runtime's I/O, a clock.
const NOT_IN_COMPONENTS: &[&str] = &["getrandom", "mio", "reqwest", "rustix", "socket2", "tokio", "wasmtime"];

#[test]
fn dependencies_point_one_way() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let names: BTreeSet<String> = metadata.packages.iter().map(|p| p.name.to_string()).collect();
    let known = MAY.iter().map(|(name, _)| *name).chain(TESTS.iter().copied()).map(str::to_owned);
    assert_eq!(names, known.collect(), "a new crate needs its place in this table");

    let may: BTreeMap<_, _> = MAY.iter().copied().collect();
    for package in &metadata.packages {
        let Some(allowed) = may.get(package.name.as_str()) else { continue };
        for dependency in package.dependencies.iter().filter(|d| d.kind != DependencyKind::Development) {
            let ours = names.contains(&dependency.name);
            assert!(
                !ours || allowed.contains(&dependency.name.as_str()),
                "{} may not depend on {}",
                package.name,
                dependency.name
            );
        }
    }
}

/// No component is built on anything that could do I/O, whatever its world says.
#[test]
fn components_are_built_on_nothing_that_does_io() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--package", "assay-tools-read", "--edges", "normal"])
        .args(["--target", "wasm32-wasip2", "--prefix", "none", "--format", "{p}"])
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("cargo tree prints UTF-8");
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        assert!(!NOT_IN_COMPONENTS.contains(&name), "assay-tools-read is built on {name}");
    }
    assert!(tree.contains("assay-forge"), "the tree was read");
}
