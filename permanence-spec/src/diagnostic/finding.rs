//! A fault as it is found: places are numbers until the text is known to be needed.

use std::path::PathBuf;

use crate::source::Source;

use super::{Code, Diagnostic, Diagnostics, Label};

/// Bytes of one of the files.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Place {
    /// Which file; the one asked for is 0.
    pub(crate) source: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Place {
    /// The beginning of the file asked for.
    pub(crate) const START: Place = Place { source: 0, start: 0, end: 0 };
}

/// One fault.
#[derive(Debug)]
pub(crate) struct Finding {
    code: Code,
    message: String,
    labels: Vec<(Place, String)>,
    help: Option<String>,
}

impl Finding {
    pub(crate) fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        let labels = vec![(place, String::new())];
        Finding { code, message: message.into(), labels, help: None }
    }

    pub(crate) fn with_label(mut self, place: Place, message: impl Into<String>) -> Self {
        self.labels.push((place, message.into()));
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With a help line that offers `word`, if there is one.
    pub(crate) fn with_guess(self, word: Option<&str>, otherwise: impl Into<String>) -> Self {
        match word {
            Some(word) => self.with_help(format!("did you mean `{word}`?")),
            None => self.with_help(otherwise),
        }
    }
}

/// All faults so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    items: Vec<Finding>,
}

impl Findings {
    pub(crate) fn push(&mut self, finding: Finding) {
        self.items.push(finding);
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The faults in the order of the text, each once: inheritance shows some of them several times.
    pub(crate) fn into_diagnostics(self, sources: &[Source], files: Vec<PathBuf>) -> Diagnostics {
        let mut items = self.items;
        items.sort_by(|a, b| (a.place(), a.code, &a.message).cmp(&(b.place(), b.code, &b.message)));
        items.dedup_by(|a, b| a.code == b.code && a.place() == b.place());
        let left_out = items.len().saturating_sub(MOST);
        items.truncate(MOST);
        let items = items.into_iter().map(|finding| finding.located(sources)).collect();
        Diagnostics::new(items, left_out, files)
    }
}

impl Finding {
    fn place(&self) -> Option<Place> {
        self.labels.first().map(|(place, _)| *place)
    }

    fn located(self, sources: &[Source]) -> Diagnostic {
        let Finding { code, message, labels, help } = self;
        let label = |(place, message): (Place, String)| -> Option<Label> {
            Some(sources.get(place.source)?.label(place.start..place.end, message))
        };
        Diagnostic { code, message, labels: labels.into_iter().filter_map(label).collect(), help }
    }
}

/// More than anybody mends at once; a megabyte of faults must not become a gigabyte of text.
const MOST: usize = 100;
