//! The port `workspace`: files below the operator's folder, read and replaced beside the runtime, since both block.

use std::sync::Arc;

use assay_workspace as space;
use tokio::task::spawn_blocking;

use super::bindings::assay::ports::workspace as port;
use crate::engine::State;

/// The most bytes of a file: four for each code point that a document keeps, and its line ends.
const MAX_BYTES: u64 = 8 << 20;

impl port::Host for State {
    fn identity(&mut self) -> wasmtime::Result<Option<String>> {
        let workspace = self.workspace();
        Ok(workspace.map(|workspace| workspace.identity().to_string()))
    }

    async fn read(&mut self, path: String, max: u64) -> wasmtime::Result<Result<port::File, port::Refusal>> {
        let Some(workspace) = self.workspace() else {
            return Ok(Err(none()));
        };
        let before = self.meter.before_wait();
        let read = move || workspace.read(&space::RelativePath::parse(&path)?, max.min(MAX_BYTES));
        let read = spawn_blocking(read).await?;
        self.meter.after_wait(before, read.is_ok());
        Ok(read
            .map(|file| port::File { sha256: file.sha256.to_string(), mode: file.mode, content: file.bytes })
            .map_err(refusal))
    }

    async fn publish(
        &mut self,
        path: String,
        expected_sha256: String,
        content: Vec<u8>,
    ) -> wasmtime::Result<Result<port::Published, port::Failed>> {
        let untouched =
            |refusal| port::Failed { refusal, step: "check".to_owned(), destination: port::Destination::Untouched };
        let Some(workspace) = self.workspace() else {
            return Ok(Err(untouched(none())));
        };
        let path = match space::RelativePath::parse(&path) {
            Ok(path) => path,
            Err(wrong) => return Ok(Err(untouched(refusal(wrong)))),
        };
        let Some(disk_sha256) = space::Digest::from_hex(&expected_sha256) else {
            let message = "the digest that the file must have is none".to_owned();
            return Ok(Err(untouched(port::Refusal { code: "io_failed".to_owned(), message })));
        };
        let before = self.meter.before_wait();
        let publish = move || {
            let expected = space::Expected { disk_sha256, max_bytes: MAX_BYTES };
            workspace.publish(&path, &expected, &content, &mut |_| Ok(()))
        };
        let published = spawn_blocking(publish).await?;
        self.meter.after_wait(before, published.is_ok());
        Ok(match published {
            Ok(done) => Ok(port::Published { sha256: done.sha256.to_string(), bytes: done.bytes, mode: done.mode }),
            Err(failed) => Err(port::Failed {
                step: failed.step.name().to_owned(),
                destination: match failed.destination {
                    space::Destination::Untouched => port::Destination::Untouched,
                    space::Destination::Installed => port::Destination::Installed,
                    space::Destination::Unknown => port::Destination::Unknown,
                },
                // The report names what is left behind, where something is.
                refusal: port::Refusal { code: failed.cause.name().to_owned(), message: failed.to_string() },
            }),
        })
    }
}

impl State {
    fn workspace(&self) -> Option<Arc<space::Workspace>> {
        self.editing.as_ref().and_then(|editing| editing.workspace().cloned())
    }
}

fn none() -> port::Refusal {
    let message = "no workspace is configured: the operator names one with --workspace".to_owned();
    port::Refusal { code: "workspace_missing".to_owned(), message }
}

fn refusal(refusal: space::Refusal) -> port::Refusal {
    port::Refusal { code: refusal.name().to_owned(), message: refusal.to_string() }
}
