//! What the tools run on in tests: a real database of its own, a real workspace, and switches for faults.

use std::{
    cell::RefCell,
    fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use assay_documents::Options;
use assay_envelope::Refusal;
use assay_tools_patch::{find, ports};
use assay_workspace::{Expected, RelativePath};
use serde_json::{Value, json};

pub(crate) use crate::switches::Trouble;
use crate::{
    place::Place,
    sessions::Opened,
    switches::{Switches, was_dropped},
};

/// The bytes of an answer, as the program gives them.
pub(crate) const ROOM: usize = 49_000;

/// A database and a workspace.
pub(crate) struct Ground {
    pub(crate) place: Arc<Place>,
    pub(crate) store: Arc<dyn assay_documents::Documents>,
    pub(crate) switches: Rc<Switches>,
    pub(crate) workspace: RefCell<Option<assay_workspace::Workspace>>,
    owner: RefCell<String>,
}

/// No machine is so slow.
pub(crate) const LONG: Duration = Duration::from_secs(300);

/// A target as it was last seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) version: u64,
    pub(crate) hash: String,
}

impl Ground {
    /// On a database of its own.
    pub(crate) fn new() -> Self {
        Self::at(&Place::new())
    }

    /// On a database that may have others, with connections of its own.
    pub(crate) fn at(place: &Arc<Place>) -> Self {
        Self::with(place, Options { patience: LONG, ..Options::default() })
    }

    pub(crate) fn with(place: &Arc<Place>, options: Options) -> Self {
        let opened = place.runtime.block_on(assay_documents::open_with(place.location(), options));
        let workspace = assay_workspace::Workspace::open(&place.root()).expect("a workspace");
        Self {
            place: Arc::clone(place),
            store: opened.expect("a database"),
            switches: Rc::default(),
            workspace: RefCell::new(Some(workspace)),
            owner: RefCell::default(),
        }
    }

    /// On the same database, with connections of its own.
    pub(crate) fn beside(&self) -> Self {
        Self::at(&self.place)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.place.folder()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.place.root()
    }

    /// From now on the caller is another.
    pub(crate) fn become_owner(&self, owner: &str) {
        owner.clone_into(&mut self.owner.borrow_mut());
    }

    /// From now on the workspace is this one.
    pub(crate) fn work_in(&self, root: Option<&Path>) {
        *self.workspace.borrow_mut() = root.map(|root| assay_workspace::Workspace::open(root).expect("a workspace"));
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        fs::write(&path, bytes).expect("it is ours");
        path
    }

    pub(crate) fn fail(&self, call: &'static str, trouble: Trouble) {
        self.fail_at(call, 0, trouble);
    }

    /// The same at a later call of that name.
    pub(crate) fn fail_at(&self, call: &'static str, earlier: usize, trouble: Trouble) {
        self.switches.spared.set(earlier);
        *self.switches.at.borrow_mut() = Some((call, trouble));
    }

    /// One call whose arguments are JSON's text.
    pub(crate) fn raw(&self, tool: &str, arguments: &str, room: usize) -> Result<Value, Refusal> {
        let answer = self.text_of(tool, arguments, room)?;
        Ok(serde_json::from_str(&answer).expect("an answer is JSON"))
    }

    /// The same, and the answer to the byte.
    pub(crate) fn text_of(&self, tool: &str, arguments: &str, room: usize) -> Result<String, Refusal> {
        let ports = ports::Ports { documents: self, workspace: self };
        let tool = find(tool).or_else(|| find(&format!("patchdiff_{tool}"))).expect("a tool");
        let answer = tool.call(ports, arguments, room)?;
        assert!(assay_envelope::escaped_len(&answer) <= room, "{} has more than {room} bytes", tool.name);
        Ok(answer)
    }

    /// A call that may be dropped on its way; nothing where it was.
    pub(crate) fn until_dropped(&self, tool: &str, arguments: &Value) -> Option<Result<Value, Refusal>> {
        let done = catch_unwind(AssertUnwindSafe(|| self.within(tool, arguments, ROOM)));
        self.switches.unwatch();
        match done {
            Ok(answer) => Some(answer),
            Err(cause) if was_dropped(cause.as_ref()) => None,
            Err(cause) => std::panic::resume_unwind(cause),
        }
    }

    pub(crate) fn within(&self, tool: &str, arguments: &Value, room: usize) -> Result<Value, Refusal> {
        self.raw(tool, &arguments.to_string(), room)
    }

