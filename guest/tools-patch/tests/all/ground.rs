//! What the tools run on in tests: a real database in a folder of its own, a real workspace, and switches for faults.

use std::{
    cell::{Cell, RefCell},
    fs, io,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use assay_envelope::Refusal;
use assay_tools_patch::{find, ports};
use assay_workspace::{Expected, RelativePath, Step};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::sessions::Opened;

/// The bytes of an answer, as the program gives them.
pub(crate) const ROOM: usize = 49_000;

/// What goes wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The call fails and has done nothing.
    Fails,
    /// It was a commit that happened, and nobody knows.
    UnknownButKept,
    /// It was a commit that did not happen, and nobody knows.
    UnknownAndLost,
}

/// What is to happen at which call, once.
#[derive(Default)]
pub(crate) struct Switches {
    pub(crate) at: RefCell<Option<(&'static str, Trouble)>>,
    /// How many such calls go well before.
    pub(crate) spared: Cell<usize>,
    /// The step of a publication that fails.
    pub(crate) fails_at: RefCell<Option<Step>>,
    /// What is written into the file at a step of its publication.
    pub(crate) writes_at: RefCell<Option<(Step, PathBuf)>>,
    /// What a publication that failed says of the file, in place of the truth.
    pub(crate) destination: RefCell<Option<ports::Destination>>,
    /// Every call that was made.
    pub(crate) calls: RefCell<Vec<&'static str>>,
    /// Every target that was locked.
    pub(crate) locks: RefCell<Vec<String>>,
    /// What is done once the next lock is held.
    pub(crate) once_locked: RefCell<Option<Box<dyn FnOnce()>>>,
    /// The target that has another version from its second lock on, as no database here shows it.
    pub(crate) diverges: RefCell<Option<String>>,
}

impl Switches {
    /// Notes the call, and gives the trouble that it has.
    pub(crate) fn reach(&self, call: &'static str) -> Option<Trouble> {
        self.calls.borrow_mut().push(call);
        let mut at = self.at.borrow_mut();
        let trouble = at.filter(|(name, _)| *name == call).map(|(_, trouble)| trouble);
        if trouble.is_some() {
            if let Some(left) = self.spared.get().checked_sub(1) {
                self.spared.set(left);
                return None;
            }
            *at = None;
        }
        trouble
    }
}

/// A database and a workspace.
pub(crate) struct Ground {
    pub(crate) runtime: Rc<tokio::runtime::Runtime>,
    pub(crate) store: Arc<dyn assay_documents::Documents>,
    pub(crate) switches: Rc<Switches>,
    pub(crate) workspace: RefCell<Option<assay_workspace::Workspace>>,
    owner: RefCell<String>,
    folder: TempDir,
}

/// A target as it was last seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) version: u64,
    pub(crate) hash: String,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("documents.db").to_str().expect("a path").to_owned();
        Self::over(&path, assay_documents::Options::default(), folder)
    }

    /// One more store, with connections of its own, on a database that may be another's too.
    pub(crate) fn at(location: &str, options: assay_documents::Options) -> Self {
        Self::over(location, options, TempDir::new().expect("a folder"))
    }

    fn over(location: &str, options: assay_documents::Options, folder: TempDir) -> Self {
        let root = folder.path().join("workspace");
        fs::create_dir(&root).expect("a folder in it");
        // What is dropped is rolled back behind the test's back, so there is a thread for that.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let store = runtime.block_on(assay_documents::open_with(location, options)).expect("a database");
        let workspace = assay_workspace::Workspace::open(&root).expect("a workspace");
        Self {
            runtime: Rc::new(runtime),
            store,
            switches: Rc::default(),
            workspace: RefCell::new(Some(workspace)),
            owner: RefCell::default(),
            folder,
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("workspace")
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
        let ports = ports::Ports { documents: self, workspace: self };
        let tool = find(tool).or_else(|| find(&format!("patchdiff_{tool}"))).expect("a tool");
        let answer = tool.call(ports, arguments, room)?;
        assert!(assay_envelope::escaped_len(&answer) <= room, "{} has more than {room} bytes", tool.name);
        Ok(serde_json::from_str(&answer).expect("an answer is JSON"))
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
        self.workspace.borrow().as_ref().map(|workspace| workspace.identity().to_string())
    }

    fn read(&self, path: &str, max: u64) -> Result<ports::File, ports::Refusal> {
        let workspace = self.workspace.borrow();
        let workspace = workspace.as_ref().expect("it was asked for its identity");
        let path = RelativePath::parse(path).map_err(|cause| refusal(&cause))?;
        let file = workspace.read(&path, max).map_err(|cause| refusal(&cause))?;
        Ok(ports::File { content: file.bytes, sha256: file.sha256.to_string(), mode: file.mode })
    }

    fn publish(&self, path: &str, expected: &str, content: &[u8]) -> Result<ports::Published, ports::Failed> {
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
            let fails = *self.switches.fails_at.borrow() == Some(step);
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
            ports::Failed { refusal: refusal(&failed.cause), step: failed.step.name().to_owned(), destination }
        })?;
        let sha256 = published.sha256.to_string();
        Ok(ports::Published { sha256, bytes: published.bytes, mode: published.mode })
    }
}

fn refusal(cause: &assay_workspace::Refusal) -> ports::Refusal {
    ports::Refusal { code: cause.name().to_owned(), message: cause.to_string() }
}
