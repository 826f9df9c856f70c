//! The component's border: it exports the tools and imports no port.

#![allow(unsafe_code, missing_docs, reason = "generated bindings")]

wit_bindgen::generate!({
    inline: "
        package assay:bench;
        world endless { export assay:ports/tools@0.1.0; }
    ",
    path: "../../../wit",
    generate_all,
});

use assay::ports::callers::Caller;
use exports::assay::ports::tools as exported;

struct Component;
export!(Component);

impl exported::Guest for Component {
    fn list_tools() -> Vec<exported::Tool> {
        ["echo", "endless"]
            .map(|name| exported::Tool {
                name: name.to_owned(),
                title: name.to_owned(),
                toolset: "bench".to_owned(),
                description: "For measuring.".to_owned(),
                input_schema: r#"{"type":"object"}"#.to_owned(),
                read_only: true,
                destructive: false,
                idempotent: true,
                open_world: false,
            })
            .into()
    }

    fn call_tool(_: &Caller, name: String, arguments: String, _: u32) -> Result<String, exported::Failure> {
        match name.as_str() {
            "echo" => Ok(arguments),
            "endless" => {
                let mut number = 1_u64;
                loop {
                    number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
                }
            }
            _ => Err(exported::Failure::UnknownTool),
        }
    }
}
