//! Walks over whole files and directories, on a forge that has them and can be made to lie.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
};

use assay_forge::{
    ObjectFormat, ObjectId, Owner, RepoName, base64,
    cursor::{Over, Place, PlaceCursor},
    file::TreePath,
    object::{Hasher, Kind},
};
use assay_kit::{
    case_run::target,
    content::{noise, prose},
    random::Random,
};
use assay_origin::{Answer, Fault, Lists, Origin, Pending};
use assay_tools_read::{find, ports::Ports};
use serde_json::{Value, json};

use crate::memory::Memory;

const KNOB: usize = 60_000;
const PATH: &str = "d ir/a#b.bin";

/// Its target, and the range that was asked for.
type Request = (String, Option<(u64, u64)>);

/// A forge with one commit; in it one file below `d ir`, or one directory at the root.
struct Forge {
    format: ObjectFormat,
    content: Vec<u8>,
    blob: ObjectId,
    entries: Vec<Vec<u8>>,
    /// Forges give no more a page, whatever they are asked for.
    most_per_page: usize,
    /// Whether `/git/blobs` gives trees and commits.
    gives_objects: bool,
    lie: Cell<Option<Lie>>,
    seen: RefCell<Vec<Request>>,
}

/// What the forge does with an answer to `/raw`, or to a listing of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    Short,
    Long,
    Whole,
    OtherTag,
    OtherTotal,
    Compressed,
    Redirect,
    ListedSize,
    ListedBlob,
    ListedLink,
    NotListed,
    Denied,
}

impl Forge {
    fn of(content: Vec<u8>, format: ObjectFormat) -> Self {
        let blob = id(format, Kind::Blob, &content);
        Self {
            format,
            content,
            blob,
            entries: Vec::new(),
            most_per_page: 1_000,
            gives_objects: true,
            lie: Cell::new(None),
            seen: RefCell::default(),
        }
    }

    fn with_directory(entries: Vec<Vec<u8>>) -> Self {
        Self { entries, ..Self::of(Vec::new(), ObjectFormat::Sha1) }
    }

    fn id(&self, kind: Kind, content: &[u8]) -> ObjectId {
        id(self.format, kind, content)
    }

    fn blob(&self) -> ObjectId {
        self.blob
    }

    fn tree(&self) -> Vec<u8> {
        let blob = self.blob();
        let entry = |name: &Vec<u8>| [b"100644 ", &name[..], b"\0", blob.as_bytes()].concat();
        self.entries.iter().flat_map(entry).collect()
    }

    fn commit(&self) -> Vec<u8> {
        format!("tree {}\nauthor a <a> 1 +0000\n\nx\n", self.id(Kind::Tree, &self.tree())).into_bytes()
    }

    fn commit_id(&self) -> String {
        self.id(Kind::Commit, &self.commit()).to_string()
    }

    fn call(&self, tool: &str, arguments: &Value, room: usize) -> Result<Value, String> {
        let memory = Memory::default();
        let ports = Ports { origin: self, lists: self, objects: &memory, reading: &memory };
        let answer = find(tool).expect("it is there").call(ports, &arguments.to_string(), room);
        let answer = answer.map_err(|refusal| refusal.code.into_owned())?;
        let escaped = Value::from(answer.as_str()).to_string().len() - 2;
        assert!(escaped <= room, "{escaped} of {room}");
        Ok(serde_json::from_str(&answer).expect("JSON"))
    }

    fn file(&self, cursor: Option<&Value>, room: usize) -> Result<Value, String> {
        self.call("get_file", &json!({"owner": "o", "repo": "r", "path": PATH, "cursor": cursor}), room)
    }

    fn requests(&self) -> Vec<Request> {
        self.seen.take()
    }

