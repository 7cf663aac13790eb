//! What can go wrong with a store.

use std::path::PathBuf;
use std::{fmt, io};

/// Why a store could not be read or written. The program goes on without it.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has held the lock for longer than a caller may wait.
    Busy(PathBuf),
    /// All places are taken by endpoints that are in trouble, and none of them may be forgotten.
    Full(usize),
    /// The system refused.
    Io {
        /// What was attempted, such as `lock`.
        act: &'static str,
        /// On what.
        path: PathBuf,
        /// How the system put it.
        source: io::Error,
    },
    /// The key of the endpoint is too long, in bytes.
    KeyTooLong(usize),
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Busy(path) => {
                write!(out, "another process holds the lock {}", path.display())
            }
            StoreError::Full(capacity) => {
                write!(out, "all {capacity} places are taken by endpoints in trouble")
            }
            StoreError::Io { act, path, source } => {
                write!(out, "cannot {act} {}: {source}", path.display())
            }
            StoreError::KeyTooLong(found) => {
                write!(out, "the key of the endpoint has {found} bytes")
            }
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StoreError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Why there is no place for a state file.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlaceError {
    /// Neither `XDG_STATE_HOME` nor `HOME` is an absolute path: name the file by its path.
    NoDirectory,
    /// A name is made of letters, digits, `-`, `_` and `.`, and does not begin with a dot.
    Name(String),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::NoDirectory => {
                out.write_str("neither XDG_STATE_HOME nor HOME is an absolute path")
            }
            PlaceError::Name(found) => write!(out, "{found:?} is not the name of a state file"),
        }
    }
}

impl std::error::Error for PlaceError {}

/// What was found in a file that cannot be read as what it should be.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Corruption {
    /// The last line does not agree with those before it: the file was cut off or changed.
    Checksum,
    /// The file begins like none of ours.
    Header,
    /// A line, counted from 1, is not what it should be.
    Line(usize),
    /// Something else stands there, such as a directory.
    NotAFile,
    /// The file is larger than any that is written, in bytes.
    TooLarge(u64),
    /// The file comes from a version that this one does not read.
    Version(String),
}

impl fmt::Display for Corruption {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Corruption::Checksum => out.write_str("the checksum does not match"),
            Corruption::Header => out.write_str("the first line is not that of such a file"),
            Corruption::Line(number) => write!(out, "line {number} cannot be read"),
            Corruption::NotAFile => out.write_str("it is not a file"),
            Corruption::TooLarge(found) => write!(out, "it has {found} bytes"),
            Corruption::Version(found) => write!(out, "it has version {found:?}, and 1 is known"),
        }
    }
}
