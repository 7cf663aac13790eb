//! A policy file as text.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::diagnostic::Label;

/// The largest policy file, in bytes.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// One text and where it comes from.
#[derive(Debug)]
pub(crate) struct Source {
    /// What diagnostics call it.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The directory that what it extends is relative to.
    directory: PathBuf,
}

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        let directory = Path::new(&name).parent().unwrap_or(Path::new("")).to_path_buf();
        Source { name, text: text.into(), directory }
    }

    /// The path of a file that this one names.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.directory.join(path)
    }

    /// The bytes of `span` as a place in a line.
    pub(crate) fn label(&self, span: Range<usize>, message: String) -> Label {
        let start = self.boundary(span.start);
        let before = self.text.get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |place| place + 1);
        let rest = self.text.get(line_start..).unwrap_or("");
        let text = rest.split('\n').next().unwrap_or("").trim_end_matches('\r');
        let line_end = line_start + text.len();
        let end = self.boundary(span.end.clamp(start, line_end.max(start)));
        let meant = self.text.get(start..end).unwrap_or("").chars().count();
        Label {
            path: self.name.clone(),
            line: before.matches('\n').count() + 1,
            column: self.text.get(line_start..start).unwrap_or("").chars().count() + 1,
            text: text.to_owned(),
            width: meant.max(1),
            message,
            span,
        }
    }

    /// The last boundary of a character at or before `place`.
    fn boundary(&self, place: usize) -> usize {
        let mut place = place.min(self.text.len());
        while !self.text.is_char_boundary(place) {
            place -= 1;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_counts_lines_and_characters() {
        let source = Source::new("dir/policy.toml", "one\n\u{e4}\u{f6}two = 1\r\nthree");
        let label = source.label(8..11, String::new());
        assert_eq!((label.line, label.column, label.width), (2, 3, 3));
        assert_eq!(label.text, "\u{e4}\u{f6}two = 1");
        assert_eq!(source.beside("base.toml"), Path::new("dir/base.toml"));
    }

    #[test]
    fn a_label_never_leaves_the_text() {
        let source = Source::new("p", "\u{e4}\n");
        for start in 0..6 {
            for end in 0..6 {
                let label = source.label(start..end, String::new());
                assert!(label.width >= 1 && label.line <= 2);
            }
        }
    }
}
