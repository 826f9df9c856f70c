//! A valid entity to start from: each test changes one thing of it, and says so.

use sha2::{Digest as _, Sha256};

use super::{Evidence, Verifier};
use crate::{Capture, Captured, Error, Index, base64};

/// An entity in its three parts, each as text.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) schema: String,
    pub(crate) manifest: String,
    pub(crate) data: String,
}

/// A diff with more in it than one base64 quad, whose length leaves spare bits to be wrong.
pub(crate) const DIFF: &[u8] = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+\xc3\xbc\xff\n";

impl Fixture {
    pub(crate) fn new(diff: &[u8]) -> Self {
        Self {
            schema: r#""forgejo.pr-diff-evidence.v1""#.to_owned(),
            manifest: manifest(diff.len(), &hex(&Sha256::digest(diff))),
            data: base64::encode(diff),
        }
    }

    /// The same in a repository whose object ids are SHA-256.
    pub(crate) fn sha256_repository(diff: &[u8]) -> Self {
        let fixture = Self::new(diff).with(r#""object_format":"sha1""#, r#""object_format":"sha256""#);
        ["1f", "2e", "3d"].iter().fold(fixture, |fixture, byte| fixture.with(&byte.repeat(20), &byte.repeat(32)))
    }

    /// With a text of the manifest replaced; it must be there exactly once.
    #[track_caller]
    pub(crate) fn with(mut self, from: &str, to: &str) -> Self {
        assert_eq!(self.manifest.matches(from).count(), 1, "{from} in {}", self.manifest);
        self.manifest = self.manifest.replace(from, to);
        self
    }

    pub(crate) fn with_data(mut self, data: &str) -> Self {
        data.clone_into(&mut self.data);
        self
    }

    /// In the order that a server of ours writes (D-035).
    pub(crate) fn entity(&self) -> Vec<u8> {
        let Self { schema, manifest, data } = self;
        format!(r#"{{"schema":{schema},"manifest":{manifest},"data":"{data}"}}"#).into_bytes()
    }

    /// Every order of the three members.
    pub(crate) fn orders(&self) -> Vec<Vec<u8>> {
        let members = [
            format!(r#""schema":{}"#, self.schema),
            format!(r#""manifest":{}"#, self.manifest),
            format!(r#""data":"{}""#, self.data),
        ];
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
            .map(|order| format!("{{{}}}", order.map(|at| members[at].as_str()).join(",")).into_bytes())
            .into()
    }
}

/// Verifies an entity about pull request 7 that comes in pieces of `size`, its length as announced.
pub(crate) fn verify_by(entity: &[u8], content_length: u64, size: usize) -> Result<Evidence<Captured>, Error> {
    let mut verifier = Verifier::new(seven(), content_length, Capture::new(0));
    entity.chunks(size.max(1)).try_for_each(|piece| verifier.feed(piece))?;
    verifier.finish().map(crate::Verified::into_inner)
}

/// Verifies an entity that comes at once.
pub(crate) fn verify(entity: &[u8]) -> Result<Evidence<Captured>, Error> {
    verify_by(entity, entity.len() as u64, entity.len())
}

pub(crate) fn seven() -> Index {
    Index::new(7).expect("within bounds")
}

fn manifest(bytes: usize, sha256: &str) -> String {
    let [base, head, tip] = ["1f", "2e", "3d"].map(|byte| byte.repeat(20));
    [
        r#"{"contract":"observed_input_range","atomic_latest_pr_snapshot":false,"#,
        r#""repository":{"id":12,"object_format":"sha1"},"pull_request":{"id":34,"index":7},"#,
        r#""generation":{"profile":{"name":"pr-diff-binary.v1","arguments":["diff","-p","--binary","--histogram"],"#,
        r#""binary":true,"git_version":"2.47.3"},"inputs":{"#,
        &format!(r#""merge_base":{{"oid":"{base}","source":"stored_merge_base","repository_id":12}},"#),
        &format!(r#""head":{{"oid":"{head}","source":"hidden_pull_head","repository_id":12,"#),
        r#""ref":{"encoding":"base64","data":"cmVmcy9wdWxsLzcvaGVhZA=="}}}},"observations":{"#,
        &format!(r#""target_tip":{{"status":"present","oid":"{tip}","repository_id":12,"#),
        r#""ref":{"encoding":"base64","data":"cmVmcy9oZWFkcy9tYWlu"}},"#,
        r#""original_fork":{"repository_id":99,"branch":{"encoding":"base64","data":"ZmVhdP8="},"#,
        r#""resolution":"not_read","generation_input":false}},"#,
        r#""times":{"captured_at":"2026-12-02T01:15:51.123456789Z","generated_at":"2026-12-02T01:15:51.2Z"},"#,
        &format!(r#""content":{{"encoding":"base64","bytes":{bytes},"sha256":"{sha256}"}}}}"#),
    ]
    .concat()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
