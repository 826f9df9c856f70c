//! The call: what the review says, and the comments on lines, each of them whole.

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    ObjectId,
    written::{LineComment, Side},
};
use assay_origin::PullTarget;

use crate::arguments::{TEXT, invalid, object_id};

/// Comments of one review.
const COMMENTS: (usize, usize) = (1, 64);
/// Bounds of a path in bytes.
const PATH: (usize, usize) = (1, 4_096);
/// Bounds of a line's number.
const LINE: (u64, u64) = (1, 2_147_483_647);

const EVENTS: [(&str, Event); 3] = [
    ("comment", Event { native: "COMMENT", needs: Needs::Anything }),
    ("approve", Event { native: "APPROVED", needs: Needs::Nothing }),
    ("request_changes", Event { native: "REQUEST_CHANGES", needs: Needs::Text }),
];

/// What the review says of the pull request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// The forge's word, in the request and in its answer.
    pub(super) native: &'static str,
    needs: Needs,
}

/// What a forge asks for beside the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    Text,
    /// A text or a comment.
    Anything,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) target: PullTarget,
    pub(super) event: Event,
    pub(super) text: String,
    pub(super) comments: Vec<LineComment>,
    /// The commit that the caller has seen.
    pub(super) guard: Option<ObjectId>,
}

impl Request {
    pub(super) fn read(mut arguments: Arguments) -> Result<Self, Refusal> {
        let target = PullTarget::take(&mut arguments)?;
        let event = arguments.choice("event", &EVENTS)?;
        let text = arguments.optional_text("body", TEXT)?.unwrap_or_default();
        let comments = arguments.optional_objects("comments", COMMENTS)?.unwrap_or_default();
        let comments = comments.into_iter().map(comment).collect::<Result<Vec<_>, _>>()?;
        let guard = object_id(&mut arguments, "commit_id")?;
        arguments.finish()?;
        let says = !text.trim().is_empty();
        match event.needs {
            Needs::Text if !says => Err(invalid("`body` must say something with `event` \"request_changes\"")),
            Needs::Anything if !says && comments.is_empty() => {
                Err(invalid("`body` or `comments` must say something with `event` \"comment\""))
            }
            _ => Ok(Self { target, event, text, comments, guard }),
        }
    }
}

fn comment(mut arguments: Arguments) -> Result<LineComment, Refusal> {
    let path = arguments.text("path", PATH)?;
    let body = arguments.text("body", (1, TEXT.1))?;
    let line = arguments.optional_integer("line", LINE)?;
    let old_line = arguments.optional_integer("old_line", LINE)?;
    let (side, line) = match (line, old_line) {
        (Some(line), None) => (Side::New, line),
        (None, Some(line)) => (Side::Old, line),
        _ => {
            let (new, old) = (arguments.name("line"), arguments.name("old_line"));
            return Err(invalid(format!("give exactly one of `{new}` (new side) and `{old}` (old side)")));
        }
    };
    arguments.finish()?;
    Ok(LineComment { path, side, line, body })
}
