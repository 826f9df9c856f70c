//! Which receipts count, what proofs may take, and how answers are shown: the settings of sections O and G-084.

use std::ops::RangeInclusive;

use clap::Args;

use super::settings::{ByteCount, bytes, whole};
use crate::{
    engine::Limits,
    keep::KeepLimits,
    reading::{Encoding, Proof, Settings, Source},
};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// How pull requests are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Receipts and proofs")]
pub(crate) struct Proofs {
    /// Which receipts count: the forge's own evidence, or a proof against git objects.
    #[arg(long, env = "GATEWAY_DIFF_SOURCE", value_enum, default_value_t = Source::Auto, value_name = "SOURCE")]
    diff_source: Source,
    /// What becomes of a diff that cannot be proven.
    #[arg(long, env = "GATEWAY_DIFF_PROOF", value_enum, default_value_t = Proof::Preferred, value_name = "PROOF")]
    diff_proof: Proof,
    /// How windows of a diff are shown where a call does not say.
    #[arg(long, env = "GATEWAY_DIFF_ENCODING", value_enum, default_value_t = Encoding::Base64, value_name = "ENCODING")]
    diff_encoding: Encoding,
    /// Bytes of memory for git objects (0, which keeps none, to 1024GiB).
    #[arg(long, env = "GATEWAY_OBJECT_CACHE_BYTES", default_value_t = ByteCount(64 * MIB), value_parser = bytes(0..=1_024 * GIB), value_name = "BYTES")]
    object_cache_bytes: ByteCount,
    /// Bytes of proven diffs that are kept, in memory and in temporary files (0, which keeps none, to 16384GiB).
    #[arg(long, env = "GATEWAY_SPOOL_BYTES", default_value_t = ByteCount(GIB), value_parser = bytes(0..=16_384 * GIB), value_name = "BYTES")]
    spool_bytes: ByteCount,
    /// Bytes of one file that a proof takes into memory (1 to 64MiB); a larger file is not proven.
    #[arg(long, env = "GATEWAY_PROOF_FILE_BYTES", default_value_t = ByteCount(16 * MIB), value_parser = bytes(Settings::PROOF_FILE_BYTES), value_name = "BYTES")]
    proof_file_bytes: ByteCount,
    /// Proofs that run at once (1 to 64); others wait in turn.
    #[arg(long, env = "GATEWAY_PROOF_CONCURRENCY", default_value_t = 4, value_parser = whole(Settings::PROOF_CONCURRENCY), value_name = "PROOFS")]
    proof_concurrency: u32,
    /// Bytes of a whole answer (4096 to 49000).
    #[arg(long, env = "GATEWAY_RESULT_BYTES", default_value_t = ByteCount(49_000), value_parser = bytes(result_bytes()), value_name = "BYTES")]
    result_bytes: ByteCount,
}

impl Proofs {
    /// Whether native evidence is the only receipt that counts.
    pub(crate) fn evidence_alone(&self) -> bool {
        self.diff_source == Source::Evidence
    }

    /// How pull requests are read.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            source: self.diff_source,
            proof: self.diff_proof,
            encoding: self.diff_encoding,
            proof_file_bytes: self.proof_file_bytes.0,
            result_bytes: u32::try_from(self.result_bytes.0).expect("the parser bounds it"),
            proof_concurrency: self.proof_concurrency,
        }
    }

    /// What is kept between calls.
    pub(crate) fn keep(&self) -> KeepLimits {
        KeepLimits { object_bytes: self.object_cache_bytes.0, spool_bytes: self.spool_bytes.0 }
    }

    /// What one call may use.
    pub(crate) fn limits(&self) -> Limits {
        Limits::for_proofs(self.proof_file_bytes.0)
    }
}

fn result_bytes() -> RangeInclusive<u64> {
    let (least, most) = Settings::RESULT_BYTES.into_inner();
    least.into()..=most.into()
}