    fn answer(&self, path: &[&[u8]], query: &[(&str, &str)], range: Option<(u64, u64)>) -> Said {
        let commit = self.commit_id();
        let [b"repos", b"o", b"r", rest @ ..] = path else { panic!("another repository") };
        let at_commit = query.contains(&("ref", &commit));
        match rest {
            [] => Said::json(&json!({"default_branch": "trunk"})),
            [b"branches", b"trunk"] => Said::json(&json!({"name": "trunk", "commit": {"id": commit}})),
            [b"contents", b"d ir", b"a#b.bin"] if at_commit => {
                let given = self.content.len() <= KNOB;
                let content = if given { base64::encode(&self.content) } else { String::new() };
                // In the forges' order; `json!` would sort.
                Said::text(format!(
                    r#"{{"path":"{PATH}","sha":"{}","last_commit_sha":"{}","type":"file","size":{},"encoding":"base64","content":"{content}"}}"#,
                    self.blob(),
                    "1".repeat(commit.len()),
                    self.content.len(),
                ))
            }
            [b"contents", b"d ir"] if at_commit => self.listing(),
            [b"raw", b"d ir", b"a#b.bin"] if at_commit => self.raw(range.expect("a part alone is asked for")),
            [b"git", b"blobs", id] if self.gives_objects => {
                let objects = [(Kind::Commit, self.commit()), (Kind::Tree, self.tree())];
                let wanted = |(kind, content): &(Kind, Vec<u8>)| self.id(*kind, content).to_string().as_bytes() == *id;
                let (_, content) = objects.into_iter().find(wanted).expect("a known object");
                let text = base64::encode(&content);
                Said::json(&json!({"content": text, "encoding": "base64", "size": content.len()}))
            }
            [b"git", b"blobs", _] => Said { status: 400, ..Said::json(&json!({"message": "secret"})) },
            [b"git", b"commits", id] if *id == commit.as_bytes() => {
                let tree = self.id(Kind::Tree, &self.tree()).to_string();
                Said::json(&json!({"sha": commit, "commit": {"tree": {"sha": tree}}}))
            }
            [b"git", b"trees", _] => self.page(query),
            _ => panic!("asked for {}", target(path, query)),
        }
    }

    fn listing(&self) -> Said {
        let lie = self.lie.get();
        if lie == Some(Lie::Denied) {
            return Said { status: 404, ..Said::json(&json!({"message": "secret"})) };
        }
        let of = |lied: Lie, other: Value, own: Value| if lie == Some(lied) { other } else { own };
        let entry = json!({
            "path": of(Lie::NotListed, json!("d ir/a#b.BIN"), json!(PATH)),
            "type": of(Lie::ListedLink, json!("symlink"), json!("file")),
            "sha": of(Lie::ListedBlob, json!("1".repeat(40)), json!(self.blob().to_string())),
            "size": of(Lie::ListedSize, json!(1), json!(self.content.len())),
        });
        Said::json(&json!([{"path": "d ir/other", "type": "dir"}, entry]))
    }

    fn raw(&self, (first, last): (u64, u64)) -> Said {
        let lie = self.lie.get();
        let size = self.content.len();
        let at = |offset: u64| usize::try_from(offset).expect("small");
        let mut body = self.content[at(first)..=at(last)].to_vec();
        let mut headers = vec![
            ("content-range", format!("bytes {first}-{last}/{}", size + usize::from(lie == Some(Lie::OtherTotal)))),
            ("content-length", body.len().to_string()),
            ("etag", format!("\"{}\"", if lie == Some(Lie::OtherTag) { "x".into() } else { self.blob().to_string() })),
            ("content-type", "text/html; charset=utf-16le".to_owned()),
        ];
        match lie {
            Some(Lie::Short) => drop(body.pop()),
            Some(Lie::Long) => body.push(b'x'),
            Some(Lie::Compressed) => headers.push(("content-encoding", "gzip".to_owned())),
            _ => {}
        }
        let status = match lie {
            Some(Lie::Whole) => 200,
            Some(Lie::Redirect) => 302,
            _ => 206,
        };
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect();
        Said { status, headers, body: body.into() }
    }

    fn page(&self, query: &[(&str, &str)]) -> Said {
        let number = |name| {
            let value = query.iter().find(|(given, _)| *given == name).expect("it is said").1;
            value.parse::<usize>().expect("a number")
        };
        let per_page = number("per_page").min(self.most_per_page);
        let page = self.entries.chunks(per_page).nth(number("page") - 1);
        let entry = |name: &Vec<u8>| {
            let name = String::from_utf8_lossy(name);
            json!({"path": name, "mode": "100644", "type": "blob", "size": self.content.len(), "sha": self.blob().to_string()})
        };
        let tree: Option<Vec<Value>> = page.map(|page| page.iter().map(entry).collect());
        Said::json(&json!({"sha": "x", "tree": tree, "truncated": true, "total_count": self.entries.len()}))
    }
}

