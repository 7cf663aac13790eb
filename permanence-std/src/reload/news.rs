//! What there is to say about a policy file.

use std::fmt;
use std::path::Path;

use permanence_core::Level;
use permanence_spec::Diagnostics;

/// What there is to say about a policy file that was loaded again.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum PolicyNews<'a> {
    /// The file is no good; the policy before it stays. It is told once for as long as its faults are the
    /// same.
    Refused {
        /// The file.
        path: &'a Path,
        /// Everything that is wrong with it.
        faults: &'a Diagnostics,
    },
    /// The file decides from now on, or does so again after it was refused.
    Taken {
        /// The file.
        path: &'a Path,
    },
}

impl PolicyNews<'_> {
    /// How loud the line is.
    #[must_use]
    pub const fn level(&self) -> Level {
        match self {
            PolicyNews::Refused { .. } => Level::Warn,
            PolicyNews::Taken { .. } => Level::Info,
        }
    }
}

/// The text of the line, without its level.
impl fmt::Display for PolicyNews<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, faults) = match self {
            PolicyNews::Taken { path } => return write!(out, "POLICY {} taken", path.display()),
            PolicyNews::Refused { path, faults } => (path, faults),
        };
        write!(out, "POLICY {} refused, the one before it stays", path.display())?;
        let Some(first) = faults.iter().next() else { return Ok(()) };
        write!(out, ": {}", first.code)?;
        if let Some(label) = first.labels.first() {
            write!(out, " at {}:{}:{}", label.path, label.line, label.column)?;
        }
        write!(out, ": {}", first.message)?;
        match faults.len().saturating_add(faults.left_out()).saturating_sub(1) {
            0 => Ok(()),
            more => write!(out, "; {more} more, see `permanence check`"),
        }
    }
}
