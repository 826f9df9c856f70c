//! Calls that end at every point of them: by a fault, by being dropped, and by the death of their process.
//!
//! A point is before or after one call of a port, or before one step of a publication. Which there are is not written down
//! here: a call is made once and watched, and then once more for each point that it passed.

mod child;
mod others;
mod saves;
mod submissions;

use std::{cell::Cell, rc::Rc};

use assay_envelope::Refusal;
use serde_json::Value;

use crate::{
    ground::Ground,
    switches::{Point, drop_the_call},
};

/// How a call ends at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The port says that it could not.
    Fault,
    /// The call is dropped there, as by a trap.
    Drop,
    /// The process is killed there.
    Kill,
}

const ENDS: [End; 3] = [End::Fault, End::Drop, End::Kill];

/// The points of a call, which is made.
fn points(ground: &Ground, tool: &str, arguments: &Value) -> Vec<Point> {
    let seen = Rc::new(std::cell::RefCell::new(Vec::new()));
    let noting = Rc::clone(&seen);
    ground.switches.watch(move |point| {
        noting.borrow_mut().push(point);
        true
    });
    ground.call(tool, arguments);
    ground.switches.unwatch();
    seen.take()
}

/// Makes a call that ends at its `at`th point. What it said, if it came to that.
fn ended(ground: &Ground, at: usize, end: End, tool: &str, arguments: &Value) -> Option<Result<Value, Refusal>> {
    if end == End::Kill {
        child::killed(ground, at, tool, arguments);
        return None;
    }
    let passed = Cell::new(0);
    ground.switches.watch(move |_| {
        let is_here = passed.replace(passed.get() + 1) == at;
        if is_here && end == End::Drop {
            drop_the_call();
        }
        !is_here
    });
    let said = ground.until_dropped(tool, arguments);
    assert_eq!(said.is_none(), end == End::Drop, "{tool} {at}: {said:?}");
    said
}

/// Whether what a call did was committed when it ended at a point.
fn is_kept(points: &[Point], at: usize) -> bool {
    points[..=at].contains(&Point { call: "commit", is_after: true })
}

/// P-112: what a call says that met a fault of the infrastructure.
fn says(said: Option<Result<Value, Refusal>>, kept: bool) {
    if let Some(said) = said {
        let refusal = said.expect_err("it met a fault");
        assert_eq!(refusal.code, if kept { "outcome_unknown" } else { "storage_failed" }, "{refusal:?}");
        let kept_or_not = if kept { "is not known" } else { "Nothing of this call was kept" };
        assert!(refusal.message.contains(kept_or_not), "{refusal:?}");
    }
}
