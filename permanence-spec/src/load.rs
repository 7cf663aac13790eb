//! From a path or a text to checked tables, over everything that it extends.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::compiled::Compiled;
use crate::diagnostic::{Code, Diagnostics, Finding, Findings, Place, nearest};
use crate::layer::Document;
use crate::resolve;
use crate::source::{MOST_BYTES, Source};
use crate::syntax::At;
use crate::trace::Traced;

/// Reads a policy file and everything that it extends.
///
/// # Errors
///
/// Everything that is wrong, in all of the files at once.
pub fn load_path(path: impl AsRef<Path>) -> Result<Compiled, Diagnostics> {
    load_path_in("", path)
}

/// Reads a policy file that is relative to `root`, and everything that it extends.
///
/// Diagnostics name the files as `path` does, without `root`: for a compiler that works in another
/// directory than the package whose file it reads.
///
/// # Errors
///
/// Everything that is wrong, in all of the files at once.
pub fn load_path_in(
    root: impl AsRef<Path>,
    path: impl AsRef<Path>,
) -> Result<Compiled, Diagnostics> {
    Reading::of_path(root.as_ref(), path.as_ref()).finish().map(Traced::into_compiled)
}

/// Reads a policy from a text; `name` is what diagnostics call it.
///
/// Where `name` is a path, the files that the text extends are looked for beside it.
///
/// # Errors
///
/// Everything that is wrong, in the text and in all of the files at once.
///
/// # Examples
///
/// A policy that changes one number of the default:
///
/// ```
/// # fn main() -> Result<(), permanence_spec::Diagnostics> {
/// use permanence_core::{Signal, Span, Reprobe};
///
/// let policy = permanence_spec::load_str(
///     "policy.toml",
///     r#"
///         [error_permanence]
///         extends = "default"
///         classes.permanent.reprobe_interval = "1h"
///     "#,
/// )?;
/// let Reprobe::Every { interval, .. } = policy.base.rule(&Signal::Http(404)).reprobe else {
///     panic!("a missing route is looked for again");
/// };
/// assert_eq!(interval, Span::from_secs(3600));
/// # Ok(())
/// # }
/// ```
pub fn load_str(name: &str, text: &str) -> Result<Compiled, Diagnostics> {
    Reading::of_text(name, text).finish().map(Traced::into_compiled)
}

/// The policy that most programs need: the essay's numbers and the table of reasons.
///
/// # Errors
///
/// None in a released version: the text is part of it.
pub fn default_policy() -> Result<Compiled, Diagnostics> {
    load_str(DEFAULT_NAME, DEFAULT_TEXT)
}

/// The configuration surface of the source essay, to the letter.
///
/// # Errors
///
/// None in a released version: the text is part of it.
pub fn essay_policy() -> Result<Compiled, Diagnostics> {
    load_str(ESSAY_NAME, ESSAY_TEXT)
}

/// Everything read so far, the file asked for first.
#[derive(Default)]
pub(crate) struct Reading {
    /// What the paths are relative to; empty for where the process is.
    root: PathBuf,
    sources: Vec<Source>,
    documents: Vec<Document>,
    files: Vec<PathBuf>,
    /// The true paths of the files met, for finding circles.
    met: Vec<PathBuf>,
    findings: Findings,
}

impl Reading {
    /// Reads a file that is relative to `root`, and everything that it extends.
    pub(crate) fn of_path(root: &Path, path: &Path) -> Self {
        let mut reading = Reading { root: root.to_path_buf(), ..Reading::default() };
        let name = path.display().to_string();
        match reading.read_file(path) {
            Ok(text) => reading.add(Source::new(name, text)),
            Err(fault) => {
                reading.sources.push(Source::new(name, ""));
                let message = fault.message(path);
                reading.findings.push(Finding::new(fault.code(), Place::START, message));
            }
        }
        reading
    }

    /// Reads a text, and everything that it extends.
    pub(crate) fn of_text(name: &str, text: &str) -> Self {
        let mut reading = Reading::default();
        if let Ok(path) = fs::canonicalize(name) {
            reading.met.push(path);
        }
        if text.len() as u64 > MOST_BYTES {
            reading.sources.push(Source::new(name, ""));
            let message = Fault::TooLarge.message(Path::new(name));
            reading.findings.push(Finding::new(Code::TooLarge, Place::START, message));
        } else {
            reading.add(Source::new(name, text));
        }
        reading
    }

