//! Reading cases from files.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Table;

/// One vector.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) input: Table,
    pub(super) expected: Table,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    case: Vec<Case>,
}

/// Why there are no cases to run.
#[derive(Debug)]
#[non_exhaustive]
pub(super) enum LoadError {
    /// The file has no `[[case]]`: name another one.
    NoCase(PathBuf),
    /// No case has this id.
    NoSuchCase(String),
    /// The file or the directory cannot be read.
    Read(PathBuf, io::Error),
    /// The file is not TOML or a case lacks a field.
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Where, counted from one.
        line: usize,
        /// Where in the line, counted in characters from one.
        column: usize,
        /// What was found.
        message: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NoCase(path) => write!(out, "{}: no [[case]] found", path.display()),
            LoadError::NoSuchCase(id) => write!(out, "no case has the id {id}"),
            LoadError::Read(path, error) => write!(out, "{}: {error}", path.display()),
            LoadError::Syntax { path, line, column, message } => {
                write!(out, "{}:{line}:{column}: {message}", path.display())
            }
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Read(_, error) => Some(error),
            _ => None,
        }
    }
}

/// Reads all cases of files and directories, in the order of the paths and of the file names.
pub(super) fn load(paths: &[PathBuf]) -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    for path in paths {
        let found = if path.is_dir() { load_directory(path)? } else { load_file(path)? };
        if found.is_empty() {
            return Err(LoadError::NoCase(path.clone()));
        }
        cases.extend(found);
    }
    Ok(cases)
}

fn load_directory(directory: &Path) -> Result<Vec<Case>, LoadError> {
    let unreadable = |error| LoadError::Read(directory.to_owned(), error);
    let mut entries = fs::read_dir(directory)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    entries.sort();
    let mut cases = Vec::new();
    for entry in entries {
        if entry.is_dir() {
            cases.extend(load_directory(&entry)?);
        } else if entry.extension().is_some_and(|extension| extension == "toml") {
            cases.extend(load_file(&entry)?);
        }
    }
    Ok(cases)
}

fn load_file(path: &Path) -> Result<Vec<Case>, LoadError> {
    let text = fs::read_to_string(path).map_err(|error| LoadError::Read(path.to_owned(), error))?;
    let file: File = toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let (line, column) = position(&text, start);
        let message = error.message().to_owned();
        LoadError::Syntax { path: path.to_owned(), line, column, message }
    })?;
    Ok(file.case)
}

/// The line and the column of a byte, both counted from one.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn a_position_is_counted_from_one_in_characters() {
        assert_eq!(position("a\nüb", 0), (1, 1));
        assert_eq!(position("a\nüb", 4), (2, 2));
    }
}