fn id(format: ObjectFormat, kind: Kind, content: &[u8]) -> ObjectId {
    let mut hasher = Hasher::new(format, kind, content.len() as u64);
    hasher.update(content);
    hasher.finish().expect("no collision")
}

struct Said {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: VecDeque<u8>,
}

impl Said {
    fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    fn text(text: String) -> Self {
        let headers = vec![("content-type".to_owned(), b"application/json;charset=utf-8".to_vec())];
        Self { status: 200, headers, body: text.into_bytes().into() }
    }
}

impl Origin for Forge {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)], range: Option<(u64, u64)>) -> Box<dyn Pending> {
        self.seen.borrow_mut().push((target(path, query), range));
        Box::new(self.answer(path, query, range))
    }

    fn get_following(&self, _: &[&[u8]], _: &[(&str, &str)]) -> Box<dyn Pending> {
        panic!("no redirect is followed for a file (F-027)")
    }
}

impl Lists for Forge {
    fn get(&self, _: &[&[u8]], _: &[(&str, &str)]) -> Box<dyn Pending> {
        panic!("a file read names its repository")
    }

    fn shows(&self, _: &[u64]) -> Result<Vec<bool>, Fault> {
        panic!("a file read names its repository")
    }
}

impl Pending for Said {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        if (300..400).contains(&self.status) { Err(Fault::Moved(self.status)) } else { Ok(self) }
    }
}

impl Answer for Said {
    fn status(&self) -> u16 {
        self.status
    }

    fn headers(&self) -> Vec<(String, Vec<u8>)> {
        self.headers.clone()
    }

    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
        let count = self.body.len().min(usize::try_from(max).expect("fits")).min(4_999);
        Ok(self.body.drain(..count).collect())
    }
}

/// Reads a file to its end as a client does, checking all that a client can check; gives the chunks.
fn walk(forge: &Forge, room: usize) -> Vec<Value> {
    let (mut cursor, mut chunks, mut read) = (None, Vec::new(), Vec::new());
    loop {
        let answer = forge.file(cursor.as_ref(), room).expect("sound");
        let requests = forge.requests();
        assert_eq!(answer["sha"], forge.blob().to_string());
        assert_eq!(answer["size"], forge.content.len());
        if answer.get("data").is_none() {
            let members: Vec<_> = answer.as_object().expect("an object").keys().map(String::as_str).collect();
            assert_eq!(members, ["path", "sha", "size", "text"]);
            assert_eq!(answer["text"].as_str().map(str::as_bytes), Some(&forge.content[..]));
            return chunks;
        }
        let data = base64::decode_canonical(answer["data"].as_str().expect("base64")).expect("canonical");
        assert_eq!(answer["byte_offset"], read.len());
        assert_eq!(answer["chunk_bytes"], data.len());
        assert_eq!(answer["text"].as_str(), std::str::from_utf8(&data).ok());
        assert_eq!(answer["ref_resolved"], forge.commit_id());
        // F-063: the directory, then the part; F-059: never the content again.
        if !read.is_empty() {
            let [(directory, None), (raw, Some((first, _)))] = &requests[..] else { panic!("{requests:?}") };
            assert!(directory.contains("/contents/d%20ir?ref=") && raw.contains("/raw/d%20ir/a%23b.bin?ref="));
            assert_eq!(*first, read.len() as u64);
        }
        read.extend(data);
        let eof = read.len() == forge.content.len();
        assert_eq!(answer["eof"], eof);
        assert_eq!(answer["next_byte_offset"].as_u64(), (!eof).then_some(read.len() as u64));
        cursor = Some(answer["next_cursor"].clone());
        chunks.push(answer);
        if eof {
            assert_eq!(cursor, Some(Value::Null));
            assert_eq!(read, forge.content);
            return chunks;
        }
    }
}

