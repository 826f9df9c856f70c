//! The one file of settings: where it is looked for, and what may stand in it.

use std::{
    any::TypeId,
    collections::BTreeMap,
    env, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction};
use toml::{Table, Value};

use super::{SECRETS, judge, value::ByteCount};
use crate::cli::shown::shown;

/// Bytes of the file that are read at the most.
const FILE_BYTES: u64 = 64 * 1024;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Opened {
    path: PathBuf,
    text: String,
}

/// Its values by key, each of which its option takes.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    values: BTreeMap<String, Vec<String>>,
}

/// What is wrong with the file. No text repeats a value that may be a secret.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub(crate) struct FileFault {
    path: PathBuf,
    fault: What,
}

#[derive(Debug, thiserror::Error)]
enum What {
    #[error("the settings cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("the settings are larger than {FILE_BYTES} bytes")]
    TooLarge,
    #[error("line {line}: {message}")]
    Syntax { line: usize, message: String },
    #[error("there is no setting `{key}`; there are: {known}")]
    Unknown { key: String, known: String },
    #[error(
        "`{key}` is a secret, and this file is one that people copy, share and commit: put it into {name}, or a token into a file of its own that `token_file` names"
    )]
    Secret { key: &'static str, name: &'static str },
    #[error("`{key}` is {wanted}, not {found}")]
    Type { key: String, wanted: &'static str, found: &'static str },
    #[error("`{key}`: {reason}")]
    Value { key: String, reason: String },
}

impl SettingsFile {
    /// Reads the file that was named, or the one where it is looked for; that one need not be there.
    pub(super) fn open(named: Option<PathBuf>) -> Result<Option<Opened>, FileFault> {
        let must_be_there = named.is_some();
        let Some(path) = named.or_else(usual_place) else { return Ok(None) };
        let mut text = Vec::new();
        let read = fs::File::open(&path).and_then(|open| open.take(FILE_BYTES + 1).read_to_end(&mut text));
        let fault = match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !must_be_there => return Ok(None),
            Err(error) => What::Unreadable(error),
            Ok(_) if text.len() as u64 > FILE_BYTES => What::TooLarge,
            Ok(_) => match String::from_utf8(text) {
                Ok(text) => return Ok(Some(Opened { path, text })),
                Err(_) => What::Syntax { line: 1, message: "it is not UTF-8".to_owned() },
            },
        };
        Err(FileFault { path, fault })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub(super) fn forget(&mut self, key: &str) {
        self.values.remove(key);
    }

    pub(super) fn get(&self, key: &str) -> Option<&[String]> {
        self.values.get(key).map(Vec::as_slice)
    }
}

impl Opened {
    /// Holds every key and value against the settings that there are.
    pub(super) fn parse(self, settings: &BTreeMap<String, &Arg>) -> Result<SettingsFile, FileFault> {
        match parse(&self.text, settings) {
            Ok(values) => Ok(SettingsFile { path: self.path, values }),
            Err(fault) => Err(FileFault { path: self.path, fault }),
        }
    }
}

/// `$XDG_CONFIG_HOME/assay/config.toml`, or `~/.config/assay/config.toml`.
pub(crate) fn usual_place() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("assay").join("config.toml"))
}

fn parse(text: &str, settings: &BTreeMap<String, &Arg>) -> Result<BTreeMap<String, Vec<String>>, What> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        // The message alone: the whole error quotes the line, which may hold what should not stand there.
        What::Syntax { line: 1 + before.matches('\n').count(), message: error.message().to_owned() }
    })?;
    let mut values = BTreeMap::new();
    for (key, value) in table {
        if let Some((name, key)) = SECRETS.into_iter().find(|(name, secret)| key == *secret || key == *name) {
            return Err(What::Secret { key, name });
        }
        let Some(arg) = settings.get(&key) else {
            let known = settings.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(What::Unknown { key: shown(&key), known });
        };
        let texts = texts(&key, arg, value)?;
        judge(arg, &texts).map_err(|reason| What::Value { key: key.clone(), reason })?;
        values.insert(key, texts);
    }
    Ok(values)
}

/// The value as it would stand on the command line, where it is of the kind that the option wants.
fn texts(key: &str, arg: &Arg, value: Value) -> Result<Vec<String>, What> {
    let wants = arg.get_value_parser().type_id();
    let is = |ty: TypeId| wants == ty;
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    let is_number = is(TypeId::of::<u32>());
    let is_bytes = is(TypeId::of::<ByteCount>());
    let is_boolean = is(TypeId::of::<bool>());
    match value {
        Value::Array(items) if is_list => items.into_iter().map(|item| one(key, item)).collect(),
        Value::Integer(number) if is_number || is_bytes => Ok(vec![number.to_string()]),
        Value::Boolean(on) if is_boolean => Ok(vec![on.to_string()]),
        Value::String(text) if !is_list && !is_number && !is_boolean => Ok(vec![text]),
        other => {
            let wanted = match (is_list, is_number, is_bytes) {
                _ if is_boolean => "true or false",
                (true, ..) => "a list of texts",
                (_, true, _) => "a whole number",
                (.., true) => "a number of bytes or a text such as \"64MiB\"",
                _ => "a text",
            };
            Err(What::Type { key: key.to_owned(), wanted, found: found(&other) })
        }
    }
}

fn one(key: &str, item: Value) -> Result<String, What> {
    match item {
        Value::String(text) => Ok(text),
        other => Err(What::Type { key: key.to_owned(), wanted: "a list of texts", found: found(&other) }),
    }
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with a fraction",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
