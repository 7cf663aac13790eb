//! What is wrong with a policy file, all of it at once, in words and with places.

mod code;
mod finding;
mod nearest;
mod render;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

pub use self::code::Code;
pub(crate) use self::finding::{Finding, Findings, Place};
pub(crate) use self::nearest::nearest;

/// Everything that is wrong with a policy file and the files that it extends; never empty.
///
/// Its text is the same from the loader, the macro and the command line.
///
/// # Examples
///
/// A mistyped name is found, and the right one is offered:
///
/// ```
/// let text = "[error_permanence.classes.transient]\nnetwork_errors = ['conection_refused']\n";
/// let wrong = permanence_spec::load_str("policy.toml", text).unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     "\
/// error[P0108]: no network error is called `conection_refused`
///  --> policy.toml:2:19
///   |
/// 2 | network_errors = ['conection_refused']
///   |                   ^^^^^^^^^^^^^^^^^^^
///   = help: did you mean `connection_refused`?
/// "
/// );
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    left_out: usize,
    files: Vec<PathBuf>,
}

impl Diagnostics {
    pub(crate) fn new(items: Vec<Diagnostic>, left_out: usize, files: Vec<PathBuf>) -> Self {
        Diagnostics { items, left_out, files }
    }

    /// The diagnostics, in the order of the files and of their text.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none, which does not happen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many more there were beyond the hundred that are kept.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Every file that was read before the faults were found: what a build has to watch.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, diagnostic) in self.items.iter().enumerate() {
            if place > 0 {
                writeln!(out)?;
            }
            write!(out, "{diagnostic}")?;
        }
        if self.left_out > 0 {
            writeln!(out, "\nand {} more", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// One thing that is wrong.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// Which rule of the language is broken.
    pub code: Code,
    /// What was found: lower case, no full stop.
    pub message: String,
    /// Where: the place itself first, then what it clashes with.
    pub labels: Vec<Label>,
    /// What would mend it.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        render::diagnostic(self, out)
    }
}

/// A place in a file, with the line that it is in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    /// The path of the file, or the name of the text.
    pub path: String,
    /// The bytes meant.
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The whole line.
    pub text: String,
    /// How many characters of the line are meant; at least 1.
    pub width: usize,
    /// What is to be seen there; empty at the place itself.
    pub message: String,
}