/// F-001, F-018, F-032, F-035 to F-046, F-050, K-55: every file comes back whole, at every size around every bound.
#[test]
fn every_file_is_walked_to_its_end() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        for size in [0, 1, 199, 202, 32_767, 32_768, 32_770, 48_900, KNOB - 1, KNOB, KNOB + 1, 150_000] {
            for content in [
                noise(7, size),
                prose(7, size),
                "→🟢é".repeat(size / 9 + 1).into_bytes(),
                "\u{1}\u{1f}\"\\\n".repeat(size / 5 + 1).into_bytes(),
                b"caf\xe9\r\n".repeat(size / 6 + 1),
            ] {
                let is_text = std::str::from_utf8(&content).is_ok();
                let forge = Forge::of(content, format);
                let rooms = if size < 40_000 { &[48_000, 3_300][..] } else { &[48_000] };
                for &room in rooms {
                    let chunks = walk(&forge, room);
                    if is_text {
                        assert!(chunks.iter().all(|chunk| chunk["text"].is_string()), "F-044");
                    }
                    // F-037, F-038, F-080.
                    for (number, chunk) in chunks.iter().enumerate() {
                        let came_whole = number == 0 && forge.content.len() <= KNOB;
                        assert_eq!(chunk["whole_blob_verified"], came_whole, "{number}");
                    }
                }
            }
        }
    }
}

/// F-022 to F-029, F-036: a part that is not exactly what was asked for is not shown.
#[test]
fn a_lying_forge_is_not_believed() {
    let forge = Forge::of(noise(3, KNOB + 1), ObjectFormat::Sha1);
    let cursor = forge.file(None, 48_000).expect("sound")["next_cursor"].clone();
    for (lie, code) in [
        (Lie::Short, "content_mismatch"),
        (Lie::Long, "content_mismatch"),
        (Lie::Whole, "range_ignored"),
        (Lie::OtherTag, "range_malformed"),
        (Lie::OtherTotal, "range_malformed"),
        (Lie::Compressed, "range_malformed"),
        (Lie::Redirect, "redirected"),
    ] {
        forge.lie.set(Some(lie));
        for cursor in [None, Some(&cursor)] {
            assert_eq!(forge.file(cursor, 48_000), Err(code.to_owned()), "{lie:?}");
        }
    }
    // F-057, F-058, F-061: and where the directory has another file, its bytes are not asked for.
    for (lie, code) in [
        (Lie::ListedSize, "file_changed"),
        (Lie::ListedBlob, "file_changed"),
        (Lie::ListedLink, "file_changed"),
        (Lie::NotListed, "file_changed"),
        (Lie::Denied, "not_found"),
    ] {
        forge.lie.set(Some(lie));
        forge.requests();
        assert_eq!(forge.file(Some(&cursor), 48_000), Err(code.to_owned()), "{lie:?}");
        assert_eq!(forge.requests().len(), 1, "{lie:?}");
    }
}

/// K-89: a directory of any size is complete, in order, and proven; whatever `truncated` says and however few entries a
/// forge gives a page.
#[test]
fn every_directory_is_walked_to_its_end() {
    let mut random = Random::new(5);
    for (count, most_per_page, gives_objects) in
        [(0, 1_000, true), (1, 1_000, true), (2_500, 1_000, true), (2_500, 50, false), (1_000, 1_000, false)]
    {
        let mut names: Vec<_> = (0..count).map(|n| format!("{n:05}-\"é\\{}", random.below(99)).into_bytes()).collect();
        names.sort();
        let forge = Forge { most_per_page, gives_objects, ..Forge::with_directory(names.clone()) };
        let (mut cursor, mut seen) = (Value::Null, Vec::new());
        loop {
            let page = forge
                .call("list_tree", &json!({"owner": "o", "repo": "r", "cursor": cursor, "max_bytes": 40_000}), 48_000)
                .expect("sound");
            assert_eq!((&page["total"], &page["tree_verified"]), (&json!(count), &json!(gives_objects)));
            let entries = page["entries"].as_array().expect("a list");
            assert_eq!(page["returned"], entries.len());
            seen.extend(entries.iter().map(|entry| entry["path"].as_str().expect("a path").as_bytes().to_vec()));
            assert!(entries.iter().all(|entry| entry["size"] == 0 && entry["type"] == "file"));
            cursor = page["next_cursor"].clone();
            assert_eq!(page["has_more"], cursor.is_string());
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen, names);
    }
}

