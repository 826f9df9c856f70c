//! Settings: an option that names an environment variable is also a key of one file (flag > environment > file > default).
//!
//! clap stays the one parser. What the file says becomes the default of the options, after each value was held against
//! its option, so that a bound stands in one place; what is wrong is told by the name under which it was given.

mod file;
#[cfg(test)]
mod tests;
mod value;

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
};

use clap::{
    Arg, ArgMatches, Command,
    error::{ContextKind, ErrorKind},
    parser::ValueSource,
};

pub(crate) use self::{
    file::{FileFault, SettingsFile, usual_place},
    value::{ByteCount, bytes, filter, text, whole},
};

/// The option that names the file; the one setting that cannot stand in it.
const FILE: &str = "config";

/// What may stand in the environment alone: name, and the key that somebody would look for.
pub(crate) const SECRETS: [(&str, &str); 2] = [("FORGEJO_TOKEN", "token"), ("FORGEJO_PASSWORD", "password")];

/// Command line, environment and file, read together.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) matches: ArgMatches,
    file: Option<SettingsFile>,
}

/// Why they cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    /// Help and version are among these.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    #[error("{name}: {reason}")]
    Environment { name: String, reason: String },
    #[error(transparent)]
    File(#[from] FileFault),
}

/// Who gave a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Giver {
    Flag,
    Environment,
    File(PathBuf),
    Default,
    Nobody,
}

/// Reads the command line, the environment, and the file that they name or that lies where it is looked for.
pub(crate) fn read(command: &Command, arguments: &[OsString]) -> Result<Read, Unread> {
    // Before the file, so that what is wrong with the call itself is said first.
    let matches = matches(command, arguments)?;
    let named = matches.get_one::<PathBuf>(FILE).cloned();
    let Some(file) = SettingsFile::open(named)? else { return Ok(Read { matches, file: None }) };
    let mut file = file.parse(&settings(command))?;
    // The environment comes before the file, also where the two name different settings for one thing.
    if env::var_os("FORGEJO_TOKEN").is_some() {
        file.forget("token_file");
    }
    let command = with_defaults(command.clone(), &file);
    Ok(Read { matches: self::matches(&command, arguments)?, file: Some(file) })
}

impl Read {
    /// The file that was read.
    pub(crate) fn file(&self) -> Option<&SettingsFile> {
        self.file.as_ref()
    }

    /// Who gave the value of a setting among `matches`, which are these or those of a command below.
    pub(crate) fn giver(&self, matches: &ArgMatches, arg: &Arg) -> Giver {
        match matches.value_source(arg.get_id().as_str()) {
            Some(ValueSource::CommandLine) => Giver::Flag,
            Some(ValueSource::EnvVariable) => Giver::Environment,
            None => Giver::Nobody,
            _ => match self.file.as_ref().filter(|file| file.has(&key(arg).unwrap_or_default())) {
                Some(file) => Giver::File(file.path().to_owned()),
                None => Giver::Default,
            },
        }
    }
}

/// The key of an option in the file, where it has one.
pub(crate) fn key(arg: &Arg) -> Option<String> {
    let long = arg.get_long().filter(|_| arg.get_env().is_some() && arg.get_id() != FILE)?;
    Some(long.replace('-', "_"))
}

/// Every setting of the program by its key, of whichever command.
fn settings(command: &Command) -> BTreeMap<String, &Arg> {
    let below = command.get_subcommands().flat_map(settings);
    let own = command.get_arguments().filter_map(|arg| Some((key(arg)?, arg)));
    below.chain(own).collect()
}

fn with_defaults(command: Command, file: &SettingsFile) -> Command {
    let given = |arg: Arg| match key(&arg).and_then(|key| file.get(&key)) {
        Some(values) => arg.default_values(values.to_vec()),
        None => arg,
    };
    command.mut_args(given).mut_subcommands(|below| with_defaults(below, file))
}

fn matches(command: &Command, arguments: &[OsString]) -> Result<ArgMatches, Unread> {
    command
        .clone()
        .try_get_matches_from(arguments)
        .map_err(|error| from_environment(command, arguments, &error).unwrap_or(Unread::Usage(error)))
}

/// clap names the flag whoever gave the value; who set a variable has never typed the flag.
fn from_environment(command: &Command, arguments: &[OsString], error: &clap::Error) -> Option<Unread> {
    if !matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::InvalidUtf8) {
        return None;
    }
    let named = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    // How clap writes an option down is known once the command is built.
    let mut command = command.clone();
    command.build();
    settings(&command).into_values().find_map(|arg| {
        let flag = format!("--{}", arg.get_long()?);
        let is_typed = arguments.iter().any(|argument| argument.to_string_lossy().starts_with(&flag));
        if is_typed || named.as_ref().is_some_and(|named| *named != arg.to_string()) {
            return None;
        }
        let name = arg.get_env()?;
        let reason = judge(arg, &[env::var_os(name)?]).err()?;
        Some(Unread::Environment { name: name.to_string_lossy().into_owned(), reason })
    })
}

/// Holds values against their option, by asking clap about it alone.
fn judge<V: AsRef<OsStr>>(arg: &Arg, values: &[V]) -> Result<(), String> {
    let mut line = vec![OsString::from("assay")];
    for value in values {
        let mut flag = OsString::from(format!("--{}=", arg.get_long().unwrap_or_default()));
        flag.push(value);
        line.push(flag);
    }
    let alone = Command::new("assay").disable_help_flag(true).arg(arg.clone().global(false));
    alone.try_get_matches_from(line).map(drop).map_err(|error| reason(&error))
}

fn reason(error: &clap::Error) -> String {
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).unwrap_or_default();
    match (error.kind(), std::error::Error::source(error), error.get(ContextKind::ValidValue)) {
        (ErrorKind::InvalidUtf8, ..) => "it is not UTF-8".to_owned(),
        (_, Some(source), _) => source.to_string(),
        (.., Some(valid)) => format!("`{}` is none of {valid}", super::shown::shown(&value)),
        _ if value.is_empty() => "it is empty".to_owned(),
        _ => format!("`{}` cannot be used here", super::shown::shown(&value)),
    }
}
