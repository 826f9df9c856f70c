//! A page of rows that fits: no row is ever left out or cut.
//!
//! A list's pages are the forge's, so a page that is too large cannot be continued inside. What gives way is text that a row
//! can do without (a description, labels): it becomes null, the longest first, and the answer counts it.

use crate::escape::escaped_len;
use crate::window::TooSmall;

/// A row of a list.
pub trait Row {
    /// Bytes of what the row can do without; zero where there is nothing (more) of it.
    fn spare(&self) -> usize;
    /// Leaves it out.
    fn leave_out(&mut self);
}

/// Renders the rows so that the text takes at most `room` escaped bytes. `render` is told from how many rows something was
/// left out.
///
/// # Errors
/// [`TooSmall`] where the rows do not fit even without everything that they can do without.
pub fn fit_rows<R: Row>(
    rows: &mut [R],
    room: usize,
    mut render: impl FnMut(&[R], usize) -> String,
) -> Result<String, TooSmall> {
    let mut left_out = 0;
    loop {
        let text = render(rows, left_out);
        let Some(mut over) = escaped_len(&text).checked_sub(room).filter(|over| *over > 0) else { return Ok(text) };
        let mut longest: Vec<(usize, usize)> =
            rows.iter().map(Row::spare).zip(0..).filter(|(bytes, _)| *bytes > 0).collect();
        if longest.is_empty() {
            return Err(TooSmall);
        }
        longest.sort_unstable_by(|one, other| other.cmp(one));
        for (bytes, at) in longest {
            if over == 0 {
                break;
            }
            if let Some(row) = rows.get_mut(at) {
                row.leave_out();
                left_out += 1;
                over = over.saturating_sub(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text(Option<String>);

    impl Row for Text {
        fn spare(&self) -> usize {
            self.0.as_ref().map_or(0, String::len)
        }

        fn leave_out(&mut self) {
            self.0 = None;
        }
    }

    fn fitted(lengths: &[usize], room: usize) -> Result<String, TooSmall> {
        let mut rows: Vec<Text> = lengths.iter().map(|length| Text(Some("\"".repeat(*length)))).collect();
        fit_rows(&mut rows, room, |rows, left_out| {
            let cells: Vec<&str> = rows.iter().map(|row| row.0.as_deref().unwrap_or("-")).collect();
            format!("{left_out}:{}", cells.join(","))
        })
    }

    /// K-06: every row is there, and the longest text gives way first.
    #[test]
    fn the_longest_text_gives_way() {
        assert_eq!(fitted(&[1, 2], 9).as_deref(), Ok("0:\",\"\""));
        assert_eq!(fitted(&[1, 9, 2], 20).as_deref(), Ok("1:\",-,\"\""));
        assert_eq!(fitted(&[5, 5, 5], 7).as_deref(), Ok("3:-,-,-"));
        assert_eq!(fitted(&[5, 5, 5], 6), Err(TooSmall));
        assert_eq!(fitted(&[], 2).as_deref(), Ok("0:"));
        assert_eq!(fitted(&[], 1), Err(TooSmall));
    }
}