/// O-010: a name that a listing cannot show comes from the tree itself, as git quotes it; without the tree nothing is shown.
#[test]
fn a_foreign_name_is_quoted() {
    let names = vec![b"a".to_vec(), b"caf\xe9".to_vec()];
    let arguments = json!({"owner": "o", "repo": "r"});
    let page = Forge::with_directory(names.clone()).call("list_tree", &arguments, 48_000).expect("sound");
    assert_eq!(page["entries"][1]["path"], "\"caf\\351\"");
    assert_eq!((&page["entries"][0]["size"], &page["tree_verified"]), (&Value::Null, &json!(true)));
    let forge = Forge { gives_objects: false, ..Forge::with_directory(names) };
    assert_eq!(forge.call("list_tree", &arguments, 48_000), Err("tree_unverified".to_owned()));
}

/// A file of many gigabytes, whose bytes are made when they are asked for.
struct Endless(u64);

impl Endless {
    const BLOB: &str = "2222222222222222222222222222222222222222";

    fn byte(at: u64) -> u8 {
        at.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0]
    }
}

impl Origin for Endless {
    fn get(&self, path: &[&[u8]], _: &[(&str, &str)], range: Option<(u64, u64)>) -> Box<dyn Pending> {
        let Some((first, last)) = range else {
            assert_eq!(path.get(3), Some(&&b"contents"[..]), "F-059: the content is not asked for");
            return Box::new(Said::json(&json!([{"path": "a", "type": "file", "sha": Self::BLOB, "size": self.0}])));
        };
        let headers = [
            ("content-range", format!("bytes {first}-{last}/{}", self.0)),
            ("content-length", (last - first + 1).to_string()),
            ("etag", format!("\"{}\"", Self::BLOB)),
        ];
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect();
        Box::new(Said { status: 206, headers, body: (first..=last).map(Self::byte).collect() })
    }

    fn get_following(&self, _: &[&[u8]], _: &[(&str, &str)]) -> Box<dyn Pending> {
        panic!("no redirect is followed for a file (F-027)")
    }
}

/// F-033: no size is too large: the last windows of a file of 2^53-1 bytes are read as any others are.
#[test]
fn a_file_of_any_size_is_walked() {
    for size in [5 << 30, (1_u64 << 53) - 1] {
        let forge = Endless(size);
        let (owner, repo) = (Owner::new("o").expect("a name"), RepoName::new("r").expect("a name"));
        let path = TreePath::new("a").expect("a path");
        let place = Place { owner: &owner, repo: &repo, path: Some(&path), reference: None };
        let ids = ["1".repeat(40), Endless::BLOB.to_owned()].map(|id| ObjectId::from_hex(&id).expect("an id"));
        let mut at = size - 70_000;
        let cursor = PlaceCursor::new(Over::File, &place, path.names().first(), ids.into(), false, size, at);
        let mut cursor = json!(cursor.encode());
        let lists = Forge::of(Vec::new(), ObjectFormat::Sha1);
        let memory = Memory::default();
        while cursor.is_string() {
            let arguments = json!({"owner": "o", "repo": "r", "path": "a", "cursor": cursor}).to_string();
            let ports = Ports { origin: &forge, lists: &lists, objects: &memory, reading: &memory };
            let answer = find("get_file").expect("it is there").call(ports, &arguments, 48_000).expect("sound");
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            let data = base64::decode_canonical(answer["data"].as_str().expect("base64")).expect("canonical");
            assert_eq!(answer["byte_offset"], at);
            assert!(data.iter().copied().eq((at..).take(data.len()).map(Endless::byte)));
            at += data.len() as u64;
            cursor = answer["next_cursor"].clone();
        }
        assert_eq!(at, size);
    }
}

/// F-033a, F-048a, F-049, F-080: what a caller has to know is said, and the answer's bound is called nobody's limit.
#[test]
fn the_descriptions_say_what_is_not_promised() {
    let description = find("get_file").expect("it is there").spec().description();
    for said in ["costs the forge more than its size", "only your own hash over the assembled chunks"] {
        assert!(description.contains(said), "{description}");
    }
    for tool in ["get_file", "list_tree"] {
        let description = find(tool).expect("it is there").spec().description();
        assert!(description.len() < 1_000 && !description.contains("MCP") && !description.contains("limit"), "{tool}");
    }
}
