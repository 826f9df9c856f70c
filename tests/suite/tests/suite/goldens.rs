//! What is reviewed as code: each component's authority, and what agents are told.

use std::path::Path;

use assay_host::engine::{Engine, Limits};
use expect_test::{ExpectFile, expect_file};

/// A component's imports are its permissions: nothing of the network, no clock, no randomness, no file.
#[test]
fn a_component_imports_what_its_world_names() {
    let engine = engine();
    let mut names = Vec::new();
    for (component, imports) in engine.imports() {
        golden(&format!("{component}.imports")).assert_eq(&(imports.join("\n") + "\n"));
        for import in &imports {
            let granted =
                import.starts_with("assay:ports/") || import.starts_with("wasi:cli/") || import.starts_with("wasi:io/");
            assert!(granted, "{component} imports {import}");
        }
        names.push(component.to_owned());
    }
    assert_eq!(names, ["assay-tools-patch", "assay-tools-read", "assay-tools-write"]);
}

/// D-001, D-015, D-046: the list as `tools/list` shows it; the description says what the receipt does not.
#[test]
fn the_tool_list_is_reviewed() {
    let engine = engine();
    let tools = engine.catalogue().tools();
    let text = serde_json::to_string_pretty(tools).expect("tools have string keys") + "\n";
    golden("tools.json").assert_eq(&text);
    let diff = tools.iter().find(|tool| tool.name == "get_pull_request_diff").expect("it is listed");
    let description = diff.description.as_deref().expect("it has one");
    assert!(description.contains("proves neither what you assembled or reviewed"), "{description}");
    assert!(description.contains("nothing may be written on its strength alone"), "{description}");
}

fn engine() -> Engine {
    Engine::without_origin(Limits::default()).expect("the embedded components load")
}

fn golden(name: &str) -> ExpectFile {
    expect_file![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/goldens").join(name)]
}
