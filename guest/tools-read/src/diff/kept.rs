//! A later page of a diff that was proven in an earlier call: two requests, and the bytes that were kept (O-012).
//!
//! The forge is asked first, with the caller's credential: only what it still shows this caller, and still names by the
//! same inputs, is read from what was kept. A caller whose access was taken away gets nothing.

use assay_envelope::Refusal;
use assay_forge::{
    Captured, RepoPath, Slice, WINDOW_BYTES,
    cursor::{Binding, Walk},
    files::{FileKind, FileRow, Totals},
    observed::Receipt,
};
use assay_origin::refuse;
use sha2::{Digest as _, Sha256};

use super::{Ask, Found, Judged, Rows, inputs::Look, objects::Counted};
use crate::ports::{DiffKey, KeptDiff, Ports};

/// Bytes read from what is kept at once.
const READ_BYTES: u32 = 64 * 1024;

/// The page, if its diff is kept.
pub(super) fn read(ports: Ports<'_>, ask: Ask<'_>) -> Result<Option<Judged>, Refusal> {
    let Some(diff) = ask.cursor.and_then(|cursor| find(ports, cursor.binding())) else { return Ok(None) };
    let Some(cursor) = ask.cursor else { return Ok(None) };
    let look = Look::take(&Counted::new(ports.origin), ask.target)?;
    cursor.binding().check_inputs(&look.pull, look.head).map_err(refuse)?;
    let Some(receipt) = Receipt::kept(&diff.receipt()) else { return Ok(None) };
    let receipt = receipt.observing(&look.pull);
    let Some(found) = find_in(diff.as_ref(), ask, &receipt) else { return Ok(None) };
    let judged = Judged {
        manifest: receipt.to_json(),
        binding: Binding::from(&receipt),
        whole_diff_verified: receipt.is_proven(),
        found,
    };
    ask.continues(&judged.found, &judged.binding)?;
    Ok(Some(judged))
}

fn find(ports: Ports<'_>, binding: &Binding) -> Option<Box<dyn KeptDiff>> {
    let (merge_base, head) = binding.commits()?;
    let sha256 = binding.content_sha256()?;
    ports.objects.find_diff(&DiffKey { repository: binding.repository_id(), merge_base, head, sha256 })
}

fn find_in(diff: &dyn KeptDiff, ask: Ask<'_>, receipt: &Receipt) -> Option<Found> {
    let offset = ask.offset();
    match ask.walk {
        Walk::Diff => {
            let (count, sha256) = (diff.length(), sha256_of(receipt)?);
            Some(Found::Diff(Captured { count, sha256, offset, window: window(diff, &[(0, count)], offset) }))
        }
        Walk::File(path) => path.names().find_map(|path| slice(diff, path, offset)).map(Found::File),
        Walk::Files => {
            let mut rows = Rows::from(offset);
            let mut totals = Totals::default();
            each_line(diff, |line| {
                rows.push(line);
                add(&mut totals, &serde_json::from_str(line).ok()?);
                Some(())
            })?;
            (totals.files == receipt.files()).then_some(Found::Files(rows, totals))
        }
    }
}

fn add(totals: &mut Totals, row: &FileRow) {
    totals.files += 1;
    totals.additions = totals.additions.saturating_add(row.additions);
    totals.deletions = totals.deletions.saturating_add(row.deletions);
    totals.binary_files += u64::from(row.kind == FileKind::Binary);
}

/// One file's sections, by the rows that were kept with the diff.
fn slice(diff: &dyn KeptDiff, path: &RepoPath, offset: u64) -> Option<Slice> {
    let mut ranges = Vec::new();
    let mut last = None;
    each_line(diff, |line| {
        let row: FileRow = serde_json::from_str(line).ok()?;
        if row.is_about(path) {
            ranges.push((row.byte_offset, row.byte_count));
            last = Some(row.sha256);
        }
        Some(())
    })?;
    let sha256 = match ranges.as_slice() {
        [] => return None,
        // Most slices are one section, whose hash is in its row.
        [_] => decode(&last?)?,
        several => hash(diff, several),
    };
    let count = ranges.iter().map(|(_, count)| count).sum();
    let captured = Captured { count, sha256, offset, window: window(diff, &ranges, offset) };
    Some(Slice { section_count: ranges.len() as u64, captured })
}

/// The bytes from `offset` on of the ranges put together, as many as a window holds.
fn window(diff: &dyn KeptDiff, ranges: &[(u64, u64)], offset: u64) -> Vec<u8> {
    let mut window = Vec::with_capacity(WINDOW_BYTES);
    let mut skip = offset;
    for (start, count) in ranges {
        let skipped = skip.min(*count);
        skip -= skipped;
        let room = (WINDOW_BYTES - window.len()) as u64;
        read_into(diff, start + skipped, (count - skipped).min(room), |bytes| window.extend_from_slice(bytes));
    }
    window
}

fn hash(diff: &dyn KeptDiff, ranges: &[(u64, u64)]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for (start, count) in ranges {
        read_into(diff, *start, *count, |bytes| hash.update(bytes));
    }
    hash.finalize().into()
}

fn read_into(diff: &dyn KeptDiff, mut start: u64, mut count: u64, mut take: impl FnMut(&[u8])) {
    while count > 0 {
        let bytes = diff.read(start, u32::try_from(count).unwrap_or(READ_BYTES).min(READ_BYTES));
        if bytes.is_empty() {
            return;
        }
        take(&bytes);
        start += bytes.len() as u64;
        count -= (bytes.len() as u64).min(count);
    }
}

/// The rows as they were kept, one a line; nothing where one is not what was written.
fn each_line(diff: &dyn KeptDiff, mut line: impl FnMut(&str) -> Option<()>) -> Option<()> {
    let mut held = Vec::new();
    let mut offset = 0;
    loop {
        let bytes = diff.read_annotations(offset, READ_BYTES);
        if bytes.is_empty() {
            return held.is_empty().then_some(());
        }
        offset += bytes.len() as u64;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            held.extend_from_slice(piece);
            if held.pop_if(|byte| *byte == b'\n').is_some() {
                line(std::str::from_utf8(&held).ok()?)?;
                held.clear();
            }
        }
    }
}

fn sha256_of(receipt: &Receipt) -> Option<[u8; 32]> {
    decode(&receipt.content().sha256)
}

fn decode(hex: &str) -> Option<[u8; 32]> {
    match assay_forge::ObjectId::from_hex(hex).ok()? {
        assay_forge::ObjectId::Sha256(bytes) => Some(bytes),
        assay_forge::ObjectId::Sha1(_) => None,
    }
}
