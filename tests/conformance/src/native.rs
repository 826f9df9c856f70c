//! The fixture without a sandbox: the same tools, called as functions.

use anyhow::Result;
use assay_conformance_fixture::{find, tools};
use assay_mcp::{Catalogue, Failure, ToolSpec, Toolbox};

pub(crate) struct Native {
    catalogue: Catalogue,
}

impl Native {
    pub(crate) fn new() -> Result<Self> {
        let specs = tools().map(|tool| ToolSpec {
            name: tool.name.to_owned(),
            title: tool.name.to_owned(),
            toolset: "conformance".to_owned(),
            description: tool.description.to_owned(),
            input_schema: tool.input_schema.to_owned(),
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        });
        Ok(Self { catalogue: Catalogue::new(specs.collect())? })
    }
}

impl Toolbox for Native {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    async fn call(&self, name: &str, arguments: String, _: u32) -> Result<String, Failure> {
        find(name).ok_or(Failure::UnknownTool)?.call(&arguments).map_err(Failure::Refused)
    }
}
