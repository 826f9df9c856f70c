//! Where the diff goes: a file that is whole or not there, or standard output.

use std::{
    fs,
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

use super::terminal::Escaped;

/// Whoever was reading standard output has what he wanted, as `head` does.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed before the end")]
pub(crate) struct Closed;

/// Takes the bytes as they come. Dropped before [`Output::finish`], a file is not there.
pub(crate) enum Output {
    File { temporary: NamedTempFile, path: PathBuf },
    Stream(io::Stdout),
    Terminal(Escaped<io::Stdout>),
}

impl Output {
    /// Standard output, where no file is named or its name is `-`. A terminal is shown the diff, not driven by it.
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        match path.filter(|path| *path != Path::new("-")) {
            Some(path) => Self::file(path),
            None if io::stdout().is_terminal() => Ok(Self::Terminal(Escaped::new(io::stdout()))),
            None => Ok(Self::Stream(io::stdout())),
        }
    }

    /// A new file beside the one that is to be, so that one rename puts it there whole.
    fn file(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        // What a link names is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(there) if there.is_dir() => bail!("{shown} is a folder: name a file in it"),
            Ok(there) if !there.is_file() => bail!("{shown} is no regular file: leave -o out and redirect the output"),
            _ => {}
        }
        let Some(name) = path.file_name() else { bail!("{shown} names no file") };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        builder.prefix(&prefix);
        // Else it would be the owner's alone, as temporary files are; the user's own mask still counts.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder).with_context(|| format!("{shown} cannot be written"))?;
        Ok(Self::File { temporary, path })
    }

    /// Whether it is for eyes: then nothing else may draw on the terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Takes the next bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::File { temporary, path } => {
                temporary.write_all(bytes).with_context(|| format!("{} cannot be written", path.display()))
            }
            Self::Stream(out) => out.write_all(bytes).map_err(unwritten),
            Self::Terminal(out) => out.write_all(bytes).map_err(unwritten),
        }
    }

    /// Puts the file in its place; gives its path where there is one.
    pub(crate) fn finish(self) -> anyhow::Result<Option<PathBuf>> {
        match self {
            Self::File { temporary, path } => {
                temporary.persist(&path).map_err(|e| e.error).with_context(|| format!("{}", path.display()))?;
                Ok(Some(path))
            }
            Self::Stream(mut out) => out.flush().map(|()| None).map_err(unwritten),
            Self::Terminal(out) => out.finish().map(|()| None).map_err(unwritten),
        }
    }
}

/// What became of standard output.
pub(crate) fn unwritten(error: io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Closed.into();
    }
    anyhow::Error::new(error).context("standard output cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("out.diff");
        let mut output = Output::open(Some(&path)).expect("it can be written");
        output.write(b"half").expect("there is room");
        assert!(!path.exists());
        drop(output);
        assert_eq!(left(folder.path()), [""; 0]);

        fs::write(&path, "old").expect("there is room");
        let mut output = Output::open(Some(&path)).expect("it can be written");
        output.write(b"ne").expect("there is room");
        assert_eq!(fs::read(&path).expect("it is there"), b"old");
        output.write(b"w").expect("there is room");
        assert_eq!(output.finish().expect("it is there"), Some(path.canonicalize().expect("it is there")));
        assert_eq!(
            (fs::read(&path).expect("it is there"), left(folder.path())),
            (b"new".to_vec(), vec!["out.diff".into()])
        );
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("there is room");
        for path in
            [folder.path(), Path::new("/dev/null"), &folder.path().join("no/such"), Path::new("/"), Path::new("..")]
        {
            assert!(Output::open(Some(path)).is_err(), "{}", path.display());
        }
        assert_eq!(left(folder.path()), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn a_links_target_is_replaced_and_the_mask_counts() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("there is room");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").expect("there is room");
        std::os::unix::fs::symlink(&target, &link).expect("there is room");
        let mut output = Output::open(Some(&link)).expect("it can be written");
        output.write(b"new").expect("there is room");
        output.finish().expect("it is there");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::read(&target).expect("it is there"), b"new");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
        let plain = folder.path().join("plain");
        fs::write(&plain, "").expect("there is room");
        assert_eq!(mode(&target), mode(&plain));
    }
}
