//! How the process ends.

use std::process::ExitCode;

/// The exit codes, as they stand in `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done, and nothing was found wrong
  1  done, and something was found wrong
  2  the command line or a file cannot be read";

/// How the process ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    /// Done, and nothing was found wrong.
    Success,
    /// Done, and something was found wrong.
    Failure,
    /// The command line or a file cannot be read.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => ExitCode::SUCCESS,
            Exit::Failure => ExitCode::from(1),
            Exit::Usage => ExitCode::from(2),
        }
    }
}
