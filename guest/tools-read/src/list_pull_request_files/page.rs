//! The answer: the receipt, the totals, and as many rows as fit.

use assay_envelope::{Refusal, escaped_len};
use assay_forge::{cursor::Cursor, files::Totals};
use assay_origin::PullTarget;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Request;
use crate::{
    diff::{Found, Judged},
};

/// Exactly the members of the contract's output, in its order.
#[derive(Serialize)]
struct Page<'a> {
    requested: &'a PullTarget,
    manifest: &'a RawValue,
    totals: Totals,
    files: &'a [&'a RawValue],
    returned: usize,
    total: u64,
    eof: bool,
    next_cursor: Option<String>,
}

/// Fits as many rows as `room` has place for: at least one, where there is one (D-065 to D-067).
pub(super) fn render(request: &Request, judged: &Judged, room: usize) -> Result<String, Refusal> {
    let Found::Files(rows, totals) = &judged.found else { unreachable!("rows were asked for") };
    let manifest: &RawValue = serde_json::from_str(&judged.manifest).expect("a judged manifest is JSON");
    let rows: Vec<&RawValue> =
        rows.as_slice().iter().map(|row| serde_json::from_str(row).expect("it was written as JSON")).collect();
    let start = request.paging.cursor.as_ref().map_or(0, Cursor::offset);
    let page = |files: &[&RawValue]| {
        let next = start.saturating_add(files.len() as u64);
        let eof = next >= totals.files;
        let page = Page {
            requested: &request.target,
            manifest,
            totals: *totals,
            files,
            returned: files.len(),
            total: totals.files,
            eof,
            next_cursor: (!eof).then(|| {
                let call = request.ask().call();
                Cursor::new(&call, judged.binding.clone(), judged.found.extent(), next).encode()
            }),
        };
        serde_json::to_string(&page).expect("a page has string keys only")
    };
    // The rows' own sizes say how many can fit; the answer itself says whether they do.
    let mut left = room.saturating_sub(escaped_len(&page(&[])));
    let fits = |row: &&&RawValue| {
        let size = escaped_len(row.get()) + 1;
        let fits = left >= size;
        left = left.saturating_sub(size);
        fits
    };
    let mut count = rows.iter().take_while(fits).count().max(usize::from(!rows.is_empty()));
    loop {
        let answer = page(rows.get(..count).unwrap_or_default());
        if escaped_len(&answer) <= room {
            return Ok(answer);
        }
        count = match count {
            0 | 1 => return Err(request.paging.too_small("one row of the index")),
            more => more - 1,
        };
    }
}
