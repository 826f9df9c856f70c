//! The first rows that fit, for lists that go on behind the last row that was shown.
//!
//! No row is left out between two that are shown. Only a row that has no room even alone is cut, so that a list of long texts
//! goes on (K-05).

use crate::escape::escaped_len;
use crate::window::TooSmall;

/// Renders the first rows, as many as take at most `room` escaped bytes: at least one, where there is one, cut by `cut` to the
/// most bytes of its text that fit where it does not fit whole.
///
/// # Errors
/// [`TooSmall`] where not even the first row without its text fits.
pub fn fit_leading<R>(
    rows: &[R],
    room: usize,
    cut: impl Fn(&R, usize) -> R,
    mut render: impl FnMut(&[R]) -> String,
) -> Result<String, TooSmall> {
    let mut rendered = |rows: &[R]| Some(render(rows)).filter(|text| escaped_len(text) <= room);
    if let Some(text) = rendered(rows) {
        return Ok(text);
    }
    let Some(first) = rows.first() else { return Err(TooSmall) };
    let leading = greatest(1, rows.len(), |count| rendered(rows.get(..count)?));
    if let Some(text) = leading {
        return Ok(text);
    }
    greatest(0, room.saturating_add(1), |bytes| rendered(&[cut(first, bytes)])).ok_or(TooSmall)
}

/// What the greatest number from `least` on and below `end` gives, of those that give something.
fn greatest(least: usize, end: usize, mut of: impl FnMut(usize) -> Option<String>) -> Option<String> {
    let mut found = of(least)?;
    let (mut good, mut bad) = (least, end.max(least + 1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match of(middle) {
            Some(text) => (good, found) = (middle, text),
            None => bad = middle,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(lengths: &[usize], room: usize) -> Result<String, TooSmall> {
        let rows: Vec<String> = lengths.iter().map(|length| "\"".repeat(*length)).collect();
        let cut = |row: &String, most: usize| format!("{}~", row.get(..most).unwrap_or(row));
        fit_leading(&rows, room, cut, |rows| format!("{}:{}", rows.len(), rows.join(",")))
    }

    /// K-05: rows that do not fit stay for the next answer; one that never fits is cut.
    #[test]
    fn the_first_rows_fit() {
        assert_eq!(fitted(&[], 2).as_deref(), Ok("0:"));
        assert_eq!(fitted(&[], 1), Err(TooSmall));
        assert_eq!(fitted(&[1, 1], 7).as_deref(), Ok("2:\",\""));
        assert_eq!(fitted(&[1, 1, 9, 1], 12).as_deref(), Ok("2:\",\""));
        assert_eq!(fitted(&[1, 9], 12).as_deref(), Ok("1:\""));
        assert_eq!(fitted(&[9, 1], 10).as_deref(), Ok("1:\"\"\"~"));
        assert_eq!(fitted(&[9], 3).as_deref(), Ok("1:~"));
        assert_eq!(fitted(&[9], 2), Err(TooSmall));
    }

    /// Nothing of the room is wasted that the next row would fit into.
    #[test]
    fn as_many_as_fit() {
        for room in 2..200 {
            let text = fitted(&[3; 30], room);
            let most = (1..=30).take_while(|count| 2 + usize::from(*count > 9) + count * 7 - 1 <= room).last();
            let shown = text.ok().filter(|text| !text.contains('~')).map(|text| text.matches("\"\"\"").count());
            assert_eq!(shown, most, "room {room}");
        }
    }
}