    /// A call that is answered.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.within(tool, arguments, ROOM).unwrap_or_else(|refusal| panic!("{tool}: {refusal:?}"))
    }

    /// A call that has this status.
    pub(crate) fn told(&self, status: &str, tool: &str, arguments: &Value) -> Value {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["status"], status, "{tool}: {answer}");
        answer
    }

    /// A new target of this text.
    pub(crate) fn begin(&self, content: &str) -> Seen {
        seen(&self.told("ok", "initialize_target", &json!({"content": content})))
    }

    /// A new target of a file.
    pub(crate) fn import(&self, path: &str) -> Seen {
        seen(&self.told("ok", "initialize_target", &json!({"from_workspace": true, "path": path})))
    }

    /// The target as it is now.
    pub(crate) fn now(&self, target: &Seen) -> Seen {
        seen(&self.told("ok", "read_target", &json!({"target_file_id": target.id, "length": 1})))
    }

    /// Its whole text.
    pub(crate) fn text(&self, target: &Seen) -> String {
        let (mut whole, mut start) = (String::new(), json!(0));
        while !start.is_null() {
            let arguments = json!({"target_file_id": target.id, "start": start, "length": 8000});
            let window = self.told("ok", "read_target", &arguments);
            whole.push_str(window["text"].as_str().expect("a text"));
            start = window["next_start"].clone();
        }
        whole
    }

    /// An edit of the target as it is now, by tx/1.
    pub(crate) fn edit(&self, target: &Seen, edits: Value) -> Value {
        let version = self.now(target).version;
        let id = &target.id;
        let request = json!({"target_file_id": id, "intent": "i", "expected_target_version": version, "edits": edits});
        self.call("submit_edits", &request)
    }

    /// The whole history, newest first.
    pub(crate) fn log(&self, target: &Seen) -> Vec<Value> {
        let page = self.told("ok", "get_pdcp_log", &json!({"target_file_id": target.id}));
        assert_eq!(page["has_more"], false, "{page}");
        page["entries"].as_array().expect("an array").clone()
    }

    /// That the target is its history.
    pub(crate) fn replays(&self, target: &Seen) -> Value {
        let replayed = self.told("success", "replay_target", &json!({"target_file_id": target.id}));
        assert_eq!(replayed["materialized_state_matches"], true, "{replayed}");
        replayed
    }
}

pub(crate) fn seen(answer: &Value) -> Seen {
    let text = |name: &str| answer[name].as_str().unwrap_or_else(|| panic!("{name}: {answer}")).to_owned();
    Seen {
        id: text("target_file_id"),
        version: answer["version"].as_u64().expect("a version"),
        hash: text("current_hash"),
    }
}

impl ports::Documents for Ground {
    fn view(&self) -> ports::Outcome<Box<dyn ports::Session>> {
        Opened::view(self, &self.owner.borrow())
    }

    fn begin(&self) -> ports::Outcome<Box<dyn ports::Session>> {
        Opened::begin(self, &self.owner.borrow())
    }
}

/// The most bytes of a file.
const MOST: u64 = 4 << 20;

impl ports::Workspace for Ground {
    fn identity(&self) -> Option<String> {
        if !self.switches.goes_on("identity", false) {
            return None;
        }
        self.workspace.borrow().as_ref().map(|workspace| workspace.identity().to_string())
    }

    fn read(&self, path: &str, max: u64) -> Result<ports::File, ports::Refusal> {
        let workspace = self.workspace.borrow();
        let workspace = workspace.as_ref().expect("it was asked for its identity");
        let path = RelativePath::parse(path).map_err(|cause| refusal(&cause))?;
        if !self.switches.goes_on("read", false) {
            return Err(ports::Refusal { code: "io_failed".to_owned(), message: "no read".to_owned() });
        }
        let file = workspace.read(&path, max).map_err(|cause| refusal(&cause))?;
        Ok(ports::File { content: file.bytes, sha256: file.sha256.to_string(), mode: file.mode })
    }

    fn publish(&self, path: &str, expected: &str, content: &[u8]) -> Result<ports::Published, ports::Failed> {
        let refused = |call: &str, destination| ports::Failed {
            refusal: ports::Refusal { code: "io_failed".to_owned(), message: format!("no {call}") },
            step: call.to_owned(),
            destination,
        };
        if !self.switches.goes_on("publish", false) {
            return Err(refused("publish", ports::Destination::Untouched));
        }
        let workspace = self.workspace.borrow();
        let workspace = workspace.as_ref().expect("it was asked for its identity");
        let path = RelativePath::parse(path).expect("it was read by this path");
        let disk_sha256 = assay_workspace::Digest::from_hex(expected).expect("it was given by us");
        let expected = Expected { disk_sha256, max_bytes: MOST };
        let mut observer = |step| {
            if let Some((at, file)) = &*self.switches.writes_at.borrow()
                && *at == step
            {
                fs::write(file, "another\n").expect("it is ours");
            }
            let fails = *self.switches.fails_at.borrow() == Some(step) || !self.switches.goes_on(step.name(), false);
            if fails { Err(io::Error::other("the disk is gone")) } else { Ok(()) }
        };
        let published = workspace.publish(&path, &expected, content, &mut observer);
        let published = published.map_err(|failed| {
            let truth = match failed.destination {
                assay_workspace::Destination::Untouched => ports::Destination::Untouched,
                assay_workspace::Destination::Installed => ports::Destination::Installed,
                assay_workspace::Destination::Unknown => ports::Destination::Unknown,
            };
            let destination = self.switches.destination.borrow().unwrap_or(truth);
            let refusal = ports::Refusal { code: failed.cause.name().to_owned(), message: failed.to_string() };
            ports::Failed { refusal, step: failed.step.name().to_owned(), destination }
        })?;
        if !self.switches.goes_on("publish", true) {
            return Err(refused("publish", ports::Destination::Installed));
        }
        let sha256 = published.sha256.to_string();
        Ok(ports::Published { sha256, bytes: published.bytes, mode: published.mode })
    }
}

fn refusal(cause: &assay_workspace::Refusal) -> ports::Refusal {
    ports::Refusal { code: cause.name().to_owned(), message: cause.to_string() }
}