    /// Adds a source and everything that it extends.
    fn add(&mut self, source: Source) {
        let mut next = Some(source);
        while let Some(source) = next.take() {
            let number = self.sources.len();
            let document = Document::read(&source.text, number, &mut self.findings);
            let extends = document.extends.clone();
            self.sources.push(source);
            self.documents.push(document);
            if let Some(extends) = extends {
                next = self.open(&extends);
            }
        }
    }

    /// The source that `extends` names, unless that is a fault.
    fn open(&mut self, extends: &At<String>) -> Option<Source> {
        match extends.value.as_str() {
            "none" => return None,
            "default" => return Some(Source::new(DEFAULT_NAME, DEFAULT_TEXT)),
            "essay" => return Some(Source::new(ESSAY_NAME, ESSAY_TEXT)),
            _ => {}
        }
        if !extends.value.ends_with(".toml") {
            let message = format!("there is nothing called `{}` to extend", extends.value);
            let guess = nearest(&extends.value, ["default", "essay", "none"]);
            let help = "write \"default\", \"essay\", \"none\" or the path of a .toml file";
            let finding = Finding::new(Code::BadExtends, extends.place, message);
            self.findings.push(finding.with_guess(guess, help));
            return None;
        }
        if self.documents.len() >= MOST_FILES {
            let message = format!("this chain of files is longer than {MOST_FILES}");
            self.findings.push(Finding::new(Code::ExtendsDepth, extends.place, message));
            return None;
        }
        let path = self.sources.last()?.beside(&extends.value);
        if fs::canonicalize(self.root.join(&path)).is_ok_and(|path| self.met.contains(&path)) {
            let message = format!("`{}` extends itself by way of this file", extends.value);
            let finding = Finding::new(Code::ExtendsCycle, extends.place, message);
            self.findings.push(finding.with_help("end the chain with \"default\" or \"none\""));
            return None;
        }
        match self.read_file(&path) {
            Ok(text) => Some(Source::new(path.display().to_string(), text)),
            Err(fault) => {
                let message = fault.message(&path);
                self.findings.push(Finding::new(fault.code(), extends.place, message));
                None
            }
        }
    }

    fn read_file(&mut self, path: &Path) -> Result<String, Fault> {
        let path = self.root.join(path);
        let file = File::open(&path).map_err(|_| Fault::Unreadable)?;
        self.met.extend(fs::canonicalize(&path));
        self.files.push(path);
        let mut bytes = Vec::new();
        let mut bounded = file.take(MOST_BYTES + 1);
        bounded.read_to_end(&mut bytes).map_err(|_| Fault::Unreadable)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Fault::TooLarge);
        }
        String::from_utf8(bytes).map_err(|_| Fault::NotText)
    }

    pub(crate) fn finish(mut self) -> Result<Traced, Diagnostics> {
        // Layers are resolved from the base up.
        self.documents.reverse();
        let compiled = resolve::compile(&self.documents, self.files.clone(), &mut self.findings);
        match compiled {
            Some(compiled) if self.findings.is_empty() => {
                Ok(Traced::new(compiled, self.documents, self.sources))
            }
            _ => Err(self.findings.into_diagnostics(&self.sources, self.files)),
        }
    }
}

/// Why a file could not be read.
#[derive(Clone, Copy)]
enum Fault {
    NotText,
    TooLarge,
    Unreadable,
}

impl Fault {
    fn code(self) -> Code {
        match self {
            Fault::NotText | Fault::TooLarge => Code::TooLarge,
            Fault::Unreadable => Code::BadExtends,
        }
    }

    /// The system's own words are left out: they differ from one to the next.
    fn message(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Fault::NotText => format!("`{path}` is not UTF-8"),
            Fault::TooLarge => format!("`{path}` is larger than 1 MiB"),
            Fault::Unreadable => format!("`{path}` cannot be read"),
        }
    }
}

const MOST_FILES: usize = 8;

pub(crate) const DEFAULT_NAME: &str = "<default>";
pub(crate) const DEFAULT_TEXT: &str = include_str!("../policies/error_permanence.toml");
pub(crate) const ESSAY_NAME: &str = "<essay>";
pub(crate) const ESSAY_TEXT: &str = include_str!("../policies/essay.toml");
